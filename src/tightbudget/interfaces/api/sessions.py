"""Browsers that are logged in: a signed cookie that names a token, and a word that other sites cannot know."""

import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response

CSRF_HEADER, CSRF_FIELD = "X-CSRF-Token", "csrf_token"


@dataclass(frozen=True, slots=True)
class Session:
    """A browser's log-in: the token it was made of is looked up anew for each request, so that it can be revoked."""

    token_id: str
    csrf: str


class Sessions:
    """Makes and reads the cookie. It is signed, not encrypted: it holds the id of a token, never its secret."""

    def __init__(self, key: bytes, hours: float, over_tls: bool) -> None:
        self._signer = URLSafeTimedSerializer(key, salt="tightbudget session")
        self._seconds = round(3600 * hours)
        self._over_tls = over_tls
        # The prefix makes browsers refuse the cookie from anything but this host over TLS.
        self.cookie = "__Host-tightbudget" if over_tls else "tightbudget"

    def read(self, request: Request) -> Session | None:
        """Return the session that the request's cookie tells of; None if there is none, or it is forged or too old."""
        text = request.cookies.get(self.cookie, "")
        try:
            token_id, csrf = self._signer.loads(text, max_age=self._seconds)
        except (BadSignature, ValueError, TypeError):
            return None
        return Session(token_id, csrf)

    def begin(self, response: Response, token_id: str) -> None:
        text = self._signer.dumps([token_id, secrets.token_urlsafe(16)])
        assert isinstance(text, str)
        response.set_cookie(
            self.cookie, text, max_age=self._seconds, path="/", secure=self._over_tls, httponly=True, samesite="strict"
        )

    def end(self, response: Response) -> None:
        response.delete_cookie(self.cookie, path="/", secure=self._over_tls, httponly=True, samesite="strict")


def is_same_origin(request: Request) -> bool:
    """Return whether no page of another site sent the request, as browsers tell; other clients send neither header."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host", "")


async def csrf_is_right(request: Request, session: Session) -> bool:
    """Return whether the request has the session's word, in its header or in the form that it sends."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        field = (await request.form()).get(CSRF_FIELD)
        given = field if isinstance(field, str) else None
    return given is not None and hmac.compare_digest(given.encode(), session.csrf.encode())


def signing_key(path: Path) -> bytes:
    """Return the key in the file, made of 256 random bits if there is no such file; nobody else may read it."""
    try:
        return _read_key(path)
    except FileNotFoundError:
        pass
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.touch(mode=0o600)
    unfinished.write_text(secrets.token_hex(32), encoding="ascii")
    try:
        os.link(unfinished, path)  # fails if another process was first: its key counts
    except FileExistsError:
        pass
    finally:
        unfinished.unlink()
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    key = path.read_bytes().strip()
    if len(key) < 32:
        raise ValueError(f"{path} holds no key: it must have at least 32 characters. Remove it to have a new one made.")
    return key
