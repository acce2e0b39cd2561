"""The child process, as a program starts it: it answers, is killed, crashes and receives garbage, and says so."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from integrations.blender.child.client import CANCELLED, Child, Event, Failed, Handle, Progress, Result
from integrations.blender.child.preparing import Preparation, release

from freshtake.bridge.messages import HEAD, MARK, Decoder, Message, encoded
from freshtake.workflows.compiling import STEPS
from tests.bridge.conftest import sending, walks

PATIENCE = 120.0  # seconds


def finished(handle: Handle) -> list[Event]:
    """All events of a request."""
    out: list[Event] = []
    until = time.monotonic() + PATIENCE
    while not (out and not isinstance(out[-1], Progress)):
        assert time.monotonic() < until, "the child says nothing"
        out += handle.poll()
        time.sleep(0.005)
    return out


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    child = Child(path=sys.path)
    yield child
    child.close()


def test_requests_are_answered_in_order_and_polling_does_not_wait(child: Child) -> None:
    values, arrays = sending(clips=walks(1, cycles=3))
    handles = [child.request("cut", values, arrays) for _ in range(3)]
    assert [handle.poll() for handle in handles] == [[], [], []]  # by then there would be an answer
    results = [finished(handle)[-1] for handle in handles]
    assert all(isinstance(result, Result) and result.values["pieces"] for result in results)
    assert not child.busy


def test_a_job_that_cannot_be_done_is_one_sentence(child: Child) -> None:
    assert finished(child.request("fly")) == [Failed(f"there is no job 'fly'; the jobs are {listed()}")]
    assert finished(child.request("vary", {"x": float("nan")}))[-1].sentence.startswith("a message contains")  # type: ignore[union-attr]


def listed() -> str:
    from freshtake.bridge.jobs import JOBS

    return ", ".join(JOBS)


def test_cancel_kills_the_process_and_what_waits_is_asked_again(child: Child) -> None:
    values, arrays = sending(clips=walks(4, cycles=1))
    first, second = child.request("learn", values, arrays), child.request("fly")
    running = process_of(child)
    first.cancel()
    assert first.poll()[-1] == CANCELLED
    assert isinstance(finished(second)[-1], Failed)
    assert process_of(child) is not running and running.wait(PATIENCE) is not None
    second.cancel()  # is done: nothing happens
    assert second.poll() == []


def process_of(child: Child) -> subprocess.Popen[bytes]:
    until = time.monotonic() + PATIENCE
    while child._process is None or child._process._popen is None:
        assert time.monotonic() < until
        time.sleep(0.005)
    return child._process._popen


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_crash_in_the_middle_fails_that_request_alone(child: Child) -> None:
    values, arrays = sending(clips=walks(4, cycles=1))
    first, second = child.request("learn", values, arrays), child.request("fly")
    process_of(child).send_signal(signal.SIGSEGV)
    failed = finished(first)[-1]
    assert isinstance(failed, Failed)
    assert failed.sentence.startswith("freshtake's process ended unexpectedly (code -11")
    assert finished(second)[-1].sentence.startswith("there is no job")  # type: ignore[union-attr]


def test_closing_cancels_and_leaves_no_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    child = Child(path=sys.path)
    handle = child.request("fly")
    finished(handle)
    assert len(list(tmp_path.iterdir())) == 1
    waiting = child.request("fly")
    child.close()
    assert waiting.done
    until = time.monotonic() + PATIENCE
    while list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.005)
    assert list(tmp_path.iterdir()) == []


def program(folder: Path, text: str) -> str:
    """Something else in place of the interpreter."""
    path = folder / "program"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="programs by their first line")
@pytest.mark.parametrize(
    "text, sentence",
    [
        ("print('Welcome!', flush=True); import time; time.sleep(60)", "cannot be read (something other than"),
        (f"import sys; sys.stdout.buffer.write({HEAD.pack(MARK, 7, 0, 0, 0)!r})", "version 7 of the protocol"),
        ("import sys; sys.exit('no numpy here')", "ended unexpectedly (code 1: no numpy here): try again"),
    ],
    ids=["noise", "version", "exit"],
)  # fmt: skip
def test_a_child_that_talks_nonsense_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    child = Child(python=program(tmp_path, text))
    (failed,) = finished(child.request("vary"))
    assert isinstance(failed, Failed)
    assert sentence in failed.sentence
    child.close()


def test_an_interpreter_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    child = Child(python=str(tmp_path / "nothing"))
    (failed,) = finished(child.request("vary"))
    assert isinstance(failed, Failed) and "cannot be started" in failed.sentence
    child.close()


def said_to(data: bytes) -> tuple[list[Message], int, str]:
    """What the child answers to these bytes, its exit code and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "freshtake.bridge"], input=data, capture_output=True, timeout=PATIENCE, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return list(Decoder().feed(done.stdout)), done.returncode, done.stderr.decode()


