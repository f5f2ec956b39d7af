"""Stop a PostgreSQL server whose test processes were killed before they could: python last_one_out.py FOLDER

Its standard input is held open by the process that started the server, however that ends.
"""

import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def main(home: Path, starter: int) -> None:
    sys.stdin.buffer.read()
    with suppress(FileNotFoundError, ValueError, IndexError, ProcessLookupError):
        users = json.loads((home / ".handle_pids.json").read_text())
        if any(pid != starter and is_running(pid) for pid in users):
            return  # another process of the same run has a watcher of its own
        server = int((home / "postmaster.pid").read_text().splitlines()[0])
        os.kill(server, signal.SIGINT)
        until = time.monotonic() + 30
        while is_running(server) and time.monotonic() < until:
            time.sleep(0.1)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
