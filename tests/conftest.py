"""Fixtures of all tests: the folder of real motion, quiet commands, and hypothesis profiles."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from freshtake.numeric.blas_threads import one_blas_thread
from tests.chromium import browser

__all__ = ["browser"]  # one for all tests of pages: two in one process would interfere

settings.register_profile(
    "freshtake", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("freshtake")

CRASHES = Path(tempfile.mkdtemp(prefix="freshtake-crashes-"))
os.environ["FRESHTAKE_CRASH_FOLDER"] = str(CRASHES)  # for the processes that tests start, too

os.environ["FRESHTAKE_COMPILE_AHEAD"] = "0"  # processes that would outlive their tests

DATA = Path(os.environ.get("FRESHTAKE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@pytest.fixture(scope="session", autouse=True)
def one_thread_per_worker() -> Iterator[None]:
    """Use one thread for linear algebra: tests run in parallel processes, whose threads would only compete."""
    with one_blas_thread():
        yield


@pytest.fixture(scope="session", autouse=True)
def no_word_of_time() -> Iterator[None]:
    """Turn messages about compiling off: they depend on earlier runs and on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("freshtake.cli.console.BETWEEN_LINES", float("inf"))
        patch.setattr("freshtake.methods.progress.LEAST_ANNOUNCED", float("inf"))
        yield


@pytest.fixture(autouse=True)
def last_net_is_not_needed() -> Iterator[None]:
    """Fail any test in which a command, bridge or server raises an unexpected exception."""
    yield
    crashes = {path: path.read_text() for path in CRASHES.iterdir()}
    for path in crashes:
        path.unlink()
    assert not crashes, "\n".join(crashes.values())


def pytest_unconfigure() -> None:
    """Remove the folder of crash files."""
    shutil.rmtree(CRASHES, ignore_errors=True)


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real motion; tests that need it are skipped if it is absent."""
    if not DATA.is_dir():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    return DATA


def data_files(pattern: str) -> list[Path]:
    """Return real files for parametrised tests; none, which skips the test, if the data is absent."""
    return sorted(DATA.glob(pattern)) if DATA.is_dir() else []


def label(path: Path) -> str:
    return str(path.relative_to(DATA))
