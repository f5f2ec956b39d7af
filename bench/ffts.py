"""The Fourier transforms an answer asks for: recorded while it is computed, then timed bare on random arrays."""

import time
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import scipy.fft

NAMES = ("rfft", "irfft", "fft", "ifft", "rfftn", "irfftn", "fftn", "ifftn", "rfft2", "irfft2")
KEPT = ("n", "s", "axis", "axes", "norm")  # arguments that change the work done
Signature = tuple[str, str, tuple[int, ...], str, tuple, tuple]


class Recorder:
    """Wraps the public transforms of scipy.fft and numpy.fft; each call leaves its kind, shape and arguments."""

    def __init__(self) -> None:
        self.calls: list[Signature] = []
        self._originals: dict[tuple[str, str], Callable[..., Any]] = {}

    def install(self) -> None:
        for module in (scipy.fft, np.fft):
            for name in NAMES:
                original = getattr(module, name)
                self._originals[module.__name__, name] = original
                setattr(module, name, self._recording(module.__name__, name, original))

    def _recording(self, module: str, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def transform(x: Any, *args: Any, **kwargs: Any) -> Any:
            x = np.asarray(x)
            plain = tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in kwargs.items() if k in KEPT))
            self.calls.append((module, name, x.shape, x.dtype.str, args, plain))
            return original(x, *args, **kwargs)

        return transform

    def bare_seconds(self) -> float:
        """Best time of each distinct transform, times how often it was asked for."""
        return sum(count * self._best(signature) for signature, count in Counter(self.calls).items())

    def _best(self, signature: Signature) -> float:
        module, name, shape, dtype, args, kwargs = signature
        x = np.random.default_rng(0).random(shape).astype(dtype)
        transform, times = self._originals[module, name], []
        for _ in range(5):
            start = time.perf_counter()
            transform(x, *args, **dict(kwargs))
            times.append(time.perf_counter() - start)
        return min(times)
