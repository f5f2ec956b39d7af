"""Settings of the service: flags of the command first, then the environment, then what suits a laptop."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from tightbudget.errors import InvalidParameter

PREFIX = "TIGHTBUDGET_"
MEGABYTE = 2**20
LOG_FORMATS = ("json", "text")
ANYONE, TOKENS = "anyone", "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the service is told; each setting is also read from TIGHTBUDGET_ and its name in capitals."""

    database: str = ""
    """URL of the ledger; empty for a SQLite file in the user's state folder."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    tls_cert: str = ""
    tls_key: str = ""
    behind_tls: bool = False
    """Whether a proxy in front speaks TLS: it is then believed where requests come from, and cookies need TLS."""
    plain_http: bool = False
    """Whether other machines may be served without TLS."""
    compute: str = ""
    """Who may compute: anyone, or holders of tokens; empty for anyone on loopback and else tokens."""
    processes: int = 2
    """Processes that compute, for each worker."""
    time_limit: float = 10.0
    """Seconds that a computation may take."""
    memory_limit: int = 2048
    """Megabytes of address space that a computation may take; NumPy and SciPy alone map some 300."""
    queue: int = 64
    """Computations that may wait or run at once, for each worker."""
    cache: int = 64
    """Megabytes of answers that are kept, for each worker."""
    body_limit: int = 262_144
    """Bytes that a request may have."""
    token_rate: int = 6000
    """Requests a minute for each token, counted by each worker."""
    anonymous_rate: int = 600
    """Requests a minute for each address without a token, counted by each worker."""
    session_hours: float = 12.0
    """Hours after which a browser has to log in again."""
    secret_file: str = ""
    """File of the key that signs cookies; made if it is not there. Hosts that share users need the same."""
    log_format: str = "json"
    reproduction: str = ""
    """Folder of `tightbudget reproduce` that /papers shows; empty for a quick one, made when it is first asked for."""

    def __post_init__(self) -> None:
        for name in ("workers", "processes", "memory_limit", "queue", "body_limit", "token_rate", "anonymous_rate"):
            if getattr(self, name) < 1:
                raise InvalidParameter(name, getattr(self, name), "a whole number from 1")
        for name in ("time_limit", "session_hours"):
            if not 0.0 < getattr(self, name) < 1e6:
                raise InvalidParameter(name, getattr(self, name), "a number above 0")
        if not 0 <= self.port < 2**16:
            raise InvalidParameter("port", self.port, "a whole number from 0 to 65535", "0 takes one that is free.")
        if self.cache < 0:
            raise InvalidParameter("cache", self.cache, "a whole number, 0 or more")
        if self.log_format not in LOG_FORMATS:
            raise InvalidParameter("log_format", self.log_format, " or ".join(LOG_FORMATS))
        if self.compute not in ("", ANYONE, TOKENS):
            raise InvalidParameter("compute", self.compute, f"{ANYONE} or {TOKENS}")
        if bool(self.tls_cert) != bool(self.tls_key):
            raise InvalidParameter("tls_key", self.tls_key, "given together with tls_cert")
        if not (self.on_loopback or self.tls_cert or self.behind_tls or self.plain_http):
            raise InvalidParameter(
                "host",
                self.host,
                "a loopback address unless TLS is used: tokens and budgets would cross the network in the clear",
                "Give --tls-cert and --tls-key, or --behind-tls if a proxy in front speaks TLS, or --plain-http to accept it.",
            )

    @classmethod
    def read(cls, environment: Mapping[str, str], **flags: Any) -> Self:
        """Return the settings: flags that are not None, else the environment, else defaults."""
        given: dict[str, Any] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            if flags.get(field.name) is not None:
                given[field.name] = flags[field.name]
            elif environment.get(name):
                given[field.name] = _converted_setting(name, environment[name], type(field.default))
        return cls(**given)

    def as_environment(self) -> dict[str, str]:
        """Return the variables that `read` makes the same settings of, for worker processes."""
        return {PREFIX + field.name.upper(): _setting_text(getattr(self, field.name)) for field in fields(self)}

    @property
    def on_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def over_tls(self) -> bool:
        """Whether browsers see TLS, from us or from the proxy in front."""
        return bool(self.tls_cert) or self.behind_tls

    @property
    def anyone_computes(self) -> bool:
        return self.compute == ANYONE or (self.compute == "" and self.on_loopback and not self.behind_tls)

    @property
    def ledger_url(self) -> str:
        """The address of the database, or the name of a SQLite file, as the ledger takes both."""
        return self.database or str(state_folder() / "ledger.db")

    @property
    def secret_path(self) -> Path:
        return Path(self.secret_file) if self.secret_file else state_folder() / "service.key"

    @property
    def reproduction_path(self) -> Path:
        return Path(self.reproduction) if self.reproduction else state_folder() / "reproduction"


def state_folder() -> Path:
    """Return where the service keeps its files unless it is told where."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "tightbudget"


def _converted_setting(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise InvalidParameter(name, text, "1 or 0")
    try:
        return kind(text)
    except ValueError:
        raise InvalidParameter(name, text, "a whole number" if kind is int else "a number") from None


def _setting_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
