"""A step as a loop tells it: an object, notation, or the numbers of DP-SGD."""

from functools import lru_cache

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable, Gaussian, Poisson
from tightbudget.notation import parse
from tightbudget.training.counts import Counted
from tightbudget.training.safe_numbers import noise_below, rate_above

_STEP = "a mechanism, a composition or its notation"


def step_told(step: object, noise_multiplier: object, sample_rate: object, mix_relations: bool) -> Counted:
    """Return the mechanisms of a step; exactly one of the step and its noise multiplier is given."""
    if step is None:
        return _sampled_step_told(noise_multiplier, sample_rate)
    if noise_multiplier is not None or sample_rate is not None:
        raise InvalidParameter("step", step, "left out where noise_multiplier is given", "Give one of the two.")
    if isinstance(step, str):
        return _from_text(step, mix_relations)
    if not isinstance(step, Composable):
        hint = "For example tb.Poisson(tb.Gaussian(1.1), q=0.01) or 'gaussian(sigma=2) * 10'."
        raise InvalidParameter("step", step, _STEP, hint)
    return step._parts


def _sampled_step_told(noise_multiplier: object, sample_rate: object) -> Counted:
    """Return one step of DP-SGD: normal noise on a Poisson sample, or on all of the data at a rate of 1."""
    if noise_multiplier is None:
        given = None if sample_rate is None else f"sample_rate={sample_rate!r}"
        raise InvalidParameter("step", given, _STEP, "For DP-SGD give noise_multiplier and sample_rate.")
    if sample_rate is None:  # not to be guessed: all of the data would be a hundred times as dear as a hundredth
        hint = "It is the share of the data in a batch, such as 256/60000; 1 is all of it."
        raise InvalidParameter("sample_rate", None, "given with noise_multiplier", hint)
    if type(noise_multiplier) is float and type(sample_rate) is float:
        return _sampled_again(noise_multiplier, sample_rate)
    return _made_step_told(noise_multiplier, sample_rate)


def _made_step_told(noise_multiplier: object, sample_rate: object) -> Counted:
    noise = Gaussian(noise_below("noise_multiplier", noise_multiplier))
    rate = rate_above("sample_rate", sample_rate)
    return ((noise if rate == 1.0 else Poisson(noise, rate), 1),)


_sampled_again = lru_cache(maxsize=64)(_made_step_told)
"""Loops ask for the same step again and again; to make and check it takes twenty times as long as to count it."""


def _from_text(text: str, mix_relations: bool) -> Counted:
    if "'" in text or '"' in text:  # it names a file, which may have changed
        return parse(text, mix_relations)._parts
    return _from_text_again(text, mix_relations)


@lru_cache(maxsize=64)
def _from_text_again(text: str, mix_relations: bool) -> Counted:
    return parse(text, mix_relations)._parts
