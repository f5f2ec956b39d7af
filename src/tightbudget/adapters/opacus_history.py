"""Opacus' histories and state dicts, read as compositions: takes neither Opacus nor PyTorch.

A history is a list of entries (noise multiplier, sampling rate, steps). Those of our own accountant may have a fourth
number: over how many batches, each drawn anew, every one of these steps summed its gradients.
"""

import math
from collections.abc import Mapping, Sequence

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable, Composition, Gaussian, Poisson
from tightbudget.mechanisms.checks import whole_count
from tightbudget.numerics.rounding import strictly_lowered
from tightbudget.training.accountant import Accountant
from tightbudget.training.safe_numbers import noise_below, rate_above

Entry = tuple[float, float, int] | tuple[float, float, int, int]

OURS = "tightbudget"
"""The name under which Opacus knows our accountant."""

THEIRS = ("prv", "rdp", "gdp")
"""Opacus' own accountants: what they write down means the same steps, of one sample each."""

_ENTRY = "a tuple (noise_multiplier, sample_rate, steps), as Opacus' accountants keep them"


def checked_entry(entry: object) -> Entry:
    """Return an entry in plain numbers, rounded if need be to less noise and a higher rate; refuse what is none."""
    if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) not in (3, 4):
        raise InvalidParameter("history", entry, f"a list of which each entry is {_ENTRY}")
    noise, rate, steps, *accumulated = (_plain_entry(number) for number in entry)
    told = noise_below("noise_multiplier", noise), rate_above("sample_rate", rate), whole_count(steps, "steps")
    batches = _accumulated_batches(accumulated[0]) if accumulated else 1
    return told if batches == 1 else (*told, batches)


def checked_history(history: object) -> list[Entry]:
    """Return all entries of a history in plain numbers, in a list of their own."""
    if isinstance(history, str) or not isinstance(history, Sequence):
        raise InvalidParameter("history", history, f"a list of which each entry is {_ENTRY}")
    return [checked_entry(entry) for entry in history]


def add_step(history: list[Entry], step: Entry) -> None:
    """Add an entry to a history, or its steps to those of the last entry if they are the same."""
    noise, rate, steps, *batches = step
    if history:
        last_noise, last_rate, last_steps, *last_batches = checked_entry(history[-1])
        if (last_noise, last_rate, last_batches) == (noise, rate, batches):
            history[-1] = checked_entry((noise, rate, last_steps + steps, *batches))
            return
    history.append(step)


def steps_of(history: object) -> int:
    """Return how many steps a history has."""
    return sum(entry[2] for entry in checked_history(history))


def composition_of(history: object) -> Composition:
    """Return what a history says was run: normal noise on Poisson samples, equal steps counted together.

    >>> print(composition_of([(1.1, 0.01, 300), (0.9, 0.01, 100), (1.1, 0.01, 200)]))
    poisson(gaussian(sigma=1.1), q=0.01) * 500 + poisson(gaussian(sigma=0.9), q=0.01) * 100
    """
    accountant = Accountant()
    for noise, rate, steps, *batches in checked_history(history):
        if batches:
            accountant.step(accumulated_step(noise, rate, *batches), count=steps)
        else:
            accountant.step(noise_multiplier=noise, sample_rate=rate, count=steps)
    return accountant.composition


def accumulated_step(noise: float, rate: float, batches: int) -> Composable:
    """Return a step that sums gradients over several batches, each drawn anew, and adds its noise once.

    A record counts as often as it is drawn, so the sum moves as it does for a group of as many records, each drawn on
    its own. This is an upper bound for all gradients, and some gradients attain it (M27). If the cost of the group is
    not known (no noise, hundreds of batches), each batch is counted as a step with noise / sqrt(batches): the answers
    of these steps add up to the sum with its noise, so they reveal no less. Opacus' own accountants count one sample at
    `batches` times the rate instead, which is not a bound.
    """
    one = Gaussian(noise) if rate == 1.0 else Poisson(Gaussian(noise), rate)
    try:
        return one.group(batches)
    except InvalidParameter:
        share = Gaussian(max(0.0, strictly_lowered(noise / math.sqrt(batches), 4.0)))
        return (share if rate == 1.0 else Poisson(share, rate)) * batches


def history_in(state_dict: object) -> list[Entry]:
    """Return the history of a state dict that our accountant or one of Opacus' own wrote.

    Opacus' own accountants do not record over how many batches a step summed its gradients. Each of their steps is read
    as one Poisson sample, which is what Opacus runs unless the user combined batches by hand.
    """
    if not isinstance(state_dict, Mapping) or not {"history", "mechanism"} <= state_dict.keys():
        raise InvalidParameter("state_dict", state_dict, "what an Opacus accountant's state_dict() returned")
    mechanism = state_dict["mechanism"]
    if mechanism not in (OURS, *THEIRS):
        hint = "What other accountants write down may mean other steps."
        raise InvalidParameter("mechanism", mechanism, f"one of {', '.join((OURS, *THEIRS))}", hint)
    return checked_history(state_dict["history"])


def _accumulated_batches(value: object) -> int:
    return whole_count(value, "batches", least=1)


def _plain_entry(value: object) -> object:
    """Return the number in a tensor or array of one."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
