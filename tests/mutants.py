"""Break the arithmetic on purpose, one line at a time, and see which tests notice (`make mutants`).

Every mutation below makes some answer unsound: a rounding direction flipped, an error term dropped, mass lost. Each is
applied to a copy of the package, and one of the tests named beside it must turn red; it is then seen green on the
package as it is. A mutation that no test notices, or whose text is not found exactly once, fails the run: either the
tests or this table have fallen behind the code.

    python tests/mutants.py            all mutations
    python tests/mutants.py decades fft    those whose name contains one of the words
"""

import compileall
import io
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "tightbudget"
WORKERS = os.cpu_count() or 1
PATIENCE = 600  # seconds
OPTIONS = ["-q", "-x", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]

# Every mutation has a process of its own, forked from one in which the libraries are loaded but nothing of the package.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["pytest", "hypothesis", "numpy", "scipy.special", "scipy.fft", "mpmath", "flint", "typer.testing"]
)

BYTE_CACHE = "unit/numerics/test_byte_cache.py"
REMEMBERED = "unit/numerics/test_remembered.py"
CONVOLVE = "unit/numerics/test_convolve.py"
DISCRETISE = "unit/engine/discretisation/test_discretise.py"
TILTED = "unit/engine/discretisation/test_tilted.py"
SPREAD = "unit/engine/discretisation/test_spread.py"
MERGE = "unit/engine/discretisation/test_merge.py"
PROFILE = "unit/engine/levels/test_profile.py"
ONE_STEP = "unit/engine/closed/test_one_step.py"
DIRECTION = "unit/engine/test_direction.py"
REFINE = "unit/engine/test_refine.py"
GAUSSIAN = "unit/engine/closed/test_gaussian.py"
CHERNOFF = "unit/engine/test_chernoff.py"
EVALUATE = "unit/engine/levels/test_evaluate.py"
STEPS = "unit/engine/test_steps.py"
MASS = "unit/numerics/test_mass.py"
ROUNDING = "unit/numerics/test_rounding.py"
FROM_BELOW = "regression/test_largest_loss_from_below.py"
BEYOND = "regression/test_beyond_floats.py"
UNKNOWN = "regression/test_masses_that_are_not_known.py"
DENORMALS = "regression/test_denormal_masses.py"
MASSES = "unit/pairs/test_continuous.py::test_masses"
WHOLE = "unit/pairs/test_continuous.py::test_nothing_is_missing"
ATOMS = "unit/pairs/test_continuous.py::test_point_masses"
POINTS = "unit/pairs/test_points.py::test_masses"
NORMAL = "unit/numerics/test_normal.py"
BRACKET = "unit/numerics/test_bracket.py"
SEARCH = "unit/numerics/test_search.py"
KNOWN = "unit/mechanisms/test_known_bounds.py"
SKELLAM = "unit/mechanisms/test_skellam.py"
EVENTS = "unit/pairs/moments/test_events.py"
BINOMIAL = "unit/divergences/test_renyi.py::test_whole_orders_of_a_subsampled_gaussian"
BOTH = "unit/divergences/test_renyi.py::test_steps_add_up_in_each_direction_apart"
DISCRETE = "unit/divergences/test_renyi.py::test_discrete_gaussian_at_any_order"
RANGE = "unit/divergences/test_numbers.py::test_bounded_range_is_the_worst_of_its_class"
CHORD = "unit/divergences/test_numbers.py::test_peak_under_a_chord"
PURE = "unit/divergences/test_numbers.py::test_pure_epsilon"
GDP = "unit/divergences/test_numbers.py::test_gdp"
CONVERSIONS = "unit/divergences/test_conversions.py"
LEMMAS = "property/test_published_lemmas.py"
HALVING = "regression/test_squaring_rounds_up.py"
LEAVES = "unit/research/published/test_leaves.py"
COMBINE = "unit/research/published/test_combine.py"
READINGS = "unit/research/published/test_readings.py"
PAPER = "reference/test_published.py"
VUVUZELA = "unit/research/studies/test_vuvuzela.py"
LIMITS = "unit/research/studies/timing/test_limits.py"
ROC = "unit/research/studies/timing/test_roc.py"
CONFIDENT = "unit/research/studies/timing/test_confident.py"
CELLS = "unit/research/studies/timing/test_cells.py"
KOV = "unit/classic/test_kov.py"
FORMULAS = "unit/classic/test_formulas.py"
CLASSIC_RANGE = "unit/classic/test_bounded_range.py"
CLASSIC_RENYI = "unit/classic/test_renyi.py"
CLASSIC_EDGES = "unit/classic/test_edges.py"
COMPARE = "unit/comparison/test_compare.py"
AMOUNTS = "unit/adaptive/test_amounts.py"
TICKS = "unit/adaptive/test_ticks.py"
KEYWORDS = "unit/adaptive/filters/test_keywords.py"
SUM_FILTERS = "unit/adaptive/filters/test_sum_filter.py"
FIFTY = "unit/adaptive/filters/test_fifty_digits.py"
ADVERSARIES = "unit/adaptive/filters/test_adversaries.py"
INCREMENTS = "unit/adaptive/test_increments.py"
RESIDUAL = "unit/adaptive/filters/test_residual.py"
SLOTS = "unit/adaptive/filters/test_slots.py"
DOMINATION = "unit/adaptive/filters/test_domination.py"
MATCHING = "property/test_slot_matching.py"
ODOMETER = "unit/adaptive/odometers/test_formulas.py"
ODOMETER_TOTALS = "unit/adaptive/odometers/test_totals.py"
ODOMETER_RULES = "unit/adaptive/odometers/test_behaviour.py"
ODOMETER_REMAINING = "unit/adaptive/odometers/test_one_shape.py"
STATES = "property/test_written_states.py"
THREADS = "property/test_threads.py"
PROCESSES = "property/test_processes.py"
INDIVIDUAL_UNITS = "unit/adaptive/individual/test_units.py"
INDIVIDUAL = "unit/adaptive/individual/test_charging.py"
INDIVIDUAL_SHAPE = "unit/adaptive/individual/test_one_shape.py"
INDIVIDUAL_FILES = "unit/adaptive/individual/test_files.py"
FORMAT_SPEC = "unit/numerics/test_format_spec.py"
WHOLE_RANGE = "unit/mechanisms/test_whole_range.py"
MARKUP = "unit/test_markup.py"
DPSGD = "unit/training/test_dpsgd.py"
STATEMENT = "unit/training/test_statement.py"
ACCOUNTANT = "unit/training/test_accountant.py"
ACCOUNTANT_STATES = "unit/training/test_accountant_states.py"
DRAWN_BAND = "unit/interfaces/test_drawn_band.py"
GAMES = [f"unit/research/games/test_{name}.py" for name in ("exact", "worst_case", "walk", "simulate", "estimate", "naive")]
FREQUENCIES = "unit/numerics/test_characteristic.py"
SPECTRUM = "unit/engine/spectral/test_spectrum.py"
FREQUENCIES = "unit/engine/spectral/test_frequencies.py"
GRID_PLAN = "unit/engine/sharing/test_grid_plan.py"
BOUNDS = "unit/engine/sharing/test_bounds.py"
APART = "unit/engine/large_losses/test_apart.py"
LAYERS = "unit/engine/large_losses/test_layers.py"
LAPLACE = "unit/engine/closed/test_laplace.py"
SPECTRAL = "unit/engine/spectral/test_profile.py"
NOISE = "unit/research/reproduce/test_vuvuzela_noise.py"
NOTATION = "unit/notation/test_notation.py"
RELATIONS = "unit/mechanisms/test_relations.py"
MIXED_MASSES = "unit/pairs/test_poisson.py"
VERDICTS = "unit/research/reproduce/test_verdicts.py"
RUN = "unit/research/reproduce/test_run.py"
FEWER = "unit/research/reproduce/test_figures.py::test_fewer_buckets_cannot_refute_what_more_achieve"


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
    # what is remembered
    Mutation("cache key", "numerics/byte_cache.py", "if kwargs else (function, args)", "if kwargs else (args,)",
             "discrete Laplace noise is answered with what is remembered of discrete Gaussian noise", [BYTE_CACHE]),
    Mutation("cache bound", "numerics/byte_cache.py", "for _, entry in entries) <= self.most_bytes:", "for _, entry in entries) >= 0:",
             "what is remembered grows until memory is full", [BYTE_CACHE, "regression/test_pinned_pairs.py"]),
    Mutation("remembered by name", "numerics/remembered.py", "if kwargs:", "if kwargs and not kwargs:",
             "an argument given by name is taken for another one", [REMEMBERED]),
    Mutation("remembered key", "numerics/remembered.py", "copy.deepcopy(key)", "key",
             "prices hold all that was ever computed for what they are of", [REMEMBERED, "regression/test_pinned_pairs.py"]),
    # certificates of stored rows
    Mutation("inherited error", "engine/discretisation/tilted.py", "error = mass * np.expm1(", "error = 0.0 * np.expm1(",
             "composition forgets the errors of its parts", [TILTED]),
    Mutation("inherited count", "engine/discretisation/tilted.py", "np.sum([count * np.log1p(part.error) for",
             "np.sum([np.log1p(part.error) for",
             "a part repeated n times counts its error once", [TILTED]),
    Mutation("inherited noise", "engine/discretisation/tilted.py", "np.sum([count * part.noise for", "np.sum([0.0 * part.noise for",
             "composition forgets the noise of its parts", [TILTED]),
    Mutation("noise times mass", "engine/discretisation/tilted.py", "noise = others * np.sum", "noise = np.sum",
             "products of noise with noise are left out", [TILTED]),
    Mutation("noise mass", "engine/discretisation/tilted.py", "np.log1p(part.error + part.noise_mass)", "np.log1p(part.error)",
             "the weight of noise is left out of products", [TILTED]),
    Mutation("noise mass count", "engine/discretisation/tilted.py", "np.sum([count * part.noise_mass for", "np.sum([part.noise_mass for",
             "a part repeated n times counts the weight of its noise once", [TILTED]),
    Mutation("product error", "engine/discretisation/tilted.py", "error + product.error +", "error +",
             "what a convolution cut off is forgotten", [TILTED]),
    Mutation("product noise", "engine/discretisation/tilted.py", "noise + product.noise,", "noise,",
             "transform noise is forgotten", [TILTED]),
    Mutation("product noise mass", "engine/discretisation/tilted.py", "noise_mass + math.sqrt(product.rows.shape[1]) * product.noise",
             "noise_mass",
             "the weight of transform noise is forgotten", [TILTED]),
    Mutation("batch certificates", "engine/discretisation/tilted.py", "_certified([(together, count)]", "_certified([(together, 1)]",
             "units composed together count their errors once", [TILTED]),
    Mutation("error units", "engine/discretisation/tilted.py", "error = raised(error / total, 8)", "error = raised(error / (1.0 + total), 8)",
             "error is not scaled as the rows are", [TILTED]),
    Mutation("noise units", "engine/discretisation/tilted.py", "scale = raised(1.0, 8) / total", "scale = raised(1.0, 8) / (1.0 + total)",
             "noise is not scaled as the rows are", [TILTED]),
    # upper reading
    Mutation("trimmed mass", "engine/discretisation/spread.py", "stack.error + raised_by(dropped, GENEROUS)", "stack.error",
             "mass trimmed from the upper reading is lost", [SPREAD]),
    Mutation("share down", "engine/discretisation/spread.py", "share = share_up(offset, factor * step)",
             "share = np.floor(share_up(offset, factor * step))",
             "coarsening moves losses down", [SPREAD, EVALUATE]),
    Mutation("share to nearest", "engine/discretisation/spread.py", "share = share_up(offset, factor * step)",
             "share = np.round(share_up(offset, factor * step))",
             "coarsening moves half of the losses down", [SPREAD]),
    Mutation("coarse error", "engine/discretisation/spread.py", "stack.error * float((down + up).max())", "stack.error",
             "an error grows with the tilt when it is moved up; the growth is left out", [SPREAD]),
    Mutation("coarse noise", "engine/discretisation/spread.py", "math.sqrt(float(up @ up))", "0.0",
             "half of the noise is lost in coarsening", [SPREAD]),
    # lower reading
    Mutation("merged error", "engine/discretisation/merge.py", "error = stack.error * weight.max(axis=1)", "error = 0.0 * weight.max(axis=1)",
             "merging forgets errors", [MERGE]),
    Mutation("merged noise", "engine/discretisation/merge.py", "noise = raised_by(stack.noise * np.sqrt", "noise = raised_by(0.5 * stack.noise * np.sqrt",
             "merging halves the noise", [MERGE]),
    Mutation("merged tilt", "engine/discretisation/merge.py", "[-theta - 1.0]]", "[-theta - 1.01]]",
             "B is untilted by a little too much: its mass is underrated", [MERGE]),
    # discretised pairs
    Mutation("loss error_bound", "engine/discretisation/discretise.py", "loss - low + error_bound", "loss - low - error_bound",
             "doubt about a loss moves it down", [DISCRETISE]),
    Mutation("mass beyond", "engine/discretisation/discretise.py", "if log_beyond > -math.inf:", "if log_beyond > math.inf:",
             "tilted mass above the window is lost", [DISCRETISE]),
    Mutation("mass below", "engine/discretisation/discretise.py", "if span.log_below > -math.inf else None",
             "if span.log_below > math.inf else None",
             "mass below the window is lost", [DISCRETISE]),
    Mutation("mass beyond, error", "engine/discretisation/window.py", "float(right[last + 1]) + error_bound", "float(right[last + 1])",
             "tilted mass above the window is taken to be exact", [DISCRETISE]),
    Mutation("mass below, error", "engine/discretisation/window.py", "float(left[first - 1]) + error_bound", "float(left[first - 1])",
             "mass below the window is taken to be exact", [DISCRETISE]),
    Mutation("mass errors", "engine/discretisation/discretise.py", "error_bounds = events.error + U", "error_bounds = 0.0 * events.error + U",
             "masses are taken to be exact", [DISCRETISE]),
    Mutation("displacement", "engine/discretisation/discretise.py", "(widest + abs(anchor)) + events.displacement", "(widest + abs(anchor))",
             "points moved down to the grid are not remembered", [DISCRETISE]),
    Mutation("pair loss_shift", "engine/discretisation/discretise.py", "loss_shift + 32.0 * U * (widest", "32.0 * U * (widest",
             "edges are taken to be hit exactly", [DISCRETISE, EVALUATE]),
    Mutation("cells of b", "engine/discretisation/discretise.py", "gaps), cells.log_a, cells.log_b, loss,",
             "gaps), cells.log_a, cells.log_b - 0.01, loss,",
             "the lower reading underrates B", [DISCRETISE]),
    Mutation("points of b", "engine/discretisation/discretise.py", "Events(above, share, points.log_a, points.log_b,",
             "Events(above, share, points.log_a, points.log_b - 0.1,",
             "point masses of B are underrated: the lower reading claims too much", [DISCRETISE, EVALUATE]),
    Mutation("rest of a share", "engine/discretisation/discretise.py", "upper[:-1] += np.bincount", "upper[:-1] += 0.0 * np.bincount",
             "what does not go up to the next point is lost", [DISCRETISE]),
    Mutation("cells beside points", "engine/discretisation/discretise.py", "np.concatenate([getattr(first, name), getattr(second, name)])",
             "getattr(second, name)",
             "of a pair with point masses the rest is lost", [DISCRETISE, EVALUATE]),
    Mutation("tilt of the rest", "engine/discretisation/discretise.py", "np.exp(-theta * step * np.diff(k))",
             "np.exp(-theta * step * np.diff(k) - 0.01)",
             "what does not go up to the next point is underrated", [DISCRETISE]),
    Mutation("gaps of a grid", "engine/discretisation/discretise.py", "x, step * np.diff(k), loss_shift)", "x, 0.0 * k[1:] + 2.0 * step, loss_shift)",
             "cells are taken to be as wide as two steps, wherever they are", [DISCRETISE]),
    Mutation("point in a gap", "engine/discretisation/discretise.py", "np.where(on_grid, step, step * (k[above] - k[below]))",
             "np.where(on_grid, step, 2.0 * step * (k[above] - k[below]))",
             "a point between two others is taken to be nearer to the lower one", [DISCRETISE]),
    Mutation("start of a grid", "engine/discretisation/discretise.py", "round(float(k[0] - k[peak]))", "-peak",
             "indices of a grid with gaps are taken to be those of its columns", [DISCRETISE, SPECTRUM]),
    Mutation("column of a discretised pair", "engine/discretisation/discretise.py", """displacement,
        begin,""", """displacement,
        begin + 1,""",
             "a discretised pair is put one column further on the common grid", [DISCRETISE, SPECTRUM]),
    Mutation("points down", "engine/discretisation/discretise.py", "np.where(on_grid, 1.0, share_up(", "np.where(on_grid, 1.0, 0.0 * share_up(",
             "points between two grid points are moved down", [DISCRETISE]),
    # reading delta
    Mutation("upper charge", "engine/levels/profile.py", "scaled_by_exp(total + charge,", "scaled_by_exp(total,",
             "the certificate is not charged to the upper bound", [PROFILE]),
    Mutation("upper noise charge", "engine/levels/profile.py", "+ float(stack.noise[0]) * length", "+ 0.0 * length",
             "noise is not charged to the upper bound", [PROFILE]),
    Mutation("lower charge", "engine/levels/profile.py", "charges = gain * errors[0] + cost * errors[1]", "charges = 0.0 * gain",
             "the certificate is not charged to the lower bound", [PROFILE]),
    Mutation("lower charge of b", "engine/levels/profile.py", "gain * errors[0] + cost * errors[1]", "gain * errors[0]",
             "an error of B is not charged to the lower bound", [PROFILE]),
    Mutation("loss_shift sign", "engine/levels/profile.py", "- self.composed.loss_shift -", "+ self.composed.loss_shift -",
             "losses are taken to be smaller, not larger, than they look", [PROFILE]),
    Mutation("loss_shift dropped", "engine/levels/profile.py", "- self.composed.loss_shift -", "-",
             "edges and points are taken to lie where they look", [PROFILE]),
    Mutation("upper error_bound", "engine/levels/profile.py", "- theta * shifted + error_bound", "- theta * shifted - error_bound",
             "rounding of the scale is charged to the wrong side", [PROFILE]),
    Mutation("lower error_bound", "engine/levels/profile.py", "(shifted + origin) - error_bound", "(shifted + origin) + 3.0 * error_bound",
             "rounding of the scale is charged to the wrong side", [PROFILE]),
    Mutation("infinite mass", "engine/levels/profile.py", " + self.infinity_upper, 4)", ", 4)",
             "what is certain to be revealed is left out", [PROFILE, DIRECTION]),
    Mutation("decades", "engine/direction.py", "10.0**-decades * self._coarse_error + self", "self",
             "losses beyond the decades that are followed are lost", [DIRECTION]),
    Mutation("decades error", "engine/direction.py", "10.0**-decades * self._coarse_error", "10.0**-decades",
             "the mass beyond the decades is taken to be exact", [DIRECTION]),
    Mutation("unresolved", "engine/direction.py", "self._coarse_error + self.steps.unresolved", "self._coarse_error",
             "tails that a pair does not resolve are lost", [DIRECTION]),
    Mutation("infinity rounding", "numerics/mass.py", "return float_below(self.exact)", "return float_above(self.exact)",
             "the infinite mass is rounded up for the lower bound", [MASS]),
    Mutation("infinity underflows", "numerics/mass.py", " + 2.0 * TINIEST)", ")",
             "a mass below the smallest float is none", [MASS]),
    Mutation("union below", "numerics/mass.py", "log_lower - error - 1e-13, log_upper", "log_lower + error, log_upper",
             "a sum of masses is taken for a lower bound on their union", [MASS]),
    Mutation("union above", "numerics/mass.py", "math.log(upper) + _ROUNDED", "math.log(upper) - _ROUNDED",
             "a product of many masses is rounded down for the upper bound", [MASS]),
    Mutation("largest loss below", "pairs/poisson.py", "float(images[0] - errors[0])", "float(images[0] + errors[0])",
             "the lower end of the largest loss lies above it", [FROM_BELOW]),
    Mutation("largest loss sampled", "pairs/poisson.py", "float(images[1] + errors[1])", "float(images[1] - errors[1])",
             "the largest loss of a sampled step is rounded down", [FROM_BELOW]),
    Mutation("exponential top", "pairs/exponential.py", "math.nextafter(self.max_loss, 0.0)", "self.max_loss",
             "a largest loss that was rounded up is taken for a lower end", [FROM_BELOW]),
    Mutation("finite beyond floats", "engine/direction.py", "return 0.0, self.naive_delta(epsilon)",
             "return self.infinity[0], self.naive_delta(epsilon)",
             "losses too large for a float are taken for infinite ones", [BEYOND]),
    Mutation("unknown coarse cells", "engine/direction.py", "if largest < 700.0 else math.inf", "if largest < 700.0 else 1e300",
             "what is not known at all is charged as a small number", [UNKNOWN]),
    Mutation("unknown one step", "engine/closed/one_step.py", "if float(points.error.max(initial=0.0)) > _MOST_ERROR:",
             "if float(points.error.max(initial=0.0)) > 1e99:",
             "a bound is made of masses that are not known", [UNKNOWN]),
    Mutation("unknown discretised pair", "engine/discretisation/discretise.py", "float(error_bounds.max()) > _MOST_ERROR", "float(error_bounds.max()) > 1e99",
             "a grid is made of masses that are not known", [UNKNOWN]),
    Mutation("denormal single", "engine/closed/one_step.py", "denormal = (2.0 * points.size + 8.0) * TINIEST", "denormal = 0.0",
             "denormal masses are rounded to nearest", [DENORMALS]),
    Mutation("first direction", "engine/refine.py", "upper = max((question.upper for question in questions), default=0.0)",
             "upper = next((question.upper for question in questions), 0.0)",
             "only one direction is asked", [REFINE]),
    Mutation("smaller direction", "engine/refine.py", "upper = max((question.upper for question in questions), default=0.0)",
             "upper = min((question.upper for question in questions), default=0.0)",
             "the smaller direction counts", [REFINE]),
    # few frequencies
    Mutation("turns' rounding", "numerics/characteristic.py", 'np.multiply.outer(8.0 * mean_place,',
             'np.multiply.outer(0.0 * mean_place,',
             "angles and their products with places are taken to be exact", [FREQUENCIES, SPECTRUM]),
    Mutation("sums' rounding", "numerics/characteristic.py", 'terms = 1.5 * (_BLOCK + math.ceil(',
             'terms = 0.5 * (_BLOCK + math.ceil(',
             "sums are taken to be better than they are", [FREQUENCIES]),
    Mutation("order of runs", "numerics/characteristic.py", "for first, count in runs])\n    return",
             "for first, count in sorted(runs, reverse=True)])\n    return",
             "runs are put in another order than their angles", [FREQUENCIES]),
    Mutation("composed errors", "engine/spectral/spectrum.py", "error_bounds = r @ np.log1p(errors)",
             "error_bounds = np.log1p(errors).sum(axis=0)",
             "a discretised pair repeated n times counts its error once", [SPECTRUM]),
    Mutation("composed scale", "engine/spectral/spectrum.py",
             "return r @ scales, error + (4.0 + len(discretised)) * U * (r @ np.abs(scales))",
             "return r @ scales, error",
             "rounding of a large scale is left out", [SPECTRUM]),
    Mutation("composed loss_shift", "engine/spectral/spectrum.py", "math.fsum(count * one.loss_shift for",
             "math.fsum(one.loss_shift for",
             "a discretised pair repeated n times brings its loss_shift once", [SPECTRUM]),
    Mutation("origin", "engine/spectral/spectrum.py", "one.spread.first - round(places[one.begin - begin]))",
             "one.spread.first - round(places[one.begin - begin]) - 1)",
             "all losses are taken to be a step smaller", [SPECTRUM]),
    Mutation("variance of a gap", "engine/spectral/frequencies.py", " + np.multiply.outer(block.variances, gaps) + 1e-13",
             "",
             "a peak between two angles is overlooked", [SPECTRUM]),
    Mutation("tenth of the variance", "engine/spectral/frequencies.py", "gaps = raised_by(0.25 *",
             "gaps = raised_by(0.025 *",
             "peaks between two angles are underrated", [SPECTRUM]),
    Mutation("cancelled variance", "engine/spectral/blocks.py", "+ 64.0 * places.size * U * (", "+ 0.0 * (",
             "a variance that has lost its digits is underrated, and with it the peaks between two angles", [SPECTRUM]),
    Mutation("modulus of one end", "engine/spectral/frequencies.py", "np.maximum(square[:, low], square[:, low + 1])",
             "np.minimum(square[:, low], square[:, low + 1])",
             "between two angles the smaller value counts", [SPECTRUM]),
    Mutation("count of the modulus", "engine/spectral/frequencies.py", "log_modulus += 0.5 * block.total(logs)",
             "log_modulus += 2.0 * block.total(logs)",
             "the bound on what is left out is raised to a higher power than the composition", [SPECTRUM]),
    Mutation("beyond, best", "engine/spectral/frequencies.py", "bound[:, small].max(axis=1)",
             "bound[:, small].min(axis=1)",
             "of the bounds on what is left out the smallest counts", [SPECTRUM]),
    Mutation("near intervals of a plan", "engine/spectral/frequencies.py", "        if self.near.size:\n", "        if False:\n",
             "a plan that is followed leaves frequencies out without a bound", [FREQUENCIES]),
    Mutation("far intervals of a plan", "engine/spectral/frequencies.py",
             "_core_on(blocks, places, self.few), self.far_at, self.far)", "_core_on(blocks, places, self.few), self.far_at, self.far[:1])",
             "of the far frequencies left out by a plan only the first are bounded", [FREQUENCIES]),
    Mutation("cuts of a plan", "engine/spectral/frequencies.py", "near = np.concatenate([start + low for", "near = np.concatenate([low for",
             "intervals that were cut are looked for among the first ones", [FREQUENCIES]),
    Mutation("columns of a plan", "engine/spectral/spectrum.py", "begin < columns.start or end > columns.stop", "False",
             "masses beyond the columns of a plan are put into other ones", [GRID_PLAN]),
    Mutation("smaller numbers dominate", "engine/sharing/bounds.py", "self._places[:known] >= numbers", "self._places[:known] <= numbers",
             "a bound is taken from neighbours that are dominated", [BOUNDS]),
    Mutation("one larger number", "engine/sharing/bounds.py", "numbers).all(axis=1)", "numbers).any(axis=1)",
             "a bound is taken from neighbours that are larger in one respect", [BOUNDS]),
    Mutation("delta of a bound", "engine/sharing/bounds.py", "(*numbers, -delta)", "(*numbers, delta)",
             "a bound at a larger delta is taken for one at a smaller delta", [BOUNDS]),
    Mutation("counts as floats", "engine/sharing/bounds.py", " or count > _EXACT", "",
             "counts are compared after rounding", [BOUNDS]),
    Mutation("directions as one family", "pairs/poisson.py", '("poisson", self.direction, family)', '("poisson", family)',
             "a bound of one direction is taken for the other", [BOUNDS]),
    Mutation("first interval", "engine/spectral/frequencies.py", "_runs([(0.0, float(looked.lows[0])), *intervals]",
             "_runs([(0.0, 0.0), *intervals]",
             "frequencies below the first angle are left out without a bound", [SPECTRUM]),
    Mutation("kept intervals", "engine/spectral/frequencies.py", "    kept += zip(lows.tolist(), highs.tolist(), strict=True)\n",
             "",
             "intervals without a bound are left out", [SPECTRUM]),
    Mutation("last node of a run", "engine/spectral/frequencies.py", "min(last, math.ceil(high / stride))",
             "min(last, math.floor(high / stride) - 1)",
             "the last node of an interval is left out", [SPECTRUM]),
    Mutation("joined runs", "engine/spectral/frequencies.py", "max(sum(runs[-1]), end + 1) - runs[-1][0])",
             "max(runs[-1][1], end) - runs[-1][0])",
             "of overlapping runs the last nodes are left out", [SPECTRUM]),
    Mutation("value error_bound", "engine/spectral/spectrum.py", "error / np.maximum(modulus - error, 1e-300) + rounding",
             "rounding",
             "transforms are taken to be exact", [SPECTRUM]),
    Mutation("value error_bound count", "engine/spectral/spectrum.py",
             "relative += block.total(",
             "relative += 1.0 / block.counts.max() * block.total(",
             "a power has the error of its base", [SPECTRUM]),
    Mutation("value size", "engine/spectral/spectrum.py", "return values, largest * np.where(",
             "return values, largest**2 * np.where(",
             "the error of a value is taken to be relative to its square", [SPECTRUM]),
    Mutation("moments' centre", "engine/spectral/spectrum.py", '+ peak - np.repeat(',
             '+ peak - 1.01 * np.repeat(',
             "tails are taken to begin nearer than they do", [SPECTRUM]),
    Mutation("moments' rounding", "engine/spectral/spectrum.py", 'moment += U * (',
             'moment -= U * (',
             "rounding of moments is taken off, a milliard times over", [SPECTRUM]),
    Mutation("steep lower tail", "engine/spectral/spectrum.py", "np.minimum(_SLOPES * best, theta * grid.step)",
             "_SLOPES * best",
             "a tail is bounded by a function that lies below the weights", [SPECTRUM]),
    Mutation("wrapped once", "engine/spectral/spectrum.py", "/ -math.expm1(-slope * period)",
             "",
             "only what wraps around once is counted", [SPECTRUM]),
    Mutation("wrapped one period late", "engine/spectral/spectrum.py", "place, size = x + period,",
             "place, size = x + 2 * period,",
             "what wraps around once is not counted", [SPECTRUM, SPECTRAL]),
    Mutation("node looked at", "engine/spectral/frequencies.py", "log_modulus[2]) > -depth\n", "log_modulus[2]) > -0.5 * depth\n",
             "nodes are dropped that matter, and the bound on them is large", [SPECTRUM, SPECTRAL]),
    Mutation("bound of dropped nodes", "engine/spectral/frequencies.py", "_exp_up(log_modulus.max(axis=1))",
             "_exp_up(log_modulus.min(axis=1))",
             "nodes that were looked at and dropped are taken to hold nothing", [SPECTRUM, SPECTRAL]),
    Mutation("core weight", "engine/spectral/frequencies.py", "weights[:, None] * (modulus - 1.0) * (1.0 - GENEROUS) + 128.0 * U",
             "(modulus - 1.0) * (1.0 - GENEROUS) + 128.0 * U",
             "few points are taken for all of them", [SPECTRUM]),
    Mutation("core variance", "engine/spectral/frequencies.py", "parts.append((block_of(rows, block.counts, places[few]),",
             "parts.append((block_of(rows, block.counts, 0.01 * places[few]),",
             "the modulus of few points is looked at too coarsely", [SPECTRUM]),
    Mutation("published member", "research/published/tree_pair.py", "return self.member.delta_low(epsilon)", "pass",
             "the lower end of a class is that of the pair that dominates it", [PAPER]),
    Mutation("published class by hand", "research/published/tree_pair.py", "return 0.0 if self.of_a_class else max(", "return max(",
             "trees of a class by hand have the lower end of the dominating pair", [PAPER]),
    Mutation("member of a class", "mechanisms/base.py", "return Bracket(member.lower, answer.upper, converged=False",
             "return Bracket(answer.lower, answer.upper, converged=False",
             "the lower end is that of a pair that no mechanism has", [CLASSIC_RANGE]),
    Mutation("counted twice", "engine/large_losses/apart.py", "pair.above(pair.ceiling + pair.error_bound)",
             "pair.above(pair.ceiling - pair.error_bound)",
             "events at the ceiling count as small and as large in the lower bound", [APART]),
    Mutation("more inner losses", "engine/closed/laplace.py", " + self._beyond(epsilon))", ")",
             "compositions with more inner losses than were followed are lost", [LAPLACE]),
    Mutation("closed form's rounding", "engine/closed/laplace.py", "value * (1.0 + self._error)", "value * (1.0 - self._error)",
             "rounding is charged to the wrong side", [LAPLACE]),
    Mutation("closed form's integrals", "engine/closed/laplace.py", "below[q + 1 : q + most + 1] +=", "below[q : q + most] +=",
             "a mean is that of one uniform number less", [LAPLACE]),
    Mutation("closed form's powers", "engine/closed/laplace.py", "self.count * self.top) + self._rest", "self.count * self.top)",
             "powers of sinh that are left out are lost", [LAPLACE]),
    Mutation("closed form's spare", "engine/closed/laplace.py", "r + 1.0)) - table.spare)", "r + 1.0)))",
             "losses that are not the largest count as if all were", [LAPLACE]),
    Mutation("closed form's shift", "engine/closed/laplace.py", "s += side * 16.0", "s -= side * 16.0",
             "the rounding of epsilon is charged to the wrong side", [LAPLACE]),
    Mutation("cut cell", "pairs/below.py", "return Cells.join(whole, part.where(part.log_a > -np.inf))", "return whole",
             "the cell that holds the ceiling is left out", [APART]),
    Mutation("edge not sharp", "pairs/above.py", "error[first] += self._strip(float(edges[first + 1]))",
             "error[first] += 0.0 * self._strip(float(edges[first + 1]))",
             "events at the ceiling are lost between two parts", [LAYERS]),
    Mutation("more large losses", "engine/large_losses/layers.py", "return min(1.0, raised(total + self.beyond, 8))", "return min(1.0, raised(total, 8))",
             "compositions with more large losses than were followed are lost", [LAYERS]),
    Mutation("layer left out", "engine/large_losses/layers.py", "if len(made) < len(parts):", "if not made:",
             "layers that could not be made are lost", [LAYERS]),
    Mutation("number of ways", "engine/large_losses/layers.py", "yield math.comb(count, number) * ways", "yield ways",
             "it is not counted which steps have the large losses", [LAYERS]),
    Mutation("added again", "engine/large_losses/apart.py", "again = raised_by(float(self.weight @", "again = raised_by(0.0 * float(self.weight @",
             "large losses that others undo are taken off the upper bound", [APART]),
    Mutation("b of large losses", "engine/large_losses/apart.py", "raised(math.exp(epsilon), 4) * self.b_upper", "raised(math.exp(epsilon), 4) * self.b_lower * 0.5",
             "of large losses B is underrated in the lower bound", [APART]),
    Mutation("moments of one step", "engine/large_losses/apart.py", "total += count * np.maximum(moment, 0.0)",
             "total += np.maximum(moment, 0.0)",
             "the losses of many steps are taken to be those of one", [APART]),
    Mutation("convex moments", "engine/large_losses/apart.py", "np.concatenate([cells.low, cells.high])",
             "np.concatenate([cells.high, cells.high])",
             "losses are taken to lie at the upper ends of their cells", [APART]),
    Mutation("denormal masses", "pairs/below.py", "max(0.0, least_b - NEGLIGIBLE)", "least_b",
             "masses that rounding has raised are taken off the upper bound", [APART]),
    Mutation("beyond the ceiling", "pairs/below.py", "self.base.cells(np.minimum(edges, self.ceiling))",
             "self.base.cells(edges)",
             "the small part reaches beyond its ceiling", [APART]),
    Mutation("spectral charge", "engine/spectral/profile.py", "total + error + float(s.error[0]) * largest",
             "total + error",
             "the certificate is not charged to the upper bound", [SPECTRAL]),
    Mutation("spectral charge of a", "engine/spectral/profile.py", "- wrapped - float(s.error[1]), 8)",
             "- wrapped, 8)",
             "the certificate of A is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral charge of b", "engine/spectral/profile.py", "cost + cost_error + float(s.error[2])",
             "cost + cost_error",
             "the certificate of B is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral error", "engine/spectral/profile.py", "total + error + float(s.error[0])",
             "total + float(s.error[0])",
             "what a spectrum admits to is not charged to the upper bound", [SPECTRAL]),
    Mutation("spectral gain error", "engine/spectral/profile.py", "(gain - gain_error - ",
             "(gain - ",
             "what a spectrum admits to of A is not charged to the lower bound", [SPECTRAL]),
    Mutation("spectral cost error", "engine/spectral/profile.py", "scaled_by_exp(cost + cost_error + ",
             "scaled_by_exp(cost + ",
             "what a spectrum admits to of B is not charged to the lower bound", [SPECTRAL]),
    Mutation("alias above", "engine/spectral/profile.py", "s.up.wrapped(1, start, s.period) + ",
             "",
             "what wraps around from above is taken to be there", [SPECTRAL]),
    Mutation("alias below", "engine/spectral/profile.py", " + s.down.wrapped(1, -start, s.period)",
             "",
             "what wraps around from below is taken to be there", [SPECTRAL]),
    Mutation("frequencies left out", "engine/spectral/profile.py", "error += float(s.beyond[0]) * (",
             "error += 0.0 * (",
             "frequencies left out are taken to hold nothing of the upper reading", [SPECTRAL]),
    Mutation("frequencies left out of a", "engine/spectral/profile.py", "self.errors[2] + raised(float(s.beyond[1]) *",
             "self.errors[2] + raised(0.0 *",
             "frequencies left out are taken to hold nothing of A", [SPECTRAL]),
    Mutation("frequencies left out of b", "engine/spectral/profile.py", "self.errors[3] + raised(float(s.beyond[2]) *",
             "self.errors[3] + raised(0.0 *",
             "frequencies left out are taken to hold nothing of B", [SPECTRAL]),
    Mutation("error_bound of values", "engine/spectral/profile.py", "error_bound = s.error_bound + values",
             "error_bound = values",
             "values are taken to be exact", [SPECTRAL]),
    Mutation("short integers", "numerics/characteristic.py", "np.asarray(nodes, dtype=np.int64)", "nodes",
             "where NumPy counts in 32 bits, turns wrap around", [FREQUENCIES]),
    Mutation("whole turns", "numerics/characteristic.py", "(high * nodes % period * _HALF + low * nodes) % period",
             "(high * nodes % period * _HALF - low * nodes) % period",
             "a turn by many steps of a long period ends elsewhere", [FREQUENCIES]),
    Mutation("whole transform's error", "numerics/characteristic.py", "1.01 * FFT_CONSTANT * U * math.log2(period)",
             "0.0 * FFT_CONSTANT * U * math.log2(period)",
             "transforms at every node are taken to be exact", [FREQUENCIES]),
    Mutation("mirrored node", "engine/spectral/frequencies.py", "np.arange(first, period // 2 + 2, dtype=np.float64)",
             "np.minimum(np.arange(first, period // 2 + 2, dtype=np.float64), period // 2)",
             "between the last node and pi nothing is looked at", [SPECTRUM]),
    Mutation("gaps", "engine/spectral/frequencies.py", "return bool(places[-1] - places[0] == places.size - 1.0)",
             "return bool(places[-1] - places[0] >= places.size - 1.0)",
             "places with gaps are taken for neighbours", [SPECTRUM]),
    Mutation("moved centre", "engine/spectral/spectrum.py", "rest = float(centre - moved) * slopes",
             "rest = 0.0 * slopes",
             "tails are taken to begin at the sum of rounded means", [SPECTRUM]),
    Mutation("node 0 twice", "engine/spectral/profile.py", "products[:, 0] *= 0.5",
             "products[:, 0] *= 1.0",
             "the frequency 0 is counted twice", [SPECTRAL]),
    Mutation("nodes once", "engine/spectral/profile.py", "products = (2.0 / s.period) *",
             "products = (1.0 / s.period) *",
             "negative frequencies are left out", [SPECTRAL]),
    Mutation("error of half the nodes", "engine/spectral/profile.py", "size = (2.0 / s.period) *",
             "size = (0.5 / s.period) *",
             "the error of negative frequencies is left out", [SPECTRAL]),
    Mutation("first index", "engine/spectral/profile.py", "start = math.floor(where) + 1",
             "start = math.floor(where) + 2",
             "the first loss above epsilon is left out", [SPECTRAL]),
    Mutation("first bucket", "engine/spectral/profile.py", "place = s.step * (s.origin + start)",
             "place = s.step * (s.origin + start - 1)",
             "buckets are taken to weigh as if they were a step lower", [SPECTRAL]),
    Mutation("spectral loss_shift", "engine/spectral/profile.py", "- s.loss_shift - 8.0 * U",
             "+ s.loss_shift - 8.0 * U",
             "losses are taken to be smaller, not larger, than they look", [SPECTRAL]),
    Mutation("spectral upper error_bound", "engine/spectral/profile.py", "- theta * shifted + error_bound",
             "- theta * shifted - error_bound",
             "rounding of the scale is charged to the wrong side", [SPECTRAL]),
    Mutation("spectral lower error_bound", "engine/spectral/profile.py", "- theta * place - error_bound",
             "- theta * place + 3.0 * error_bound",
             "rounding of the scale is charged to the wrong side", [SPECTRAL]),
    Mutation("spectral infinity", "engine/spectral/profile.py", " + TINIEST) + self.infinity_upper, 4)",
             " + TINIEST), 4)",
             "what is certain to be revealed is left out", [SPECTRAL]),
    # closed forms
    Mutation("gaussian error_bound", "engine/closed/gaussian.py", "first - second + error_bound", "first - second - error_bound",
             "rounding is taken off the upper bound", [GAUSSIAN]),
    Mutation("gaussian mean", "engine/closed/gaussian.py", "m * (1.0 + m_error", "m * (1.0 - m_error",
             "the doubt about the mean is taken off the upper bound", [GAUSSIAN]),
    Mutation("one step error_bound", "engine/closed/one_step.py", "min(700.0, ratio - error_bound)", "min(700.0, ratio + error_bound)",
             "doubt about masses is taken off the upper bound", [ONE_STEP]),
    Mutation("coarse cells error", "engine/direction.py", "< 700.0 else math.inf", "< 700.0 else math.exp(700.0)",
             "a mass of which nothing is known is left out as small", ["regression/test_edges.py"]),
    Mutation("one step loss_shift", "engine/closed/one_step.py", "(excess + loss_shift)", "(excess - loss_shift)",
             "points are taken to have smaller losses than they may", [ONE_STEP]),
    Mutation("one step edge", "engine/closed/one_step.py", " + min(1.0, math.expm1(min(3.0 * loss_shift, 700.0))) * mass_upper", "",
             "the edge of the tail is taken to be hit exactly", [ONE_STEP]),
    Mutation("one step unresolved", "engine/closed/one_step.py", " + 1.01 * pair.unresolved", "",
             "unresolved tails are lost", [ONE_STEP]),
    # composition
    Mutation("loss_shift count", "engine/levels/evaluate.py", "loss_shift += count * entering.loss_shift", "loss_shift += entering.loss_shift",
             "a step repeated n times brings its loss_shift once", [EVALUATE]),
    Mutation("raised", "numerics/rounding.py", "    return value * (1.0 + roundings * U)\n", "    return value\n",
             "roundings are not made up for", [ROUNDING]),
    Mutation("raised by half", "numerics/rounding.py", "    return value * (1.0 + roundings * U)\n",
             "    return value * (1.0 + 0.5 * roundings * U)\n", "half of the roundings are made up for", [ROUNDING]),
    Mutation("lowered", "numerics/rounding.py", "    return value * (1.0 - roundings * U)\n",
             "    return value * (1.0 + roundings * U)\n", "a lower bound is raised", [ROUNDING]),
    Mutation("strictly raised", "numerics/rounding.py", "    return value * (1.0 + roundings * U) + TINIEST",
             "    return value * (1.0 + roundings * U)", "what underflowed stays 0", [ROUNDING]),
    Mutation("strictly raised alone", "numerics/rounding.py", "    return value * (1.0 + roundings * U) + TINIEST",
             "    return value + TINIEST", "only what underflowed is raised", [ROUNDING]),
    Mutation("strictly lowered", "numerics/rounding.py", "    return value * (1.0 - roundings * U) - TINIEST",
             "    return value * (1.0 - roundings * U)", "what was rounded up to the smallest float stays there", [ROUNDING]),
    Mutation("raised by", "numerics/rounding.py", "    return value * (1.0 + share)", "    return value",
             "an allowance is dropped", [ROUNDING]),
    Mutation("lowered by", "numerics/rounding.py", "    return value * (1.0 - share)", "    return value * (1.0 + share)",
             "an allowance has the wrong sign", [ROUNDING]),
    Mutation("allowance of long sums", "numerics/rounding.py", "GENEROUS = 1e-9", "GENEROUS = 1e-10",
             "the allowance is less than it says", [ROUNDING]),
    Mutation("largest loss", "numerics/rounding.py", "else math.nextafter(rounded, math.inf)", "else rounded",
             "the largest loss is rounded to nearest, not up", [STEPS]),
    Mutation("cheap bound share", "engine/chernoff.py", "+ 2.0 * cells.error +", "- 2.0 * cells.error -",
             "doubt about a loss moves it down", [CHERNOFF]),
    Mutation("cheap bound error_bound", "engine/chernoff.py", "total += count * (moment + error_bound)",
             "total += count * (moment - error_bound)",
             "doubt about masses lowers a bound that must be high", [CHERNOFF]),
    Mutation("cheap bound loss_shift", "engine/direction.py", "epsilon - loss_shift)", "epsilon + loss_shift)",
             "losses are taken to be smaller than they may be", [CHERNOFF]),
    # rounding
    Mutation("float above", "numerics/rounding.py", "return rounded if rounded >= value else math.nextafter(rounded, math.inf)",
             "return rounded",
             "a fraction is rounded to the nearest float, which may lie below it", [ROUNDING]),
    Mutation("float below", "numerics/rounding.py", "return -float_above(-value)", "return float(value)",
             "a fraction is rounded to the nearest float, which may lie above it", [ROUNDING]),
    # pairs
    Mutation("poisson rounding", "pairs/poisson.py", "return 7.0 * U * (1.0 + np.minimum(np.abs(mixed), 1e4))",
             "return 0.0 * U * (1.0 + np.minimum(np.abs(mixed), 1e4))",
             "mixing two masses is taken to be exact", [MIXED_MASSES]),
    Mutation("poisson rounding unlike", "pairs/poisson.py", "mixed = log_a if direction is Direction.REMOVE else log_b",
             "mixed = np.zeros_like(log_a)",
             "small masses are taken to be as exact as large ones", [MIXED_MASSES]),
    Mutation("poisson swapped", "pairs/poisson.py", "if direction is Direction.REMOVE:\n        return np.logaddexp",
             "if direction is Direction.ADD:\n        return np.logaddexp",
             "removing a record is treated as adding one", [MASSES, POINTS]),
    Mutation("poisson lost events", "pairs/poisson.py", "if one_sided.possible:", "if one_sided.lower > 1.0:",
             "events that only one side could produce vanish under sampling", [WHOLE, POINTS]),
    Mutation("poisson infinity", "pairs/poisson.py", "return self.base.infinity.times(self.q) if", "return NONE if",
             "infinite losses vanish under sampling", [WHOLE]),
    Mutation("point masses", "pairs/exponential.py", "log_a = np.array([self.log_point - self.top, self.log_point])",
             "log_a = np.array([self.log_point - self.top, self.log_point - 1e-9])",
             "a point mass is a little too light", [ATOMS]),
    Mutation("narrow cells", "numerics/normal.py", "(s - q) / 6.0", "(s - q) / 6.0001",
             "masses of narrow cells are off by more than they say", [NORMAL]),
    Mutation("series cut short", "numerics/normal.py", "tail[more] += _higher_terms(s[more], q[more])", "pass",
             "terms of the series are left out where they matter", [NORMAL]),
    Mutation("wide cells", "numerics/normal.py", "- z * width\n", "- z * width * (1.0 + 1e-13)\n",
             "masses of wide cells are off by more than they say", [NORMAL]),
    Mutation("far cells", "numerics/normal.py", "+ _error_share(4.0 * U, square)", "",
             "the rounding of a square far out is not stated", [NORMAL]),
    # what is shown, and where the search stops
    Mutation("printing", "numerics/bracket.py", "_outward(self.upper, digits, ROUND_CEILING)",
             "_outward(self.upper, digits, ROUND_FLOOR)",
             "the printed upper end lies below the certified one", [BRACKET]),
    Mutation("search side", "numerics/search.py", "_narrow(function, level, low, high, tolerance)[1]",
             "_narrow(function, level, low, high, tolerance)[0]",
             "epsilon is read off where delta is still too large", [SEARCH]),
    # divergences
    Mutation("moment tail", "pairs/moments/events.py", "terms.append(self.tail.log_moment(orders))", "pass",
             "the moment of what lies beyond the grid is lost", [EVENTS]),
    Mutation("moment of an unknown tail", "pairs/moments/events.py", "Tail(0.0, lambda orders: np.full(orders.size, np.inf))",
             "Tail(0.0, lambda orders: np.full(orders.size, -np.inf))",
             "what no cell holds has no moment", [KNOWN]),
    Mutation("moment by the largest loss", "mechanisms/known_bounds.py", "largest = raised((orders - 1.0) * pair.max_loss", "largest = raised((orders - 1.0) * 0.1 * pair.max_loss",
             "a moment is bounded by less than the largest loss", [KNOWN]),
    Mutation("rho of any mechanism", "mechanisms/known_bounds.py", "bounds = [pure_rho(epsilon),", "bounds = [0.5 * pure_rho(epsilon),",
             "pure privacy gives half the rho", [KNOWN]),
    Mutation("mu of any mechanism", "mechanisms/known_bounds.py", "min(pure_mu(self.pure_epsilon), self.known_mu())", "min(0.5 * pure_mu(self.pure_epsilon), self.known_mu())",
             "pure privacy gives half the mu", [KNOWN]),
    Mutation("range of any loss", "mechanisms/known_bounds.py", "float_above(sum(map(Fraction, losses), start=Fraction(0)))", "max(losses)",
             "losses vary by the largest of one direction", [KNOWN]),
    Mutation("skellam recurrence", "mechanisms/skellam.py", "start = count + count // 4 + 2", "start = count",
             "ratios of Bessel functions start from where they are not known", [SKELLAM]),
    Mutation("skellam norm", "mechanisms/skellam.py", "norm = 2.0 * math.fsum(", "norm = 2.0 * (1.0 + 1e-11) * math.fsum(",
             "masses sum to a little less than one", [SKELLAM]),
    Mutation("skellam reach", "mechanisms/skellam.py", "_LOG_TAIL = 725.0", "_LOG_TAIL = 600.0",
             "more is left out than is charged", [SKELLAM]),
    Mutation("skellam tail", "mechanisms/skellam.py", "(shift + 1.0) / mu / w)", "(shift - 1.0) / mu / w)",
             "the line above the losses cuts them", [SKELLAM]),
    Mutation("skellam far orders", "mechanisms/skellam.py", "return np.minimum(pair.log_moment(orders), _log_moment(",
             "return np.minimum(pair.log_moment(orders), 0.9 * _log_moment(",
             "moments of large orders are too small", [SKELLAM]),
    Mutation("moment lost mass", "pairs/moments/events.py", "        if self.minus_infinity > 0.0:", "        if self.minus_infinity > 2.0:",
             "the excess over 1 misses mass of B where A has none", [EVENTS]),
    Mutation("moment error_bound up", "pairs/moments/events.py", "share_up(excess + error_bound, width)", "share_up(excess - error_bound, width)",
             "shares above loss 0 are taken downward", [EVENTS]),
    Mutation("moment error_bound down", "pairs/moments/events.py", "share_up(excess - error_bound, width)", "share_up(excess + error_bound, width)",
             "shares below loss 0 are taken upward", [EVENTS]),
    Mutation("moment mass error", "pairs/moments/events.py", "log_a + error + 2.0 * loss_shift", "log_a + 2.0 * loss_shift",
             "masses are taken to be exact", [EVENTS]),
    Mutation("moment loss_shift", "pairs/moments/events.py", "np.sign(losses) * loss_shift", "np.sign(losses) * -loss_shift",
             "losses in doubt move towards 0", [EVENTS]),
    Mutation("moment removed tail", "pairs/moments/events.py", "inner(orders) + orders * log_factor",
             "inner(orders) + orders * math.log(q)",
             "1 - q is forgotten beyond the grid", [EVENTS]),
    Mutation("moment added tail", "pairs/moments/events.py", "inner(one) + raised(thetas * -math.log1p(-q), 8)",
             "inner(one) - raised(thetas * -math.log1p(-q), 8)",
             "the largest loss of a subsampled pair has the wrong sign", [EVENTS]),
    Mutation("normal moment tail", "pairs/moments/events.py", "shift = orders * m - reach", "shift = m - reach",
             "the tail is not tilted", [EVENTS]),
    Mutation("binomial term", "pairs/moments/subsampled_gaussian.py", "np.arange(2.0, order + 1.0)",
             "np.arange(min(3.0, order), order + 1.0)",
             "two records in a sample are left out", [BINOMIAL]),
    Mutation("one direction", "divergences/renyi.py", "for direction in Direction:", "for direction in [Direction.ADD]:",
             "only one direction is bounded", [BOTH]),
    Mutation("discrete norm", "mechanisms/discrete.py", "log_moved - log_still", "log_moved - 2.0 * log_still",
             "the norm of discrete noise is counted twice", [DISCRETE]),
    Mutation("bounded range", "mechanisms/bounded_range.py", "orders * log_ratio + error_bound", "0.99 * orders * log_ratio + error_bound",
             "not the worst of the class", [RANGE]),
    Mutation("chord peak", "pairs/moments/concentrated.py", "np.maximum(value, ends)", "ends",
             "zCDP between two orders is not looked at", [CHORD]),
    Mutation("pure infinity", "divergences/pure.py", "pair.infinity.possible", "pair.infinity.lower > 0.5",
             "a rare infinite loss is no loss", [PURE]),
    Mutation("gdp squares", "divergences/gdp.py", "count * (mu / largest) ** 2", "(mu / largest) ** 2",
             "repetitions are not counted", [GDP]),
    Mutation("gdp corner", "pairs/moments/concentrated.py", "return raised_by(mu, 4.0 * AMPLE)", "return raised_by(mu, -4.0 * AMPLE)",
             "mu of a pure promise is rounded down", [CONVERSIONS]),
    Mutation("rdp weight", "divergences/conversions.py", "theta * log_rest, 0.0) - np.log(a)",
             "theta * log_rest, 0.0) - 2.0 * np.log(a)",
             "the conversion is better than possible", [CONVERSIONS]),
    Mutation("total variation", "divergences/conversions.py", "np.sqrt(-np.expm1(-tau))", "-np.expm1(-tau)",
             "the distance at epsilon 0 is too small", [CONVERSIONS]),
    Mutation("rdp delta rounding", "divergences/conversions.py", "_log_weight(a) + error_bound", "_log_weight(a) - error_bound",
             "delta is rounded down", [CONVERSIONS]),
    Mutation("rdp epsilon rounding", "divergences/conversions.py", "/ theta + error_bound", "/ theta - error_bound",
             "epsilon is rounded down", [CONVERSIONS]),
    # published buckets
    Mutation("published squaring", "research/published/combine.py", "lead = (child.first + 1) % 2", "lead = child.first % 2",
             "squaring rounds losses down", [HALVING, LEMMAS]),
    Mutation("published corner", "research/published/combine.py", "np.concatenate([below[:, None]",
             "np.concatenate([0.0 * below[:, None]",
             "what is clamped to bucket -n is lost", [COMBINE]),
    Mutation("published overflow", "research/published/combine.py", " + float(above[A]))", ")",
             "what leaves the list at the top is lost", [COMBINE]),
    Mutation("published infinity", "research/published/combine.py", "infinity=child.infinity", "infinity=0.0 * child.infinity",
             "squaring empties bucket infinity", [LEMMAS]),
    Mutation("published leaf infinity", "research/published/leaves.py", "infinity=pair.infinity.upper + float(a[-1])",
             "infinity=pair.infinity.upper",
             "finite losses beyond n are lost", [LEAVES]),
    Mutation("published over b", "research/published/combine.py", "+= float(first.rows[VIRTUAL].sum()) * second.over_b",
             "+= 0.0 * second.over_b",
             "B-mass of lost events is forgotten: the lower bound claims too much", [COMBINE]),
    Mutation("published clamped", "research/published/combine.py", "below[REAL] = uncorrected_mass(",
             "below[REAL] += 0.0 * uncorrected_mass(",
             "events clamped to -n are corrected as if their loss were known", [COMBINE]),
    Mutation("published scale", "research/published/leaves.py", "math.log(certain) + log_scale", "math.log(certain) + 1.5 * log_scale",
             "bucket -n claims more B-mass than is certain", [COMBINE]),
    Mutation("published u", "research/published/combine.py", "u=first.u + second.u", "u=max(first.u, second.u) + 1",
             "u grows by 1 a composition, as section 4.4 has it", [COMBINE]),
    Mutation("published u halved", "research/published/combine.py", "u=child.u // 2 + 1", "u=child.u // 2",
             "squaring forgets that it may misplace an event", [COMBINE]),
    Mutation("published correction start", "research/published/readings.py", "log_factor, 8)) + buckets.u", "log_factor, 8))",
             "misplaced events are corrected and contribute negatively", [READINGS]),
    Mutation("published correction loss_shift", "research/published/readings.py", "math.ceil(raised((epsilon + buckets.loss_shift)",
             "math.ceil(raised((epsilon - buckets.loss_shift)",
             "edges are taken to be hit exactly where the correction starts", [READINGS]),
    Mutation("published virtual up", "research/published/readings.py", "corrected = buckets.rows[A] - scale * buckets.rows[REAL]",
             "corrected = buckets.rows[A] - scale * buckets.rows[VIRTUAL]",
             "the upper bound is corrected by virtual terms", [READINGS]),
    Mutation("published real low", "research/published/readings.py", "scale * buckets.rows[VIRTUAL]", "scale * buckets.rows[REAL]",
             "the lower bound uses real terms, which are too small", [LEMMAS]),
    Mutation("published term", "research/published/readings.py", "(corrected < plain)", "(corrected > plain)",
             "the error correction is dropped", [LEMMAS]),
    Mutation("published loss_shift", "research/published/readings.py", "error_bound = buckets.loss_shift + 8.0", "error_bound = 8.0",
             "losses are taken to be no larger than they look", [READINGS]),
    Mutation("published upper charge", "research/published/readings.py", "+ float(buckets.error[A]) + charge +", "+ charge +",
             "errors of A are not charged to the upper bound", [READINGS]),
    Mutation("published b charge", "research/published/readings.py", "scale * float(buckets.error[REAL])",
             "0.0 * float(buckets.error[REAL])",
             "errors of the correction are not charged to the upper bound", [READINGS]),
    Mutation("published lower charge", "research/published/readings.py", "total - raised_by(charge, GENEROUS)", "total",
             "errors are not charged to the lower bound", [READINGS]),
    Mutation("published inherited", "research/published/combine.py", "raised_by(inherited + fresh, GENEROUS)", "raised_by(fresh, GENEROUS)",
             "composition forgets the errors of its parts", [COMBINE]),
    Mutation("published squared error", "research/published/combine.py", "error=child.error + 2.0 * U", "error=0.0 * child.error",
             "squaring forgets errors", [COMBINE]),
    Mutation("published fresh", "research/published/combine.py", "fresh = product.error + 16.0 * U", "fresh = 0.0 * product.error",
             "convolutions are taken to be exact", [COMBINE]),
    Mutation("published noise", "research/published/convolution.py", "product.error + math.sqrt(product.rows.shape[1]) * product.noise",
             "product.error",
             "the noise of transforms is not booked", [COMBINE]),
    Mutation("published heavy", "research/published/convolution.py", "rest.error + relative * rows.sum(axis=1)",
             "0.0 * rest.error",
             "sums over heavy columns are taken to be exact", [COMBINE]),
    Mutation("published thin", "research/published/convolution.py", "q[:, column : column + 1] * thin_p", "0.0 * thin_p",
             "one of the mixed products is left out", [COMBINE]),
    Mutation("published trim", "research/published/buckets.py", "error + raised_by(dropped, GENEROUS)", "error + 0.0 * dropped",
             "what is cut from the ends is lost", [COMBINE]),
    Mutation("published moved", "research/published/leaves.py", "pair.loss_shift(reach) + moved", "pair.loss_shift(reach)",
             "losses moved down to an edge are not remembered", [LEAVES]),
    Mutation("published error_bound", "research/published/leaves.py", "error[A] += pair.infinity.upper - pair.infinity.lower", "pass",
             "an infinite mass that may be less is counted in full from below", [LEAVES, LEMMAS]),
    Mutation("published masses", "research/published/leaves.py",
             "error += np.minimum([mass_a @ relative, mass_b @ relative, mass_b @ relative], 1.01) if known else 1.01",
             "error += [0.0 * (mass_a @ relative), 0.0, 0.0]",
             "masses are taken to be exact", [LEAVES]),
    Mutation("published unresolved", "research/published/leaves.py", "error[A] += raised_by(pair.unresolved, GENEROUS)", "pass",
             "tails that a pair does not resolve are lost", [LEAVES]),
    Mutation("published certain", "research/published/leaves.py", "distinguishing=pair.infinity.lower",
             "distinguishing=pair.infinity.upper",
             "the infinite mass is rounded up for the lower bound", [LEAVES]),
    Mutation("published direction", "research/published/tree_pair.py", "return max(delta_with_ec", "return min(delta_with_ec",
             "the smaller direction counts", [PAPER + "::test_both_directions_of_sgd_differ_and_the_larger_one_counts"]),
    # studies
    Mutation("clamping is free", "research/studies/vuvuzela.py", ".upper + self._cut(rounds)[1]", ".upper + 0.0",
             "counts clamped at 0 reveal nothing", [VUVUZELA]),
    Mutation("clamping of one round", "research/studies/vuvuzela.py", "-math.expm1(rounds * never)", "-math.expm1(never)",
             "clamped counts of one round are charged for all", [VUVUZELA]),
    Mutation("change of one", "research/studies/vuvuzela.py", "kind(self.scale / part, shift) for", "kind(self.scale / part, 1) for",
             "a change by 2 is taken for a change by 1", [VUVUZELA]),
    Mutation("cut kept", "research/studies/vuvuzela.py", ".lower - cut)", ".lower)",
             "the lower end counts sets that involve clamped noise twice", [VUVUZELA]),
    Mutation("revealing too much", "research/studies/vuvuzela.py", "float(shift - 1)", "float(shift)",
             "counts that both users can cause are taken to reveal", [VUVUZELA]),
    Mutation("limits per cell", "research/studies/timing/limits.py", "(4.0 * cells)", "(1.0 * cells)",
             "many limits err together more often than the confidence allows", [LIMITS]),
    Mutation("limits moved inward", "research/studies/timing/limits.py", "low[some] = lowered_by(",
             "low[some] = raised_by(",
             "rounding narrows confidence limits", [LIMITS]),
    Mutation("corners cut", "research/studies/timing/roc.py", "if before * after < 0:", "if before * after > 0:",
             "a curve is drawn below the corners where bounds cross", [ROC]),
    Mutation("flat hull", "research/studies/timing/roc.py", "return (second[1] - first[1]) * (third[0] - second[0]) > (",
             "return (second[1] - first[1]) * (third[0] - second[0]) < (",
             "the curve below is not concave", [ROC]),
    Mutation("mirrored infinity", "research/studies/timing/roc.py", "log_b, log_a, minus_infinity, infinity", "log_b, log_a, infinity, minus_infinity",
             "events that only one sample can cause change sides", [ROC]),
    Mutation("rest of a", "research/studies/timing/confident.py", "start=(rest_b, rest_a)", "start=(rest_b, zero)",
             "mass that the lower limits leave open is lost", [CONFIDENT]),
    Mutation("upper limits of b", "research/studies/timing/confident.py", "roc.roc_curve(b_low, a_high)", "roc.roc_curve(b_high, a_high)",
             "B is taken to be as heavy as it may be", [CONFIDENT]),
    Mutation("optimistic sets", "research/studies/timing/confident.py", "inside[1] + b_high[cell]",
             "inside[1] + b_low[cell]",
             "the lower end takes B to be as light as it may be", [CONFIDENT]),
    Mutation("pilot counted", "research/studies/timing/cells.py", "mixed[:size], mixed[size:]", "mixed[:size], mixed",
             "samples that chose the cells are counted in them", [CELLS]),
    # classic bounds
    Mutation("classic promise", "classic/promises.py", "rtol=_SINGLE_RTOL).upper", "rtol=_SINGLE_RTOL).lower",
             "a step promises less than it keeps", [CLASSIC_EDGES]),
    Mutation("classic sum", "classic/promises.py", "return float_above(sum(", "return float(sum(",
             "sums of epsilons and deltas are rounded to nearest", [CLASSIC_EDGES]),
    Mutation("classic count", "classic/promises.py", "counts.get(mechanism, 0) + count", "count",
             "a step named twice is counted once", [CLASSIC_EDGES]),
    Mutation("classic direction", "classic/promises.py", "for direction in Direction) if pair is not None",
             "for direction in [Direction.ADD]) if pair is not None",
             "only one direction of a step is looked at", [CLASSIC_EDGES]),
    Mutation("classic failing", "classic/failure_probability.py", "raised_by(-np.expm1(logs), ROUNDING)", "lowered_by(-np.expm1(logs), ROUNDING)",
             "the chance that a step fails is rounded down", [FORMULAS]),
    Mutation("classic allowance left", "classic/failure_probability.py", "spent + ROUNDING * (np.abs(spent) - allowed)",
             "spent - ROUNDING * (np.abs(spent) - allowed)",
             "what promises leave of the allowance is rounded up", [FORMULAS]),
    Mutation("classic tail", "classic/concentration.py", "lowered_by(above * above / (2.0 * variance), ROUNDING)",
             "raised_by(above * above / (2.0 * variance), 1e-9)",
             "a tail is rounded down", [FORMULAS]),
    Mutation("classic tail lost", "classic/concentration.py", "raised_by(np.exp(-exponent), ROUNDING) + NEGLIGIBLE", "raised_by(np.exp(-exponent), ROUNDING)",
             "an exponential too small for a float is taken for 0", [FORMULAS]),
    Mutation("classic epsilon", "classic/concentration.py", "raised_by(drift + roots, ROUNDING)",
             "lowered_by(drift + roots, 1e-10)",
             "an advanced epsilon is rounded down", [FORMULAS]),
    Mutation("classic drift", "classic/advanced.py", "product_up(epsilon, np.expm1(epsilon))",
             "product_up(epsilon, np.tanh(0.5 * epsilon))",
             "another theorem's drift", [FORMULAS]),
    Mutation("classic simple middle", "classic/kov_simple.py", "-np.expm1(1.0 - exponent)", "1.0",
             "the middle form is taken for its limit", [FORMULAS]),
    Mutation("classic kov window", "classic/kov.py", "math.ceil(37.5 * deviation) + 1050", "math.ceil(8.0 * deviation)",
             "the binomial tail beyond the window is lost", [KOV]),
    Mutation("classic kov index", "classic/kov.py", "last = np.ceil(", "last = np.floor(",
             "the term next to epsilon is left out", [KOV]),
    Mutation("classic kov negligible", "classic/kov.py", "raised(values, 8) + NEGLIGIBLE", "raised(values, 8)",
             "terms too small for a float are taken for 0", [KOV]),
    Mutation("classic kov rounding", "classic/kov.py", "raised(values, roundings), raised(weights, roundings))",
             "raised(values, -roundings - 16.0 * (masses.size + 4.0)), raised(weights, -roundings))",
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
    Mutation("classic text", "comparison/table.py", "rounded(value, digits, ROUND_CEILING)",
             "rounded(value, digits, 'ROUND_FLOOR')", "a printed bound is rounded down", [COMPARE]),
    # filters
    Mutation("filter typed", "adaptive/amounts.py", "Fraction(*Decimal(repr(value)).as_integer_ratio())", "Fraction(value)",
             "a typed 0.1 is a little more than a tenth: ten of them do not fit", [AMOUNTS]),
    Mutation("filter derived", "adaptive/amounts.py", "raised(value, roundings + 2.0)", "raised(value, -9000.0)",
             "computed prices round down", [FIFTY]),
    Mutation("filter boundary", "adaptive/filters/advanced.py", "_ROUNDINGS = 64", "_ROUNDINGS = -9000",
             "the bound on the loss rounds down", [FIFTY]),
    Mutation("one direction", "mechanisms/known_bounds.py", "if len(pairs) == 1 or any(", "if any(",
             "a bound on losses in one direction passes for differential privacy", ["unit/mechanisms/test_known_bounds.py"]),
    Mutation("long sums", "adaptive/ticks.py", "else math.ceil(count)", "else math.floor(count)",
             "sums whose exact form is long are rounded down", ["unit/adaptive/test_ticks.py"]),
    Mutation("ticks of an order", "adaptive/filters/rdp.py", "max(self._epsilon, budget)", "self._epsilon",
             "sums within a cap far above epsilon are lost", ["unit/adaptive/test_ticks.py"]),
    Mutation("narrowest reason", "engine/stage.py", "min(held, key=lambda pursuit: pursuit.width).reason", "held[-1].reason",
             "rounding is blamed where longer lists would have helped", ["unit/engine/test_trace.py"]),
    Mutation("filter half delta", "adaptive/filters/advanced.py", "math.log(2.0) + log_inverse", "log_inverse",
             "the tail gets all of delta although half is kept for steps", [FIFTY]),
    Mutation("filter squares", "adaptive/filters/thresholds.py", "root * root * (1 - _ALLOWANCE)", "root * root * (1 + _ALLOWANCE)",
             "the budget of squares rounds up", [FIFTY]),
    Mutation("filter orders", "adaptive/filters/thresholds.py", "budget - size * _ALLOWANCE", "budget + size * _ALLOWANCE",
             "Rényi budgets round up", [FIFTY]),
    Mutation("filter weight", "adaptive/filters/rdp.py", "weight * self._tail", "self._tail",
             "every order gets all of delta", ["unit/adaptive/filters/test_admitted_steps.py"]),
    Mutation("filter ticks", "adaptive/prices.py", "-(-amount.numerator * TICKS // amount.denominator)",
             "amount.numerator * TICKS // amount.denominator",
             "ticks round down", [FIFTY]),
    Mutation("filter delta", "adaptive/filters/concentration.py", '"the delta of steps", self._for_steps', '"the delta of steps", self._delta',
             "steps use the delta of the tail a second time", [ADVERSARIES, INCREMENTS, "unit/adaptive/filters/test_admitted_steps.py"]),
    Mutation("filter basic", "adaptive/filters/concentration.py", '"the sum of epsilons", self._epsilon', '"the sum of epsilons", 2 * self._epsilon',
             "the basic alternative admits twice epsilon", [ADVERSARIES]),
    Mutation("filter mu", "adaptive/filters/thresholds.py", "gaussian_delta(mu, threshold, 0.0)[1]",
             "gaussian_delta(mu, threshold, 0.0)[0]",
             "the budget of mu is read off the lower bound", [FIFTY]),
    Mutation("filter curve", "adaptive/increments.py", "share * (curve_above - curve_below)", "0 * (curve_above - curve_below)",
             "between orders the smaller divergence is taken", [INCREMENTS]),
    Mutation("filter refusal", "adaptive/filters/base.py",
             "            if not quote.accepted:\n                raise BudgetRefused(quote)\n",
             "            self._sums = after\n            if not quote.accepted:\n                raise BudgetRefused(quote)\n",
             "a refused step is spent", [AMOUNTS, INCREMENTS]),
    Mutation("filter spread", "adaptive/filters/residual_grid.py", "np.add.at(masses, index + 1, a * share)",
             "np.add.at(masses, index, a * share)",
             "losses move down to the grid", [RESIDUAL]),
    Mutation("filter below", "adaptive/filters/residual_grid.py", "masses[math.ceil((low + loss_shift) / h) + 1 - start]", "masses[0]",
             "what lies below the window moves down", [RESIDUAL]),
    Mutation("filter below, in doubt", "adaptive/filters/residual_grid.py", "math.ceil((low + loss_shift) / h)", "math.ceil(low / h)",
             "what lies below the window, as far as is known, moves down", [RESIDUAL]),
    Mutation("filter below, lost", "adaptive/filters/residual_grid.py", "+= _sum_of_masses(log_a[below])", "+= 0.0",
             "what lies below the window is lost", [RESIDUAL]),
    Mutation("filter above", "adaptive/filters/residual_grid.py", "pair.unresolved + _sum_of_masses(log_a[above])", "pair.unresolved",
             "losses above the window are lost", [RESIDUAL]),
    Mutation("filter chord", "adaptive/filters/residual.py", "upper[0] * (1.0 - share) + upper[1] * share", "upper[1]",
             "the first budget is read a grid point too far", [RESIDUAL]),
    Mutation("filter room", "adaptive/filters/residual.py", "(low, at_low, part, value) if value <= 0.0 else",
             "(low, at_low, part, value) if value <= 0.01 else",
             "a little more is left than there is room for", [RESIDUAL]),
    Mutation("filter unknown losses", "adaptive/filters/residual_grid.py", "return Spread(0, np.zeros(1), 1.0)",
             "return Spread(0, np.ones(1), 0.0)",
             "losses that are not known count as 0", [RESIDUAL]),
    Mutation("filter infinity", "adaptive/filters/residual.py", "inherited + (1.0 - inherited) * gaussian_profile(left, x)[1]",
             "gaussian_profile(left, x)[1]",
             "mass at infinity is not passed on", [RESIDUAL]),
    Mutation("filter slot rate", "mechanisms/poisson.py", "self.q <= slot.q and", "",
             "larger samples take the slots of smaller ones", [SLOTS]),
    Mutation("filter slot of no cost", "mechanisms/stated.py", "if self.above == 0 or self.below == math.inf:",
             "if self.below == math.inf:",
             "a slot without noise and without shift costs nothing and admits everything", [DOMINATION]),
    Mutation("filter slot of all", "mechanisms/poisson.py", "return self.q == 1 and self.mechanism.reveals_everything",
             "return self.mechanism.reveals_everything",
             "a slot that seldom reveals everything admits what always does", [DOMINATION]),
    Mutation("filter slot of a promise", "mechanisms/promise.py", "step.promise.delta <= promise.delta", "True",
             "a promise without delta covers one with a delta", [DOMINATION]),
    Mutation("filter slot of a smaller shift", "mechanisms/shifted.py", "smaller <= slot.sensitivity and", "",
             "noise on the integers dominates the same noise shifted by more", [DOMINATION]),
    Mutation("filter slot twice", "adaptive/filters/slot_matching.py", "left[last] -= moved", "left[last] -= 0",
             "a slot that was made free by moving others is given away and stays free", [MATCHING]),
    Mutation("filter slot count", "adaptive/filters/slots.py", "taken = [before + more for before, more in",
             "taken = [before for before, more in",
             "admitted steps take no slot", [MATCHING]),
    Mutation("filter slot price", "adaptive/filters/slots.py", "if priced.upper > delta:", "if priced.upper > 1e9 * delta:",
             "a plan may cost more than its delta", [SLOTS]),
    Mutation("state missing", "adaptive/states.py", "if missing := sorted(set(expected) - set(found)):", "if missing := []:",
             "a setting that is missing in a state is filled in", [STATES]),
    Mutation("state overspent", "adaptive/states.py", "if limit.exceeded and", "if False and",
             "more than the cap may have been spent", [STATES]),
    Mutation("state caps", "adaptive/states.py", "if value - Fraction(computed) > TOLERANCE *", "if 0 > TOLERANCE *",
             "a state may say that its cap is larger", [STATES]),
    Mutation("state logarithms", "adaptive/states.py", "if value < float(computed) * (1.0 - float(TOLERANCE)):", "if value < 0:",
             "a state may say that its tail is lighter", [STATES]),
    Mutation("state orders", "adaptive/filters/scales.py", "if value - cap.cap > TOLERANCE * abs(Fraction(cap.cap)):", "if False:",
             "a state may say that an order has more", [STATES]),
    Mutation("state sequence", "adaptive/states.py", "_counted(state[\"sequence\"]) if version > 2 else None",
             "_counted(state[\"sequence\"]) if version > 2 else 0",
             "a state that did not count its steps seems older than all others", [STATES]),
    Mutation("state old caps", "adaptive/filters/sum_filter.py", "dict.fromkeys(here[\"caps\"], constants[\"cap\"])", "here[\"caps\"]",
             "the cap of an older state is forgotten, and computed anew", [STATES]),
    Mutation("state counts", "adaptive/states.py", "self._sequence += 1", "self._sequence += 0",
             "of two states nobody knows which is the later one", [STATES]),
    Mutation("tick written", "adaptive/ticks.py", "if not Fraction(1, 10**12) <= Fraction(*tick._ratio)", "if False and Fraction(*tick._ratio)",
             "a state may say that its sums are counted in parts of any size", [STATES]),
    Mutation("tick up", "adaptive/ticks.py", "return -(-amount.numerator * ticks // (amount.denominator * units))",
             "return amount.numerator * ticks // (amount.denominator * units)",
             "prices are rounded down to ticks", [TICKS]),
    Mutation("tick down", "adaptive/ticks.py", "        return amount.numerator * ticks // (amount.denominator * units)",
             "        return -(-amount.numerator * ticks // (amount.denominator * units))",
             "caps are rounded up to ticks", [TICKS]),
    Mutation("tick base", "adaptive/ticks.py", "base if base <= LARGEST_BASE else", "SMALL_FRACTIONS if base <= LARGEST_BASE else",
             "a budget of 1/41 cannot be filled", [TICKS]),
    Mutation("tick beyond", "adaptive/filters/sum_filter.py", "after if max(price) <= BEYOND else saturated_sums(after)", "after",
             "sums that no limit can use grow too long to be written", [TICKS]),
    Mutation("filter by position", "adaptive/filters/concentration.py", '@formerly_positional("delta_for_steps", "or_basic")',
             '@formerly_positional("or_basic", "delta_for_steps")',
             "an argument by position is taken for another one", [KEYWORDS]),
    Mutation("filter needed", "adaptive/filters/scales.py", "            if figures[index] > cap:\n                return False, place",
             "            if figures[index] > cap:\n                continue",
             "one limit that holds is enough where all must", [SUM_FILTERS]),
    Mutation("filter measures", "adaptive/filters/limits.py", "for cap in (*self.needed, *self.enough)) > 1:", "for cap in ()) > 1:",
             "a second measure is taken for the first", [SUM_FILTERS]),
    Mutation("filter admits", "adaptive/filters/sum_filter.py", "after = self._scales.in_ticks(totals)", "after = self._sums",
             "a ledger is told about this filter's sums, not about its own", [SUM_FILTERS]),
    Mutation("state price", "adaptive/filters/slots.py", "if not lower <= price <= delta:", "if not price <= delta:",
             "a state may say that a plan costs nothing", [STATES]),
    Mutation("threads filter", "adaptive/filters/base.py", "with self._spending():\n            quote,", "if True:\n            quote,",
             "threads are admitted by a balance that others are changing", [THREADS]),
    Mutation("threads odometer", "adaptive/odometers/base.py", "        with self._spending():\n", "        if True:\n",
             "threads overwrite each other's steps", [THREADS]),
    Mutation("threads individual", "adaptive/individual/base.py", "        with self._spending():\n", "        if True:\n",
             "threads overwrite each other's charges", [THREADS]),
    Mutation("threads array", "adaptive/individual/base.py", "self._locks = GIVEN", "self._locks = {}",
             "two filters of one array overwrite each other's charges", [THREADS]),
    Mutation("threads interrupted", "adaptive/sharing.py", "if lock._is_owned():", "if False:",
             "a signal handler spends in the middle of a decision, which then overwrites it", [THREADS]),
    Mutation("processes", "adaptive/sharing.py", "if self._home != _Process.token:", "if False:",
             "parent and child both spend the budget", [PROCESSES]),
    Mutation("processes pickle", "adaptive/sharing.py", '{**self._taken_along(), "_home": PICKLED}', "self._taken_along()",
             "a budget is spent, and spent again where its pickle is read", [PROCESSES]),
    Mutation("file lock", "adaptive/individual/files.py", "fcntl.LOCK_EX |", "fcntl.LOCK_SH |",
             "two processes charge one file", [INDIVIDUAL_FILES]),
    Mutation("file unlocked", "adaptive/individual/files.py", "if os.getpid() == owner and fcntl is not None:",
             "if True:",
             "a forked child unlocks the file of its parent", [INDIVIDUAL_FILES]),
    Mutation("file replaced", "adaptive/individual/files.py", "if found is None or not os.path", "if False and os.path",
             "charges go to a file that nobody will read again", [INDIVIDUAL_FILES]),
    Mutation("file mapped again", "adaptive/individual/files.py", "return file, again", "return file, balances",
             "one file is locked and another charged", [INDIVIDUAL_FILES]),
    Mutation("file outdated", "adaptive/individual/files.py", "if not np.array_equal(again", "if False and np.array_equal(again",
             "charges that were in the caller's map are forgotten", [INDIVIDUAL_FILES]),
    Mutation("file copied", "adaptive/individual/base.py", "if self._file is not None:\n            problem",
             "if False:\n            problem",
             "a copy of a file is in memory, and what is charged to it is lost", [INDIVIDUAL_FILES]),
    Mutation("format lower", "numerics/format_spec.py", "_rounded(lower, each, ROUND_FLOOR)", "_rounded(lower, each, ROUND_CEILING)",
             "a formatted lower end is above the bracket's", [FORMAT_SPEC]),
    Mutation("format upper", "numerics/format_spec.py", "_rounded(upper, each, ROUND_CEILING)", "format(upper, each)",
             "a formatted upper end is rounded to nearest", [FORMAT_SPEC]),
    Mutation("markup escaped", "markup.py", "return escape(shown)", "return shown",
             "a file name is run as a script by a notebook", [MARKUP]),
    Mutation("joined upper", "mechanisms/answers.py", "[::-1])[::-1], np.minimum.accumulate(upper)", "[::-1])[::-1], np.minimum.accumulate(upper[::-1])[::-1]",
             "joined curves take upper ends from epsilons that are larger", [WHOLE_RANGE]),
    Mutation("joined lower", "mechanisms/answers.py", "ends = np.maximum.accumulate(lower[::-1])[::-1]", "ends = np.maximum.accumulate(lower)",
             "joined curves take lower ends from epsilons that are smaller", [WHOLE_RANGE]),
    Mutation("drawn above", "interfaces/band.py", "return np.append(chord[:1], chord[:-1])", "return chord",
             "between points the upper line is drawn below delta", [DRAWN_BAND]),
    Mutation("drawn below", "interfaces/band.py", "return np.append(held[1:], held[-1:])",
             "return np.append(held[:1], held[:-1])",
             "between points the lower line is drawn above delta", [DRAWN_BAND]),
    Mutation("drawn beyond", "interfaces/band.py", "epsilons[i - 1], upper[i - 1]", "epsilons[i - 1], lower[i]",
             "the chord that is extended is too flat", [DRAWN_BAND]),
    Mutation("classic underflow", "classic/concentration.py", "found + _SMALLEST, found)", "found, found)",
             "squares of tiny epsilons vanish, and the bounds with them", [CLASSIC_EDGES]),
    Mutation("filter certainty", "numerics/logs.py", "if probability > Fraction(1, 2):", "if probability > 2:",
             "1 - delta is lost where delta is near 1", [FIFTY]),
    Mutation("mixed composition", "mechanisms/base.py", "if not mix_relations_asked(mix_relations):", "if False:",
             "steps for different relations add up to a number for neither", [RELATIONS]),
    Mutation("mixed budget", "adaptive/states.py", "if not self._mixes:", "if False:",
             "a filter adds up steps for different relations", [RELATIONS]),
    Mutation("mixed relation unnamed", "mechanisms/base.py", "answer.reason, self.relation, answer.trace)",
             "answer.reason, DEFAULT, answer.trace)",
             "a mixed bound passes for one for adding or removing a record", [RELATIONS]),
    Mutation("mixed relation of steps", "mechanisms/base.py", "for mechanism, _ in self._parts))", "for mechanism, _ in self._parts[:1]))",
             "a mixed bound passes for one for the relation of its first step", [RELATIONS]),
    Mutation("mixed relation of a sample", "mechanisms/poisson.py", "return stated_relation(self.neighbours) | self.mechanism.relations",
             "return stated_relation(self.neighbours)",
             "a sample for two relations passes for one for adding or removing a record", [RELATIONS]),
    Mutation("mixed relation of a tree", "research/published/tree_pair.py", "composition.relation, below)", '"add_remove", below)',
             "a mixed bound of a tree passes for one for adding or removing a record", [RELATIONS]),
    Mutation("mixed relation kept", "adaptive/states.py", "self._relations |= increment.relations",
             'self._relations |= frozenset({getattr(increment, "neighbours", "add_remove")})',
             "a filter forgets one of the relations of a mixed step", [RELATIONS]),
    Mutation("mixed sample", "mechanisms/poisson.py", "if not mix_relations_asked(mix_relations) and", "if False and",
             "a mechanism for replacing a record passes for one for removing it", [RELATIONS]),
    # what is read
    Mutation("notation tiny number", "notation/arithmetic.py",
             "return typed_float(ast.get_source_segment(term.source, node) or repr(value))",
             "return value",
             "a promise of 1e-400 is read as one of no loss at all", [NOTATION]),
    Mutation("calibrate met", "calibration/targets.py", "return answer.upper <= self.limit", "return answer.lower <= self.limit",
             "a value that may miss the target counts as meeting it", ("unit/calibration/test_calibrate.py", "property/test_calibration.py")),
    Mutation("calibrate missed", "calibration/targets.py", "return answer.lower > self.limit", "return answer.upper > self.limit",
             "a value that may meet the target counts as missing it", ("unit/calibration/test_calibrate.py", "property/test_calibration.py")),
    Mutation("calibrate stated", "calibration/targets.py", "return float_above(total)", "return float(total)",
             "the sum of stated epsilons is rounded to nearest", ("unit/calibration/test_calibrate.py",)),
    Mutation("calibrate stated count", "calibration/targets.py", "total += stated * count", "total += stated",
             "repetitions are not added up", ("unit/calibration/test_calibrate.py",)),
    Mutation("calibrate not stated", "calibration/targets.py", "        if not isinstance(stated, Fraction):\n            return None",
             "        if not isinstance(stated, Fraction):\n            continue",
             "a step that states no epsilon is taken to cost nothing", ("unit/calibration/test_calibrate.py", "property/test_calibration.py")),
    Mutation("calibrate nearest", "calibration/points.py", "if point.met], self.reveals is not False)", "if point.met], self.reveals is False)",
             "not the best of the values that meet the target", ("unit/calibration/test_calibrate.py",)),
    Mutation("calibrate filled", "notation/templates.py", "*self._before, private, *self._after", "private, *self._after",
             "steps before the open one are left out", ("unit/notation/test_templates.py", "property/test_calibration.py")),
    Mutation("calibrate turns", "calibration/points.py", "if private is not exposed and self.target.worse(private.answer, exposed.answer):",
             "if False:", "a template that is not monotone is not refused", ("unit/calibration/test_bad_input.py",)),
    Mutation("calibrate chance", "mechanisms/randomized_response.py", "low=float_above(Fraction(1, int(self.k)))", "low=0.0",
             "below chance more truth is taken to reveal more", ("unit/mechanisms/test_trends.py", "unit/calibration/test_calibrate.py")),
    Mutation("notation foreign", "notation/sums.py",
             "raise fault(_misread(text, token.start()), text, token.start())", "continue",
             "what is not understood is passed over", [NOTATION]),
    Mutation("notation terms", "notation/expressions.py", "else compose(terms, mix_relations)",
             "else compose(terms[:-1], mix_relations)",
             "the last term of a sum is left out", [NOTATION]),
    Mutation("notation twice", "notation/meaning.py", "if keyword.arg in given:", "if keyword.arg is None:",
             "of an argument given twice the last one counts", [NOTATION]),
    # what is printed
    Mutation("curve ends", "interfaces/cli/curve_output.py", "_rounded(upper, ROUND_CEILING)", "_rounded(upper, ROUND_FLOOR)",
             "a printed upper end is below the bound", ["unit/interfaces/cli/test_curve.py"]),
    Mutation("curve epsilons", "interfaces/cli/curve_output.py", "return rounded if bool((np.diff(rounded) > 0.0).all()) else grid",
             "return rounded", "two epsilons are printed as one", ["unit/interfaces/cli/test_curve.py"]),
    Mutation("curve epsilon shown", "interfaces/cli/curve_output.py", "repr(epsilon).removesuffix(\".0\")", "format(epsilon, '.3g')",
             "a delta is printed beside another epsilon than its own", ["unit/interfaces/cli/test_curve.py"]),
    Mutation("written upper", "numerics/decimals.py", "return _shortest(value, ROUND_CEILING)",
             "return _shortest(value, ROUND_FLOOR)", "an upper end is written below itself", ["unit/interfaces/test_wire.py"]),
    Mutation("written same", "numerics/decimals.py", "if float(text) == value:", "if text:",
             "an end is written as another float", ["unit/interfaces/test_wire.py"]),
    Mutation("quote left", "adaptive/filters/quotes.py", "readable_amount(self.left, ROUND_FLOOR)", "readable_amount(self.left)",
             "more is said to be left than there is", ["unit/adaptive/filters/test_quotes.py"]),
    # what is typed
    Mutation("typed tiny", "numerics/typed.py", "if value == 0.0 and any(digits):", "if False:",
             "1e-400 is read as 0", ["unit/interfaces/cli/test_typed_numbers.py"]),
    Mutation("computed tiny", "notation/arithmetic.py", "if result == 0 and not isinstance(node.op, ast.Sub):", "if False:",
             "1e-200 * 1e-200 is read as 0", ["unit/notation/test_slips.py"]),
    Mutation("computed huge", "notation/arithmetic.py", "    if math.isinf(result):", "    if False:",
             "1e200 * 1e200 is read as infinite", ["unit/notation/test_slips.py"]),
    Mutation("tiny parameter", "mechanisms/checks.py", "if number == 0.0 and value != 0:", "if False:",
             "a rate of 10^-400 is taken for 0", ["unit/mechanisms/test_tiny_parameters.py"]),
    Mutation("tiny weight", "mechanisms/histograms.py", "if weight == 0.0 and value != 0:", "if False:",
             "a weight of 10^-400 is taken for 0", ["unit/mechanisms/test_tiny_parameters.py"]),
    # training
    Mutation("training batch rate", "training/phases.py", "float_above(Fraction(size, examples))", "size / examples",
             "the rate of a batch is rounded down", [DPSGD]),
    Mutation("training steps", "training/phases.py", "math.ceil(length / rate)", "math.floor(length / rate)",
             "the last step of a run is left out", [DPSGD]),
    Mutation("training passes", "training/phases.py", "return math.ceil(self.epochs) if", "return math.floor(self.epochs) if",
             "the last pass of a run is left out", [DPSGD]),
    Mutation("training replaced", "training/shuffled.py", "for sensitivity in (1.0, 2.0)]", "for sensitivity in (1.0, 1.0)]",
             "an example that is replaced is taken for one that is left out", [DPSGD]),
    Mutation("training target", "training/safe_numbers.py", "return _on_the_side(epsilon, positive(name, epsilon), float_below)",
             "return positive(name, epsilon)",
             "noise is calibrated to more than was asked for", [DPSGD]),
    Mutation("training too little", "training/calibrated.py", "with_noise(phases, found.value)", "with_noise(phases, found.too_little)",
             "a run has less noise than was found to be enough", [DPSGD]),
    Mutation("training printed", "training/statement.py", "ROUND_CEILING)", "'ROUND_FLOOR')",
             "the statement prints less than was proven", [STATEMENT]),
    Mutation("training large delta", "training/statement.py", "* run.examples <= 1:", "* run.examples <= 1e9:",
             "nobody is warned of a delta that protects nobody", [STATEMENT]),
    Mutation("training doubt", "training/affordable.py", "if answer.certainly_at_most(epsilon):", "if answer.lower <= epsilon:",
             "steps are admitted that might not fit", [ACCOUNTANT]),
    Mutation("training rate", "training/safe_numbers.py", "return _on_the_side(value, number, float_above)",
             "return number",
             "a rate that is a fraction is rounded down", [ACCOUNTANT]),
    Mutation("training noise", "training/safe_numbers.py",
             "infinite=True\n    )\n    return _on_the_side(value, number, float_below)", "infinite=True\n    )\n    return number",
             "noise that is a fraction is rounded up", [ACCOUNTANT]),
    Mutation("training budget", "training/safe_numbers.py", "return _on_the_side(epsilon, epsilon_asked(epsilon), float_below),", "return epsilon_asked(epsilon),",
             "a budget that is a fraction is rounded up", [ACCOUNTANT]),
    Mutation("training delta", "training/safe_numbers.py", "return _on_the_side(delta, delta_asked(delta), float_below)",
             "return delta_asked(delta)",
             "a delta that is a fraction is rounded up", [ACCOUNTANT, DPSGD]),
    Mutation("training counts", "training/accountant.py", "totals.get(mechanism, counts.get(mechanism, 0)) + count * times",
             "counts.get(mechanism, 0) + count * times",
             "a mechanism that stands twice in a step is counted once", [ACCOUNTANT]),
    Mutation("training stale", "training/accountant.py", "            if times:\n                self._composition = None\n",
             "            if times:\n",
             "an answer is for the steps before the last question", [ACCOUNTANT]),
    Mutation("training in between", "training/accountant.py", "if not in_between:", "if True:",
             "what a signal handler read in the middle of a step is taken for all steps", [ACCOUNTANT]),
    Mutation("training interrupted", "training/accountant.py", "if lock._is_owned():", "if False:",
             "a signal handler counts a step in the middle of another, and one is lost", [ACCOUNTANT]),
    Mutation("training relations", "training/accountant.py", "if not self._mixes:", "if False:",
             "steps for different relations add up to a number for neither", [ACCOUNTANT]),
    Mutation("training file", "training/accountant.py", "if \"'\" in text or '\"' in text:", "if False:",
             "a file that has changed is taken for what it was", [ACCOUNTANT_STATES]),
    Mutation("training state", "training/accountant.py", "str(mechanism.in_numbers())", "str(mechanism)",
             "a state reads a file that has changed", [ACCOUNTANT_STATES]),

    # odometers
    Mutation("odometer rounding", "adaptive/odometers/boundaries.py", "ROUNDINGS = 128", "ROUNDINGS = -4",
             "formulas are rounded down", [ODOMETER]),
    Mutation("odometer line", "adaptive/odometers/boundaries.py", "math.sqrt(0.5 * level)", "math.sqrt(0.49 * level)",
             "the line lies too low", [ODOMETER]),
    Mutation("odometer mixture", "adaptive/odometers/boundaries.py", "(2.0 * level + math.log1p(variance / gamma))", "(2.0 * level)",
             "the bound holds at one moment only", [ODOMETER]),
    Mutation("odometer half mixture", "adaptive/odometers/boundaries.py", "ROUNDINGS) - _LOG_2_DOWN", "ROUNDINGS) - 2.0 * _LOG_2_DOWN",
             "half a normal law is counted twice too often", [ODOMETER]),
    Mutation("odometer epochs", "adaptive/odometers/boundaries.py", "math.log1p(doublings) + _LOG_ZETA + level",
             "math.log1p(doublings) + level",
             "the levels of the epochs add up to more than delta", [ODOMETER]),
    Mutation("odometer variance", "adaptive/odometers/rho.py", "return drift, 2.0 * drift", "return drift, drift",
             "half of the variance is forgotten", [ODOMETER]),
    Mutation("odometer factor 2", "adaptive/odometers/rogers.py", "root = 2.0 * math.sqrt(variance", "root = math.sqrt(2.0 * variance",
             "formula (3) as it is often misread", [ODOMETER]),
    Mutation("odometer events", "adaptive/odometers/rogers.py", "(self._n**2 - 1).bit_length()", "(self._n - 1).bit_length()",
             "half of the union bound is forgotten", [ODOMETER]),
    Mutation("odometer split", "adaptive/odometers/concentration.py", "rest = self._delta - self._for_steps", "rest = self._delta",
             "delta is spent twice", [ODOMETER]),
    Mutation("odometer excess", "adaptive/odometers/concentration.py", "raised(self._bound(sums) + excess, ROUNDINGS)",
             "raised(self._bound(sums), ROUNDINGS)",
             "the mean of steps that may fail is taken to be that of pure ones", [ODOMETER]),
    Mutation("odometer failures", "adaptive/odometers/concentration.py", "if failing > self._for_steps:", "if failing > 1:",
             "failures beyond what was reserved cost nothing", [ODOMETER, ODOMETER_RULES]),
    Mutation("odometer basic failures", "adaptive/odometers/base.py", 'sums["delta"] > self._for_steps else', 'sums["delta"] > 1 else',
             "failures beyond what was promised cost nothing", [ODOMETER_RULES]),
    Mutation("odometer remaining", "adaptive/odometers/base.py", "exact(\"epsilon\", running) <= most", "running <= 1.01 * float(most)",
             "more steps are said to remain than stay within epsilon", [ODOMETER_REMAINING]),
    Mutation("odometer remaining peak", "adaptive/odometers/rogers.py", "if each and spent <= 1 else 0", "if False else 0",
             "a bound that falls later is taken for one that never was above", [ODOMETER_REMAINING]),
    Mutation("odometer weights", "adaptive/odometers/renyi.py", "share = weight * (self", "share = (self",
             "every order has the whole delta", [ODOMETER]),
    Mutation("odometer totals", "adaptive/odometers/totals.py", "low = np.nextafter(self.low + lost, np.inf)", "low = self.low",
             "what sums lose to rounding is forgotten", [ODOMETER_TOTALS]),
    Mutation("odometer many totals", "adaptive/odometers/totals.py", "(high, float_above(Fraction(amount) - Fraction(high)))",
             "(math.nextafter(high, 0.0), 0.0)",
             "many steps at once are rounded down", [ODOMETER_TOTALS]),
    # individual filters
    Mutation("units of arrays", "adaptive/individual/units.py", "costs += worth < amounts", "costs += worth < 0.0",
             "amounts are rounded to the nearest unit, half of them down", [INDIVIDUAL_UNITS]),
    Mutation("units of numbers", "adaptive/individual/units.py", "min(math.ceil(exact", "min(math.floor(exact",
             "an amount is rounded down", [INDIVIDUAL_UNITS]),
    Mutation("individual limit", "adaptive/individual/base.py", "np.less_equal(after, self._limit,",
             "np.less_equal(after, self._limit + 1.0,",
             "people may exceed their budget", [INDIVIDUAL]),
    Mutation("individual allowance", "adaptive/individual/base.py", "return self._budget * GUARANTEED", "return self._budget",
             "binary amounts may add up to more than is promised", [INDIVIDUAL]),
    Mutation("individual NaN", "adaptive/individual/increments.py", "if not array.min() >= 0:", "if array.min() < 0:",
             "an amount that is no number is charged", [INDIVIDUAL]),
    Mutation("individual amounts", "adaptive/individual/increments.py", "np.array(amounts, subok=False)", "np.asanyarray(amounts)",
             "amounts change between the check and the charge", [INDIVIDUAL]),
    Mutation("individual overlap", "adaptive/individual/balances.py", "if abs(balances.strides[0]) <", "if 8 <",
             "two people have one balance, of which only one charge remains", [INDIVIDUAL]),
    Mutation("individual units shared", "adaptive/individual/places.py", "if other.meaning != place.meaning:", "if False:",
             "filters of one array read each other's units as their own", [INDIVIDUAL]),
    Mutation("individual locks shared", "adaptive/individual/places.py", "if other.locks is not place.locks:", "if False:",
             "filters of one array do not wait for each other", [INDIVIDUAL]),
    Mutation("individual flush", "adaptive/individual/base.py", "if self._durable and self._file", "if not self._durable and self._file",
             "people take part before the disk knows", [INDIVIDUAL_FILES]),
    Mutation("individual remaining", "adaptive/individual/base.py", "left // np.maximum(costs, 1.0)", "1 + left // np.maximum(costs, 1.0)",
             "one step more is said to remain than can be paid", [INDIVIDUAL_SHAPE]),
    Mutation("individual state kind", "adaptive/individual/base.py", "filter_from_state(state, {cls.kind: cls})",
             "filter_from_state(state, {str(state['kind']): cls})",
             "a state is read in the units of another kind", [INDIVIDUAL_SHAPE]),
    Mutation("individual state values", "adaptive/individual/balances.py", "np.all(part <= limit)", "True",
             "more may have been spent than there was", [INDIVIDUAL_SHAPE, INDIVIDUAL]),
    # the games: a judge that looks away would let any filter pass
    Mutation("games likely answer", "research/games/steps.py", "1.0 / (1.0 + math.exp(-self.epsilon))",
             "1.0 / (1.0 + math.exp(-0.99 * self.epsilon))",
             "randomised response tells a little less than it may", GAMES),
    Mutation("games reveal", "research/games/steps.py", "np.where(coin < self.delta, sign * math.inf, answer)", "answer",
             "a revealed bit costs nothing when played with coins", GAMES),
    Mutation("games exact reveal", "research/games/exact.py", "(0, 1, law.delta)]", "(0, 0, law.delta)]",
             "a revealed bit costs nothing when enumerated", GAMES),
    Mutation("games exact direction", "research/games/exact.py", "seen = self.sign * states.loss", "seen = states.loss",
             "under bit 1 the adversary is told the wrong loss", GAMES),
    Mutation("games coin direction", "research/games/simulate.py", "against = loss if bit == 0 else -loss", "against = loss",
             "under bit 1 the loss of the wrong bit is judged", GAMES),
    Mutation("games merged ways", "research/games/exact.py", "return rows[first], which, ways", "return rows[first], which * 0, ways",
             "different states are taken for one", GAMES),
    Mutation("games best choice", "research/games/worst_case.py", "best = max(best, self._continued(", "best = min(best, self._continued(",
             "the best adversary takes her worst step", GAMES),
    Mutation("games best reveal", "research/games/worst_case.py", "law.delta * revealed +", "0.0 * revealed +",
             "the best adversary overlooks what may be revealed", GAMES),
    Mutation("games walk crossed", "research/games/walk.py", "math.floor((limit - lowest) / 2.0) + 1)",
             "math.floor((limit - lowest) / 2.0) + 2)",
             "the first place above a bound does not count", GAMES),
    Mutation("games ever crossed", "research/games/simulate.py", "failed[table.run] |= exceeds(", "failed[table.run] = exceeds(",
             "only the last round is judged, not every round", GAMES),
    Mutation("games lower limit", "research/games/estimate.py", "betaincinv(self.failures, self.runs - self.failures + 1,",
             "betaincinv(self.failures + 1, self.runs - self.failures,",
             "the lower limit is too high: false alarms", GAMES),
    Mutation("games upper limit", "research/games/estimate.py", "betaincinv(self.failures + 1, self.runs - self.failures, confidence)",
             "betaincinv(self.failures, self.runs - self.failures + 1, confidence)",
             "the upper limit is too low: a failing bound seems to hold", GAMES),
    Mutation("games copies", "research/games/shared_states.py", "self._enter(copy.deepcopy(meter))", "self._enter(meter)",
             "a game spends the caller's filter", GAMES),
    Mutation("games ties", "research/games/adversaries.py", "exceeds(view.loss, view.bound) &", "(view.loss > view.bound) &",
             "an adversary stops one ulp above a bound that is met with equality, and fails less often", GAMES),
    Mutation("games refused", "research/games/simulate.py", "(choices != STOP) & np.take_along_axis(",
             "(choices != STOP) | np.take_along_axis(",
             "a refused step is played", GAMES),
    # the paper's evaluation
    Mutation("half the change", "research/reproduce/figures/vuvuzela_noise.py", "Gaussian(mechanism.sigma, mechanism.sensitivity)",
             "Gaussian(mechanism.sigma, 0.5 * mechanism.sensitivity)",
             "unclamped noise hides a smaller change than the clamped one", [NOISE]),
    Mutation("change not in units", "research/reproduce/figures/vuvuzela_noise.py", "mechanism.scale / unit, mechanism.sensitivity / unit",
             "mechanism.scale / unit, mechanism.sensitivity",
             "the lower end is for a larger change", [NOISE]),
    Mutation("both ends from above", "research/reproduce/figures/vuvuzela_noise.py", "below.curve(list(epsilons), RTOL).lower",
             "above.curve(list(epsilons), RTOL).upper",
             "an upper bound is taken for a lower one", [NOISE]),
    Mutation("one count promised", "research/reproduce/figures/vuvuzela_noise.py", "0.5 * math.exp(", "0.25 * math.exp(",
             "the original analysis looks better than it was", [NOISE]),
    Mutation("half a bracket", "research/reproduce/verdicts.py", "least <= low <= high <= most", "least <= high <= most",
             "one end of a bracket confirms a claim", [VERDICTS]),
    Mutation("open verdict refutes", "research/reproduce/verdicts.py", "REFUTED if high < least or low > most else OPEN", "REFUTED",
             "a bracket that straddles refutes a claim", [VERDICTS]),
    Mutation("best case orders", "research/reproduce/verdicts.py", "low = top[0] / bottom[1]", "low = top[1] / bottom[0]",
             "orders of magnitude are claimed from the wrong ends", [VERDICTS]),
    Mutation("any stored result", "research/reproduce/store.py", 'record["key"] != result_key(figure, quick) or ', "",
             "results of other parameters or other code are used again", [RUN]),
    Mutation("unchecked sum", "research/reproduce/store.py", ' or record["sum"] != hashlib.sha256(body.encode()).hexdigest()', "",
             "changed numbers are used again", [RUN]),
    Mutation("few buckets refute", "research/reproduce/sources.py", "verdict == REFUTED and n < BUCKETS",
             "verdict == OPEN and n < BUCKETS",
             "a quick run refutes what more buckets achieve", [FEWER]),
]  # fmt: skip


