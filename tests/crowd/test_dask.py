"""Crowds on Dask: the same bytes as on this machine, also when workers are killed; bad clusters are one sentence."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from freshtake.crowd import Group, Plan, crowd_make
from freshtake.errors import UsageError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # of the cluster's own threads


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler with three worker processes on loopback, which are not restarted."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as found:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", found.scheduler_address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        workers = [subprocess.Popen(command, **quiet) for _ in range(3)]  # type: ignore[call-overload]
        try:
            with distributed.Client(found) as client:
                client.wait_for_workers(3, timeout=300)
            yield found
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()


def plan_of(walk: Path, number: int) -> Plan:
    return Plan((Group(walk),), number, 0.4, shard_size=1)


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_of_three_workers_are_killed_and_the_result_is_the_same(walk: Path, cluster: Any, tmp_path: Path) -> None:
    plan, folder = plan_of(walk, 40), tmp_path / "dask"
    with distributed.Client(cluster) as client:
        processes = list(client.run(os.getpid).values())
    before: list[int] = []

    def kill() -> None:
        until = time.monotonic() + 300.0
        while len(list(folder.glob("records/*.json"))) < 2 and time.monotonic() < until:
            time.sleep(0.005)
        before.append(len(list(folder.glob("records/*.json"))))
        for process in processes[:2]:
            os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    made = crowd_make(plan, folder, engine="dask", scheduler=cluster.scheduler_address)
    killer.join()
    assert 2 <= before[0] < 40 and (made.made, made.missing) == (40, 0)
    crowd_make(plan, tmp_path / "here", workers=1)
    assert content(folder) == content(tmp_path / "here")


def test_workers_of_another_version_are_refused(walk: Path, cluster: Any, tmp_path: Path) -> None:
    def pretend(version: str) -> str:
        import freshtake

        before, freshtake.__version__ = freshtake.__version__, version
        return before

    with distributed.Client(cluster) as client:
        before = next(iter(client.run(pretend, "0.0.9").values()))
        with pytest.raises(UsageError, match=r"has freshtake 0\.0\.9, and this is .*: install the same version"):
            crowd_make(plan_of(walk, 1), tmp_path / "crowd", engine="dask", scheduler=cluster.scheduler_address)
        client.run(pretend, before)


def test_a_scheduler_that_does_not_answer_is_one_sentence(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from freshtake.crowd import engines as dask

    monkeypatch.setattr(dask, "PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:9", "nowhere"):
        with pytest.raises(UsageError, match=f"no Dask scheduler answers at {address}"):
            crowd_make(plan_of(walk, 1), tmp_path / "crowd", engine="dask", scheduler=address)
        assert not (tmp_path / "crowd").exists(), "nothing is begun"


def test_a_cluster_of_its_own_makes_the_same_bytes(walk: Path, tmp_path: Path) -> None:
    crowd_make(plan_of(walk, 4), tmp_path / "dask", engine="dask", workers=2)
    crowd_make(plan_of(walk, 4), tmp_path / "here", workers=1)
    assert content(tmp_path / "dask") == content(tmp_path / "here")


AFTERWARDS = """
import faulthandler, gc, sys
faulthandler.dump_traceback_later(120, exit=True)
import distributed, distributed.utils
from freshtake.crowd import engines as dask
from freshtake.errors import UsageError
gc.disable()
dask.PATIENCE = 0.5
for address in ("tcp://127.0.0.1:9", "nowhere"):
    try:
        dask.check_dask(address)
    except UsageError:
        pass
thread = distributed.utils._CollectErrorThread
distributed.utils._CollectErrorThread = lambda *a, **k: gc.collect() and None or thread(*a, **k)
with distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1"):
    print("started")
"""


def test_a_cluster_starts_after_a_scheduler_did_not_answer_whenever_garbage_is_collected() -> None:
    """Dask holds a lock while it starts, and a client that was never closed takes that lock when it is collected."""
    done = subprocess.run([sys.executable, "-c", AFTERWARDS], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "started\n", done.stderr


def test_a_scheduler_that_is_killed_is_one_sentence_and_the_same_command_continues(
    walk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import dask

    folder, quiet = tmp_path / "crowd", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    programs = {
        "dask_scheduler": ["--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"],
        "dask_worker": [address, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
    }
    started = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.{name}", *arguments], **quiet)  # type: ignore[call-overload]
        for name, arguments in programs.items()
    ]

    def kill() -> None:
        until = time.monotonic() + 300.0
        while not list(folder.glob("records/*.json")) and time.monotonic() < until:
            time.sleep(0.005)
        started[0].kill()

    killer = threading.Thread(target=kill)
    try:
        with distributed.Client(address, timeout=300) as client:
            client.wait_for_workers(1, timeout=300)
        killer.start()
        impatient = dask.config.set({"distributed.comm.timeouts.connect": "2s"})
        with impatient, pytest.raises(UsageError, match=r"disappeared .*: restart it; the same command continues"):
            crowd_make(plan_of(walk, 200), folder, engine="dask", scheduler=address)
        killer.join()
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert "Traceback" not in capfd.readouterr().err
    assert crowd_make(plan_of(walk, 200), folder, workers=1).missing == 0
