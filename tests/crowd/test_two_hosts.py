"""Crowds on two hosts: network namespaces with separate addresses and one shared folder; a host's worker dies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("distributed")
NUMBER = int(os.environ.get("FRESHTAKE_TWO_HOSTS", "24"))  # characters; 1000 for the figure in docs/scaling.md
FIRST, SECOND = "10.213.7.1", "10.213.7.2"
PORT = 18786


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[tuple[list[str], list[str]]]:
    """Two hosts on a cable: the words before a command that run it on the first and on the second."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the program ip")
    names = [f"freshtake-{os.getpid()}-{k}" for k in (1, 2)]
    with ExitStack() as stack:
        try:
            for name in names:
                ip("netns", "add", name)
                stack.callback(ip, "netns", "del", name)
            ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])
            for name, address in zip(names, (FIRST, SECOND), strict=True):
                ip("-n", name, "addr", "add", f"{address}/24", "dev", "cable")
                ip("-n", name, "link", "set", "cable", "up")
                ip("-n", name, "link", "set", "lo", "up")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"this machine makes no network namespaces: {error.stderr.decode().strip()}")
        yield tuple(["ip", "netns", "exec", name] for name in names)  # type: ignore[misc]


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_two_hosts_make_the_same_bytes_when_one_is_lost(
    walk: Path, hosts: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    first, second = hosts
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", FIRST, "--port", str(PORT)]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://{FIRST}:{PORT}", "--no-nanny"]
    worker += ["--nthreads", "1", "--no-dashboard"]
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'number = {NUMBER}\nshard_size = 2\nseconds = 0.4\n[avoidance]\n[[groups]]\nmodel = "{walk.as_posix()}"\n'
    )
    crowd = [sys.executable, "-m", "freshtake", "crowd", str(plan), "--quiet", "-o"]
    folder = tmp_path / "two"

    def start(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    with ExitStack() as stack:
        start(*first, *scheduler, "--no-dashboard")
        start(*first, *worker, "--host", FIRST)
        lost = start(*second, *worker, "--host", SECOND)
        ready = "import distributed, sys; distributed.Client(sys.argv[1], timeout=120).wait_for_workers(2, timeout=120)"
        subprocess.run([*first, sys.executable, "-c", ready, f"tcp://{FIRST}:{PORT}"], check=True, cwd=tmp_path)
        made = start(*first, *crowd, str(folder), "--engine", "dask", "--scheduler", f"tcp://{FIRST}:{PORT}")
        until = time.monotonic() + 300.0
        while len(list(folder.glob("records/*.json"))) < 2 and time.monotonic() < until:
            time.sleep(0.005)
        lost.kill()
        assert len(list(folder.glob("records/*.json"))) < NUMBER // 2, "all was made before the host was lost"
        assert made.wait(timeout=600) == 0
    subprocess.run([*crowd, str(tmp_path / "here"), "--workers", "1"], check=True)
    assert content(folder) == content(tmp_path / "here")
