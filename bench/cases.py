"""What is measured: compositions, questions, true answers, and the settings each peer is run at. Data only."""

import math
from dataclasses import dataclass, field

DP_ACCOUNTING = "dp-accounting"
PRV_ACCOUNTANT = "prv-accountant"
OURS = "tightbudget"


@dataclass(frozen=True)
class Step:
    """One mechanism repeated `count` times; `kind` is its name in our notation."""

    kind: str
    count: int = 1
    sigma: float = math.nan
    scale: float = math.nan
    q: float = math.nan
    p: float = math.nan
    epsilon: float = math.nan

    @property
    def notation(self) -> str:
        mechanism = {
            "gaussian": f"gaussian(sigma={self.sigma!r})",
            "laplace": f"laplace(scale={self.scale!r})",
            "randomized_response": f"randomized_response(p={self.p!r})",
            "poisson": f"poisson(gaussian(sigma={self.sigma!r}), q={self.q!r})",
            "pure_dp": f"pure_dp(epsilon={self.epsilon!r})",
        }[self.kind]
        return f"{mechanism} * {self.count}"


@dataclass(frozen=True)
class Question:
    """Ask `wanted` ("epsilon" or "delta") of the composition `steps`, where the other one equals `at`."""

    steps: tuple[Step, ...]
    wanted: str
    at: float

    @property
    def expression(self) -> str:
        return " + ".join(step.notation for step in self.steps)

    def __str__(self) -> str:
        shown = self.expression if len(self.steps) < 3 else f"{self.steps[0].notation} + ... ({len(self.steps)} terms)"
        given = "delta" if self.wanted == "epsilon" else "epsilon"
        return f"{self.wanted} of {shown} at {given}={self.at:g}"


@dataclass(frozen=True)
class Case:
    """A row of the speed table. `truth` comes from truth.py, which shares no code with any accountant."""

    name: str
    question: Question
    truth: float
    intervals: tuple[float, ...] = ()  # dp-accounting's value_discretization_interval
    eps_errors: tuple[float, ...] = ()  # prv-accountant's eps_error
    engine_expression: str = ""  # as good as equal, but no closed form applies: shows the buckets
    tags: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Defect:
    """A row of the table of peers' wrong answers. `truth` is a number; `call` names a function of peers.py."""

    name: str
    question: Question
    truth: float
    tool: str
    call: str
    setting: float
    note: str


def gaussian(sigma: float, count: int) -> tuple[Step, ...]:
    return (Step("gaussian", count, sigma=sigma),)


def dp_sgd(sigma: float, q: float, count: int) -> tuple[Step, ...]:
    return (Step("poisson", count, sigma=sigma, q=q),)


def nearly_full_sample(sigma: float, count: int) -> str:
    """The Gaussian subsampled at rate 1 - 1e-6: epsilon moves by about 1e-6 of itself, and no closed form applies."""
    return f"poisson(gaussian(sigma={sigma!r}), q=0.999999) * {count}"


def pure_epsilon(epsilon: float, count: int, delta: float) -> float:
    """Truth for `count` promises of `epsilon`: only the largest loss, of mass p**count, is above it."""
    return count * epsilon + math.log1p(-delta * (1 + math.exp(-epsilon)) ** count)


GAUSSIAN_512 = gaussian(200 * math.sqrt(2), 512)
GAUSSIAN_MILLION = gaussian(1000.0, 10**6)
HUNDRED = tuple(Step("poisson", 100, sigma=1 + i / 100, q=0.01) for i in range(100))
SLOW = frozenset({"slow"})  # left out by --quick

CASES = (
    Case(
        "gaussian-512",
        Question(GAUSSIAN_512, "epsilon", 1e-5),
        0.2671627210037857,
        (1e-3, 1e-4, 1e-5),
        (0.1, 0.01, 0.001),
        nearly_full_sample(200 * math.sqrt(2), 512),
    ),
    Case(
        "gaussian-512-delta",
        Question(GAUSSIAN_512, "delta", 0.25),
        2.2108511141468302e-05,
        (1e-3, 1e-4, 1e-5),
        (0.01, 0.001),
    ),
    Case(
        "laplace-512",
        Question((Step("laplace", 512, scale=200.0),), "epsilon", 1e-5),
        0.38857068107728965,
        (1e-3, 1e-4, 1e-5),
        (0.1, 0.01, 0.001),
    ),
    Case(
        "response-512",
        Question((Step("randomized_response", 512, p=0.51),), "epsilon", 1e-5),
        3.8903288344996274,
        (1e-4, 1e-5, 1e-6),
        (0.1, 0.01),
    ),
    Case(
        "dpsgd-65536",
        Question(dp_sgd(4.0, 0.01, 65536), "epsilon", 1e-5),
        2.681103218237492,
        (1e-3, 1e-4, 1e-5),
        (0.1, 0.01),
    ),
    Case(
        "dpsgd-10000",
        Question(dp_sgd(1.0, 0.004, 10_000), "epsilon", 1e-5),
        2.182192263722601,
        (1e-3, 1e-4, 1e-5),
        (0.1, 0.01),
    ),
    Case(
        "dpsgd-million",
        Question(dp_sgd(0.6, 0.001, 10**6), "epsilon", 1e-8),
        29.150994741091154,
        (1e-3, 3e-4, 1e-4, 1e-5),
        (0.1,),
    ),
    Case(
        "deep-1e-20",
        Question(GAUSSIAN_MILLION, "epsilon", 1e-20),
        9.510936240574381,
        (1e-3, 1e-4),
        (0.1,),
        nearly_full_sample(1000.0, 10**6),
    ),
    Case(
        "deep-1e-20-delta",
        Question(GAUSSIAN_MILLION, "delta", 9.5),
        1.105968571042653e-20,
        (1e-3, 1e-4),
        (0.1,),
    ),
    Case(
        "deep-1e-60",
        Question(GAUSSIAN_MILLION, "epsilon", 1e-60),
        16.723000553710794,
        (1e-3, 1e-4),
        (0.1,),
        nearly_full_sample(1000.0, 10**6),
    ),
    Case(
        "deep-1e-60-delta",
        Question(GAUSSIAN_MILLION, "delta", 16.5),
        3.731745672081075e-59,
        (1e-3, 1e-4),
        (0.1,),
    ),
    Case("hundred-different", Question(HUNDRED, "epsilon", 1e-6), 4.086252638051259, (1e-3, 1e-4), (0.1,), tags=SLOW),
)

