"""A whole expression: the terms of a sum, read one by one and composed."""

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import compose
from tightbudget.mechanisms.relations import mix_relations_asked
from tightbudget.notation.faults import fault
from tightbudget.notation.meaning import Private, as_private
from tightbudget.notation.sums import split_sum
from tightbudget.notation.terms import Term

MAX_CHARACTERS = 1_000_000  # two histograms of 20 000 cells each still fit


def parse(text: str, mix_relations: bool = False) -> Private:
    """Read a mechanism or composition from its notation; `mix_relations` as in `compose`.

    >>> parse("gaussian(sigma=2)")
    Gaussian(sigma=2, sensitivity=1.0, relation='add_remove')
    >>> print(parse("10 * (gaussian(sigma=2**0.5) + pure_dp(1/8))"))
    gaussian(sigma=1.4142135623730951) * 10 + pure_dp(epsilon=0.125) * 10
    """
    if not isinstance(text, str):
        raise InvalidParameter("text", text, "a string in the notation", "For example 'gaussian(sigma=2) * 10'.")
    check_length(text)
    terms = [_term_of_expression(text, start, source, mix_relations_asked(mix_relations)) for start, source in split_sum(text)]
    return terms[0] if len(terms) == 1 else compose(terms, mix_relations)


def _term_of_expression(text: str, start: int, source: str, mix_relations: bool) -> Private:
    check_there(text, start, source)
    term = Term.unindented(text, start, source, mix_relations)
    return as_private(term, term.tree())


def check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        too_long = f"The expression has {len(text)} characters, but at most {MAX_CHARACTERS} are read"
        raise fault(f"{too_long}; give long histograms as a file", text[:80], 0)


def check_there(text: str, start: int, source: str) -> None:
    """Refuse a term of which there is nothing."""
    if not source.strip():
        example = "write a mechanism such as gaussian(sigma=2), or nothing"
        raise fault(f"A mechanism is missing here; {example}", text, start)
