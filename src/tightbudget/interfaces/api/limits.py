"""How often each client may ask: by token, and by address where there is none. Each worker counts for itself."""

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from tightbudget.interfaces.api.problems import Problem, of_status


class RateLimits:
    """Counts requests a minute."""

    def __init__(self, token_rate: int, anonymous_rate: int) -> None:
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self._token_rate, self._anonymous_rate = RateLimitItemPerMinute(token_rate), RateLimitItemPerMinute(anonymous_rate)

    def count(self, client: str, anonymous: bool) -> None:
        """Count a request; raise the problem that there were too many."""
        rate = self._anonymous_rate if anonymous else self._token_rate
        if not self._limiter.hit(rate, client):
            raise self._too_many(rate, client)

    def _too_many(self, rate: RateLimitItemPerMinute, client: str) -> Problem:
        seconds = max(1, math.ceil(self._limiter.get_window_stats(rate, client).reset_time - time.time()))
        sentence = f"More than {rate.amount} requests in a minute; try again in {seconds} seconds."
        return of_status(429, sentence, {"Retry-After": str(seconds)})