class Verdict(NamedTuple):
    problem: str  # empty if tests could run
    red: str = ""  # the first test that failed, empty if none did
    seconds: float = 0.0  # of the processor, up to there


class FirstRed:
    """A plugin of pytest that remembers the first test, or file, that failed."""

    def __init__(self) -> None:
        self.node = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.node = self.node or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.node = self.node or report.nodeid


def run_tests(source: Path, tests: Sequence[str], answer: Connection) -> None:
    """Run the tests, up to the first that fails, against the package in a folder. For a process of its own."""
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": "ci"}
    os.chdir(ROOT)
    first, printed = FirstRed(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = pytest.main([*OPTIONS, "-o", f"pythonpath=. {source}", *tests], plugins=[first])
    ended = code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    problem = "" if ended else f"pytest ended with {int(code)}: {printed.getvalue()[-300:]}"
    answer.send(Verdict(problem, first.node, time.process_time()))


def judged(source: Path, tests: Sequence[str]) -> Verdict:
    """Run the tests against the package in a folder."""
    here, there = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=run_tests, args=(source, tests, there))
    process.start()
    there.close()
    try:
        verdict: Verdict = here.recv() if here.poll(PATIENCE) else Verdict(f"no end after {PATIENCE} s")
    except EOFError:
        verdict = Verdict("the process of the tests died")
    process.join(0.0 if verdict.problem else 10.0)
    process.kill()
    process.join()
    return verdict


