"""Workers on this machine: plain Python processes that are given a batch at a time.

They import nothing but this package, so a script needs no `if __name__ == "__main__"` and a notebook will do. Each is
watched by a thread of ours, so it is known which batch a worker held when it died; that batch goes to a new worker.
"""

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from typing import IO

from tightbudget.sweeps.answers import PointAnswer, answer_batch
from tightbudget.sweeps.batches import Batch

ATTEMPTS = 3  # workers that a batch may outlive; the next run tries again
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}  # the workers are the parallelism
Outcome = tuple[Batch, list[PointAnswer] | str]
"""A batch with its answers, or with the sentence that says why there are none."""
Outcomes = Generator[Outcome, None, None]


def usable_cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def answered_here(batches: Iterator[Batch]) -> Outcomes:
    """Yield batches with their answers, computed in this process."""
    for batch in batches:
        yield batch, answer_batch(batch)


def answered_by_workers(batches: Iterator[Batch], workers: int) -> Outcomes:
    """Yield batches with their answers, in the order in which workers finish; closing it ends the workers."""
    with contextlib.closing(_WorkerPool(workers)) as pool:
        waiting = 0
        for batch in batches:
            pool.give(batch)
            waiting += 1
            if waiting >= 2 * workers:  # one in hand and one at hand for each; no more of the plan is laid out
                yield pool.outcome()
                waiting -= 1
        for _ in range(waiting):
            yield pool.outcome()


class _WorkerPool:
    def __init__(self, workers: int) -> None:
        self._inbox: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._outbox: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        self._workers = [_PoolWorker() for _ in range(workers)]
        self._threads = [threading.Thread(target=self._serve, args=(worker,), daemon=True) for worker in self._workers]
        for thread in self._threads:
            thread.start()

    def give(self, batch: Batch) -> None:
        self._inbox.put(batch)

    def outcome(self) -> Outcome:
        found = self._outbox.get()
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        for _ in self._threads:
            self._inbox.put(None)
        for worker in self._workers:
            worker.stop()
        for thread in self._threads:
            thread.join()

    def _serve(self, worker: "_PoolWorker") -> None:
        while (batch := self._inbox.get()) is not None:
            try:
                self._outbox.put((batch, worker.answers(batch)))
            except _PoolStopped:
                return
            except BaseException as problem:  # no worker could be started at all: carried to whoever waits
                self._outbox.put(problem)


class _PoolStopped(Exception):
    """Nobody waits for answers any more."""


class _WorkerDied(Exception):
    """A worker ended before it had answered."""


class _PoolWorker:
    """A process, started when there is work for it, and again when it has died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # between the thread that starts a process and the one that stops it
        self._stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def answers(self, batch: Batch) -> list[PointAnswer] | str:
        for _ in range(ATTEMPTS):
            try:
                return self._asked(batch)
            except _WorkerDied as problem:
                said = str(problem)
        return f"{ATTEMPTS} workers ended before they had answered this batch{said}; run it again, with a smaller `batch`."

    def _asked(self, batch: Batch) -> list[PointAnswer]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(batch, process.stdin)
            process.stdin.flush()
            answers: list[PointAnswer] = pickle.load(process.stdout)
            return answers
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise _WorkerDied(self._last_words()) from None

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise _PoolStopped
            if self._process is None:
                program = f"import sys; sys.path[:] = {sys.path!r}; from {__package__}.worker import main; main()"
                self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
                self._process = subprocess.Popen(
                    [sys.executable, "-c", program],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    env={**os.environ, **ONE_THREAD},
                )
            return self._process

    def _last_words(self) -> str:
        """Return how the process ended, once it has, and forget it."""
        with self._lock:
            process, errors, self._process, self._errors = self._process, self._errors, None, None
        if process is None or errors is None:
            raise _PoolStopped
        _end_worker_process(process)
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        errors.close()
        return f" ({lines[-1]})" if lines else f" (exit code {process.returncode})"

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            process, errors, self._process, self._errors = self._process, self._errors, None, None
        if process is not None and errors is not None:
            _end_worker_process(process)
            errors.close()


def _end_worker_process(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not yet sent is not wanted any more
                pipe.close()
