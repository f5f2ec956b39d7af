"""Errors in the words of the command line: options as they are typed, where the library names its arguments."""

import re
from typing import Any

from tightbudget.errors import InvalidParameter, TightBudgetError


def as_typed(problem: InvalidParameter, ctx: Any) -> TightBudgetError:
    """Return the problem as one of the command that met it; what is about no option of it stays as it is.

    A mechanism may have an argument that is named like an option: only what has the option's value is about the option.
    """
    options = {_argument_of_option(option): (option, name) for option, name in _options_of_command(ctx.command)}
    option, parameter = options.get(problem.name, ("", ""))
    if not option or not _same_as_typed(ctx.params.get(parameter), problem.value):
        return problem
    said = str(problem)
    rest = said[said.index(", but must be ") + len(", but must be ") :]
    others = [name for name in options if name != problem.name and ("_" in name or _is_about_options(problem))]
    names = sorted(others, key=len, reverse=True)
    if names:
        pattern = rf"(?<![-\w])({'|'.join(map(re.escape, names))})(?![-\w])"
        rest = re.sub(pattern, lambda found: options[found[1]][0], rest)
    missing = problem.value is None
    typed = TightBudgetError(f"{option} is missing; it must be {rest}" if missing else f"{said_value(option, said)}{rest}")
    for note in getattr(problem, "__notes__", []):
        typed.add_note(note)
    return typed


def said_value(option: str, said: str) -> str:
    """Return the beginning of the sentence, with the option in place of the argument."""
    head = said[: said.index(", but must be ") + len(", but must be ")]
    return f"{option}{head[head.index(' is ') :]}"


def _options_of_command(command: Any) -> list[tuple[str, str]]:
    single = (param for param in command.params if not getattr(param, "multiple", False))
    return [(option, param.name) for param in single for option in param.opts if option.startswith("--")]


def _argument_of_option(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def _is_about_options(problem: InvalidParameter) -> bool:
    """Whether the sentence says which options go together; others may use the same words for what they mean."""
    return problem.value is None or problem.allowed.startswith(("left out", "absent", "above the", "given"))


def _same_as_typed(typed: object, value: object) -> bool:
    return typed is value or typed == value or str(typed) == str(value)