def tried(mutation: Mutation, package: Path) -> Verdict:
    """Apply the mutation to a copy of the package and run its tests against that."""
    source = (package / mutation.file).read_text(encoding="utf-8") if (package / mutation.file).exists() else ""
    found = source.count(mutation.old)
    if found != 1:
        return Verdict(f"text found {found} times in {mutation.file}")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src" / "tightbudget"
        shutil.copytree(package, copy)
        (copy / mutation.file).write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
        return judged(copy.parent, [f"tests/{name}" for name in mutation.tests])


def green(tests: Sequence[str], package: Path, pool: ThreadPoolExecutor) -> bool:
    """Tell whether the tests pass on the package as it is; if one does not, that it was red before means nothing."""
    shares = [share for share in (tests[i::WORKERS] for i in range(WORKERS)) if share]
    verdicts = list(pool.map(lambda share: judged(package.parent, share), shares))
    for verdict in verdicts:
        if verdict.problem or verdict.red:
            print(f"Without any mutation: {verdict.problem or verdict.red + ' is red'}.", file=sys.stderr)
    return not any(verdict.problem or verdict.red for verdict in verdicts)


def main(words: Sequence[str]) -> int:
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.name for word in words)]
    red, survivors = set(), []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=WORKERS) as pool:
        package = Path(folder) / "src" / "tightbudget"  # one state of the package for all, though it may be edited meanwhile
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(package, quiet=2)  # once for all copies
        for mutation, verdict in zip(chosen, pool.map(lambda mutation: tried(mutation, package), chosen), strict=True):
            killed = verdict.red and not verdict.problem
            fate = (
                f"{verdict.red.removeprefix('tests/')} ({verdict.seconds:.1f} s)" if killed else verdict.problem or "SURVIVED"
            )
            print(f"{mutation.name:20} {mutation.danger}\n{'':20} -> {fate}", flush=True)
            red.add(verdict.red) if killed else survivors.append(mutation.name)
        sound = green(sorted(red), package, pool)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutations turned a test red.", *survivors, sep="\n  ")
    return 1 if survivors or not sound else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
