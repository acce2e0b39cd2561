"""One seed, one motion: the command line, the studio, the bridge and agents make the same of the same request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.bridge.agent_server import call
from freshtake.cli.entry import run
from freshtake.motion import Clip
from tests.bridge.conftest import ask as ask
from tests.bridge.conftest import clips_in, sending

SEED, COUNT = 5, 2


class Doors:
    """Three walks as files, as takes of a studio's project and as arrays, and the model that each door learns."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("fastapi", reason="the extra studio is not installed")
        from tests.serve.methods.tasks_here import Here

        self.folder, self.studio = folder, Here(folder / "project")
        # Files store rounded numbers: every front end gets the numbers from the files.
        self.files = [folder / f"walk_{k}.npz" for k in (1, 2, 3)]
        for k, path in enumerate(self.files):
            ft.write(path, ft.samples.walk(np.random.default_rng(k), cycles=1).changed(name=path.stem))
        self.clips = [ft.read_clip(path) for path in self.files]
        assert run(["learn", *map(str, self.files), "-o", str(folder / "walk.ftm"), "-q"]) == 0
        self.takes = [self.studio.take(path.stem, clip) for path, clip in zip(self.files, self.clips, strict=True)]
        (self.model,) = self.studio.run("learn", self.takes)

    def read(self, folder: str) -> list[Clip]:
        return [ft.read_clip(path) for path in sorted((self.folder / folder).iterdir())]

    def made(self, task: str, items: list[str], **asked: Any) -> list[Clip]:
        return [ft.read_clip(self.studio.project.path(one.id)) for one in self.studio.run(task, items, **asked)]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Doors:
    return Doors(tmp_path_factory.mktemp("doors"))


def assert_same(made: list[Clip], expected: list[Clip]) -> None:
    assert len(made) == len(expected) == COUNT
    for one, other in zip(made, expected, strict=True):
        assert one.frame_time == pytest.approx(other.frame_time)
        np.testing.assert_array_equal(one.rotations, other.rotations)
        np.testing.assert_array_equal(one.root, other.root)


def test_learning_gives_the_same_model_everywhere(doors: Doors, ask: Any) -> None:
    values, arrays = sending(clips=doors.clips)
    sent = ask("learn", values, arrays).arrays["model"].tobytes()
    (doors.folder / "bridge.ftm").write_bytes(sent)
    names = [str(path.relative_to(doors.folder)) for path in doors.files]
    call("learn", {"takes": names, "out": "agent.ftm"}, [doors.folder])
    expected = ft.load_variation(doors.folder / "walk.ftm").sample(np.random.default_rng(1))
    for path in ("bridge.ftm", "agent.ftm", doors.studio.project.path(doors.model.id)):
        other = ft.load_variation(doors.folder / path).sample(np.random.default_rng(1))
        assert_same([other] * COUNT, [expected] * COUNT)


@pytest.mark.parametrize("asked", [{}, {"amount": 0.6, "plant": False}, {"loop": True, "in_place": True}], ids=str)
def test_variants_are_the_same_everywhere(doors: Doors, ask: Any, asked: dict[str, Any], tmp_path: Path) -> None:
    options = {"amount": ["--amount", "0.6"], "plant": ["--no-plant"], "loop": ["--loop"], "in_place": ["--in-place"]}
    flags = [word for name in asked for word in options[name]]
    name = f"v{len(flags)}"
    model = doors.folder / "walk.ftm"
    command = ["vary", str(model), "-n", str(COUNT), "--seed", str(SEED), "--format", "npz", "-q", *flags]
    assert run([*command, "-o", str(doors.folder / name)]) == 0
    expected = doors.read(name)
    request = {"count": COUNT, "seed": SEED, **asked}
    agent = {"model": "walk.ftm", "out": f"agent_{name}", "format": "npz", **request}
    call("vary", agent, [doors.folder])
    assert_same(doors.read(f"agent_{name}"), expected)
    sent = {"model": np.frombuffer(model.read_bytes(), np.uint8)}
    assert_same(clips_in(ask("vary", request, sent)), expected)
    assert_same(doors.made("vary", [doors.model.id], **request), expected)


def test_redrawn_stretches_are_the_same_everywhere(doors: Doors, ask: Any) -> None:
    command = ["redraw", str(doors.files[0]), "-m", str(doors.folder / "walk.ftm"), "--from", "10", "--to", "40"]
    assert run([*command, "-n", str(COUNT), "--seed", str(SEED), "-q", "-o", str(doors.folder / "redrawn")]) == 0
    expected = doors.read("redrawn")
    request = {"start": "10", "stop": "40", "count": COUNT, "seed": SEED}
    call("redraw", {"take": "walk_1.npz", "model": "walk.ftm", "out": "agent_redrawn", **request}, [doors.folder])
    assert_same(doors.read("agent_redrawn"), expected)
    assert_same(doors.made("redraw", doors.takes[:1], model=doors.model.id, **request), expected)
    sent = {"model": np.frombuffer((doors.folder / "walk.ftm").read_bytes(), np.uint8)}
    values, arrays = sending(clips=doors.clips[:1])
    assert_same(clips_in(ask("redraw", {**request, **values}, {**sent, **arrays})), expected)
