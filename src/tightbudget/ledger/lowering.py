"""Lower a limit. Stopping earlier than a filter would is always allowed; what it promises stays as it was."""

from typing import Any

from tightbudget.adaptive.amounts import exact
from tightbudget.adaptive.filters.registry import BY_KIND, from_state
from tightbudget.adaptive.filters.sum_filter import SumFilter
from tightbudget.adaptive.states import State
from tightbudget.errors import InvalidParameter

_FRAME = {"version", "kind", "sequence", "constants", "relations", "spent"}


def lowered(old: State, epsilon: Any, delta: Any) -> State:
    """Return the state of a filter of the same kind with smaller limits, that counts in the same ticks."""
    if not issubclass(BY_KIND[old["kind"]], SumFilter):
        hint = "Close the budget, or split off a smaller part."
        raise InvalidParameter("filter", old["kind"], "one that adds up prices, for its limits to be lowered", hint)
    asked = {"epsilon": epsilon, "delta": delta}
    settings = {name: value for name, value in old.items() if name not in _FRAME}
    settings.update({name: value for name, value in asked.items() if value is not None})
    new = _in_the_same_ticks(BY_KIND[old["kind"]](**settings), old)
    check_lower(old, new)
    return new


def check_lower(old: State, new: State) -> None:
    """Refuse a filter that could admit what the old one would not: another kind, or a limit that is higher."""
    before, after = from_state({**old, "spent": new["spent"]}), from_state(new)
    if old["kind"] != new["kind"] or old["constants"].get("ticks") != new["constants"].get("ticks"):
        raise InvalidParameter("filter", new["kind"], f"a {old['kind']} filter that counts in the same parts")
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


def _in_the_same_ticks(made: Any, old: State) -> State:
    """Return the state of a fresh filter that counts in the ticks of the old one, so that sums need no conversion."""
    old_ticks = from_state({**old, "spent": {name: "0" for name in old["spent"]}})._scales.ticks  # type: ignore[attr-defined]
    state: State = made.state()
    scales = made._scales
    by_sum = dict(zip(made.sums, zip(scales.ticks, old_ticks, strict=True), strict=True))
    constants = dict(state["constants"])
    constants["ticks"] = old["constants"]["ticks"]
    if "caps" in constants:
        caps = {}
        for _, cap in scales._constant_caps():
            here, there = by_sum[cap.sum]
            caps[cap.name] = there.written(there.down(here.read("caps", constants["caps"][cap.name])))
        constants["caps"] = caps
    return {**state, "constants": constants}
