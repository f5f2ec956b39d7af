"""Logs: one JSON object a line, or text. Tokens, cookies, bodies and query strings are never written."""

import json
import logging
import sys
import time
from typing import Any

logger = logging.getLogger("tightbudget.service")


def route_of(scope: Any) -> str:
    """Return the route as it was declared, without the names in its path; other addresses are not told apart."""
    route = scope.get("route")
    return getattr(route, "path", None) or "unknown"


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON, with the fields of its event."""

    def format(self, record: logging.LogRecord) -> str:
        shape: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "event", {}),
        }
        if record.exc_info:
            shape["traceback"] = self.formatException(record.exc_info)
        return json.dumps(shape, default=str)


class TextLines(logging.Formatter):
    """Formats a record for people."""

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "event", {}).items() if value is not None)
        line = f"{time.strftime('%H:%M:%S', time.localtime(record.created))} {record.getMessage()} {fields}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def set_up_logs(log_format: str) -> None:
    """Send what the service and Uvicorn say to standard error; requests are logged here, not by Uvicorn.

    Warnings of Python and of libraries go the same way: whoever reads lines of JSON finds nothing else.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    for name in ("tightbudget.service", "uvicorn"):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(logging.INFO)
    logging.captureWarnings(True)
    logging.getLogger().handlers = [handler]
    for name in ("uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
    logging.getLogger("uvicorn.access").propagate = False
