"""Requests to the service: tried again with the same key while that may help."""

import http.client
import json
import random
import re
import ssl
import threading
import time
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from tightbudget.errors import InvalidParameter, LedgerUnavailable
from tightbudget.interfaces.client.records import error_of

PATIENCE = 30.0
_SHORTEST, _LONGEST = 0.05, 2.0  # seconds between two tries
_PASSING = (429, 502, 503, 504)


class Connection:
    """One connection for each thread, opened when it is needed."""

    def __init__(self, url: str, token: str, patience: float = PATIENCE, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidParameter("url", url, "the address of a service, such as http://127.0.0.1:8000")
        self._parts, self._token, self._patience = parts, _checked_token(token), patience
        self._context = context or (ssl.create_default_context() if parts.scheme == "https" else None)
        self._local = threading.local()

    def get(self, path: list[str], **asked: Any) -> Any:
        given = {name: value for name, value in asked.items() if value is not None}
        return self._answered("GET", f"{_request_path(path)}?{urlencode(given)}" if given else _request_path(path), None)

    def post(self, path: list[str], body: dict[str, Any]) -> Any:
        """Send a request. Whatever it asks for, asking twice must do no more than asking once: charges have keys."""
        return self._answered("POST", _request_path(path), json.dumps(body).encode(), "key" in body)

    def _answered(self, method: str, path: str, body: bytes | None, has_key: bool = False) -> Any:
        until, pause = time.monotonic() + self._patience, _SHORTEST
        while True:
            try:
                status, wait, shape = self._once(method, path, body)
                if status < 400:
                    return shape
                problem: Exception = error_of(status, shape)
                if status not in _PASSING:
                    raise problem
            except (OSError, http.client.HTTPException) as failure:
                self._close()
                problem, wait = failure, 0.0
            left = until - time.monotonic()
            pause = min(2.0 * pause, _LONGEST)
            delay = max(wait, pause * random.uniform(0.5, 1.0))
            if delay >= left:
                if isinstance(problem, OSError | http.client.HTTPException):
                    raise self._unreachable(problem, has_key) from problem
                raise problem
            time.sleep(delay)

    def _unreachable(self, problem: Exception, has_key: bool) -> LedgerUnavailable:
        same = " with the same key: if it was spent after all, the same receipt comes back" if has_key else ""
        where = f"{self._parts.scheme}://{self._parts.netloc.rpartition('@')[2]}"  # without a password
        return LedgerUnavailable(
            f"The service at {where} cannot be reached ({type(problem).__name__}).", f"See that it runs, and try again{same}."
        )

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, float, Any]:
        connection = self._open()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        try:
            shape = json.loads(text) if text else None
        except ValueError:
            shape = None
        wait = answer.headers.get("Retry-After", "")
        return answer.status, float(wait) if wait.isdigit() else 0.0, shape

    def _open(self) -> http.client.HTTPConnection:
        found: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if found is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                found = http.client.HTTPSConnection(host, port, timeout=self._patience, context=self._context)
            else:
                found = http.client.HTTPConnection(host, port, timeout=self._patience)
            self._local.connection = found
        return found

    def _close(self) -> None:
        found = getattr(self._local, "connection", None)
        if found is not None:
            found.close()
            self._local.connection = None

    def close(self) -> None:
        """Close the connection of this thread."""
        self._close()


def _checked_token(token: str) -> str:
    """Return the token without the end of line that files add; no error shows it, since logs keep errors."""
    plain = token.strip()
    if not re.fullmatch(r"[!-~]*", plain):
        shown = f"a text of {len(plain)} characters"
        raise InvalidParameter("token", shown, "printable ASCII without spaces, as the service showed it when it was made")
    return plain


def _request_path(path: list[str]) -> str:
    return "/v1/" + "/".join(quote(part, safe="") for part in path)
