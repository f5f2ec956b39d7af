"""Numbers that the tests of dp_accounting expect of its mechanisms: questions in our notation, and its answers.

From `privacy_loss_mechanism_test.py` (deltas, exact to the digits given) and `privacy_loss_distribution_test.py`
(distributions of losses on a coarse grid, rounded up, connected by chords, or rounded down).
"""

import math
from typing import NamedTuple

import tightbudget as tb

_DIGITS = 1e-7  # what a sum of published masses may miss of 1


class Deltas(NamedTuple):
    """Deltas at several epsilons: one row of a table."""

    asked: str
    direction: str
    deltas: dict[float, str]


class Losses(NamedTuple):
    """Masses of privacy losses that are multiples of `interval`; what is missing of 1 is at infinity, or forgotten."""

    asked: str
    direction: str
    rounding: str  # up, chords or down
    masses: dict[int, float]
    interval: float = 1.0

    def delta(self, epsilon: float) -> float:
        """Return what these losses say of delta."""
        above = [(loss * self.interval, mass) for loss, mass in self.masses.items() if loss * self.interval > epsilon]
        missing = 1.0 - math.fsum(self.masses.values())
        if self.rounding == "down" or missing < _DIGITS:
            missing = 0.0
        return missing + math.fsum(-math.expm1(epsilon - loss) * mass for loss, mass in above)


def both(asked: str, deltas: dict[float, str]) -> list[Deltas]:
    return [Deltas(asked, direction, deltas) for direction in ("add", "remove")]


def cut_discrete_gaussian(sigma: float, shift: int, bound: int, q: float = 1.0) -> str:
    """Return discrete Gaussian noise conditioned on [-bound, bound], as histograms of both places of the query."""
    cells = range(-bound - shift, bound + 1)
    here, there = (
        [math.exp(-0.5 * ((x + at) / sigma) ** 2) if abs(x + at) <= bound else 0.0 for x in cells] for at in (shift, 0)
    )
    histograms = f"histograms({here}, {there})"
    return histograms if q == 1.0 else f"poisson({histograms}, q={q})"


