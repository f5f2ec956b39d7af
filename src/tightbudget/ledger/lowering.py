"""Lower a limit. Stopping earlier than a filter would is always allowed; what it promises stays as it was (M14)."""

from typing import Any

from tightbudget.adaptive.amounts import exact
from tightbudget.adaptive.filters.registry import BY_KIND, from_state
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.states import State
from tightbudget.errors import InvalidParameter

_FRAME = {"version", "kind", "sequence", "constants", "relations", "spent"}
_INSTEAD = "Close the budget, or split off a smaller part and charge that."


def lowered(old: State, epsilon: Any, delta: Any) -> State:
    """Return the state of a filter of the same kind with smaller limits, that counts in the same ticks.

    What the old filter fixed in advance stays, and no cap or measure moves the wrong way: nothing is admitted that the
    old filter would refuse at the same sums.
    """
    if not issubclass(BY_KIND[old["kind"]], SumFilter):
        raise InvalidParameter(
            "filter", old["kind"], "a filter that adds up prices: the limits of others cannot be lowered", _INSTEAD
        )
    asked = {"epsilon": epsilon, "delta": delta}
    settings = {name: value for name, value in old.items() if name not in _FRAME}
    settings.update({name: value for name, value in asked.items() if value is not None})
    try:
        made = BY_KIND[old["kind"]](**settings)
    except InvalidParameter as problem:  # limits so low that no filter of this kind and these settings has them
        problem.add_note(f"The limits were not changed. {_INSTEAD}")
        raise
    new = _with_what_was_fixed(made, old)
    check_lower(old, new)
    return new


def in_force(old: State, new: State) -> State:
    """Return the state of the filter that a written lowering puts in force.

    It admits nothing that the old one refuses, also where another version wrote constants that would admit more.
    """
    check_lower(old, new)
    return _with_what_was_fixed(from_state(new), old)


def check_lower(old: State, new: State) -> None:
    """Refuse a filter that is not the old one with lower limits: another kind or setting, or a limit that is higher."""
    if old["kind"] != new["kind"] or old["constants"].get("ticks") != new["constants"].get("ticks"):
        raise InvalidParameter("filter", new["kind"], f"a {old['kind']} filter that counts in the same parts")
    before, after = from_state({**old, "spent": new["spent"]}), from_state(new)
    for name in ("epsilon", "delta"):
        if exact(name, new[name]) > exact(name, old[name]):
            hint = "To allow more, open a second budget beside this one: extend, or tightbudget ledger budget extend."
            raise InvalidParameter(name, new[name], f"at most {old[name]}: a limit is never raised", hint)
    same = {name for name in old if name not in _FRAME | {"epsilon", "delta"}}
    if any(old[name] != new[name] for name in same):
        raise InvalidParameter("filter", new["kind"], "one with the same settings but for epsilon and delta")
    for one, other in zip(before.limits, after.limits, strict=True):
        if other.cap > one.cap:
            raise InvalidParameter("epsilon", new["epsilon"], f"such that no limit rises, and {one.name} would")


def _with_what_was_fixed(made: Any, old: State) -> State:
    """Return the state of a fresh filter of lower limits, with the ticks and parameters that the old one fixed."""
    before = from_state({**old, "spent": {name: "0" for name in old["spent"]}})
    state: State = made.lowered_from(before).state()
    return state
