"""Bodies of requests about budgets, and how a request says which charge it is: by its key."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictStr, WithJsonSchema

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.api.bodies import Number, number_as_written
from tightbudget.numerics.typed import TypedFloat

LONGEST_KEY = 200
RESERVED = ("name", "epsilon", "delta", "filter", "relation", "unit", "odometers", "parent", "description", "metadata")


def _amount_in_body(value: Any) -> Any:
    """Return an amount that is taken exactly: all of its digits, where it has more than a float."""
    number = value if isinstance(value, str) else number_as_written(value)
    return str(number.exact) if isinstance(number, TypedFloat) else number


Amount = Annotated[
    Any, PlainValidator(_amount_in_body), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]  # texts such as "0.1" and "1/3" are taken exactly


class _BudgetBody(BaseModel):
    model_config = ConfigDict(extra="forbid")


class BudgetAsked(_BudgetBody):
    """A budget to be made. All of it is fixed from then on."""

    name: StrictStr = Field(examples=["census-2026"])
    epsilon: Amount = Field(description="What the budget promises; taken exactly if it is a text.", examples=[1])
    delta: Amount = Field(examples=[1e-6])
    filter: StrictStr = Field("zcdp", description="The kind of filter that admits steps.")
    relation: StrictStr = Field("add_remove", description="add_remove, replace_one or zero_out.")
    unit: StrictStr = Field("person", description="What is protected, in a word or two.")
    odometers: list[StrictStr] = Field([], description="Kinds of odometers that show the loss so far.", max_length=10)
    parent: StrictStr | None = Field(None, description="The budget that this one is a part of.", examples=[None])
    description: StrictStr = ""
    metadata: dict[str, Any] | None = Field(None, description="Whatever else is to be remembered.", examples=[None])
    settings: dict[str, Any] = Field({}, description="Settings of the filter.", examples=[{}])

    def terms(self) -> dict[str, Any]:
        """Return the arguments of `create_budget`."""
        for name in self.settings:
            if name in RESERVED or not name.isidentifier():
                raise InvalidParameter("settings", name, "names of settings of the filter")
        return {**{name: getattr(self, name) for name in RESERVED}, **self.settings}


class QuoteAsked(_BudgetBody):
    increment: StrictStr = Field(description="A step in the notation.", examples=["gaussian(sigma=50)"])


class ChargeAsked(QuoteAsked):
    key: StrictStr | None = Field(
        None, description="Names this one charge, so that a retry is not a second one; or the header Idempotency-Key."
    )
    actor: StrictStr | None = Field(None, description="On whose behalf; the token's name is added.", examples=["Ada"])
    purpose: StrictStr | None = Field(None, description="What it is for.", examples=["weekly report"])
    metadata: dict[str, Any] | None = Field(None, description="Whatever else is to be remembered.", examples=[None])


class ReservationAsked(ChargeAsked):
    ttl: Number = Field(3600.0, description="Seconds after which it commits by itself.")


class KeyGiven(_BudgetBody):
    key: StrictStr | None = Field(None, description="Key of the charge; or the header Idempotency-Key.")


class AbortAsked(KeyGiven):
    reason: StrictStr = Field("", description="Why nothing was or will be released.")


class RefundAsked(KeyGiven):
    reason: StrictStr = Field(description="Why it is certain that nothing was released.", examples=["the query never ran"])


class Closing(_BudgetBody):
    reason: StrictStr = ""


def key_given(body: Any, header: str | None) -> str:
    """Return the key of a charge, from the body or the header, where it may stand in quotes.

    >>> key_given(KeyGiven(), '"k9"'), key_given(KeyGiven(key="k9"), "k9")
    ('k9', 'k9')
    """
    header = None if header is None else _without_quotes(header)
    if body.key is not None and header is not None and body.key != header:
        raise InvalidParameter("key", body.key, f"the same as the header Idempotency-Key, which is {header!r}")
    key: str | None = body.key if header is None else header
    if key is None:
        hint = "Any text that is new for a new charge and the same for its retries; a UUID will do."
        raise InvalidParameter("key", None, "given, in the body or as the header Idempotency-Key", hint)
    return key


def _without_quotes(header: str) -> str:
    """Return what stands in the quotes that the IETF's draft of the header asks for; with and without is one key."""
    quoted = re.fullmatch(r'"((?:[^"\\]|\\["\\])*)"', header)
    return re.sub(r'\\(["\\])', r"\1", quoted[1]) if quoted else header
