"""One project with short takes, and the models that several tests use."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake import samples
from freshtake.serve.items import Item
from tests.serve.methods.tasks_here import Client, Directly, Here, fill


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Here:
    return Here(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="session")
def client(here: Here) -> Client:
    """The application without its workers: tasks are run by `here`."""
    from freshtake.serve.app import State, make_app

    app = make_app(here.project)
    app.state.studio = State(here.project, None, helper=Directly(), painter=Directly())  # type: ignore[arg-type]
    return Client(app)


@pytest.fixture(scope="session")
def takes(here: Here) -> dict[str, list[str]]:
    return fill(here)


@pytest.fixture(scope="session")
def style(here: Here, takes: dict[str, list[str]]) -> Item:
    return here.run("style_learn", takes["long"], targets=takes["limp"], name="limping")[0]


@pytest.fixture(scope="session")
def blend(here: Here, takes: dict[str, list[str]]) -> Item:
    return here.run("blend_learn", classes={"walk": takes["long"], "run": takes["run"]})[0]


@pytest.fixture(scope="session")
def texture(here: Here, takes: dict[str, list[str]]) -> Item:
    return here.run("texture_learn", [takes["long"][0]], jump_time=0.6)[0]


@pytest.fixture(scope="session")
def flag(here: Here, takes: dict[str, list[str]]) -> Item:
    return here.run("texture_learn", takes["flag"])[0]


@pytest.fixture(scope="session")
def report(here: Here, takes: dict[str, list[str]]) -> Item:
    """Further takes, evaluated as if they were variants."""
    other = [here.take(f"made_{k}", samples.walk(np.random.default_rng(60 + k), fps=30.0)) for k in range(2)]
    return here.run("evaluate", other, inputs=takes["walk"][:3], baselines=["replay"])[0]