DELTAS = [
    # Laplace noise
    *both("laplace(scale=1)", {-2: "0.86466472", -1: "0.63212056", 0: "0.39346934", 1: "0"}),
    *both("laplace(scale=3, sensitivity=3)", {1: "0"}),
    *both("laplace(scale=2, sensitivity=2)", {0: "0.39346934"}),
    *both("laplace(scale=2, sensitivity=4)",
          {-0.5: "0.7134952031", 0: "0.6321205588", 0.5: "0.5276334473", 1: "0.3934693403", 2: "0"}),
    *both("poisson(laplace(scale=1), q=0.8)", {1: "0"}),
    Deltas("poisson(laplace(scale=2, sensitivity=4), q=0.8)", "add", {0.5: "0.3243606497234246"}),
    Deltas("poisson(laplace(scale=2, sensitivity=4), q=0.8)", "remove", {0.5: "0.4039564635032081"}),
    Deltas("poisson(laplace(scale=1), q=0.6)", "add", {0.2: "0.1401134521354217"}),
    Deltas("poisson(laplace(scale=1), q=0.6)", "remove", {0.2: "0.1741992102060086"}),
    *both("poisson(laplace(scale=2, sensitivity=2), q=0.3)", {0: "0.1180408020862099"}),
    Deltas("poisson(laplace(scale=5, sensitivity=5), q=0.2)", "add", {2: "0"}),
    Deltas("poisson(laplace(scale=5, sensitivity=5), q=0.2)", "remove", {-0.25: "0.2211992169285951"}),
    Deltas("poisson(laplace(scale=1), q=0.2)", "add",
           {-0.3: "0.2591817793", -0.2: "0.2008511573", -0.1: "0.1405456165", 0: "0.07869386806", 0.1: "0.01879989609",
            0.2: "0", 0.3: "0"}),
    Deltas("poisson(laplace(scale=1), q=0.2)", "remove",
           {-0.3: "0.2591817793", -0.2: "0.1812692469", -0.1: "0.1121734314", 0: "0.07869386806", 0.1: "0.05015600993",
            0.2: "0.02391739939", 0.3: "0"}),
    # normal noise
    *both("gaussian(sigma=1)", {-2: "0.86749642", -1: "0.67881797", 0: "0.38292492", 1: "0.12693674", 2: "0.020923636"}),
    *both("gaussian(sigma=2, sensitivity=2)", {1: "0.12693674"}),
    *both("gaussian(sigma=1, sensitivity=3)", {1: "0.78760074"}),
    *both("gaussian(sigma=2, sensitivity=6)", {1: "0.78760074"}),
    *both("gaussian(sigma=5, sensitivity=5)", {2: "0.02092364"}),
    Deltas("poisson(gaussian(sigma=1), q=0.8)", "add", {1: "0.0231362104090899"}),
    Deltas("poisson(gaussian(sigma=1), q=0.8)", "remove", {1: "0.0816951786585355"}),
    Deltas("poisson(gaussian(sigma=2, sensitivity=2), q=0.8)", "add", {1: "0.0231362104090899"}),
    Deltas("poisson(gaussian(sigma=2, sensitivity=2), q=0.8)", "remove", {1: "0.0816951786585355"}),
    Deltas("poisson(gaussian(sigma=1, sensitivity=3), q=0.7)", "add", {1: "0.1195051215523554"}),
    Deltas("poisson(gaussian(sigma=1, sensitivity=3), q=0.7)", "remove", {1: "0.5356298793262404"}),
    Deltas("poisson(gaussian(sigma=2, sensitivity=6), q=0.4)", "add", {1: "0"}),
    Deltas("poisson(gaussian(sigma=2, sensitivity=6), q=0.4)", "remove", {1: "0.2888308005139968"}),
    Deltas("poisson(gaussian(sigma=1), q=0.3)", "add", {2: "0"}),
    Deltas("poisson(gaussian(sigma=1), q=0.3)", "remove", {2: "0.0003341102928869332"}),
    Deltas("poisson(gaussian(sigma=5, sensitivity=5), q=0.2)", "add", {2: "0"}),
    Deltas("poisson(gaussian(sigma=5, sensitivity=5), q=0.2)", "remove", {-0.25: "0.2211992169285951"}),
    Deltas("poisson(gaussian(sigma=1), q=0.2)", "add",
           {-0.3: "0.27768558", -0.2: "0.21052945", -0.1: "0.14204776", 0: "0.076584985", 0.1: "0.02337934",
            0.2: "0.00020196", 0.3: "0"}),
    Deltas("poisson(gaussian(sigma=1), q=0.2)", "remove",
           {-0.3: "0.25918178", -0.2: "0.1814346", -0.1: "0.11631708", 0: "0.076584985", 0.1: "0.051816131",
            0.2: "0.035738492", 0.5: "0.012494629", 1: "0.00229682"}),
    # noise on the integers: their parameter is 1/scale
    *both("discrete_laplace(scale=1)", {1: "0"}),
    *both("discrete_laplace(scale=1/0.333333, sensitivity=3)", {1: "0"}),
    *both("discrete_laplace(scale=2, sensitivity=4)",
          {-2: "0.86466472", -1: "0.77686984", -0.5: "0.72222110", 0: "0.63212056", 0.5: "0.54202002", 1: "0.39346934",
           2: "0"}),
    *both("poisson(discrete_laplace(scale=1), q=0.8)", {1: "0"}),
    *both("poisson(discrete_laplace(scale=1/0.333333, sensitivity=3), q=0.8)", {1: "0"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.7)", "add", {0.5: "0.2293628348747755"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.7)", "remove", {0.5: "0.3523838505224567"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.6)", "add", {0.6: "0.07668344250639381"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.6)", "remove", {1: "0.178181891763215"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.3)", "add", {0.5: "0"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.3)", "remove", {0.5: "0.1068168460276349"}),
    Deltas("poisson(discrete_laplace(scale=1), q=0.2)", "remove", {-0.25: "0.2211992169285951"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.2)", "add",
           {-0.3: "0.31709255", -0.2: "0.25960017", -0.1: "0.19633877", 0: "0.12642411", 0.1: "0.058632421", 0.2: "0",
            0.3: "0"}),
    Deltas("poisson(discrete_laplace(scale=2, sensitivity=4), q=0.2)", "remove",
           {-0.3: "0.25918178", -0.2: "0.18126925", -0.1: "0.14821539", 0: "0.12642411", 0.1: "0.11181698",
            0.2: "0.095673604", 0.3: "0.07817137"}),
    # the discrete Gaussian conditioned on an interval
    *both(cut_discrete_gaussian(1.0, 1, 2),
          {-2: "0.872038958", -1: "0.687513794", 0: "0.402619947", 1: "0.150574425", 2: "0.054488685"}),
    *both(cut_discrete_gaussian(10.0, 3, 5),
          {-2: "0.900348895", -1: "0.729120212", 0: "0.285480872", 1: "0.263672394", 2: "0.263672394"}),
    Deltas(cut_discrete_gaussian(1.0, 1, 2, 0.8), "add",
           {-2: "0.870564110", -1: "0.669546464", 0: "0.322095958", 1: "0.024865564", 2: "0.000000000"}),
    Deltas(cut_discrete_gaussian(1.0, 1, 2, 0.8), "remove",
           {-2: "0.864664717", -1: "0.641268089", 0: "0.322095958", 1: "0.101734157", 2: "0.043590948"}),
    Deltas(cut_discrete_gaussian(5.0, 3, 5, 0.4), "add",
           {-0.2: "0.258926845", -0.1: "0.189706273", 0: "0.129522020", 0.1: "0.085584980", 0.2: "0.063350727"}),
    Deltas(cut_discrete_gaussian(5.0, 3, 5, 0.4), "remove",
           {-0.2: "0.233136435", -0.1: "0.172603074", 0: "0.129522020", 0.1: "0.104486937", 0.2: "0.094851204"}),
    # mixtures of normal laws
    *both("mixture_of_gaussians(sigma=1, centres=[1], probabilities=[1])", {1: "0.12693674"}),
    *both("mixture_of_gaussians(sigma=1, centres=[3], probabilities=[1])", {1: "0.78760074"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 1], probabilities=[0.2, 0.8])", "add", {1: "0.0231362104090899"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 1], probabilities=[0.2, 0.8])", "remove", {1: "0.0816951786585355"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 3], probabilities=[0.3, 0.7])", "add", {1: "0.1195051215523554"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 3], probabilities=[0.3, 0.7])", "remove", {1: "0.5356298793262404"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 1, 2], probabilities=[0.2, 0.6, 0.2])", "add",
           {1: "0.036691263832032806"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[0, 1, 2], probabilities=[0.2, 0.6, 0.2])", "remove",
           {1: "0.15768284088654105"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[1, 2], probabilities=[0.2, 0.8])", "add", {1: "0.3894964356580768"}),
    Deltas("mixture_of_gaussians(sigma=1, centres=[1, 2], probabilities=[0.2, 0.8])", "remove", {1: "0.433276675545065"}),
]  # fmt: skip

