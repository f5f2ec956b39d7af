"""Break the arithmetic on purpose, one line at a time, and see which tests notice (`make mutants`).

Every mutation below makes some answer unsound: a rounding direction flipped, an error term dropped, mass lost. Each is
applied to a copy of the package, and the tests named beside it must turn red. A mutation that no test notices, or whose
text is not found exactly once, fails the run: either the tests or this table have fallen behind the code.

    python tests/mutants.py            all mutations
    python tests/mutants.py cap fft    those whose name contains one of the words
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "tightbudget"

CONVOLVE = "unit/numerics/test_convolve.py"
LEAF = "unit/buckets/test_leaf.py"
TILTED = "unit/buckets/test_tilted.py"
SPREAD = "unit/buckets/test_spread.py"
MERGE = "unit/buckets/test_merge.py"
PROFILE = "unit/bounds/test_profile.py"
SINGLE = "unit/bounds/test_single.py"
DIRECTION = "unit/bounds/test_direction.py"
ANSWERS = "unit/bounds/test_answers.py"
GAUSSIAN = "unit/bounds/test_gaussian.py"
CHERNOFF = "unit/composition/test_chernoff.py"
EVALUATE = "unit/composition/test_evaluate.py"
STEPS = "unit/composition/test_steps.py"
MASSES = "unit/pairs/test_continuous.py::test_masses"
WHOLE = "unit/pairs/test_continuous.py::test_nothing_is_missing"
ATOMS = "unit/pairs/test_continuous.py::test_point_masses"
POINTS = "unit/pairs/test_points.py::test_masses"
NORMAL = "unit/numerics/test_normal.py"
BRACKET = "unit/numerics/test_bracket.py"
SEARCH = "unit/numerics/test_search.py"
EVENTS = "divergences/test_events.py"
BINOMIAL = "divergences/test_renyi.py::test_whole_orders_of_a_subsampled_gaussian"
BOTH = "divergences/test_renyi.py::test_steps_add_up_in_each_direction_apart"
DISCRETE = "divergences/test_renyi.py::test_discrete_gaussian_at_any_order"
RANGE = "divergences/test_numbers.py::test_bounded_range_is_the_worst_of_its_class"
CHORD = "divergences/test_numbers.py::test_peak_under_a_chord"
PURE = "divergences/test_numbers.py::test_pure_epsilon"
GDP = "divergences/test_numbers.py::test_gdp"
CONVERSIONS = "divergences/test_conversions.py"
LEMMAS = "property/test_published_lemmas.py"
HALVING = "regression/test_squaring_rounds_up.py"
LEAVES = "unit/published/test_leaves.py"
COMBINE = "unit/published/test_combine.py"
READINGS = "unit/published/test_readings.py"
PAPER = "reference/test_published.py"
VUVUZELA = "unit/studies/test_vuvuzela.py"
LIMITS = "unit/studies/timing/test_limits.py"
ROC = "unit/studies/timing/test_roc.py"
CONFIDENT = "unit/studies/timing/test_confident.py"
CELLS = "unit/studies/timing/test_cells.py"
KOV = "unit/classic/test_kov.py"
FORMULAS = "unit/classic/test_formulas.py"
CLASSIC_RANGE = "unit/classic/test_bounded_range.py"
CLASSIC_RENYI = "unit/classic/test_renyi.py"
CLASSIC_EDGES = "unit/classic/test_edges.py"
COMPARE = "unit/comparison/test_compare.py"
BUDGETS = "unit/filters/test_exact_budgets.py"
FIFTY = "unit/filters/test_fifty_digits.py"
ADVERSARIES = "unit/filters/test_adversaries.py"
INCREMENTS = "unit/filters/test_increments.py"
RESIDUAL = "unit/filters/test_residual.py"
SLOTS = "unit/filters/test_slots.py"
DOMINATION = "unit/filters/test_domination.py"
ODOMETER = "odometers/test_formulas.py"
ODOMETER_TOTALS = "odometers/test_totals.py"
ODOMETER_RULES = "odometers/test_behaviour.py"
STATES = "property/test_written_states.py"
INDIVIDUAL_UNITS = "individual/test_units.py"
INDIVIDUAL = "individual/test_charging.py"
INDIVIDUAL_FILES = "individual/test_files.py"
GAMES = [f"games/test_{name}.py" for name in ("exact", "best", "walk", "simulate", "estimate", "naive")]
FREQUENCIES = "unit/numerics/test_frequencies.py"
SPECTRUM = "unit/composition/test_spectrum.py"
SPLIT = "unit/bounds/test_split.py"
SPECTRAL = "unit/bounds/test_spectral.py"
NOISE = "reproduce/test_noise.py"
NOTATION = "unit/test_notation.py"
RELATIONS = "unit/test_relations.py"
VERDICTS = "reproduce/test_verdicts.py"
RUN = "reproduce/test_run.py"
FEWER = "reproduce/test_figures.py::test_fewer_buckets_cannot_refute_what_more_achieve"


class Mutation(NamedTuple):
    name: str
    file: str  # below src/tightbudget
    old: str  # found exactly once
    new: str
    danger: str
    tests: Sequence[str]  # below tests/


MUTATIONS = [
    # convolution
    Mutation("fft noise", "numerics/convolve.py", "return noise\n", "return 0.0 * noise\n",
             "transforms are taken to be exact", [CONVOLVE]),
    Mutation("direct rounding", "numerics/convolve.py", "relative * rows.sum(axis=1)", "0.0 * rows.sum(axis=1)",
             "schoolbook sums are taken to be exact", [CONVOLVE]),
    Mutation("wrap-around", "numerics/convolve.py", "2.0 * outside", "1.0 * outside",
             "what wraps around is missing in one place and too much in another; only one is booked", [CONVOLVE]),
    Mutation("window mass", "numerics/convolve.py", "2.0 * outside", "0.0 * outside",
             "mass outside the window is lost", [CONVOLVE, TILTED]),
    Mutation("one window end", "numerics/convolve.py", "outside += np.exp", "outside = np.exp",
             "only one of the two tails is booked", [CONVOLVE]),
    Mutation("majorant", "numerics/convolve.py", "np.concatenate([down, up], axis=1)",
             "np.concatenate([down + up, 0.0 * up], axis=1)",
             "mass moves to the lower ends of its bins: tails look lighter than they are", [CONVOLVE]),
    # certificates of stored rows
    Mutation("inherited error", "buckets/tilted.py", "error = mass * np.expm1(", "error = 0.0 * np.expm1(",
             "composition forgets the errors of its parts", [TILTED]),
    Mutation("inherited count", "buckets/tilted.py", "np.sum([count * np.log1p(part.error) for",
             "np.sum([np.log1p(part.error) for",
             "a part repeated n times counts its error once", [TILTED]),
    Mutation("inherited noise", "buckets/tilted.py", "np.sum([count * part.noise for", "np.sum([0.0 * part.noise for",
             "composition forgets the noise of its parts", [TILTED]),
    Mutation("noise times mass", "buckets/tilted.py", "noise = others * np.sum", "noise = np.sum",
             "products of noise with noise are left out", [TILTED]),
    Mutation("noise mass", "buckets/tilted.py", "np.log1p(part.error + part.noise_mass)", "np.log1p(part.error)",
             "the weight of noise is left out of products", [TILTED]),
    Mutation("noise mass count", "buckets/tilted.py", "np.sum([count * part.noise_mass for", "np.sum([part.noise_mass for",
             "a part repeated n times counts the weight of its noise once", [TILTED]),
    Mutation("product error", "buckets/tilted.py", "error + product.error +", "error +",
             "what a convolution cut off is forgotten", [TILTED]),
    Mutation("product noise", "buckets/tilted.py", "noise + product.noise,", "noise,",
             "transform noise is forgotten", [TILTED]),
    Mutation("product noise mass", "buckets/tilted.py", "noise_mass + math.sqrt(product.rows.shape[1]) * product.noise",
             "noise_mass",
             "the weight of transform noise is forgotten", [TILTED]),
    Mutation("batch certificates", "buckets/tilted.py", "_certified([(together, count)]", "_certified([(together, 1)]",
             "units composed together count their errors once", [TILTED]),
    Mutation("error units", "buckets/tilted.py", "error = error / total *", "error = error / (1.0 + total) *",
             "error is not scaled as the rows are", [TILTED]),
    Mutation("noise units", "buckets/tilted.py", "scale = (1.0 + 8.0 * U) / total", "scale = (1.0 + 8.0 * U) / (1.0 + total)",
             "noise is not scaled as the rows are", [TILTED]),
    # upper reading
    Mutation("trimmed mass", "buckets/spread.py", "stack.error + dropped * (1.0 + 1e-9)", "stack.error",
             "mass trimmed from the upper reading is lost", [SPREAD]),
    Mutation("share down", "buckets/spread.py", "share = share_up(offset, factor * step)",
             "share = np.floor(share_up(offset, factor * step))",
             "coarsening moves losses down", [SPREAD, EVALUATE]),
    Mutation("share to nearest", "buckets/spread.py", "share = share_up(offset, factor * step)",
             "share = np.round(share_up(offset, factor * step))",
             "coarsening moves half of the losses down", [SPREAD]),
    Mutation("coarse error", "buckets/spread.py", "stack.error * float((down + up).max())", "stack.error",
             "an error grows with the tilt when it is moved up; the growth is left out", [SPREAD]),
    Mutation("coarse noise", "buckets/spread.py", "math.sqrt(float(up @ up))", "0.0",
             "half of the noise is lost in coarsening", [SPREAD]),
    # lower reading
    Mutation("merged error", "buckets/merge.py", "error = stack.error * weight.max(axis=1)", "error = 0.0 * weight.max(axis=1)",
             "merging forgets errors", [MERGE]),
    Mutation("merged noise", "buckets/merge.py", "noise = stack.noise * np.sqrt", "noise = 0.5 * stack.noise * np.sqrt",
             "merging halves the noise", [MERGE]),
    Mutation("merged tilt", "buckets/merge.py", "[-theta - 1.0]]", "[-theta - 1.01]]",
             "B is untilted by a little too much: its mass is underrated", [MERGE]),
    # leaves
    Mutation("loss doubt", "buckets/leaf.py", "loss - low + doubt", "loss - low - doubt",
             "doubt about a loss moves it down", [LEAF]),
    Mutation("mass beyond", "buckets/leaf.py", "if log_beyond > -math.inf:", "if log_beyond > math.inf:",
             "tilted mass above the window is lost", [LEAF]),
    Mutation("mass below", "buckets/leaf.py", "if span.log_below > -math.inf else None",
             "if span.log_below > math.inf else None",
             "mass below the window is lost", [LEAF]),
    Mutation("mass beyond, error", "buckets/leaf.py", "float(right[last + 1]) + doubt", "float(right[last + 1])",
             "tilted mass above the window is taken to be exact", [LEAF]),
    Mutation("mass below, error", "buckets/leaf.py", "float(left[first - 1]) + doubt", "float(left[first - 1])",
             "mass below the window is taken to be exact", [LEAF]),
    Mutation("mass errors", "buckets/leaf.py", "doubts = events.error + U", "doubts = 0.0 * events.error + U",
             "masses are taken to be exact", [LEAF]),
    Mutation("displacement", "buckets/leaf.py", "(widest + abs(anchor)) + events.displacement", "(widest + abs(anchor))",
             "points moved down to the grid are not remembered", [LEAF]),
    Mutation("pair slack", "buckets/leaf.py", "slack + 32.0 * U * (widest", "32.0 * U * (widest",
             "edges are taken to be hit exactly", [LEAF, EVALUATE]),
    Mutation("cells of b", "buckets/leaf.py", "gaps), cells.log_a, cells.log_b, loss,",
             "gaps), cells.log_a, cells.log_b - 0.01, loss,",
             "the lower reading underrates B", [LEAF]),
    Mutation("points of b", "buckets/leaf.py", "Events(above, share, points.log_a, points.log_b,",
             "Events(above, share, points.log_a, points.log_b - 0.1,",
             "point masses of B are underrated: the lower reading claims too much", [LEAF, EVALUATE]),
    Mutation("rest of a share", "buckets/leaf.py", "upper[:-1] += np.bincount", "upper[:-1] += 0.0 * np.bincount",
             "what does not go up to the next point is lost", [LEAF]),
    Mutation("cells beside points", "buckets/leaf.py", "np.concatenate([getattr(first, name), getattr(second, name)])",
             "getattr(second, name)",
             "of a pair with point masses the rest is lost", [LEAF, EVALUATE]),
    Mutation("tilt of the rest", "buckets/leaf.py", "np.exp(-theta * step * np.diff(k))",
             "np.exp(-theta * step * np.diff(k) - 0.01)",
             "what does not go up to the next point is underrated", [LEAF]),
    Mutation("gaps of a grid", "buckets/leaf.py", "x, step * np.diff(k), slack)", "x, 0.0 * k[1:] + 2.0 * step, slack)",
             "cells are taken to be as wide as two steps, wherever they are", [LEAF]),
    Mutation("point in a gap", "buckets/leaf.py", "np.where(on_grid, step, step * (k[above] - k[below]))",
             "np.where(on_grid, step, 2.0 * step * (k[above] - k[below]))",
             "a point between two others is taken to be nearer to the lower one", [LEAF]),
    Mutation("start of a grid", "buckets/leaf.py", "round(float(k[0] - k[peak]))", "-peak",
             "indices of a grid with gaps are taken to be those of its columns", [LEAF, SPECTRUM]),
    Mutation("column of a leaf", "buckets/leaf.py", """displacement,
        begin,""", """displacement,
        begin + 1,""",
             "a leaf is put one column further on the common grid", [LEAF, SPECTRUM]),
    Mutation("points down", "buckets/leaf.py", "np.where(on_grid, 1.0, share_up(", "np.where(on_grid, 1.0, 0.0 * share_up(",
             "points between two grid points are moved down", [LEAF]),
    # reading delta
    Mutation("upper charge", "bounds/profile.py", "scaled(total + charge,", "scaled(total,",
             "the certificate is not charged to the upper bound", [PROFILE]),
    Mutation("upper noise charge", "bounds/profile.py", "+ float(stack.noise[0]) * length", "+ 0.0 * length",
             "noise is not charged to the upper bound", [PROFILE]),
    Mutation("lower charge", "bounds/profile.py", "charges = gain * errors[0] + cost * errors[1]", "charges = 0.0 * gain",
             "the certificate is not charged to the lower bound", [PROFILE]),
    Mutation("lower charge of b", "bounds/profile.py", "gain * errors[0] + cost * errors[1]", "gain * errors[0]",
             "an error of B is not charged to the lower bound", [PROFILE]),
    Mutation("slack sign", "bounds/profile.py", "- self.composed.slack -", "+ self.composed.slack -",
             "losses are taken to be smaller, not larger, than they look", [PROFILE]),
    Mutation("slack dropped", "bounds/profile.py", "- self.composed.slack -", "-",
             "edges and points are taken to lie where they look", [PROFILE]),
    Mutation("upper doubt", "bounds/profile.py", "- theta * shifted + doubt", "- theta * shifted - doubt",
             "rounding of the scale is charged to the wrong side", [PROFILE]),
    Mutation("lower doubt", "bounds/profile.py", "(shifted + origin) - doubt", "(shifted + origin) + 3.0 * doubt",
             "rounding of the scale is charged to the wrong side", [PROFILE]),
    Mutation("infinite mass", "bounds/profile.py", " + self.infinity_upper)", ")",
             "what is certain to be revealed is left out", [PROFILE, DIRECTION]),
    Mutation("cap", "bounds/direction.py", "10.0**-cap * self._survey_error + self", "self",
             "losses beyond the cap are lost", [DIRECTION]),
    Mutation("cap error", "bounds/direction.py", "10.0**-cap * self._survey_error", "10.0**-cap",
             "the mass beyond the cap is taken to be exact", [DIRECTION]),
    Mutation("unresolved", "bounds/direction.py", "self._survey_error + self.steps.unresolved", "self._survey_error",
             "tails that a pair does not resolve are lost", [DIRECTION]),
    Mutation("infinity rounding", "bounds/direction.py", "mass * (1.0 - error)", "mass * (1.0 + error)",
             "the infinite mass is rounded up for the lower bound", [DIRECTION]),
    Mutation("first direction", "bounds/answers.py", "upper = max((asker.upper for asker in askers), default=0.0)",
             "upper = next((asker.upper for asker in askers), 0.0)",
             "only one direction is asked", [ANSWERS]),
    Mutation("smaller direction", "bounds/answers.py", "upper = max((asker.upper for asker in askers), default=0.0)",
             "upper = min((asker.upper for asker in askers), default=0.0)",
             "the smaller direction counts", [ANSWERS]),
    # few frequencies
    Mutation("turns' rounding", "numerics/frequencies.py", 'np.multiply.outer(8.0 * mean_place,',
             'np.multiply.outer(0.0 * mean_place,',
             "angles and their products with places are taken to be exact", [FREQUENCIES, SPECTRUM]),
    Mutation("sums' rounding", "numerics/frequencies.py", 'terms = 1.5 * (_BLOCK + math.ceil(',
             'terms = 0.5 * (_BLOCK + math.ceil(',
             "sums are taken to be better than they are", [FREQUENCIES]),
    Mutation("order of runs", "numerics/frequencies.py", "for first, count in runs])\n    return",
             "for first, count in sorted(runs, reverse=True)])\n    return",
             "runs are put in another order than their angles", [FREQUENCIES]),
    Mutation("composed errors", "composition/spectrum.py", "doubts = r @ np.log1p(errors)",
             "doubts = np.log1p(errors).sum(axis=0)",
             "a leaf repeated n times counts its error once", [SPECTRUM]),
    Mutation("composed scale", "composition/spectrum.py",
             "return r @ scales, error + (4.0 + len(leaves)) * U * (r @ np.abs(scales))",
             "return r @ scales, error",
             "rounding of a large scale is left out", [SPECTRUM]),
    Mutation("composed slack", "composition/spectrum.py", "math.fsum(count * one.slack for",
             "math.fsum(one.slack for",
             "a leaf repeated n times brings its slack once", [SPECTRUM]),
    Mutation("origin", "composition/spectrum.py", "one.spread.first - round(places[one.begin - begin]))",
             "one.spread.first - round(places[one.begin - begin]) - 1)",
             "all losses are taken to be a step smaller", [SPECTRUM]),
    Mutation("variance of a gap", "composition/nodes.py", " + np.multiply.outer(block.variances, gaps) + 1e-13",
             "",
             "a peak between two angles is overlooked", [SPECTRUM]),
    Mutation("tenth of the variance", "composition/nodes.py", "gaps = 0.25 *",
             "gaps = 0.025 *",
             "peaks between two angles are underrated", [SPECTRUM]),
    Mutation("cancelled variance", "composition/blocks.py", "+ 64.0 * places.size * U * (", "+ 0.0 * (",
             "a variance that has lost its digits is underrated, and with it the peaks between two angles", [SPECTRUM]),
    Mutation("modulus of one end", "composition/nodes.py", "np.maximum(square[:, low], square[:, low + 1])",
             "np.minimum(square[:, low], square[:, low + 1])",
             "between two angles the smaller value counts", [SPECTRUM]),
    Mutation("count of the modulus", "composition/nodes.py", "log_modulus += 0.5 * block.total(logs)",
             "log_modulus += 2.0 * block.total(logs)",
             "the bound on what is left out is raised to a higher power than the composition", [SPECTRUM]),
    Mutation("beyond, best", "composition/nodes.py", "bound[:, small].max(axis=1)",
             "bound[:, small].min(axis=1)",
             "of the bounds on what is left out the smallest counts", [SPECTRUM]),
    Mutation("first interval", "composition/nodes.py", "_runs([(0.0, float(looked[0][0])), *intervals]",
             "_runs([(0.0, 0.0), *intervals]",
             "frequencies below the first angle are left out without a bound", [SPECTRUM]),
    Mutation("kept intervals", "composition/nodes.py", "    kept += zip(lows.tolist(), highs.tolist(), strict=True)\n",
             "",
             "intervals without a bound are left out", [SPECTRUM]),
    Mutation("last node of a run", "composition/nodes.py", "min(last, math.ceil(high / stride))",
             "min(last, math.floor(high / stride) - 1)",
             "the last node of an interval is left out", [SPECTRUM]),
    Mutation("joined runs", "composition/nodes.py", "max(sum(runs[-1]), end + 1) - runs[-1][0])",
             "max(runs[-1][1], end) - runs[-1][0])",
             "of overlapping runs the last nodes are left out", [SPECTRUM]),
    Mutation("value doubt", "composition/spectrum.py", "error / np.maximum(modulus - error, 1e-300) + rounding",
             "rounding",
             "transforms are taken to be exact", [SPECTRUM]),
    Mutation("value doubt count", "composition/spectrum.py",
             "relative += block.total(",
             "relative += 1.0 / block.counts.max() * block.total(",
             "a power has the error of its base", [SPECTRUM]),
    Mutation("value size", "composition/spectrum.py", "return values, largest * np.where(",
             "return values, largest**2 * np.where(",
             "the error of a value is taken to be relative to its square", [SPECTRUM]),
    Mutation("moments' centre", "composition/spectrum.py", '+ peak - np.repeat(',
             '+ peak - 1.01 * np.repeat(',
             "tails are taken to begin nearer than they do", [SPECTRUM]),
    Mutation("moments' rounding", "composition/spectrum.py", 'moment += U * (',
             'moment -= U * (',
             "rounding of moments is taken off, a milliard times over", [SPECTRUM]),
    Mutation("steep lower tail", "composition/spectrum.py", "np.minimum(_SLOPES * best, theta * grid.step)",
             "_SLOPES * best",
             "a tail is bounded by a function that lies below the weights", [SPECTRUM]),
    Mutation("wrapped once", "composition/spectrum.py", "/ -math.expm1(-slope * period)",
             "",
             "only what wraps around once is counted", [SPECTRUM]),
    Mutation("wrapped one period late", "composition/spectrum.py", "place, size = x + period,",
             "place, size = x + 2 * period,",
             "what wraps around once is not counted", [SPECTRUM, SPECTRAL]),
    Mutation("node looked at", "composition/nodes.py", "log_modulus[2]) > -depth\n", "log_modulus[2]) > -0.5 * depth\n",
             "nodes are dropped that matter, and the bound on them is large", [SPECTRUM, SPECTRAL]),
    Mutation("bound of dropped nodes", "composition/nodes.py", "_exp_up(log_modulus.max(axis=1))",
             "_exp_up(log_modulus.min(axis=1))",
             "nodes that were looked at and dropped are taken to hold nothing", [SPECTRUM, SPECTRAL]),
    Mutation("core weight", "composition/nodes.py", "weights[:, None] * (modulus - 1.0) * (1.0 - 1e-9) + 128.0 * U",
             "(modulus - 1.0) * (1.0 - 1e-9) + 128.0 * U",
             "few points are taken for all of them", [SPECTRUM]),
    Mutation("core variance", "composition/nodes.py", "parts.append((block_of(rows, block.counts, places[few]),",
             "parts.append((block_of(rows, block.counts, 0.01 * places[few]),",
             "the modulus of few points is looked at too coarsely", [SPECTRUM]),
    Mutation("member of a class", "mechanisms/base.py", "return Bracket(member.lower, answer.upper, False, _CLASS,",
             "return Bracket(answer.lower, answer.upper, False, _CLASS,",
             "the lower end is that of a pair that no mechanism has", [CLASSIC_RANGE]),
    Mutation("counted twice", "bounds/split.py", "pair.above(pair.ceiling + pair.doubt)",
             "pair.above(pair.ceiling - pair.doubt)",
             "events at the ceiling count as small and as large in the lower bound", [SPLIT]),
    Mutation("added again", "bounds/split.py", "again = float(self.weight @", "again = 0.0 * float(self.weight @",
             "large losses that others undo are taken off the upper bound", [SPLIT]),
    Mutation("b of large losses", "bounds/split.py", "(1.0 + 4.0 * U) * self.b_upper)", "(1.0 + 4.0 * U) * self.b_lower * 0.5)",
             "of large losses B is underrated in the lower bound", [SPLIT]),
    Mutation("moments of one step", "bounds/split.py", "total += count * np.maximum(moment, 0.0)",
             "total += np.maximum(moment, 0.0)",
             "the losses of many steps are taken to be those of one", [SPLIT]),
    Mutation("convex moments", "bounds/split.py", "np.concatenate([cells.low, cells.high])",
             "np.concatenate([cells.high, cells.high])",
             "losses are taken to lie at the upper ends of their cells", [SPLIT]),
    Mutation("denormal masses", "pairs/below.py", "max(0.0, float(b @ low) - NEGLIGIBLE)", "float(b @ low)",
             "masses that rounding has raised are taken off the upper bound", [SPLIT]),
    Mutation("beyond the ceiling", "pairs/below.py", "self.base.cells(np.minimum(edges, self.ceiling))",
             "self.base.cells(edges)",
             "the small part reaches beyond its ceiling", [SPLIT]),
    Mutation("spectral charge", "bounds/spectral.py", "total + error + float(s.error[0]) * largest",
             "total + error",
             "the certificate is not charged to the upper bound", [SPECTRAL]),
    Mutation("spectral charge of a", "bounds/spectral.py", "- wrapped - float(s.error[1]))",
             "- wrapped)",
             "the certificate of A is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral charge of b", "bounds/spectral.py", "cost + cost_error + float(s.error[2])",
             "cost + cost_error",
             "the certificate of B is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral error", "bounds/spectral.py", "scaled(total + error + ",
             "scaled(total + ",
             "what a spectrum admits to is not charged to the upper bound", [SPECTRAL]),
    Mutation("spectral gain error", "bounds/spectral.py", "(gain - gain_error - ",
             "(gain - ",
             "what a spectrum admits to of A is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral cost error", "bounds/spectral.py", "scaled(cost + cost_error + ",
             "scaled(cost + ",
             "what a spectrum admits to of B is not charged to the lower bound", [SPECTRAL]),
    Mutation("alias above", "bounds/spectral.py", "s.up.wrapped(1, start, s.period) + ",
             "",
             "what wraps around from above is taken to be there", [SPECTRAL]),
    Mutation("alias below", "bounds/spectral.py", " + s.down.wrapped(1, -start, s.period)",
             "",
             "what wraps around from below is taken to be there", [SPECTRAL]),
    Mutation("frequencies left out", "bounds/spectral.py", "error += float(s.beyond[0]) * (",
             "error += 0.0 * (",
             "frequencies left out are taken to hold nothing of the upper reading", [SPECTRAL]),
    Mutation("frequencies left out of a", "bounds/spectral.py", "self.errors[2] + float(s.beyond[1]) *",
             "self.errors[2] + 0.0 *",
             "frequencies left out are taken to hold nothing of A", [SPECTRAL]),
    Mutation("frequencies left out of b", "bounds/spectral.py", "self.errors[3] + float(s.beyond[2]) *",
             "self.errors[3] + 0.0 *",
             "frequencies left out are taken to hold nothing of B", [SPECTRAL]),
    Mutation("doubt of values", "bounds/spectral.py", "doubt, size = s.doubt + values",
             "doubt, size = values",
             "values are taken to be exact", [SPECTRAL]),
    Mutation("short integers", "numerics/frequencies.py", "np.asarray(nodes, dtype=np.int64)", "nodes",
             "where NumPy counts in 32 bits, turns wrap around", [FREQUENCIES]),
    Mutation("whole turns", "numerics/frequencies.py", "(high * nodes % period * _HALF + low * nodes) % period",
             "(high * nodes % period * _HALF - low * nodes) % period",
             "a turn by many steps of a long period ends elsewhere", [FREQUENCIES]),
    Mutation("whole transform's error", "numerics/frequencies.py", "1.01 * FFT_CONSTANT * U * math.log2(period)",
             "0.0 * FFT_CONSTANT * U * math.log2(period)",
             "transforms at every node are taken to be exact", [FREQUENCIES]),
    Mutation("mirrored node", "composition/nodes.py", "np.arange(first, period // 2 + 2, dtype=np.float64)",
             "np.minimum(np.arange(first, period // 2 + 2, dtype=np.float64), period // 2)",
             "between the last node and pi nothing is looked at", [SPECTRUM]),
    Mutation("gaps", "composition/nodes.py", "return bool(places[-1] - places[0] == places.size - 1.0)",
             "return bool(places[-1] - places[0] >= places.size - 1.0)",
             "places with gaps are taken for neighbours", [SPECTRUM]),
    Mutation("moved centre", "composition/spectrum.py", "rest = float(centre - moved) * slopes",
             "rest = 0.0 * slopes",
             "tails are taken to begin at the sum of rounded means", [SPECTRUM]),
    Mutation("node 0 twice", "bounds/spectral.py", "products[:, 0] *= 0.5",
             "products[:, 0] *= 1.0",
             "the frequency 0 is counted twice", [SPECTRAL]),
    Mutation("nodes once", "bounds/spectral.py", "products = (2.0 / s.period) *",
             "products = (1.0 / s.period) *",
             "negative frequencies are left out", [SPECTRAL]),
    Mutation("error of half the nodes", "bounds/spectral.py", "s.nodes.size)), (2.0 / s.period) *",
             "s.nodes.size)), (0.5 / s.period) *",
             "the error of negative frequencies is left out", [SPECTRAL]),
    Mutation("first index", "bounds/spectral.py", "start = math.floor(where) + 1",
             "start = math.floor(where) + 2",
             "the first loss above epsilon is left out", [SPECTRAL]),
    Mutation("first bucket", "bounds/spectral.py", "place = s.step * (s.origin + start)",
             "place = s.step * (s.origin + start - 1)",
             "buckets are taken to weigh as if they were a step lower", [SPECTRAL]),
    Mutation("spectral slack", "bounds/spectral.py", "- s.slack - 8.0 * U",
             "+ s.slack - 8.0 * U",
             "losses are taken to be smaller, not larger, than they look", [SPECTRAL]),
    Mutation("spectral upper doubt", "bounds/spectral.py", "- theta * shifted + doubt",
             "- theta * shifted - doubt",
             "rounding of the scale is charged to the wrong side", [SPECTRAL]),
    Mutation("spectral lower doubt", "bounds/spectral.py", "- theta * place - doubt",
             "- theta * place + 3.0 * doubt",
             "rounding of the scale is charged to the wrong side", [SPECTRAL]),
    Mutation("spectral infinity", "bounds/spectral.py", " + 5e-324) + self.infinity_upper)",
             " + 5e-324))",
             "what is certain to be revealed is left out", [SPECTRAL]),
    # closed forms
    Mutation("gaussian doubt", "bounds/gaussian.py", "first - second + doubt", "first - second - doubt",
             "rounding is taken off the upper bound", [GAUSSIAN]),
    Mutation("gaussian mean", "bounds/gaussian.py", "m * (1.0 + m_error", "m * (1.0 - m_error",
             "the doubt about the mean is taken off the upper bound", [GAUSSIAN]),
    Mutation("single doubt", "bounds/single.py", "min(700.0, ratio - doubt)", "min(700.0, ratio + doubt)",
             "doubt about masses is taken off the upper bound", [SINGLE]),
    Mutation("single slack", "bounds/single.py", "(excess + slack)", "(excess - slack)",
             "points are taken to have smaller losses than they may", [SINGLE]),
    Mutation("single edge", "bounds/single.py", " + min(1.0, math.expm1(min(3.0 * slack, 700.0))) * mass_upper", "",
             "the edge of the tail is taken to be hit exactly", [SINGLE]),
    Mutation("single unresolved", "bounds/single.py", " + 1.01 * pair.unresolved", "",
             "unresolved tails are lost", [SINGLE]),
    # composition
    Mutation("slack count", "composition/evaluate.py", "slack += count * entering.slack", "slack += entering.slack",
             "a step repeated n times brings its slack once", [EVALUATE]),
    Mutation("largest loss", "composition/steps.py", "math.nextafter(rounded, math.inf)", "rounded",
             "the largest loss is rounded to nearest, not up", [STEPS]),
    Mutation("cheap bound share", "composition/chernoff.py", "+ 2.0 * cells.error +", "- 2.0 * cells.error -",
             "doubt about a loss moves it down", [CHERNOFF]),
    Mutation("cheap bound doubt", "composition/chernoff.py", "total += count * (moment + doubt)",
             "total += count * (moment - doubt)",
             "doubt about masses lowers a bound that must be high", [CHERNOFF]),
    Mutation("cheap bound slack", "bounds/direction.py", "epsilon - slack)", "epsilon + slack)",
             "losses are taken to be smaller than they may be", [CHERNOFF]),
    # pairs
    Mutation("poisson swapped", "pairs/poisson.py", "if direction is Direction.REMOVE:\n        return np.logaddexp",
             "if direction is Direction.ADD:\n        return np.logaddexp",
             "removing a record is treated as adding one", [MASSES, POINTS]),
    Mutation("poisson lost events", "pairs/poisson.py", "direction is Direction.REMOVE and base.lost > 0.0",
             "direction is Direction.REMOVE and base.lost > 1.0",
             "events that only one side could produce vanish under sampling", [WHOLE, POINTS]),
    Mutation("poisson infinity", "pairs/poisson.py", "self.q * self.base.infinity if", "0.0 * self.base.infinity if",
             "infinite losses vanish under sampling", [WHOLE]),
    Mutation("point masses", "pairs/exponential.py", "log_a = np.array([self.log_point - self.top, self.log_point])",
             "log_a = np.array([self.log_point - self.top, self.log_point - 1e-9])",
             "a point mass is a little too light", [ATOMS]),
    Mutation("narrow cells", "numerics/normal.py", "(z2 - 1.0) / 6.0", "(z2 - 1.0) / 6.0001",
             "masses of narrow cells are off by more than they say", [NORMAL]),
    Mutation("series cut short", "numerics/normal.py", "tail[more] += _higher(z2[more], q[more])", "pass",
             "terms of the series are left out where they matter", [NORMAL]),
    # what is shown, and where the search stops
    Mutation("printing", "numerics/bracket.py", "_outward(self.upper, digits, ROUND_CEILING)",
             "_outward(self.upper, digits, ROUND_FLOOR)",
             "the printed upper end lies below the certified one", [BRACKET]),
    Mutation("search side", "numerics/search.py", "_narrow(function, level, low, high, tolerance)[1]",
             "_narrow(function, level, low, high, tolerance)[0]",
             "epsilon is read off where delta is still too large", [SEARCH]),
    # divergences
    Mutation("moment tail", "divergences/events.py", "terms.append(self.tail.log_moment(orders))", "pass",
             "the moment of what lies beyond the grid is lost", [EVENTS]),
    Mutation("moment lost mass", "divergences/events.py", "        if self.lost > 0.0:", "        if self.lost > 2.0:",
             "the excess over 1 misses mass of B where A has none", [EVENTS]),
    Mutation("moment doubt up", "divergences/events.py", "share_up(excess + doubt, width)", "share_up(excess - doubt, width)",
             "shares above loss 0 are taken downward", [EVENTS]),
    Mutation("moment doubt down", "divergences/events.py", "share_up(excess - doubt, width)", "share_up(excess + doubt, width)",
             "shares below loss 0 are taken upward", [EVENTS]),
    Mutation("moment mass error", "divergences/events.py", "log_a + error + 2.0 * slack", "log_a + 2.0 * slack",
             "masses are taken to be exact", [EVENTS]),
    Mutation("moment slack", "divergences/events.py", "np.sign(losses) * slack", "np.sign(losses) * -slack",
             "losses in doubt move towards 0", [EVENTS]),
    Mutation("moment removed tail", "divergences/events.py", "inner(orders) + orders * log_factor",
             "inner(orders) + orders * math.log(q)",
             "1 - q is forgotten beyond the grid", [EVENTS]),
    Mutation("moment added tail", "divergences/events.py", "inner(one) - thetas * math.log1p(-q)",
             "inner(one) + thetas * math.log1p(-q)",
             "the largest loss of a subsampled pair has the wrong sign", [EVENTS]),
    Mutation("normal moment tail", "divergences/events.py", "shift = orders * m - reach", "shift = m - reach",
             "the tail is not tilted", [EVENTS]),
    Mutation("binomial term", "divergences/subsampled_gaussian.py", "np.arange(2.0, order + 1.0)",
             "np.arange(min(3.0, order), order + 1.0)",
             "two records in a sample are left out", [BINOMIAL]),
    Mutation("one direction", "divergences/renyi.py", "for direction in Direction:", "for direction in [Direction.ADD]:",
             "only one direction is bounded", [BOTH]),
    Mutation("discrete norm", "divergences/moments.py", "log_moved - log_still", "log_moved - 2.0 * log_still",
             "the norm of discrete noise is counted twice", [DISCRETE]),
    Mutation("bounded range", "divergences/moments.py", "orders * log_ratio + doubt", "0.99 * orders * log_ratio + doubt",
             "not the worst of the class", [RANGE]),
    Mutation("chord peak", "divergences/zcdp.py", "return np.maximum(value, ends)", "return ends",
             "zCDP between two orders is not looked at", [CHORD]),
    Mutation("pure infinity", "divergences/pure.py", "pair.infinity > 0.0", "pair.infinity > 0.5",
             "a rare infinite loss is no loss", [PURE]),
    Mutation("gdp squares", "divergences/gdp.py", "count * (mu / largest) ** 2", "(mu / largest) ** 2",
             "repetitions are not counted", [GDP]),
    Mutation("gdp corner", "divergences/gdp.py", "return mu * (1.0 + 1e-12)", "return mu * (1.0 - 1e-12)",
             "mu of a pure promise is rounded down", [CONVERSIONS]),
    Mutation("rdp weight", "divergences/conversions.py", "theta * log_rest, 0.0) - np.log(a)",
             "theta * log_rest, 0.0) - 2.0 * np.log(a)",
             "the conversion is better than possible", [CONVERSIONS]),
    Mutation("total variation", "divergences/conversions.py", "np.sqrt(-np.expm1(-tau))", "-np.expm1(-tau)",
             "the distance at epsilon 0 is too small", [CONVERSIONS]),
    Mutation("rdp delta rounding", "divergences/conversions.py", "_log_weight(a) + doubt", "_log_weight(a) - doubt",
             "delta is rounded down", [CONVERSIONS]),
    Mutation("rdp epsilon rounding", "divergences/conversions.py", "/ theta + doubt", "/ theta - doubt",
             "epsilon is rounded down", [CONVERSIONS]),
    # published buckets
    Mutation("published squaring", "published/combine.py", "lead = (child.first + 1) % 2", "lead = child.first % 2",
             "squaring rounds losses down", [HALVING, LEMMAS]),
    Mutation("published corner", "published/combine.py", "np.concatenate([below[:, None]",
             "np.concatenate([0.0 * below[:, None]",
             "what is clamped to bucket -n is lost", [COMBINE]),
    Mutation("published overflow", "published/combine.py", " + float(above[A]))", ")",
             "what leaves the list at the top is lost", [COMBINE]),
    Mutation("published infinity", "published/combine.py", "infinity=child.infinity", "infinity=0.0 * child.infinity",
             "squaring empties bucket infinity", [LEMMAS]),
    Mutation("published leaf infinity", "published/leaves.py", "infinity=mass + float(a[-1])", "infinity=mass",
             "finite losses beyond n are lost", [LEAVES]),
    Mutation("published over b", "published/combine.py", "+= float(first.rows[VIRTUAL].sum()) * second.over_b",
             "+= 0.0 * second.over_b",
             "B-mass of lost events is forgotten: the lower bound claims too much", [COMBINE]),
    Mutation("published clamped", "published/combine.py", "below[REAL] = uncorrected(",
             "below[REAL] += 0.0 * uncorrected(",
             "events clamped to -n are corrected as if their loss were known", [COMBINE]),
    Mutation("published scale", "published/leaves.py", "math.log(certain) + log_scale", "math.log(certain) + 1.5 * log_scale",
             "bucket -n claims more B-mass than is certain", [COMBINE]),
    Mutation("published u", "published/combine.py", "u=first.u + second.u", "u=max(first.u, second.u) + 1",
             "u grows by 1 a composition, as section 4.4 has it", [COMBINE]),
    Mutation("published u halved", "published/combine.py", "u=child.u // 2 + 1", "u=child.u // 2",
             "squaring forgets that it may misplace an event", [COMBINE]),
    Mutation("published correction start", "published/readings.py", "(1.0 + 8.0 * U)) + buckets.u", "(1.0 + 8.0 * U))",
             "misplaced events are corrected and contribute negatively", [READINGS]),
    Mutation("published correction slack", "published/readings.py", "math.ceil((epsilon + buckets.slack)",
             "math.ceil((epsilon - buckets.slack)",
             "edges are taken to be hit exactly where the correction starts", [READINGS]),
    Mutation("published virtual up", "published/readings.py", "corrected = buckets.rows[A] - scale * buckets.rows[REAL]",
             "corrected = buckets.rows[A] - scale * buckets.rows[VIRTUAL]",
             "the upper bound is corrected by virtual terms", [READINGS]),
    Mutation("published real low", "published/readings.py", "scale * buckets.rows[VIRTUAL]", "scale * buckets.rows[REAL]",
             "the lower bound uses real terms, which are too small", [LEMMAS]),
    Mutation("published term", "published/readings.py", "(corrected < plain)", "(corrected > plain)",
             "the error correction is dropped", [LEMMAS]),
    Mutation("published slack", "published/readings.py", "doubt = buckets.slack + 8.0", "doubt = 8.0",
             "losses are taken to be no larger than they look", [READINGS]),
    Mutation("published upper charge", "published/readings.py", "+ float(buckets.error[A]) + charge +", "+ charge +",
             "errors of A are not charged to the upper bound", [READINGS]),
    Mutation("published b charge", "published/readings.py", "scale * float(buckets.error[REAL])",
             "0.0 * float(buckets.error[REAL])",
             "errors of the correction are not charged to the upper bound", [READINGS]),
    Mutation("published lower charge", "published/readings.py", "total - charge * (1.0 + 1e-9)", "total",
             "errors are not charged to the lower bound", [READINGS]),
    Mutation("published inherited", "published/combine.py", "(inherited + fresh)", "(fresh)",
             "composition forgets the errors of its parts", [COMBINE]),
    Mutation("published squared error", "published/combine.py", "error=child.error + 2.0 * U", "error=0.0 * child.error",
             "squaring forgets errors", [COMBINE]),
    Mutation("published fresh", "published/combine.py", "fresh = product.error + 16.0 * U", "fresh = 0.0 * product.error",
             "convolutions are taken to be exact", [COMBINE]),
    Mutation("published noise", "published/convolution.py", "product.error + math.sqrt(product.rows.shape[1]) * product.noise",
             "product.error",
             "the noise of transforms is not booked", [COMBINE]),
    Mutation("published heavy", "published/convolution.py", "rest.error + relative * rows.sum(axis=1)",
             "0.0 * rest.error",
             "sums over heavy columns are taken to be exact", [COMBINE]),
    Mutation("published thin", "published/convolution.py", "q[:, column : column + 1] * thin_p", "0.0 * thin_p",
             "one of the mixed products is left out", [COMBINE]),
    Mutation("published trim", "published/buckets.py", "error + dropped * (1.0 + 1e-9)", "error + 0.0 * dropped",
             "what is cut from the ends is lost", [COMBINE]),
    Mutation("published moved", "published/leaves.py", "pair.slack(reach) + moved", "pair.slack(reach)",
             "losses moved down to an edge are not remembered", [LEAVES]),
    Mutation("published masses", "published/leaves.py", "error += [mass_a @ relative, mass_b @ relative, mass_b @ relative]",
             "error += [0.0 * (mass_a @ relative), 0.0, 0.0]",
             "masses are taken to be exact", [LEAVES]),
    Mutation("published unresolved", "published/leaves.py", "error[A] += pair.unresolved * (1.0 + 1e-9)", "pass",
             "tails that a pair does not resolve are lost", [LEAVES]),
    Mutation("published certain", "published/leaves.py", "mass * (1.0 - doubt)", "mass * (1.0 + doubt)",
             "the infinite mass is rounded up for the lower bound", [LEAVES]),
    Mutation("published direction", "published/tree_pair.py", "return max(delta_with_ec", "return min(delta_with_ec",
             "the smaller direction counts", [PAPER + "::test_both_directions_of_sgd_differ_and_the_larger_one_counts"]),
    # studies
    Mutation("clamping is free", "studies/vuvuzela.py", ".upper + self._cut(rounds)[1]", ".upper + 0.0",
             "counts clamped at 0 reveal nothing", [VUVUZELA]),
    Mutation("clamping of one round", "studies/vuvuzela.py", "-math.expm1(rounds * never)", "-math.expm1(never)",
             "clamped counts of one round are charged for all", [VUVUZELA]),
    Mutation("change of one", "studies/vuvuzela.py", "kind(self.scale / part, shift) for", "kind(self.scale / part, 1) for",
             "a change by 2 is taken for a change by 1", [VUVUZELA]),
    Mutation("cut kept", "studies/vuvuzela.py", ".lower - cut)", ".lower)",
             "the lower end counts sets that involve clamped noise twice", [VUVUZELA]),
    Mutation("revealing too much", "studies/vuvuzela.py", "float(shift - 1)", "float(shift)",
             "counts that both users can cause are taken to reveal", [VUVUZELA]),
    Mutation("limits per cell", "studies/timing/limits.py", "(4.0 * cells)", "(1.0 * cells)",
             "many limits err together more often than the confidence allows", [LIMITS]),
    Mutation("limits moved inward", "studies/timing/limits.py", "unseen[some] + 1.0, error) * (1.0 - _INVERSE)",
             "unseen[some] + 1.0, error) * (1.0 + _INVERSE)",
             "rounding narrows confidence limits", [LIMITS]),
    Mutation("corners cut", "studies/timing/roc.py", "if before * after < 0:", "if before * after > 0:",
             "a curve is drawn below the corners where bounds cross", [ROC]),
    Mutation("flat hull", "studies/timing/roc.py", "return (second[1] - first[1]) * (third[0] - second[0]) > (",
             "return (second[1] - first[1]) * (third[0] - second[0]) < (",
             "the curve below is not concave", [ROC]),
    Mutation("mirrored infinity", "studies/timing/roc.py", "log_b, log_a, lost, infinity", "log_b, log_a, infinity, lost",
             "events that only one sample can cause change sides", [ROC]),
    Mutation("rest of a", "studies/timing/confident.py", "start=(rest_b, rest_a)", "start=(rest_b, zero)",
             "mass that the lower limits leave open is lost", [CONFIDENT]),
    Mutation("upper limits of b", "studies/timing/confident.py", "roc.curve(b_low, a_high)", "roc.curve(b_high, a_high)",
             "B is taken to be as heavy as it may be", [CONFIDENT]),
    Mutation("optimistic sets", "studies/timing/confident.py", "inside[1] + b_high[cell]",
             "inside[1] + b_low[cell]",
             "the lower end takes B to be as light as it may be", [CONFIDENT]),
    Mutation("pilot counted", "studies/timing/cells.py", "mixed[:size], mixed[size:]", "mixed[:size], mixed",
             "samples that chose the cells are counted in them", [CELLS]),
    # classic bounds
    Mutation("classic promise", "classic/promises.py", "rtol=_SINGLE_RTOL).upper", "rtol=_SINGLE_RTOL).lower",
             "a step promises less than it keeps", [CLASSIC_EDGES]),
    Mutation("classic sum", "classic/promises.py", "else math.nextafter(rounded, math.inf)", "else rounded",
             "sums of epsilons and deltas are rounded to nearest", [CLASSIC_EDGES]),
    Mutation("classic count", "classic/promises.py", "counts.get(mechanism, 0) + count", "count",
             "a step named twice is counted once", [CLASSIC_EDGES]),
    Mutation("classic direction", "classic/promises.py", "for direction in Direction) if pair is not None",
             "for direction in [Direction.ADD]) if pair is not None",
             "only one direction of a step is looked at", [CLASSIC_EDGES]),
    Mutation("classic failing", "classic/totals.py", "-np.expm1(logs) * (1.0 + ROUNDING)", "-np.expm1(logs) * (1.0 - ROUNDING)",
             "the chance that a step fails is rounded down", [FORMULAS]),
    Mutation("classic slack left", "classic/totals.py", "spent + ROUNDING * (np.abs(spent) - allowed)",
             "spent - ROUNDING * (np.abs(spent) - allowed)",
             "the slack that promises leave is rounded up", [FORMULAS]),
    Mutation("classic tail", "classic/concentration.py", "(2.0 * variance) * (1.0 - ROUNDING)",
             "(2.0 * variance) * (1.0 + 1e-9)",
             "a tail is rounded down", [FORMULAS]),
    Mutation("classic tail lost", "classic/concentration.py", "(1.0 + ROUNDING) + NEGLIGIBLE", "(1.0 + ROUNDING)",
             "an exponential too small for a float is taken for 0", [FORMULAS]),
    Mutation("classic epsilon", "classic/concentration.py", "(drift + roots) * (1.0 + ROUNDING)",
             "(drift + roots) * (1.0 - 1e-10)",
             "an advanced epsilon is rounded down", [FORMULAS]),
    Mutation("classic drift", "classic/advanced.py", "product(epsilon, np.expm1(epsilon))",
             "product(epsilon, np.tanh(0.5 * epsilon))",
             "another theorem's drift", [FORMULAS]),
    Mutation("classic simple middle", "classic/kov_simple.py", "-np.expm1(1.0 - exponent)", "1.0",
             "the middle form is taken for its limit", [FORMULAS]),
    Mutation("classic kov window", "classic/kov.py", "math.ceil(37.5 * deviation) + 1050", "math.ceil(8.0 * deviation)",
             "the binomial tail beyond the window is lost", [KOV]),
    Mutation("classic kov index", "classic/kov.py", "last = np.ceil(", "last = np.floor(",
             "the term next to epsilon is left out", [KOV]),
    Mutation("classic kov negligible", "classic/kov.py", "(1.0 + 8.0 * U) + NEGLIGIBLE", "(1.0 + 8.0 * U)",
             "terms too small for a float are taken for 0", [KOV]),
    Mutation("classic kov rounding", "classic/kov.py", "values * inflation, weights * inflation)",
             "values * (2.0 - inflation) * (1.0 - 16.0 * U * (masses.size + 4.0)), weights * (2.0 - inflation))",
             "the sum is rounded down", [KOV]),
    Mutation("classic kov trust", "classic/kov.py", "[0]) <= level:", "[0]) <= 2.0 * level:",
             "epsilon is accepted where delta is twice the level", [KOV]),
    Mutation("classic range", "classic/bounded_range.py", "0.25 * _square(eta) * count", "0.0625 * _square(eta) * count",
             "Hoeffding's range is halved", [CLASSIC_RANGE]),
    Mutation("classic range mean", "classic/bounded_range.py", "return _square(eta) / 8.0",
             "return _square(eta) / 9.0",
             "the mean of a small loss is taken too small", [CLASSIC_RANGE]),
    Mutation("classic moments", "classic/renyi.py", "exponent + ROUNDING *", "exponent - 1e-6 *",
             "an exponent is rounded down", [CLASSIC_RENYI]),
    Mutation("classic line beyond", "classic/cdp.py", "return max(float(taus[0]) - rho, between, beyond)",
             "return max(float(taus[0]) - rho, between)",
             "a line need not lie above the divergences beyond the last order", [CLASSIC_RENYI]),
    Mutation("classic line between", "classic/cdp.py", "return max(float(taus[0]) - rho, between, beyond)",
             "return max(float(taus[0]) - rho, beyond)",
             "a line need not lie above the divergences between the orders", [CLASSIC_RENYI]),
    Mutation("classic optimum", "classic/murtagh_vadhan.py", "ApproximateDP(epsilon, delta) * count for",
             "ApproximateDP(epsilon, 0.5 * delta) * count for",
             "the engine is told of half the failures", [FORMULAS]),
    Mutation("classic text", "comparison/table.py", "rounding=ROUND_CEILING)", "rounding='ROUND_FLOOR')",
             "a printed bound is rounded down", [COMPARE]),
    # filters
    Mutation("filter typed", "filters/exact.py", "Fraction(*Decimal(repr(value)).as_integer_ratio())", "Fraction(value)",
             "a typed 0.1 is a little more than a tenth: ten of them do not fit", [BUDGETS]),
    Mutation("filter derived", "filters/exact.py", "value * (1.0 + (roundings + 2.0) * U)", "value * (1.0 - 1e-12)",
             "computed prices round down", [FIFTY]),
    Mutation("filter boundary", "filters/advanced.py", "_ALLOWANCE = 1.0 + 64.0 * U", "_ALLOWANCE = 1.0 - 1e-12",
             "the bound on the loss rounds down", [FIFTY]),
    Mutation("filter half delta", "filters/advanced.py", "math.log(2.0) + log_inverse", "log_inverse",
             "the tail gets all of delta although half is kept for steps", [FIFTY]),
    Mutation("filter squares", "filters/thresholds.py", "root * root * (1 - _ALLOWANCE)", "root * root * (1 + _ALLOWANCE)",
             "the budget of squares rounds up", [FIFTY]),
    Mutation("filter orders", "filters/thresholds.py", "budget - size * _ALLOWANCE", "budget + size * _ALLOWANCE",
             "Rényi budgets round up", [FIFTY]),
    Mutation("filter weight", "filters/rdp.py", "weight * self._tail", "self._tail",
             "every order gets all of delta", ["unit/filters/test_admitted_steps.py"]),
    Mutation("filter ticks", "filters/prices.py", "-(-amount.numerator * TICKS // amount.denominator)",
             "amount.numerator * TICKS // amount.denominator",
             "ticks round down", [FIFTY]),
    Mutation("filter delta", "filters/concentration.py", "delta and delta > self._for_steps", "delta and delta > self._delta",
             "steps use the delta of the tail a second time", [ADVERSARIES, INCREMENTS, "unit/filters/test_admitted_steps.py"]),
    Mutation("filter basic", "filters/concentration.py", "sums[-1] <= self._epsilon", "sums[-1] / 2 <= self._epsilon",
             "the basic alternative admits twice epsilon", [ADVERSARIES]),
    Mutation("filter mu", "filters/thresholds.py", "gaussian_delta(mu, threshold, 0.0)[1]",
             "gaussian_delta(mu, threshold, 0.0)[0]",
             "the budget of mu is read off the lower bound", [FIFTY]),
    Mutation("filter curve", "filters/increments.py", "share * (curve_above - curve_below)", "0 * (curve_above - curve_below)",
             "between orders the smaller divergence is taken", [INCREMENTS]),
    Mutation("filter refusal", "filters/base.py", "        if not quote.accepted:\n            raise BudgetRefused(quote)\n",
             "        self._sums = after\n        if not quote.accepted:\n            raise BudgetRefused(quote)\n",
             "a refused step is spent", [BUDGETS, INCREMENTS]),
    Mutation("filter spread", "filters/grid.py", "np.add.at(masses, index + 1, a * share)",
             "np.add.at(masses, index, a * share)",
             "losses move down to the grid", [RESIDUAL]),
    Mutation("filter below", "filters/grid.py", "masses[math.ceil((low + slack) / h) + 1 - start]", "masses[0]",
             "what lies below the window moves down", [RESIDUAL]),
    Mutation("filter below, in doubt", "filters/grid.py", "math.ceil((low + slack) / h)", "math.ceil(low / h)",
             "what lies below the window, as far as is known, moves down", [RESIDUAL]),
    Mutation("filter below, lost", "filters/grid.py", "+= _sum(log_a[below])", "+= 0.0",
             "what lies below the window is lost", [RESIDUAL]),
    Mutation("filter above", "filters/grid.py", "pair.unresolved + _sum(log_a[above])", "pair.unresolved",
             "losses above the window are lost", [RESIDUAL]),
    Mutation("filter chord", "filters/residual.py", "upper[0] * (1.0 - share) + upper[1] * share", "upper[1]",
             "the first budget is read a grid point too far", [RESIDUAL]),
    Mutation("filter room", "filters/residual.py", "(low, at_low, part, value) if value <= 0.0 else",
             "(low, at_low, part, value) if value <= 0.01 else",
             "a little more is left than there is room for", [RESIDUAL]),
    Mutation("filter unknown losses", "filters/grid.py", "return Spread(0, np.zeros(1), 1.0)",
             "return Spread(0, np.ones(1), 0.0)",
             "losses that are not known count as 0", [RESIDUAL]),
    Mutation("filter infinity", "filters/residual.py", "inherited + gaussian_profile(left, x)[1]",
             "gaussian_profile(left, x)[1]",
             "mass at infinity is not passed on", [RESIDUAL]),
    Mutation("filter slot rate", "filters/domination.py", "step.q <= slot.q and", "",
             "larger samples take the slots of smaller ones", [SLOTS]),
    Mutation("filter slot of no cost", "filters/domination.py", "if noise.sensitivity == 0 or scale == math.inf:",
             "if scale == math.inf:",
             "a slot without noise and without shift costs nothing and admits everything", [DOMINATION]),
    Mutation("filter slot of all", "filters/domination.py", "return slot.q == 1 and _reveals_everything(slot.mechanism)",
             "return _reveals_everything(slot.mechanism)",
             "a slot that seldom reveals everything admits what always does", [DOMINATION]),
    Mutation("filter slot price", "filters/slots.py", "if priced.upper > delta:", "if priced.upper > 1e9 * delta:",
             "a plan may cost more than its delta", [SLOTS]),
    Mutation("state missing", "filters/states.py", "if missing := sorted(set(expected) - set(found)):", "if missing := []:",
             "a setting that is missing in a state is filled in", [STATES]),
    Mutation("state overspent", "filters/states.py", "if used > cap and", "if used > 2 * cap and",
             "more than the cap may have been spent", [STATES]),
    Mutation("state caps", "filters/states.py", "if value > Fraction(computed) * (1 + TOLERANCE):", "if value < 0:",
             "a state may say that its cap is larger", [STATES]),
    Mutation("state logarithms", "filters/states.py", "if value < float(computed) * (1.0 - float(TOLERANCE)):", "if value < 0:",
             "a state may say that its tail is lighter", [STATES]),
    Mutation("state orders", "filters/rdp.py", "if budget - computed > TOLERANCE * abs(computed):", "if False:",
             "a state may say that an order has more", [STATES]),
    Mutation("state price", "filters/slots.py", "if not lower <= price <= delta:", "if not price <= delta:",
             "a state may say that a plan costs nothing", [STATES]),
    Mutation("classic underflow", "classic/concentration.py", "found + _SMALLEST, found)", "found, found)",
             "squares of tiny epsilons vanish, and the bounds with them", [CLASSIC_EDGES]),
    Mutation("filter certainty", "filters/logs.py", "if probability > Fraction(1, 2):", "if probability > 2:",
             "1 - delta is lost where delta is near 1", [FIFTY]),
    Mutation("mixed composition", "mechanisms/base.py", "if not meant(mix_relations):", "if False:",
             "steps for different relations add up to a number for neither", [RELATIONS]),
    Mutation("mixed budget", "filters/states.py", "if not self._mixes:", "if False:",
             "a filter adds up steps for different relations", [RELATIONS]),
    Mutation("mixed sample", "mechanisms/poisson.py", "if not meant(mix_relations) and", "if False and",
             "a mechanism for replacing a record passes for one for removing it", [RELATIONS]),
    # what is read
    Mutation("notation tiny number", "notation/arithmetic.py", 'if math.isinf(value) or digits.strip("0._"):',
             "if math.isinf(value):",
             "a promise of 1e-400 is read as one of no loss at all", [NOTATION]),
    Mutation("notation foreign", "notation/sums.py", "raise fault(_misread(piece), text, token.start())", "continue",
             "what is not understood is passed over", [NOTATION]),
    Mutation("notation terms", "notation/expressions.py", "else compose(terms, mix_relations)",
             "else compose(terms[:-1], mix_relations)",
             "the last term of a sum is left out", [NOTATION]),
    Mutation("notation twice", "notation/meaning.py", "if keyword.arg in given:", "if keyword.arg is None:",
             "of an argument given twice the last one counts", [NOTATION]),
    # what is printed
    Mutation("curve ends", "interfaces/cli/curve.py", "_rounded(upper, ROUND_CEILING)", "_rounded(upper, ROUND_FLOOR)",
             "a printed upper end is below the bound", ["unit/interfaces/cli/test_curve.py"]),
    Mutation("curve epsilons", "interfaces/cli/curve.py", "return rounded if bool((np.diff(rounded) > 0.0).all()) else grid",
             "return rounded", "two epsilons are printed as one", ["unit/interfaces/cli/test_curve.py"]),
    Mutation("curve epsilon shown", "interfaces/cli/curve.py", "repr(epsilon).removesuffix('.0')", "format(epsilon, '.3g')",
             "a delta is printed beside another epsilon than its own", ["unit/interfaces/cli/test_curve.py"]),
    # odometers
    Mutation("odometer rounding", "odometers/boundaries.py", "RAISED = 1.0 + 128.0 * U", "RAISED = 1.0 - 4.0 * U",
             "formulas are rounded down", [ODOMETER]),
    Mutation("odometer line", "odometers/boundaries.py", "math.sqrt(0.5 * level)", "math.sqrt(0.49 * level)",
             "the line lies too low", [ODOMETER]),
    Mutation("odometer mixture", "odometers/boundaries.py", "(2.0 * level + math.log1p(variance / gamma))", "(2.0 * level)",
             "the bound holds at one moment only", [ODOMETER]),
    Mutation("odometer half mixture", "odometers/boundaries.py", "* RAISED - _LOG_2_DOWN", "* RAISED - 2.0 * _LOG_2_DOWN",
             "half a normal law is counted twice too often", [ODOMETER]),
    Mutation("odometer epochs", "odometers/boundaries.py", "math.log1p(doublings) + _LOG_ZETA + level",
             "math.log1p(doublings) + level",
             "the levels of the epochs add up to more than delta", [ODOMETER]),
    Mutation("odometer variance", "odometers/rho.py", "self._boundary(2.0 * drift)", "self._boundary(drift)",
             "half of the variance is forgotten", [ODOMETER]),
    Mutation("odometer factor 2", "odometers/rogers.py", "root = 2.0 * math.sqrt(variance", "root = math.sqrt(2.0 * variance",
             "formula (3) as it is often misread", [ODOMETER]),
    Mutation("odometer events", "odometers/rogers.py", "(self._n**2 - 1).bit_length()", "(self._n - 1).bit_length()",
             "half of the union bound is forgotten", [ODOMETER]),
    Mutation("odometer split", "odometers/base.py", "rest = self._delta - self._for_steps", "rest = self._delta",
             "delta is spent twice", [ODOMETER]),
    Mutation("odometer excess", "odometers/base.py", "(self._concentrated(sums) + excess) * RAISED",
             "self._concentrated(sums) * RAISED",
             "the mean of steps that may fail is taken to be that of pure ones", [ODOMETER]),
    Mutation("odometer failures", "odometers/base.py", "sums[-2] > self._for_steps else", "sums[-2] > 1 else",
             "failures beyond what was reserved cost nothing", [ODOMETER, ODOMETER_RULES]),
    Mutation("odometer weights", "odometers/renyi.py", "share = weight * (self", "share = (self",
             "every order has the whole delta", [ODOMETER]),
    Mutation("odometer totals", "odometers/renyi.py", "low = np.nextafter(self.low + lost, np.inf)", "low = self.low",
             "what sums lose to rounding is forgotten", [ODOMETER_TOTALS]),
    # individual filters
    Mutation("units of arrays", "individual/units.py", "costs += worth < amounts", "costs += worth < 0.0",
             "amounts are rounded to the nearest unit, half of them down", [INDIVIDUAL_UNITS]),
    Mutation("units of numbers", "individual/units.py", "min(math.ceil(exact", "min(math.floor(exact",
             "an amount is rounded down", [INDIVIDUAL_UNITS]),
    Mutation("individual limit", "individual/base.py", "np.less_equal(after, self._limit,",
             "np.less_equal(after, self._limit + 1.0,",
             "people may exceed their budget", [INDIVIDUAL]),
    Mutation("individual allowance", "individual/base.py", "return self._budget * GUARANTEED", "return self._budget",
             "binary amounts may add up to more than is promised", [INDIVIDUAL]),
    Mutation("individual NaN", "individual/base.py", "if not array.min() >= 0:", "if array.min() < 0:",
             "an amount that is no number is charged", [INDIVIDUAL]),
    Mutation("individual flush", "individual/base.py", "if self._durable and isinstance", "if not self._durable and isinstance",
             "people take part before the disk knows", [INDIVIDUAL_FILES]),
    # the games: a judge that looks away would let any filter pass
    Mutation("games likely answer", "games/steps.py", "1.0 / (1.0 + math.exp(-self.epsilon))",
             "1.0 / (1.0 + math.exp(-0.99 * self.epsilon))",
             "randomised response tells a little less than it may", GAMES),
    Mutation("games reveal", "games/steps.py", "np.where(coin < self.delta, sign * math.inf, answer)", "answer",
             "a revealed bit costs nothing when played with coins", GAMES),
    Mutation("games exact reveal", "games/exact.py", "(0, 1, law.delta)]", "(0, 0, law.delta)]",
             "a revealed bit costs nothing when enumerated", GAMES),
    Mutation("games exact direction", "games/exact.py", "seen = self.sign * states.loss", "seen = states.loss",
             "under bit 1 the adversary is told the wrong loss", GAMES),
    Mutation("games coin direction", "games/simulate.py", "against = loss if bit == 0 else -loss", "against = loss",
             "under bit 1 the loss of the wrong bit is judged", GAMES),
    Mutation("games merged ways", "games/exact.py", "return rows[first], which, ways", "return rows[first], which * 0, ways",
             "different states are taken for one", GAMES),
    Mutation("games best choice", "games/best.py", "best = max(best, self._continued(", "best = min(best, self._continued(",
             "the best adversary takes her worst step", GAMES),
    Mutation("games best reveal", "games/best.py", "law.delta * revealed +", "0.0 * revealed +",
             "the best adversary overlooks what may be revealed", GAMES),
    Mutation("games walk crossed", "games/walk.py", "math.floor((limit - lowest) / 2.0) + 1)",
             "math.floor((limit - lowest) / 2.0) + 2)",
             "the first place above a bound does not count", GAMES),
    Mutation("games ever crossed", "games/simulate.py", "failed[table.run] |= above(", "failed[table.run] = above(",
             "only the last round is judged, not every round", GAMES),
    Mutation("games lower limit", "games/estimate.py", "betaincinv(self.failures, self.runs - self.failures + 1,",
             "betaincinv(self.failures + 1, self.runs - self.failures,",
             "the lower limit is too high: false alarms", GAMES),
    Mutation("games upper limit", "games/estimate.py", "betaincinv(self.failures + 1, self.runs - self.failures, confidence)",
             "betaincinv(self.failures, self.runs - self.failures + 1, confidence)",
             "the upper limit is too low: a failing bound seems to hold", GAMES),
    Mutation("games copies", "games/book.py", "self._enter(copy.deepcopy(meter))", "self._enter(meter)",
             "a game spends the caller's filter", GAMES),
    Mutation("games ties", "games/adversaries.py", "above(view.loss, view.bound) &", "(view.loss > view.bound) &",
             "an adversary stops one ulp above a bound that is met with equality, and fails less often", GAMES),
    Mutation("games refused", "games/simulate.py", "(choices != STOP) & np.take_along_axis(",
             "(choices != STOP) | np.take_along_axis(",
             "a refused step is played", GAMES),
    # the paper's evaluation
    Mutation("half the change", "reproduce/figures/noise.py", "Gaussian(mechanism.sigma, mechanism.sensitivity)",
             "Gaussian(mechanism.sigma, 0.5 * mechanism.sensitivity)",
             "unclamped noise hides a smaller change than the clamped one", [NOISE]),
    Mutation("change not in units", "reproduce/figures/noise.py", "mechanism.scale / unit, mechanism.sensitivity / unit",
             "mechanism.scale / unit, mechanism.sensitivity",
             "the lower end is for a larger change", [NOISE]),
    Mutation("both ends from above", "reproduce/figures/noise.py", "below.curve(list(epsilons), RTOL).lower",
             "above.curve(list(epsilons), RTOL).upper",
             "an upper bound is taken for a lower one", [NOISE]),
    Mutation("one count promised", "reproduce/figures/noise.py", "0.5 * math.exp(", "0.25 * math.exp(",
             "the original analysis looks better than it was", [NOISE]),
    Mutation("half a bracket", "reproduce/verdicts.py", "least <= low <= high <= most", "least <= high <= most",
             "one end of a bracket confirms a claim", [VERDICTS]),
    Mutation("doubt refutes", "reproduce/verdicts.py", "REFUTED if high < least or low > most else OPEN", "REFUTED",
             "a bracket that straddles refutes a claim", [VERDICTS]),
    Mutation("best case orders", "reproduce/verdicts.py", "low = top[0] / bottom[1]", "low = top[1] / bottom[0]",
             "orders of magnitude are claimed from the wrong ends", [VERDICTS]),
    Mutation("any stored result", "reproduce/store.py", 'record["key"] != key(figure, quick) or ', "",
             "results of other parameters or other code are used again", [RUN]),
    Mutation("unchecked sum", "reproduce/store.py", ' or record["sum"] != hashlib.sha256(body.encode()).hexdigest()', "",
             "changed numbers are used again", [RUN]),
    Mutation("few buckets refute", "reproduce/sources.py", "verdict == REFUTED and n < BUCKETS",
             "verdict == OPEN and n < BUCKETS",
             "a quick run refutes what more buckets achieve", [FEWER]),
]  # fmt: skip


class Outcome(NamedTuple):
    mutation: Mutation
    problem: str  # empty if the mutation could be applied and tests could run
    red: list[str]  # names of the tests that failed


def tried(mutation: Mutation, package: Path) -> Outcome:
    """Apply the mutation to a copy of the package and run its tests against that."""
    source = (package / mutation.file).read_text(encoding="utf-8") if (package / mutation.file).exists() else ""
    found = source.count(mutation.old)
    if found != 1:
        return Outcome(mutation, f"text found {found} times in {mutation.file}", [])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src" / "tightbudget"
        shutil.copytree(package, copy)
        (copy / mutation.file).write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
            + [str(ROOT / "tests" / name) for name in mutation.tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": "ci"},
            capture_output=True,
            text=True,
            check=False,
        )
    red = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, flags=re.MULTILINE)
    if run.returncode not in (0, 1):  # not "passed" or "some failed": the mutant did not even load
        return Outcome(mutation, f"pytest ended with {run.returncode}: {(run.stdout + run.stderr)[-300:]}", red)
    return Outcome(mutation, "", red)


def healthy(mutations: Sequence[Mutation], package: Path) -> bool:
    """Tell whether all tests concerned are green on the package as it is; without that, red means nothing."""
    files = sorted({str(ROOT / "tests" / name) for mutation in mutations for name in mutation.tests})
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", *files]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(package.parent)}, check=False).returncode == 0


def names(red: Sequence[str]) -> str:
    """Return the test functions that failed, each once, with how many of their cases."""
    counts: dict[str, int] = {}
    for node in red:
        name = node.split("[")[0].split("tests/unit/")[-1]
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{name} ({count})" if count > 1 else name for name, count in counts.items())


def main(words: Sequence[str]) -> int:
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.name for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "src" / "tightbudget"  # one state of the package for all, though it may be edited meanwhile
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        if not healthy(chosen, package):
            print("The tests are red without any mutation.", file=sys.stderr)
            return 1
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            outcomes = list(pool.map(lambda mutation: tried(mutation, package), chosen))
    survivors = [outcome for outcome in outcomes if outcome.problem or not outcome.red]
    for outcome in outcomes:
        fate = outcome.problem or names(outcome.red) or "SURVIVED"
        print(f"{outcome.mutation.name:20} {outcome.mutation.danger}\n{'':20} -> {fate}")
    print(f"{len(outcomes) - len(survivors)} of {len(outcomes)} mutations turned a test red.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
