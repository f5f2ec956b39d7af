"""What the routes and pages of one worker share."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Engine
from starlette.concurrency import run_in_threadpool

from tightbudget.access.store import SqlTokenStore
from tightbudget.access.tokens import Token, TokenStore, token_of
from tightbudget.errors import LedgerError
from tightbudget.interfaces.api.audit import Audit
from tightbudget.interfaces.api.budgets import Budgets
from tightbudget.interfaces.api.cache import AnswerCache
from tightbudget.interfaces.api.compute import Compute
from tightbudget.interfaces.api.database import engine_of
from tightbudget.interfaces.api.limits import RateLimits
from tightbudget.interfaces.api.lookups import SharedLookups
from tightbudget.interfaces.api.pool import ComputePool
from tightbudget.interfaces.api.sessions import Sessions, signing_key
from tightbudget.interfaces.api.settings import MEGABYTE, Settings
from tightbudget.ledger import Ledger

EXPIRY_SECONDS = 60.0
LEDGER_PATIENCE = 10.0  # seconds that a request waits for others before its client is told to try again


@dataclass
class Service:
    """Settings, tokens, log-ins, limits and the processes that compute; `ready` once they have been warmed."""

    settings: Settings
    engine: Engine
    tokens: TokenStore
    sessions: Sessions
    rates: RateLimits
    pool: ComputePool
    compute: Compute
    budgets: Budgets
    audit: Audit
    ready: bool = False

    def __post_init__(self) -> None:
        self.lookups = SharedLookups(self.token_of)
        self.session_lookups = SharedLookups(self.active_token)

    @classmethod
    def started(cls, settings: Settings) -> "Service":
        engine = engine_of(settings.ledger_url)
        ledger = Ledger(settings.ledger_url, patience=LEDGER_PATIENCE)
        tokens = SqlTokenStore(engine)
        tokens.create_table()
        pool = ComputePool(settings.processes, settings.memory_limit * MEGABYTE, settings.queue, settings.log_format)
        return cls(
            settings=settings,
            engine=engine,
            tokens=tokens,
            sessions=Sessions(signing_key(settings.secret_path), settings.session_hours, settings.over_tls),
            rates=RateLimits(settings.token_rate, settings.anonymous_rate),
            pool=pool,
            compute=Compute(pool, AnswerCache(settings.cache * MEGABYTE), settings.time_limit),
            budgets=Budgets(ledger, pool, settings.time_limit),
            audit=Audit(ledger),
        )

    async def warm(self) -> None:
        await self.pool.warm()
        self.ready = True

    async def settle_expired(self) -> None:
        """Commit reservations whose time is over, now and then; they counted as spent before, so there is no hurry."""
        while True:
            await asyncio.sleep(EXPIRY_SECONDS)
            with suppress(LedgerError):
                await run_in_threadpool(self.budgets.ledger.expire)

    def stop(self) -> None:
        self.ready = False
        self.pool.stop()
        self.engine.dispose()
        self.budgets.ledger.close()

    def token_of(self, text: str) -> Token | None:
        """Return the active token of this text, if there is one."""
        return token_of(text, self.tokens, time.time())

    def active_token(self, token_id: str) -> Token | None:
        """Return the token with this id, if it is active."""
        token = self.tokens.find(token_id)
        return token if token is not None and token.is_active(time.time()) else None
