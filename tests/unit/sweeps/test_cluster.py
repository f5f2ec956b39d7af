"""The same sweep on a real Dask cluster of two processes: the same answers, and nothing lost when one is killed."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tightbudget as tb
from tightbudget.sweeps import cluster
from tightbudget.sweeps.run import sweep

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dask")]

PLAN: dict[str, Any] = {
    "composition": "poisson(gaussian(sigma={sigma}), q={q}) * {steps}",
    "grid": {"sigma": {"from": 1, "to": 2, "points": 50}, "q": [0.01, 0.02], "steps": [1000]},
    "questions": [{"ask": "epsilon", "delta": 1e-6}],
    "batch": 4,
}
SMALL = {**PLAN, "grid": {**PLAN["grid"], "sigma": [1.0, -1.0]}}


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        silence_logs="CRITICAL",
    ) as found:
        yield found


def rows(result: Any) -> list[tuple[Any, ...]]:
    """Return everything but the seconds, bit for bit."""
    columns = [name for name in result if name != "seconds"]
    return list(zip(*(map(repr, result[name].tolist()) for name in columns), strict=True))


def replaced(client: Any, killed: int) -> bool:
    """Whether Dask puts another worker in the place of a killed one, whom it misses only after a while."""
    for _ in range(60):
        there = client.run(os.getpid, on_error="ignore").values()
        if killed not in there and len(there) == 2:
            return True
        time.sleep(0.5)
    return False


def test_a_cluster_gives_the_same_answers_and_a_killed_worker_loses_none(dask: Any, tmp_path: Path) -> None:
    from distributed import Client

    killed: list[int] = []
    with Client(dask.scheduler_address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=30)
        first, _ = client.run(os.getpid).values()

        def kill_one(done: int, reused: int, total: int) -> None:
            if done and not killed:
                killed.append(first)
                os.kill(first, signal.SIGKILL)

        result = sweep(PLAN, dask.scheduler_address, out=tmp_path / "r", watch=kill_one)
        assert replaced(client, first)
    assert killed
    assert len(list((tmp_path / "r").glob("part-*.parquet"))) == 25
    assert (result.tally.answers, result.tally.failed) == (100, 0)
    assert result["point"].tolist() == list(range(100))
    assert rows(result) == rows(sweep(PLAN, workers=1))


def test_a_client_is_taken_as_it_is_and_stays_open(dask: Any) -> None:
    from distributed import Client

    with Client(dask.scheduler_address, set_as_default=False) as client:
        result = sweep(SMALL, client)
        assert client.status == "running"
    assert rows(result) == rows(sweep(SMALL, workers=1))
    assert result.tally.failed == 2


def test_an_interrupted_sweep_goes_on_elsewhere(dask: Any, tmp_path: Path) -> None:
    """What was begun on a cluster may be finished without one."""

    def interrupt(done: int, reused: int, total: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(PLAN, dask.scheduler_address, out=tmp_path / "r", watch=interrupt)
    resumed = sweep(PLAN, workers=1, out=tmp_path / "r")
    assert 20 <= resumed.tally.reused < 100
    assert rows(resumed) == rows(sweep(PLAN, workers=1))


def test_other_versions_are_refused_and_named(dask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cluster, "__version__", "9.9.9")
    with pytest.raises(tb.InvalidParameter, match=rf"its worker has tightbudget {tb.__version__} and this process 9\.9\.9"):
        sweep(SMALL, dask.scheduler_address, out=tmp_path / "r")
    monkeypatch.undo()
    monkeypatch.setattr(cluster.platform, "python_version_tuple", lambda: ("3", "99", "0"))
    with pytest.raises(tb.InvalidParameter, match=r"its scheduler has Python 3\.\d+ and this process 3\.99"):
        sweep(SMALL, dask.scheduler_address, out=tmp_path / "r")
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_is_not_there_is_said_so_in_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:9", "tcp://", "nonsense://127.0.0.1:9", "tcp://127.0.0.1:99999999"):
        with pytest.raises(tb.InvalidParameter, match=r"running Dask scheduler; none answered in 0\.3 s"):
            sweep(SMALL, address, out=tmp_path / "r")
    for address in ("127.0.0.1:8786", 8786, ""):
        with pytest.raises(tb.InvalidParameter, match=r"an address such as tcp://"):
            sweep(SMALL, address, out=tmp_path / "r")
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_goes_away_is_said_so_and_what_is_finished_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 2.0)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 5.0)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=50
    ) as leaving:

        def leave(done: int, reused: int, total: int) -> None:
            if done:
                leaving.close()

        with pytest.raises(tb.TightBudgetError, match="what is finished stays"):
            sweep(PLAN, leaving.scheduler_address, out=tmp_path / "r", watch=leave)
    resumed = sweep(PLAN, workers=1, out=tmp_path / "r")
    assert 4 <= resumed.tally.reused < 100
    assert resumed.converged


def test_a_cluster_without_workers_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2.0)
    with distributed.LocalCluster(
        n_workers=0, dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs="CRITICAL"
    ) as empty:
        with pytest.raises(tb.InvalidParameter, match="with workers; it has none"):
            sweep(SMALL, empty.scheduler_address)
        monkeypatch.setattr(cluster, "_check_workers", lambda client, address: None)  # they were there, but left
        monkeypatch.setattr(cluster, "ALONE_SECONDS", 0.5)
        monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
        with pytest.raises(tb.TightBudgetError, match="what is finished stays"):
            sweep(SMALL, empty.scheduler_address)