def test_bytes_that_are_no_message_end_the_child_with_a_sentence() -> None:
    good = encoded(Message("request", 1, {"name": "fly", "params": {}}))
    damaged = good[:-1] + bytes([good[-1] ^ 1])
    (hello, answer, failed), code, printed = said_to(good + damaged)
    assert (hello.kind, answer.number, failed.number, code) == ("hello", 1, 0, 2)
    assert "its checksum does not match" in failed.values["sentence"]
    assert printed == ""


def test_the_child_ends_with_its_program_in_the_middle_of_work() -> None:
    values, arrays = sending(clips=walks(4, cycles=3))
    request = encoded(Message("request", 1, {"name": "learn", "params": values}, arrays))
    messages, code, _ = said_to(request)  # whose input ends with it
    assert code == 0
    assert "result" not in [message.kind for message in messages]


def test_what_is_printed_does_not_reach_the_messages() -> None:
    program = (
        "import os; from freshtake.bridge.__main__ import _streams; i, o = _streams();"
        "print('by python'); os.write(1, b'by c\\n'); os.system('echo by others'); o.write(b'message'); o.flush()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stdout == b"message"
    assert {b"by python", b"by c", b"by others"} <= set(done.stderr.splitlines())


def test_what_was_prepared_is_not_prepared_again(tmp_path: Path) -> None:
    (tmp_path / "prepared.json").write_text(f'"{release()}"')
    assert Preparation(tmp_path).tick() is False
    (tmp_path / "prepared.json").write_text('"another release"')
    (tmp_path / "old.nbc").write_text("")
    preparation = Preparation(tmp_path)
    assert not preparation.done and not (tmp_path / "old.nbc").exists()
    preparation.close()


class Slow:
    """A child that finishes a step at the third poll, and fails at a step named `fails`."""

    def __init__(self, open_steps: set[str], done: list[str], fails: str = "", shipped: bool = False) -> None:
        self.open, self.finished, self.fails, self.closed = open_steps, done, fails, False
        self.answer = None if self.fails == "unprepared" else {"steps": [] if shipped else list(STEPS)}

    def request(self, name: str, params: dict[str, list[str]]) -> Slow:
        if name == "unprepared":
            self.step = ""
            return self
        (self.step,) = params["steps"]
        assert name == "warm_up" and set(STEPS[self.step].after) <= set(self.finished)
        self.open.add(self.step)
        self.asked = 0
        return self

    def poll(self) -> list[Event]:
        if not self.step:
            return [Failed("no disk") if self.answer is None else Result(self.answer, {})]
        self.asked += 1
        if self.asked < 3:
            return [Progress("preparing", 0.0, 1.0, 10.0)]
        self.open.remove(self.step)
        self.finished.append(self.step)
        return [Failed("no disk")] if self.step == self.fails else [Result({}, {})]

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_steps_are_compiled_once_each_after_what_they_need_and_then_never_again(tmp_path: Path, processes: int) -> None:
    running: set[str] = set()
    done: list[str] = []
    most = 0
    preparation = Preparation(tmp_path, processes, lambda cache: Slow(running, done))  # type: ignore[arg-type, return-value]
    while preparation.tick():
        most = max(most, len(running))
        assert re.fullmatch(r"preparing, \d+ s left", preparation.sentence) or not running
    assert sorted(done) == sorted(STEPS) and most == processes
    assert all(child.closed for child in preparation.children)  # type: ignore[attr-defined]
    assert preparation.sentence == "" and Preparation(tmp_path).tick() is False


def test_nothing_is_compiled_where_machine_code_came_with_the_extension(tmp_path: Path) -> None:
    done: list[str] = []
    preparation = Preparation(tmp_path, 2, lambda cache: Slow(set(), done, shipped=True))  # type: ignore[arg-type, return-value]
    while preparation.tick():
        assert preparation.sentence == ""
    assert done == [] and preparation.sentence == "" and Preparation(tmp_path).done


@pytest.mark.parametrize("fails", ["unprepared", "planting"])
def test_a_step_that_fails_is_said_and_tried_again_next_time(tmp_path: Path, fails: str) -> None:
    preparation = Preparation(tmp_path, 2, lambda cache: Slow(set(), [], fails))  # type: ignore[arg-type, return-value]
    while preparation.tick():
        pass
    assert preparation.sentence == "freshtake could not be prepared: no disk"
    again = Preparation(tmp_path)
    assert not again.done
    again.close()
