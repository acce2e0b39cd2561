"""The process that answers: it is replaced when it was killed, and what kills it is told."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from freshtake.errors import UsageError
from freshtake.serve.aside import Aside


@pytest.fixture
def aside() -> Iterator[Aside]:
    found = Aside()
    yield found
    found.close()


def test_one_killed_between_calls_is_replaced_and_nobody_notices(aside: Aside) -> None:
    first = aside.call(os.getpid)
    assert aside.call(os.getpid) == first != os.getpid()
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert aside.call(os.getpid) not in (first, os.getpid())


def test_one_killed_by_a_call_is_one_sentence_and_the_next_call_is_answered(aside: Aside) -> None:
    with pytest.raises(UsageError, match="ended from outside"):
        aside.call(os._exit, 1)
    assert aside.call(sum, (1, 2)) == 3


def test_what_goes_wrong_is_told_and_the_process_stays(aside: Aside, capfd: pytest.CaptureFixture[str]) -> None:
    first = aside.call(os.getpid)
    with pytest.raises(UsageError, match=r"something went wrong .*ZeroDivisionError"):
        aside.call(divmod, 1, 0)
    assert aside.call(os.getpid) == first
    assert "ZeroDivisionError" in capfd.readouterr().err
    aside.close()
    with pytest.raises(UsageError, match="ending"):
        aside.call(sum, ())
