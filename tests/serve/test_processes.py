"""The helper process: it is replaced when killed, calls are retried, and failures are sentences."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from freshtake.errors import UsageError
from freshtake.serve.processes import HelperProcess
from tests.serve.in_a_loop import run_apart


@pytest.fixture
def helper() -> Iterator[HelperProcess]:
    made = HelperProcess()
    yield made
    made.close()


def test_a_process_killed_between_calls_is_replaced(helper: HelperProcess) -> None:
    first = helper.call(os.getpid)
    assert helper.call(os.getpid) == first != os.getpid()
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert helper.call(os.getpid) not in (first, os.getpid())


class _Client:
    """A request whose client leaves after so many seconds."""

    def __init__(self, seconds: float = 3600.0) -> None:
        self.seconds = seconds

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(self.seconds)
        return {"type": "http.disconnect"}


def _counted(folder: Path, seconds: float, name: str) -> int:
    time.sleep(seconds)
    (folder / f"{name}_{time.monotonic_ns()}").touch()
    return len(list(folder.glob(f"{name}_*")))


def test_the_same_question_is_called_once_for_all_who_ask(helper: HelperProcess, tmp_path: Path) -> None:
    async def ask() -> list[int]:
        def asked() -> Any:
            return helper.answer(_Client(), _counted, tmp_path, 0.3, "same")  # type: ignore[arg-type]

        return [*await asyncio.gather(*(asked() for _ in range(5))), await asked()]

    assert run_apart(ask()) == [1] * 5 + [2], "once together; who asks later is answered again"


def test_a_server_that_shuts_down_says_so_to_all_who_wait(helper: HelperProcess, tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        asking = [
            asyncio.create_task(helper.answer(_Client(), _counted, tmp_path, 60.0, name))  # type: ignore[arg-type]
            for name in ("answered", "in the line")
        ]
        await asyncio.sleep(0.5)
        await asyncio.to_thread(helper.close)
        asking.append(asyncio.create_task(helper.answer(_Client(), _counted, tmp_path, 0.0, "late")))  # type: ignore[arg-type]
        return await asyncio.gather(*asking, return_exceptions=True)

    helper.call(sum, ())
    for failure in run_apart(ask()):
        assert isinstance(failure, UsageError) and "the server is shutting down" in str(failure)


def test_what_nobody_waits_for_any_more_is_not_called(helper: HelperProcess, tmp_path: Path) -> None:
    async def ask() -> Any:
        return await asyncio.gather(
            helper.answer(_Client(), _counted, tmp_path, 0.5, "first"),  # type: ignore[arg-type]
            helper.answer(_Client(0.1), _counted, tmp_path, 0.0, "left"),  # type: ignore[arg-type]
            helper.answer(_Client(0.1), _counted, tmp_path, 0.0, "shared"),  # type: ignore[arg-type]
            helper.answer(_Client(), _counted, tmp_path, 0.0, "shared"),  # type: ignore[arg-type]
            return_exceptions=True,
        )

    helper.call(sum, ())
    first, left, shared, waited = run_apart(ask())
    assert first == 1 and waited == 1
    assert isinstance(left, UsageError) and isinstance(shared, UsageError)
    assert not list(tmp_path.glob("left_*")) and len(list(tmp_path.glob("shared_*"))) == 1


def test_who_asks_at_the_moment_another_leaves_shares_with_those_who_follow(
    helper: HelperProcess, tmp_path: Path
) -> None:
    async def ask() -> list[Any]:
        def asked(name: str, seconds: float = 0.0) -> asyncio.Task[int]:
            return asyncio.create_task(helper.answer(_Client(), _counted, tmp_path, seconds, name))  # type: ignore[arg-type]

        before, leaves = asked("before", 0.8), asked("same")
        await asyncio.sleep(0.05)
        leaves.cancel()
        stays = asked("same")
        await asyncio.sleep(0.05)
        return [*await asyncio.gather(before, stays, asked("same"))]

    helper.call(sum, ())
    assert run_apart(ask()) == [1, 1, 1] and len(list(tmp_path.glob("same_*"))) == 1


def _killed_the_first_time(marker: Path) -> int:
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_a_call_whose_process_is_killed_is_made_again(helper: HelperProcess, tmp_path: Path) -> None:
    first = helper.call(os.getpid)
    assert helper.call(_killed_the_first_time, tmp_path / "marker") not in (first, os.getpid())


def test_a_call_that_kills_every_process_is_one_sentence_and_the_next_is_answered(helper: HelperProcess) -> None:
    with pytest.raises(UsageError, match="killed from outside"):
        helper.call(os._exit, 1)
    assert helper.call(sum, (1, 2)) == 3


def test_a_failing_call_is_one_sentence_and_the_process_stays(
    helper: HelperProcess, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRESHTAKE_CRASH_FOLDER", str(tmp_path))
    first = helper.call(os.getpid)
    with pytest.raises(UsageError, match=r"something went wrong .*ZeroDivisionError"):
        helper.call(divmod, 1, 0)
    assert helper.call(os.getpid) == first
    (crash,) = tmp_path.iterdir()
    assert str(crash) in capfd.readouterr().err and "question divmod" in crash.read_text()
    helper.close()
    with pytest.raises(UsageError, match="shutting down"):
        helper.call(sum, ())


def _busy() -> None:
    while True:
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="there the clock alone limits questions")
def test_a_question_has_a_budget_of_time_and_memory_and_the_next_one_finds_a_process() -> None:
    helper = HelperProcess(seconds=1.0, memory=300 * 2**20)
    try:
        first = helper.call(os.getpid)
        with pytest.raises(UsageError, match="needs too much memory"):
            helper.call(bytearray, 2**30)
        assert helper.call(os.getpid) == first
        assert len(helper.call(bytearray, 2**26)) == 2**26
        with pytest.raises(UsageError, match="takes too long"):
            helper.call(_busy)
        assert helper.call(os.getpid) != first
    finally:
        helper.close()


def test_a_question_that_waits_for_ever_ends_by_the_clock() -> None:
    helper = HelperProcess(seconds=0.2)
    try:
        with pytest.raises(UsageError, match="takes too long"):
            helper.call(time.sleep, 3600.0)
        assert helper.call(sum, (1, 2)) == 3
    finally:
        helper.close()
