"""Heads of requests, that is their first lines and headers: limited in length and time, since Uvicorn limits neither.

A head that never ends would be kept, and copied again whenever more of it comes: one connection would fill the memory
and slow everyone else down. Bodies are limited in `boundary.py`.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tightbudget.interfaces.api.problems import of_status

LONGEST_HEAD = 65_536
HEAD_SECONDS = 20.0
"""For a head to arrive, from the connection or from its own first byte on."""


class LimitedHeads(HttpToolsProtocol):
    """A connection of Uvicorn whose heads are limited."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._received = 0
        """Bytes that came since the head began, but for those that came together with its first one."""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if self._in_head and self._received > LONGEST_HEAD:
            self._refuse(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begin_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def _begin_head(self) -> None:
        self._end_head()
        self._in_head, self._received = True, 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, 408)

    def _end_head(self) -> None:
        self._in_head = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int) -> None:
        """Say why, unless the answer to an earlier request is being sent, and hang up."""
        self._end_head()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            body = of_status(status).body
            said = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
            self.transport.write(STATUS_LINE[status] + said.encode() + body)
        self.transport.close()
