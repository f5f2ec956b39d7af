"""What batches of a fixed size need: whole numbers, and a mechanism that says what replacing a record does."""

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import whole_count
from tightbudget.mechanisms.composition import in_notation
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.relations import REPLACE_ONE
from tightbudget.mechanisms.what_is_sampled import check_sampled, counting_records
from tightbudget.pairs.base import Direction, Pair


def check_batch(mechanism: object, batch: object, examples: object) -> None:
    """Check the arguments of a batch of a fixed size."""
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter(
            "mechanism", in_notation(mechanism), "one mechanism", "Draw a batch for each part of a composition."
        )
    check_sampled(mechanism)
    drawn = whole_count(batch, "batch")
    whole_count(examples, "examples", least=1)
    for one in counting_records(mechanism):
        if one.promised_records != drawn:  # more would hide more, and the lower end is that of just so many
            hint = f"It runs on a batch of {drawn} records: set its examples, or its users, to {drawn}."
            raise InvalidParameter("mechanism", str(one), f"one that is promised exactly {drawn} records", hint)


def replaced_pair(mechanism: Mechanism) -> Pair | None:
    """Return the pair for replacing a record, which must be the same in both orders: a replacement can be undone."""
    replaced = mechanism.under(REPLACE_ONE)
    pair = replaced.pair(Direction.REMOVE)
    if pair != replaced.pair(Direction.ADD):
        raise InvalidParameter(
            "mechanism", str(mechanism), "one with the same pair in both orders under replace_one", "Noise on a query has it."
        )
    return pair