# Two mixtures against each other, at epsilon 1: centres and weights of the one, of the other, delta. No mechanism of
# ours has such a pair; the pair itself is asked.
TWO_MIXTURES = [
    ([1.0, 2.0], [0.25, 0.75], [0.5, 1.2], [0.5, 0.5], "0.6491678248306"),
    ([0.4, 0.8], [0.7, 0.3], [2.0, 3.0], [0.4, 0.6], "0.76374029027522"),
    ([0.4, 0.8, 2.0], [0.4, 0.3, 0.3], [2.0, 3.0, 4.0], [0.5, 0.25, 0.25], "0.80098696349024"),
    ([0.4, 0.8, 2.0, 3.0], [0.4, 0.3, 0.2, 0.1], [2.0, 3.0, 4.0], [0.4, 0.1, 0.5], "0.8216940535995645"),
    ([0.4, 0.8, 2.0], [0.2, 0.6, 0.2], [2.0, 3.0, 4.0, 5.0], [0.8, 0.1, 0.05, 0.05], "0.77025888470173"),
]

# Noise that meets a target: the template, epsilon, delta, and the value found, to three decimals
LEAST_NOISE = [
    ("gaussian(sigma=?)", 1.0, 0.12693674, 1.0),
    ("gaussian(sigma=?, sensitivity=6)", 1.0, 0.78760074, 2.0),
    ("gaussian(sigma=?, sensitivity=5)", 2.0, 0.02092364, 5.0),
    ("gaussian(sigma=?, sensitivity=2)", 16.0, 1e-5, 0.688),
    ("poisson(gaussian(sigma=?), q=0.8)", 1.0, 0.081695179, 1.0),
    ("poisson(gaussian(sigma=?, sensitivity=2), q=0.7)", 1.0, 0.143886147, 1.5),
    ("poisson(gaussian(sigma=?, sensitivity=6), q=0.01)", 1.0, 0.0030216468, 2.0),
    ("poisson(gaussian(sigma=?), q=0.1)", 2.0, 2.355186318853955e-6, 1.0),
    ("poisson(gaussian(sigma=?, sensitivity=2), q=0.2)", 16.0, 0.0230238234, 0.4),
]
# The same for Laplace noise, which is made pure: delta is not used
PURE_NOISE = [
    ("laplace(scale=?)", 1.0, 0.1, 1.0),
    ("laplace(scale=?, sensitivity=2)", 1.0, 0.01, 2.0),
    ("laplace(scale=?)", 3.0, 0.01, 0.33333333),
    ("poisson(laplace(scale=?), q=0.5)", 1.0, 0.1, 0.671194938966816),
    ("poisson(laplace(scale=?, sensitivity=2), q=0.9)", 1.0, 0.01, 1.8728716669259162),
    ("poisson(laplace(scale=?), q=0.7)", 3.0, 0.01, 0.2992554981396725),
]

