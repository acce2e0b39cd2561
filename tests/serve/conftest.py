"""One server for all tests of the server, with takes and a model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.studio import Studio, running


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "project") as found:
        yield found


@pytest.fixture(scope="session")
def takes(studio: Studio) -> list[str]:
    return studio.samples("walk")


@pytest.fixture(scope="session")
def model(studio: Studio, takes: list[str]) -> str:
    return studio.made("learn", takes, name="walk")[0]


@pytest.fixture(scope="session")
def variants(studio: Studio, model: str) -> list[str]:
    return studio.made("vary", [model], count=3, seed=7)
