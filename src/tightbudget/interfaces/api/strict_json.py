"""JSON as it is defined, and numbers as they were written: what cannot be read so is refused, not guessed."""

import json
from typing import Any, NoReturn

from tightbudget.interfaces.api.problems import Problem
from tightbudget.numerics.typed import NoFloat, typed_number


def read_json(body: bytes) -> Any:
    """Return what the body says; raise a problem if it is no JSON, has a key twice or numbers that no float is near.

    >>> read_json(b'{"delta": 1e-400}')
    Traceback (most recent call last):
        ...
    tightbudget.interfaces.api.problems.Problem: ...
    """
    try:
        read = json.loads(body, parse_float=typed_number, parse_constant=_no_constant, object_pairs_hook=_strict_json_object)
        if b"\\ud" in body.lower():  # halves of characters, which no text may have
            json.dumps(read, ensure_ascii=False).encode()
        return read
    except NoFloat as problem:
        raise _not_read(f"A number is {problem}.") from None
    except json.JSONDecodeError as problem:
        raise _not_read(f"The body is not JSON: {problem.msg} at character {problem.pos}.") from None
    except UnicodeError:
        raise _not_read("The body is not UTF-8.") from None
    except RecursionError:
        raise _not_read("The body is nested too deeply.") from None
    except ValueError as problem:
        raise _not_read(str(problem) if isinstance(problem, _RefusedJson) else "A number has too many digits.") from None


class _RefusedJson(ValueError):
    """Something that JSON does not have, or that means two things."""


def _no_constant(name: str) -> NoReturn:
    raise _RefusedJson(f'JSON has no {name}; write "inf" for what is infinite.')


def _strict_json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise _RefusedJson("A name stands twice in one object.")
    return read


def _not_read(sentence: str) -> Problem:
    return Problem(400, "not_json", sentence)