LOSSES = [
    Losses("laplace(scale=1)", "remove", "up", {1: 0.69673467, 0: 0.11932561, -1: 0.18393972}),
    Losses("laplace(scale=1)", "remove", "chords", {1: 0.62245933, 0: 0.14855068, -1: 0.22898999}),
    Losses("laplace(scale=1)", "remove", "down", {1: 0.5, 0: 0.19673467, -1: 0.30326533}),
    Losses("laplace(scale=1)", "remove", "up",
           {2: 0.61059961, 1: 0.08613506, 0: 0.06708205, -1: 0.05224356, -2: 0.18393972}, 0.5),
    Losses("laplace(scale=1)", "remove", "chords",
           {2: 0.56217650, 1: 0.09684622, 0: 0.07542391, -1: 0.05874020, -2: 0.20681318}, 0.5),
    Losses("poisson(laplace(scale=1), q=0.8)", "add", "up", {1: 0.69673467, 0: 0.30326533}),
    Losses("poisson(laplace(scale=1), q=0.8)", "remove", "up", {1: 0.6180408, 0: 0.3819592}),
    Losses("poisson(laplace(scale=1), q=0.8)", "add", "chords", {1: 0.49796746, 0: 0.31884054, -1: 0.18319199}),
    Losses("poisson(laplace(scale=1), q=0.8)", "remove", "chords", {1: 0.49796746, 0: 0.31884054, -1: 0.18319199}),
    Losses("poisson(laplace(scale=1), q=0.8)", "remove", "down", {0: 0.6180408, -1: 0.3819592}),
    Losses("poisson(laplace(scale=1, sensitivity=2), q=0.7)", "remove", "up", {2: 0.49036933, 1: 0.13605478, 0: 0.37357589}),
    Losses("poisson(laplace(scale=1, sensitivity=2), q=0.7)", "remove", "chords",
           {2: 0.35018810, 1: 0.22098490, 0: 0.17131139, -1: 0.25751561}),
    Losses("poisson(laplace(scale=1, sensitivity=2), q=0.7)", "remove", "down",
           {1: 0.49036933, 0: 0.13605478, -1: 0.37357589}),
    Losses("gaussian(sigma=1)", "remove", "up", {2: 0.12447741, 1: 0.38292492, 0: 0.24173034, -1: 0.0668072}),
    Losses("gaussian(sigma=1)", "remove", "chords",
           {2: 0.167710257, 1: 0.343270190, 0: 0.319116756, -1: 0.126282046, -2: 0.022697115}),
    Losses("gaussian(sigma=1)", "remove", "down", {1: 0.30853754, 0: 0.38292492, -1: 0.24173034, -2: 0.03809064}),
    Losses("poisson(gaussian(sigma=1), q=0.8)", "add", "up", {1: 0.50740234, 0: 0.25872977, -1: 0.04980776}),
    Losses("poisson(gaussian(sigma=1), q=0.8)", "remove", "up", {2: 0.06409531, 1: 0.39779076, 0: 0.38512252}),
    Losses("poisson(gaussian(sigma=1), q=0.8)", "add", "chords",
           {1: 0.448021700, 0: 0.398104072, -1: 0.115544309, -2: 0.015193708}),
    Losses("poisson(gaussian(sigma=1), q=0.8)", "remove", "chords",
           {2: 0.112267164, 1: 0.314081995, 0: 0.398104072, -1: 0.164817973}),
    Losses("poisson(gaussian(sigma=1), q=0.8)", "remove", "down", {1: 0.21708672, 0: 0.39779076, -1: 0.32533725}),
    Losses("poisson(gaussian(sigma=3, sensitivity=6), q=0.2)", "remove", "up",
           {3: 0.00957871, 2: 0.05499325, 1: 0.19231652, 0: 0.70480685}),
    Losses("poisson(gaussian(sigma=3, sensitivity=6), q=0.2)", "remove", "chords",
           {3: 0.024752755, 2: 0.041751932, 1: 0.105788001, 0: 0.738200118, -1: 0.079461876}),
    Losses("discrete_laplace(scale=1.25, sensitivity=3)", "remove", "up",
           {3: 0.68997448, 1: 0.17072207, 0: 0.07671037, -2: 0.06259307}),
    Losses("discrete_laplace(scale=1.25, sensitivity=3)", "remove", "chords",
           {3: 0.359853436, 2: 0.330121045, 1: 0.148724321, 0: 0.043995505, -1: 0.054712620, -2: 0.044677025, -3: 0.017916048}),
    Losses("poisson(discrete_laplace(scale=1, sensitivity=2), q=0.5)", "remove", "up",
           {2: 0.41499829921572606, 0: 0.5850017007842739}),
    Losses("poisson(discrete_laplace(scale=1, sensitivity=2), q=0.5)", "remove", "chords",
           {2: 0.231058579, 1: 0.183939721, 0: 0.401061980, -1: 0.183939721}),
    Losses("mixture_of_gaussians(sigma=1, centres=[0, 1, 2], probabilities=[0.2, 0.6, 0.2])", "remove", "up",
           {4: 0.01100095, 3: 0.10672757, 2: 0.1421942, 1: 0.17070797, 0: 0.17687728, -1: 0.144677, -2: 0.06376406}, 0.5),
    Losses("mixture_of_gaussians(sigma=1, centres=[0, 1, 2], probabilities=[0.2, 0.6, 0.2])", "remove", "chords",
           {-3: 0.02076718, -2: 0.1046819, -1: 0.16320427, 0: 0.17661904, 1: 0.15880237, 2: 0.12600393, 3: 0.09134778,
            4: 0.10012311}, 0.5),
    Losses("randomized_response(p=0.75)", "remove", "up", {2: 0.75, -1: 0.25}),
    Losses("randomized_response(p=0.75)", "remove", "down", {1: 0.75, -2: 0.25}),
    Losses("randomized_response(p=0.85, k=4)", "remove", "up", {3: 0.85, -2: 0.05, 0: 0.1}),
]  # fmt: skip
LOSSES_AT = (0.0, 0.25, 0.5, 1.0)

# Samples with a cap: their pair is the replaced one in all cases
CAPPED = [
    ("truncated_poisson(gaussian(sigma=1), q=0.1, cap=3, examples=20)", 0.5, 0.00742808013345563),
    ("truncated_poisson(gaussian(sigma=1), q=0.1, cap=3, examples=20)", 1.0, 0.00341814180685425),
]


def bracket(asked: str, direction: str, epsilon: float) -> tb.Bracket:
    """Return our answer: nine digits."""
    answer: tb.Bracket = tb.parse(asked).delta(epsilon, rtol=1e-9, direction=direction)
    return answer
