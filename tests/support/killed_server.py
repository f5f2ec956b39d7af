"""A PostgreSQL server of a test's own, which it may kill."""

import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
from sqlalchemy import URL, create_engine
from sqlalchemy.exc import DBAPIError
from tests.support.postgresql import address, started, stop


class OwnServer:
    """A server of the test's own, which it may kill."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._server = started(home)

    @property
    def url(self) -> URL:
        return address(self._server)

    def processes(self) -> list[psutil.Process]:
        """Return the first process of the server and its children."""
        try:
            first = psutil.Process(self._server.get_pid())
            return [first, *first.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def kill_all(self) -> None:
        """Kill the whole server, as a crash of the machine would."""
        killed = self.processes()
        for process in killed:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(killed, timeout=30)

    def kill_a_backend(self, database: str) -> bool:
        """Kill a process that serves a client of the database; the server then cuts all connections and recovers."""
        for process in self.processes()[1:]:
            with suppress(psutil.NoSuchProcess):
                if database in " ".join(process.cmdline()):
                    process.kill()
                    return True
        return False

    def start_again(self) -> None:
        """Start the server after a crash and wait until it answers."""
        with self._server._lock:
            self._server.ensure_postgres_running()
        self.wait()

    def start_rejecting(self) -> threading.Thread:
        """Start the server after a crash so that it rejects connections until it is let go; return who waits for that.

        It is a standby that nobody can read, which takes `hot_standby = off`.
        """
        (self._home / "standby.signal").touch()
        waiting = threading.Thread(target=self.start_again, daemon=True)
        waiting.start()
        until = time.monotonic() + 60
        while not self.rejects():
            assert time.monotonic() < until
            time.sleep(0.02)
        return waiting

    def rejects(self) -> bool:
        """Return whether the server is there and takes no connections."""
        found = psycopg.pq.PGconn.ping(self.url.set(drivername="postgresql").render_as_string(hide_password=False).encode())
        return found == psycopg.pq.Ping.REJECT

    def let_go(self) -> None:
        """Let a server that rejects connections take them."""
        (self._home / "promote").touch()
        first = int((self._home / "postmaster.pid").read_text().split()[0])
        psutil.Process(first).send_signal(signal.SIGUSR1)

    def wait(self) -> None:
        engine = create_engine(self.url)
        until = time.monotonic() + 60
        while True:
            try:
                with engine.connect():
                    break
            except DBAPIError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
        engine.dispose()

    def stop(self) -> None:
        stop(self._home)
