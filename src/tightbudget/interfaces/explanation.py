"""The risk of a composition in plain words and odds, as studies found them to be understood (arXiv 2303.00738).

Every "at most" is an upper end of a bracket, rounded up. Nothing is called safe: that is for the reader to decide.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import NamedTuple

from tightbudget.mechanisms.composition import Composable
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.rounding import AMPLE, raised_by
from tightbudget.tradeoff import Risk, risk

RATES = (0.001, 0.01)
"""False positive rates that are explained: 1 in 1000 and 1 in 100."""

_DIGITS, _MOST_DIGITS = 3, 9
_MANY_TIMES = 10**7  # and more are written with an exponent


class ExplanationSection(NamedTuple):
    """A heading and the paragraphs below it; those that begin with "- " are a list."""

    heading: str
    paragraphs: tuple[str, ...]


class Suspicion(NamedTuple):
    """What an attacker wants to know, by the neighbouring relation; {unit} stands for the unit of privacy."""

    question: str
    claim: str
    innocent: str
    guilty: str
    neighbours: str


_SUSPICIONS = {
    "add_remove": Suspicion(
        "whether one {unit} is in the data",
        "that one {unit} is in the data",
        "not in the data",
        "in the data",
        "Data with one {unit} is compared with the same data without that {unit} (add_remove).",
    ),
    "replace_one": Suspicion(
        "which of two values one {unit} has",
        "that one {unit} has a certain value and not another",
        "with the other value",
        "with that value",
        "Data is compared with the same data in which one {unit} has another value (replace_one).",
    ),
    "zero_out": Suspicion(
        "whether what one {unit} contributes counts or is 0",
        "that what one {unit} contributes counts",
        "whose contribution is 0",
        "whose contribution counts",
        "Data is compared with the same data in which what one {unit} contributes is 0 (zero_out).",
    ),
}
_OTHER = Suspicion(
    "which of two neighbouring data sets was used",
    "that a certain one of two neighbouring data sets was used",
    "where it was the other",
    "where it was that one",
    "Each part compares data with what one {unit} can make of it by the relation of that part ({relation}).",
)


@dataclass(frozen=True)
class Explanation:
    """The numbers that are explained, for one composition."""

    composition: Composable
    delta: float
    epsilon: Bracket
    advantage: Bracket
    tpr: tuple[Bracket, ...]
    prior: float
    bayes_error: Bracket
    posterior: Bracket
    most: Bracket
    unit: str = "record"

    @property
    def relation(self) -> str:
        return self.composition.answers_for

    @property
    def rates(self) -> tuple[float, ...]:
        """The false positive rates of `tpr`; the first is that of `posterior`."""
        return RATES

    @property
    def brackets(self) -> tuple[Bracket, ...]:
        return (self.epsilon, self.advantage, *self.tpr, self.bayes_error, self.posterior, self.most)

    @property
    def converged(self) -> bool:
        return all(bracket.converged for bracket in self.brackets)

    @property
    def reason(self) -> str:
        return next((bracket.reason for bracket in self.brackets if not bracket.converged), "")

    @property
    def sections(self) -> tuple[ExplanationSection, ...]:
        """All that is said, in the order in which it is asked."""
        return (
            ExplanationSection("Guessing", (_explained_guessing(self),)),
            ExplanationSection("Finding", tuple(_explained_finding(self))),
            ExplanationSection("Believing", tuple(_explained_belief(self))),
            ExplanationSection("ε and δ", (_explained_epsilon(self),)),
            ExplanationSection("Who is protected", tuple(_explained_protection(self))),
            ExplanationSection("What is not protected", tuple(_not_protected(self))),
            ExplanationSection("In numbers", tuple(_explained_numbers(self))),
        )


def explained_risk(
    c: Composable, delta: float, unit: str, prior: float, rtol: float = 1e-3, effort: float | None = None
) -> Explanation:
    """Return the numbers for a composition; prior is above 0 and below 1."""
    attack: Risk = risk(c, rtol=rtol, effort=effort)
    return Explanation(
        composition=c,
        delta=delta,
        epsilon=c.epsilon(delta=delta, rtol=rtol, effort=effort),
        advantage=attack.advantage(),
        tpr=tuple(attack.tpr(rate) for rate in RATES),
        prior=prior,
        bayes_error=attack.bayes_error(prior),
        posterior=attack.posterior(prior, fpr=RATES[0]),
        most=attack.posterior(prior),
        unit=unit,
    )


def _explained_suspicion(of: Explanation) -> Suspicion:
    found = _SUSPICIONS.get(of.relation, _OTHER)
    return Suspicion(*(text.format(unit=of.unit, relation=of.relation) for text in found))


def _explained_guessing(of: Explanation) -> str:
    # a guess is right where it is not wrong: the one that is least often wrong is most often right
    right = min(1.0, raised_by(1.0 - of.bayes_error.lower, AMPLE))
    who, before = _explained_suspicion(of), max(Decimal(repr(of.prior)), 1 - Decimal(repr(of.prior)))
    if of.prior == 0.5:
        unsure = f"Suppose an attacker is unsure (50:50) {who.question}."
    else:
        unsure = f"Suppose an attacker thinks it {_prior_percent(of.prior)} in 100 likely {who.claim}."
    usual = _explained_number(100 * before)
    if of.bayes_error.lower >= min(of.prior, 1.0 - of.prior):
        return f"{unsure} Seeing the release does not help: {usual} of 100 guesses can be right, as before."
    if of.bayes_error.upper == 0.0:
        return f"{unsure} The release tells: after seeing it, all 100 of 100 guesses are right, where {usual} were before."
    most = _right_guesses_shown(right, before)
    return f"{unsure} After seeing the release, the right guesses rise from {usual} to at most {most} out of 100."


def _right_guesses_shown(right: float, before: Decimal) -> str:
    """Return the right guesses out of 100, rounded up, in as many digits as it takes to show how few more they are."""
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        shown = _rounded_up(right, 100, digits)
        if shown - 100 * before <= 2 * 100 * (Decimal(right) - before):
            return out_of(right, 100) if digits == _DIGITS else _explained_number(shown)
    return _explained_number(shown)


def _explained_finding(of: Explanation) -> Iterator[str]:
    who = _explained_suspicion(of)
    for rate, power in zip(RATES, of.tpr, strict=True):
        finds = f"at most {out_of(power.upper, 1000)}" if power.upper > rate else f"{round(1000 * rate)}"
        finds = "all 1000" if power.lower == 1.0 else finds
        yield (
            f"Let a test wrongly name 1 in {round(1 / rate)} of those {who.innocent}. Of 1000 {who.guilty} it then finds "
            f"{finds}; naming at random would find {round(1000 * rate)}."
        )


def _explained_belief(of: Explanation) -> Iterator[str]:
    yield (
        f"An attacker who thought it {_prior_percent(of.prior)} in 100 likely, and then gets an alarm from the first of these "
        f"tests, can come to think it at most {out_of(of.posterior.upper, 100)} in 100 likely."
    )
    if of.advantage.lower == 1.0:
        yield "The release itself leaves no doubt at all, whatever was thought before."
    elif of.most.lower == 1.0 or (most := out_of(of.most.upper, 100)) == "100":
        yield "However rarely, an outcome may leave no doubt at all."
    else:
        yield f"No outcome, however rare, can make it more than {most} in 100 likely."


def _explained_epsilon(of: Explanation) -> str:
    if of.epsilon.lower == math.inf:
        return f"No ε holds at δ = {of.delta!r}: everything is revealed with a larger probability than that."
    if of.epsilon.upper > 700.0:
        return f"ε is in {of.epsilon} at δ = {of.delta!r}: so much that e^ε, the factor on all probabilities, says nothing."
    return (
        f"ε is in {of.epsilon} at δ = {of.delta!r}: whatever an attacker looks for is at most "
        f"{_explained_factor(of.epsilon.upper)} times (e^ε) as likely for one of the two as for the "
        f"other, plus {of.delta!r}."
    )


def _explained_factor(epsilon: float) -> str:
    """Return e^epsilon, rounded up; 1 is exact."""
    factor = raised_by(math.exp(epsilon), AMPLE) if epsilon else 1.0
    shown = Context(prec=_DIGITS + 1, rounding=ROUND_CEILING).create_decimal(Decimal(factor))
    return _explained_number(shown) if shown < _MANY_TIMES else f"{shown:e}"


def _explained_protection(of: Explanation) -> Iterator[str]:
    yield _explained_suspicion(of).neighbours
    yield (
        "The numbers are proven limits on every attack, rounding included, also by someone who knows all other data and how "
        "the release was made, and has all the time in the world. Others can do less."
    )


def _not_protected(of: Explanation) -> Iterator[str]:
    yield "- What is true of the whole group. It can be learnt, and says something of each, whoever took part."
    if of.unit == "record":
        yield "- A person with several records. This is about one record; several give away more."
    else:
        yield f"- More than one {of.unit}, such as a family. This is about one; several give away more."
        yield f"- A {of.unit} with more data than the sensitivity allows for. What each contributes has to be limited."
    yield "- Other releases of the same data. Their losses add up: compose all of them."
    yield "- Ways around: timing, error messages, logs, random numbers that can be guessed, the data themselves."


def _explained_numbers(of: Explanation) -> Iterator[str]:
    yield f"- ε in {of.epsilon} at δ = {of.delta!r}"
    for rate, power in zip(RATES, of.tpr, strict=True):
        yield f"- true positive rate in {power} at false positive rate {rate!r}"
    yield f"- advantage (TPR - FPR) in {of.advantage}"
    yield f"- error of the best guess in {of.bayes_error} at prior {of.prior!r}"
    yield f"- posterior in {of.posterior} at prior {of.prior!r} and false positive rate {RATES[0]!r}"
    yield f"- largest posterior in {of.most} at prior {of.prior!r}"


def out_of(chance: float, times: int) -> str:
    """Return how many that is out of so many, rounded up to three digits; to more if it would look like all of them.

    >>> out_of(0.5712, 100), out_of(0.9999994, 100), out_of(1.0, 100), out_of(1e-30, 100)
    ('57.2', '99.99994', '100', '1.01e-28')
    """
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        shown = _rounded_up(chance, times, digits)
        if shown < times or chance >= 1.0:
            break
    return _explained_number(shown)


def _rounded_up(chance: float, times: int, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(chance) * times)


def _prior_percent(prior: float) -> str:
    """Return a probability as it was typed, in hundredths."""
    return _explained_number(100 * Decimal(repr(prior)))


def _explained_number(number: Decimal) -> str:
    written = f"{number:f}"
    if len(written) > 2 * _MOST_DIGITS:
        return f"{number:e}"
    return written.rstrip("0").rstrip(".") if "." in written else written
