"""What the log knows of an individual budget: which steps were charged, in which order, and nothing about anybody.

Who may take part is decided by the balances (`ledger/individual`), which the log never sees. So no step is refused
here: whoever cannot pay is left out, and an empty step is still a step. What is kept in place of sums is the number of
charges. A charge says which number it takes to be next; if that is wrong, other balances have been charged in between,
for example those in a copy of the folder on another machine, and it is not logged.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tightbudget.adaptive.amounts import exact, show
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.individual.base import IndividualFilter
from tightbudget.adaptive.individual.registry import BY_KIND
from tightbudget.errors import CannotShare, InvalidParameter
from tightbudget.ledger.entries import Body, text_of
from tightbudget.ledger.rules import Decision, Rules, State, Step

KIND = "individual"
"""What the terms call their filter; `of` is the kind of each person's."""

COUNTED = '{"charged":'
"""How the sums of such a budget begin in its row, and those of no other."""

_AMOUNT = {"zcdp": "rho", "gdp": "mu", "renyi": "divergence"}
_FOR_EACH = " of each, HMAC-SHA256 "
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class IndividualStep(Step):
    """A step as the log may show it: one amount for all, or a keyed digest of the amounts; and who charges it.

    `expected` is the number of charges before it, `record` the keyed digest of what the balances keep about it.
    """

    expected: int = -1
    record: str = ""


class IndividualRules(Rules):
    """The rules of the log for a budget of many people: everything is admitted, in one order."""

    def __init__(self, state: State, relation: str) -> None:
        self.of = filter_of(state)
        self.relation = relation
        self.start = counted(0)

    def step(self, increment: Any) -> Step:
        """Return a step from the words of the log."""
        name = _AMOUNT[self.of.kind]
        if isinstance(increment, str) and increment.startswith(f"{name}="):
            amount = exact("increment", increment.removeprefix(f"{name}="))
            return IndividualStep(None, f"{name}={show(amount)}")  # type: ignore[arg-type]
        digest = increment.removeprefix(name + _FOR_EACH) if isinstance(increment, str) else ""
        if not _DIGEST.fullmatch(digest):
            raise InvalidParameter("increment", increment, f"{name}=... or {name}{_FOR_EACH}...")
        return IndividualStep(None, increment)  # type: ignore[arg-type]

    def weigh_ahead(self, step: Step) -> None:
        """Do nothing: whoever has the balances has weighed it."""

    def decide(self, spent: str, step: Step) -> Decision:
        """Admit the step as the next one, unless it was meant as another."""
        assert isinstance(step, IndividualStep)
        before = number_of(spent)
        if step.expected != before:
            problem = f"{before} charges were logged, and these balances know of {step.expected}: others were charged."
            raise CannotShare(problem, "Nobody takes part. One folder of balances is charged, and never a copy of it.")
        quote = Quote(True, step.increment, KIND, (), ())
        return Decision(quote, spent, counted(before + 1), {"record": step.record})

    def given_back(self, spent: str, price: State) -> str:
        """Return the same count: what was charged was charged, and the balances give it back."""
        return spent

    def replayed(self, spent: str, body: Body) -> str:
        """Return what an entry of the log leaves; raise InvalidParameter if none such was ever written."""
        if self.step(body["increment"]).text != body["increment"]:
            raise InvalidParameter("increment", body["increment"], "written as it is read")
        price = body["price"]
        if set(price) != {"record"} or not _DIGEST.fullmatch(price["record"]):
            raise InvalidParameter("price", price, "the digest of a record of the balances")
        return counted(number_of(spent) + 1)


def rules_of(state: State, relation: str) -> Rules:
    """Return the rules that a budget was made with."""
    return IndividualRules(state, relation) if state.get("kind") == KIND else Rules(state, relation)


def filter_of(state: Mapping[str, Any], people: int = 1) -> IndividualFilter:
    """Return a fresh filter with the settings that the terms fix."""
    if set(state) != {"kind", "of", "settings", "store"} or state["of"] not in BY_KIND:
        raise InvalidParameter("filter", dict(state), f"an individual filter of kind {', '.join(BY_KIND)}")
    try:
        return BY_KIND[state["of"]](**state["settings"], people=people)
    except TypeError:
        raise InvalidParameter("settings", state["settings"], f"those of an individual {state['of']} filter") from None


def text_for_all(kind: str, amount: Any) -> str:
    """Return how the log names one amount for all."""
    return f"{_AMOUNT[kind]}={show(amount)}"


def text_for_each(kind: str, digest: str) -> str:
    """Return how the log names amounts that differ: they are private, so by a digest that needs a secret."""
    return f"{_AMOUNT[kind]}{_FOR_EACH}{digest}"


def counted(charges: int) -> str:
    return text_of({"charged": str(charges)})


def number_of(spent: str) -> int:
    return int(json.loads(spent)["charged"])
