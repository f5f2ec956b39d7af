"""Arguments by names that a function does not have: a TypeError that says which it has, and which was likely meant."""

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_OF_PEERS = {  # names that other packages have for the same thing, and ours, of which a function has one at most
    "noise_multiplier": ("sigma", "scale"),
    "sigma": ("noise_multiplier", "scale"),
    "std": ("sigma",), "stddev": ("sigma",), "standard_deviation": ("sigma",), "b": ("scale",),
    "batch_size": ("batch",), "num_examples": ("examples",), "n": ("examples", "count"), "dataset_size": ("examples",),
    "num_epochs": ("epochs",), "iterations": ("steps",), "num_steps": ("steps", "count"), "steps": ("count",),
    "num_compositions": ("count",), "q": ("sample_rate",), "sample_rate": ("q",), "sampling_probability": ("q", "sample_rate"),
    "sampling_prob": ("q", "sample_rate"), "epsilon": ("target_epsilon",), "eps": ("epsilon", "target_epsilon"),
    "l2_sensitivity": ("sensitivity",), "l1_sensitivity": ("sensitivity",), "target_delta": ("delta",),
    "target_epsilon": ("epsilon",), "truncated_batch_size": ("cap",), "sensitivities": ("centres",),
    "sampling_probs": ("probabilities", "rates"), "C": ("strategy",), "eta": ("epsilon",),
}  # fmt: skip


def names_of_peers(name: str, known: Collection[str]) -> list[str]:
    """Return those of the known arguments for which other packages have this name."""
    return [each for each in _OF_PEERS.get(name, ()) if each in known]


_FORMER_NAMES = "_former_names"


def with_former_name(function: Callable[P, R], name: str) -> Callable[P, R]:
    """Note a name of an argument that a function still takes and its signature does not tell; return the function."""
    vars(function)[_FORMER_NAMES] = (*vars(function).get(_FORMER_NAMES, ()), name)
    return function


@functools.cache
def known_keywords(function: Callable[..., Any]) -> frozenset[str] | None:
    """Return the names by which arguments can be given, former ones too; None if any can."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    named = (each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY))
    return frozenset((*named, *vars(function).get(_FORMER_NAMES, ())))


def unknown_keyword(
    name: str,
    function: Callable[..., Any],
    given: Iterable[str],
    known: Collection[str],
    meant: Mapping[str, str] = MappingProxyType({}),
) -> TypeError:
    """Return the error of the first argument that is not known, with the signature and what was likely meant.

    `meant` has names that this function is known to be given, and what is meant by them.
    """
    wrong = next(each for each in given if each not in known)
    close = [
        *(each for each in (meant.get(wrong),) if each),
        *names_of_peers(wrong, known),
        *difflib.get_close_matches(wrong, known, n=1),
    ]
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    bare = [each.replace(annotation=each.empty) for each in parameters]
    hint = f" Did you mean {close[0]}?" if close else ""
    return TypeError(f"{name} has no argument {wrong!r}; it is {name}{inspect.Signature(bare)}.{hint}")


def says_its_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Answer an argument of another name with a sentence.

    >>> @says_its_arguments
    ... def train(*, batch, epochs=1): ...
    >>> train(batch_size=8)
    Traceback (most recent call last):
        ...
    TypeError: train has no argument 'batch_size'; it is train(*, batch, epochs=1). Did you mean batch?
    """

    return says_its_arguments_as(function.__name__)(function)


def says_its_arguments_as(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Do so for a function that its callers know by another name: a class, say, of which it is the `__init__`."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def checked(*arguments: P.args, **named: P.kwargs) -> R:
            if named and (known := known_keywords(function)) is not None and not named.keys() <= known:
                raise unknown_keyword(name, function, named, known)
            return function(*arguments, **named)

        return checked

    return decorate
