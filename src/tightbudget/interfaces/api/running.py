"""The service run by Uvicorn, in one worker or several."""

import os
import socket
import ssl
import tempfile
import time
from contextlib import ExitStack

import uvicorn
from uvicorn.supervisors import Multiprocess

from tightbudget.access.roles import Role
from tightbudget.access.store import SqlTokenStore
from tightbudget.access.tokens import new_token
from tightbudget.errors import InvalidParameter, TightBudgetError
from tightbudget.interfaces.api.database import engine_of, make_safe
from tightbudget.interfaces.api.heads import LimitedHeads
from tightbudget.interfaces.api.logs import set_up_logs
from tightbudget.interfaces.api.metrics import SHARED
from tightbudget.interfaces.api.sessions import signing_key
from tightbudget.interfaces.api.settings import Settings
from tightbudget.ledger import Ledger
from tightbudget.ledger.storage.addresses import checked_url

APPLICATION = "tightbudget.interfaces.api.app:from_environment"
GRACE_SECONDS = 30  # for requests under way when the service is told to end


def prepared(settings: Settings) -> str:
    """Make the tables and the key; return the token of a first owner, or nothing if there is an owner.

    What would stop the service from starting is told before a token is made, which is shown only once.
    """
    _check_certificate(settings)
    signing_key(settings.secret_path)
    checked_url(settings.ledger_url, "database")  # before a file of a wrong name is made
    engine = engine_of(settings.ledger_url)
    try:
        Ledger(settings.ledger_url).close()
        store = SqlTokenStore(engine)
        store.create_table()
        now = time.time()
        if store.has_owner(int(now)):
            return ""
        token, text = new_token("first owner", Role.OWNER, now)
        store.add(token)
        return text
    finally:
        engine.dispose()


def ledger_shown(settings: Settings) -> str:
    """Return where the ledger lies, without a password."""
    return make_safe(settings.ledger_url) if "://" in settings.ledger_url else settings.ledger_url


def _check_certificate(settings: Settings) -> None:
    if not settings.tls_cert:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ssl.SSLError) as problem:
        allowed = f"a certificate that can be read, and --tls-key its key ({problem.strerror or problem})"
        raise InvalidParameter("tls_cert", settings.tls_cert, allowed) from None


def bound(settings: Settings) -> socket.socket:
    """Return the socket that is listened on, so that the address is known before anyone is told it."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as problem:
        raise TightBudgetError(f"Cannot listen on {settings.host} port {settings.port}: {problem.strerror}.") from None


def run(settings: Settings, listening: socket.socket) -> None:
    """Serve until told to end; requests under way are answered."""
    with ExitStack() as stack:
        if settings.workers > 1 and not os.environ.get(SHARED):
            os.environ[SHARED] = stack.enter_context(tempfile.TemporaryDirectory(prefix="tightbudget-metrics-"))
        os.environ.update(settings.as_environment())
        set_up_logs(settings.log_format)
        config = uvicorn.Config(
            APPLICATION,
            factory=True,
            http=LimitedHeads,
            workers=settings.workers,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=settings.behind_tls,
            ssl_certfile=settings.tls_cert or None,
            ssl_keyfile=settings.tls_key or None,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        if settings.workers == 1:
            server = uvicorn.Server(config)
            server.run(sockets=[listening])
            if not server.started and server.lifespan.should_exit:  # it was not told to end, it failed
                raise TightBudgetError("The service could not start; its log says why.")
        else:
            Multiprocess(config, sockets=[listening]).run()