_FAR_TAIL = gaussian(100.0, 10_000)
_THOUSAND = dp_sgd(1.0, 0.01, 1000)

DEFECTS = (
    Defect(
        "gaussian-10000-at-7",
        Question(_FAR_TAIL, "delta", 7.0),
        5.167629703917737e-12,
        DP_ACCOUNTING,
        "dp_accounting_repeated",
        1e-4,
        "PLD repeated 10000 times, default settings: rounding of the FFT is in no bound",
    ),
    Defect(
        "gaussian-10000-at-8",
        Question(_FAR_TAIL, "delta", 8.0),
        3.6508216874217905e-15,
        DP_ACCOUNTING,
        "dp_accounting_repeated",
        1e-4,
        "the same: a negative probability",
    ),
    Defect(
        "dpsgd-million-1e-4",
        Question(dp_sgd(0.6, 0.001, 10**6), "epsilon", 1e-8),
        29.150994741091154,
        DP_ACCOUNTING,
        "dp_accounting",
        1e-4,
        "the default step",
    ),
    Defect(
        "dpsgd-million-1e-5",
        Question(dp_sgd(0.6, 0.001, 10**6), "epsilon", 1e-8),
        29.150994741091154,
        DP_ACCOUNTING,
        "dp_accounting",
        1e-5,
        "a finer step does not help",
    ),
    Defect(
        "response-count",
        Question((Step("randomized_response", 10, p=0.75),), "epsilon", 0.0),
        10 * math.log(3),
        DP_ACCOUNTING,
        "dp_accounting_events",
        1e-4,
        "PLDAccountant ignores the count of a RandomizedResponseDpEvent",
    ),
    Defect(
        "dpsgd-1000-1e-14",
        Question(_THOUSAND, "epsilon", 1e-14),
        4.543701988593067,
        DP_ACCOUNTING,
        "dp_accounting",
        1e-4,
        "sound, but above what Renyi accounting proves",
    ),
    Defect(
        "dpsgd-1000-1e-16",
        Question(_THOUSAND, "epsilon", 1e-16),
        5.161800648571693,
        DP_ACCOUNTING,
        "dp_accounting",
        1e-4,
        "sound, but no answer",
    ),
    Defect(
        "pure-10",
        Question((Step("pure_dp", 10, epsilon=10.0),), "epsilon", 1e-6),
        pure_epsilon(10.0, 10, 1e-6),
        PRV_ACCOUNTANT,
        "prv_accountant",
        0.1,
        "the window is too small and the FFT wraps round",
    ),
    Defect(
        "pure-5",
        Question((Step("pure_dp", 10, epsilon=5.0),), "epsilon", 1e-6),
        pure_epsilon(5.0, 10, 1e-6),
        PRV_ACCOUNTANT,
        "prv_accountant",
        0.1,
        "the same",
    ),
    Defect(
        "dpsgd-1e-18",
        Question(dp_sgd(4.0, 0.00033, 10_000), "epsilon", 1.1e-18),
        0.06721361410592716,
        PRV_ACCOUNTANT,
        "prv_accountant",
        0.01,
        "delta below its floor",
    ),
    Defect(
        "dpsgd-small-sigma",
        Question(dp_sgd(0.3, 0.5, 5000), "epsilon", 1e-6),
        math.nan,
        PRV_ACCOUNTANT,
        "prv_accountant",
        0.1,
        "the window grows with epsilon",
    ),
    Defect(
        "no-noise",
        Question(gaussian(0.0, 1), "epsilon", 1e-6),
        math.inf,
        PRV_ACCOUNTANT,
        "prv_accountant",
        0.1,
        "a legal question: no noise, no privacy",
    ),
)

# A training step whose epsilon stays moderate from a hundred to a thousand million repetitions.
GROWTH_STEP = "poisson(gaussian(sigma=4.0), q=0.001)"
GROWTH_DELTA = 1e-5
GROWTH_COUNTS = tuple(10**k for k in range(2, 10))
