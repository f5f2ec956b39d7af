"""Tokens: 256 random bits that are shown once; what is stored is their SHA-256.

A hash that is slow on purpose protects passwords, which people choose; nobody guesses 256 random bits.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Protocol

from tightbudget.access.roles import Role
from tightbudget.errors import InvalidParameter

PREFIX = "tb"
LONGEST_NAME = 100
_FORM = re.compile(rf"{PREFIX}_([0-9a-f]{{16}})_([A-Za-z0-9_-]{{43}})")


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token: not the secret, only its hash. Times are seconds since 1970."""

    id: str
    name: str
    role: Role
    digest: str
    created: int
    expires: int | None = None
    revoked: int | None = None

    def is_active(self, now: float) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)

    def is_of(self, secret: str) -> bool:
        """Return whether this is the token of the secret; takes as long for a wrong one as for the right one."""
        return hmac.compare_digest(self.digest, _token_digest(secret))


class TokenStore(Protocol):
    """Where tokens are kept."""

    def add(self, token: Token) -> None: ...

    def find(self, token_id: str) -> Token | None: ...

    def listed(self, limit: int, after: str = "") -> list[Token]:
        """Return tokens in the order of their ids, from the one behind `after`."""
        ...

    def revoke(self, token_id: str, now: int) -> bool:
        """Revoke a token for good; return whether there is such a token."""
        ...

    def has_owner(self, now: int) -> bool:
        """Return whether there is an active token of an owner."""
        ...


def new_token(name: str, role: Role, now: float, expires: int | None = None) -> tuple[Token, str]:
    """Return a token and the text of it, which is shown once and stored nowhere."""
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()):
        raise InvalidParameter("name", name, f"a name of 1 to {LONGEST_NAME} printable characters")
    if expires is not None and not now < expires < 2**53:
        raise InvalidParameter("expires", expires, "a time to come, in seconds since 1970")
    secret = secrets.token_urlsafe(32)
    token = Token(secrets.token_hex(8), name, role, _token_digest(secret), int(now), expires)
    return token, f"{PREFIX}_{token.id}_{secret}"


def taken_apart(text: str) -> tuple[str, str] | None:
    """Return the id and the secret in the text of a token; None if it is none."""
    found = _FORM.fullmatch(text)
    return (found[1], found[2]) if found else None


def token_of(text: str, store: TokenStore, now: float) -> Token | None:
    """Return the active token of this text, if there is one."""
    parts = taken_apart(text)
    token = store.find(parts[0]) if parts else None
    if parts is None or token is None or not token.is_of(parts[1]) or not token.is_active(now):
        return None
    return token


def _token_digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
