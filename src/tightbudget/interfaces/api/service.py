"""What the routes and pages of one worker share."""

import time
from dataclasses import dataclass, field

from sqlalchemy import Engine

from tightbudget.access.store import SqlTokenStore
from tightbudget.access.tokens import Token, TokenStore, token_of
from tightbudget.interfaces.api.audit import Audit
from tightbudget.interfaces.api.cache import AnswerCache
from tightbudget.interfaces.api.compute import Compute
from tightbudget.interfaces.api.database import engine_of
from tightbudget.interfaces.api.limits import RateLimits
from tightbudget.interfaces.api.pool import ComputePool
from tightbudget.interfaces.api.sessions import Sessions, signing_key
from tightbudget.interfaces.api.settings import MEGABYTE, Settings


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
    audit: Audit = field(default_factory=Audit)
    ready: bool = False

    @classmethod
    def started(cls, settings: Settings) -> "Service":
        engine = engine_of(settings.database_url)
        tokens = SqlTokenStore(engine)
        tokens.create_table()
        pool = ComputePool(settings.processes, settings.memory_limit * MEGABYTE, settings.queue)
        return cls(
            settings=settings,
            engine=engine,
            tokens=tokens,
            sessions=Sessions(signing_key(settings.secret_path), settings.session_hours, settings.over_tls),
            rates=RateLimits(settings.token_rate, settings.anonymous_rate),
            pool=pool,
            compute=Compute(pool, AnswerCache(settings.cache * MEGABYTE), settings.time_limit),
        )

    async def warm(self) -> None:
        await self.pool.warm()
        self.ready = True

    def stop(self) -> None:
        self.ready = False
        self.pool.stop()
        self.engine.dispose()

    def token_of(self, text: str) -> Token | None:
        """Return the active token of this text, if there is one."""
        return token_of(text, self.tokens, time.time())

    def active_token(self, token_id: str) -> Token | None:
        """Return the token with this id, if it is active."""
        token = self.tokens.find(token_id)
        return token if token is not None and token.is_active(time.time()) else None
