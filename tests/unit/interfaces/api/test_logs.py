"""Logs of the service: one shape for all that is said, by whomever."""

import json
import subprocess
import sys

SAID = """
import logging, warnings
from tightbudget.interfaces.api.logs import logger, set_up_logs
set_up_logs("json")
warnings.warn("of Python")
logging.getLogger("asyncio").error("of a library")
logger.info("of ours", extra={"event": {"path": "/v1"}})
"""


def test_every_line_is_json_whoever_says_it() -> None:
    run = subprocess.run([sys.executable, "-c", SAID], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in run.stderr.splitlines()]
    assert [each["logger"] for each in found] == ["py.warnings", "asyncio", "tightbudget.service"]
    assert "of Python" in found[0]["message"]
    assert found[2]["path"] == "/v1"
