"""Errors in the words of the command line: options as they are typed, where the library names its arguments."""

import re
from typing import Any

from tightbudget.errors import InvalidParameter, TightBudgetError

_BUT = ", but must be "
# Arguments of the library that commands take by other names.
_ALSO_CALLED = {
    "bounds": ("min", "max"),
    "increment": ("expression", "amounts"),
    "name": ("budget",),
    "odometers": ("odometer",),
    "settings": ("setting",),
}


def as_typed(problem: InvalidParameter, ctx: Any) -> TightBudgetError:
    """Return the problem as one of the command that met it; what is about no option of it stays as it is.

    A mechanism may have an argument that is named like an option: only what has the option's value is about the option.
    """
    options = {_argument_of_option(option): (option, name) for option, name in _options_of_command(ctx.command)}
    option = _option_meant(problem, ctx)
    if not option:
        return _with_options_that_were_typed(problem, ctx, options)
    said = str(problem)
    rest = said[said.index(_BUT) + len(_BUT) :]
    others = [name for name in options if name != problem.name and ("_" in name or _is_about_options(problem))]
    rest = _with_options(rest, {name: options[name][0] for name in others})
    missing = problem.value is None or problem.value == {}
    return _with_notes(problem, f"{option} is missing; it must be {rest}" if missing else f"{said_value(option, said)}{rest}")


def _option_meant(problem: InvalidParameter, ctx: Any) -> str:
    """Return the option or argument that the problem is about, as help names it; nothing if it is about none."""
    names = (problem.name, *_ALSO_CALLED.get(problem.name, ()))
    for param in ctx.command.params:
        typed = ctx.params.get(param.name)
        spelt: list[str] = [option for option in param.opts if option.startswith("--")] or [(param.metavar or "").strip("[]")]
        if {param.name, *map(_argument_of_option, spelt)} & set(names):
            from_file = param.name == "amounts" and isinstance(problem.value, str)  # told by their shape or type
            if from_file or _same_as_typed(typed, problem.value):
                return spelt[0]
    return ""


def _with_options_that_were_typed(problem: InvalidParameter, ctx: Any, options: dict[str, tuple[str, str]]) -> TightBudgetError:
    """Return a problem of a file or a phase, which may be that it does not go with an option."""
    typed = {name: option for name, (option, param) in options.items() if ctx.params.get(param) is not None}
    typed.pop(problem.name, None)
    said = str(problem)
    if not _is_about_options(problem) or not typed or _BUT not in said:
        return problem
    head, but, rest = said.partition(_BUT)
    changed = _with_options(rest, typed)
    return problem if changed == rest else _with_notes(problem, head + but + changed)


def _with_options(sentence: str, options: dict[str, str]) -> str:
    """Return the sentence with options in place of the arguments of these names."""
    if not options:
        return sentence
    names = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    return re.sub(rf"(?<![-\w])({names})(?![-\w])", lambda found: options[found[1]], sentence)


def _with_notes(problem: InvalidParameter, sentence: str) -> TightBudgetError:
    typed = TightBudgetError(sentence)
    for note in getattr(problem, "__notes__", []):
        typed.add_note(note)
    return typed


def said_value(option: str, said: str) -> str:
    """Return the beginning of the sentence, with the option in place of the argument."""
    head = said[: said.index(_BUT) + len(_BUT)]
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
    if isinstance(typed, list | tuple):  # options that may be given several times
        return isinstance(value, dict) or any(_same_as_typed(each, value) for each in typed)
    long = isinstance(typed, str) and value == f"of {len(typed)} characters"
    return long or typed is value or typed == value or str(typed) == str(value)
