"""Use a model as commands do: a model that loads must vary, stream, explain, loop, score, translate, blend, be viewed.

The only allowed failure is one of our sentences. Motion that is written has to be finite and of a body's size.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.texture.loop_making import loop_rows

FARTHEST = 1e7  # in any unit of length: no body reaches this distance
FLUNG = 100.0  # lengths of all bones a second: no body moves so fast
AT_ONCE = 3  # commands that use a model, in an order determined by its bytes

# The words of every command that uses a model, by the class of the model; {m} is its file, {o} its result.
COMMANDS: dict[str, tuple[str, ...]] = {
    "VariationModel": (
        "vary {m} -n 1 -o {o}.npz",
        "vary {m} -n 2 --loop -o {o}",
        "vary {m} -n 1 --no-guard --no-plant --keep-going -o {o}.npz",
        "stream {m} --frames 40 -o {o}.npz",
        "explain {m} --json",
        "explain {m} -o {o}.html",
        "explain {m} --clip {walk} --json",
        "view {m} -n 1 -o {o}.html",
        "pack {m} -n 1 -o {o}",
        "info {m} --json",
    ),
    "PaperModel": ("vary {m} -n 1 -o {o}.npz", "explain {m} --json", "view {m} -n 1 -o {o}.html", "info {m} --json"),
    "StyleModel": (
        "style apply {m} {walk} -o {o}.npz",
        "style apply {m} {walk} --no-plant --keep-going -o {o}.npz",
        "stream {walks} --style {m} --frames 40 -o {o}.npz",
        "info {m} --json",
    ),
    "GaitModel": ("style gaits sample {m} --style normal --speed 1.3 --frames 40 -o {o}.npz", "info {m} --json"),
    "DensityModel": (
        "blend sample {m} --frames 40 -o {o}.npz",
        "blend sample {m} --frames 40 --method switch --keep-going -o {o}.npz",
        "blend sample {m} --frames 40 --turn 20 -o {o}.npz",
        "stream {m} --frames 40 -o {o}.npz",
        "view {m} -n 1 -o {o}.html",
        "info {m} --json",
    ),
    "TextureModel": (
        "texture sample {m} --frames 40 -o {o}.npz",
        "texture sample {m} --frames 50 --loop -o {o}.npz",
        "texture sample {m} --frames 40 --heading 10 --keep-going -o {o}.npz",
        "stream {m} --frames 40 -o {o}.npz",
        "view {m} -n 1 -o {o}.html",
        "info {m} --json",
    ),
}


def use(path: Path, *, every: bool = False) -> int:
    """Use a model file in the ways that its kind supports; raise AssertionError for any fault.

    Args:
        path: The model.
        every: By all commands of its kind, not only by `AT_ONCE` of them.

    Returns:
        In how many ways it was used.
    """
    model: Any = ft.load(path)
    count = use_in_python(model)
    commands = COMMANDS[type(model).__name__]
    first = zlib.crc32(path.read_bytes())
    chosen = commands if every else [commands[(first + k) % len(commands)] for k in range(min(AT_ONCE, len(commands)))]
    for command in chosen:
        by_command(command, path)
    return count + len(chosen)


def by_command(command: str, path: Path) -> None:
    """Run a command in this process; raise AssertionError unless it ends with sound files, or with a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        places = {
            "m": str(path),
            "o": f"{folder}/out",
            "walk": str(_files() / "walk.npz"),
            "walks": str(_files() / "walks.ftm"),
        }
        words = [word.format(**places) for word in command.split()]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*words, "--quiet"])
        said = err.getvalue()
        assert code in (0, 2), f"{command}: exit code {code}: {said[-300:]}"
        assert "not enough memory" not in said, f"{command}: {said[-300:]}"
        assert code == 0 or (said.startswith("freshtake: ") and said.count("\n") == 1 and len(said) < 1500), said
        for file in sorted(Path(folder).rglob("*.npz")) if code == 0 else ():
            try:
                sound(ft.read(file, warn=lambda message: None))
            except (AssertionError, ft.FreshtakeError) as error:
                raise AssertionError(f"{command}: exit code 0, but {error}") from None


def use_in_python(model: Any) -> int:
    """Use a model through its methods; a refusal by one method must not hide a fault in the next."""
    rng = np.random.default_rng(0)
    ways: list[Callable[[], Any]]
    if isinstance(model, ft.texture.TextureModel):
        ways = [
            lambda: model.sample(rng, frames=12),
            lambda: loop_rows(model, rng, 40),
            lambda: model.steer(model.start(rng), model.cells[-1]),
            lambda: list(islice(model.stream(rng, decode=True), 12)),
        ]
    elif isinstance(model, ft.variation.VariationModel):
        cycles = 1 if model.cyclic else None
        ways = [
            lambda: model.sample(rng, cycles=cycles),
            lambda: model.sample(rng, cycles=cycles, plant=True),
            lambda: list(islice(model.stream(rng, decode=True), 12)),
            lambda: model.score_rows(model.material.values[0]),
            lambda: ft.variation.transition_strengths(model),
        ]
    elif isinstance(model, ft.style.StyleModel):
        ways = [lambda: model.translate(_walk(), plant=False), lambda: model.translate(_walk())]
    elif isinstance(model, ft.density.DensityModel):
        ways = [lambda: model.sample(rng, frames=12), lambda: list(islice(model.stream(rng), 12))]
    elif isinstance(model, ft.variation.paper.PaperModel):
        ways = [lambda: model.sample(rng), lambda: model.score_rows(model.material.values[0])]
    else:
        ways = [lambda: model.synthesize(model.styles[0], model.speeds[-1])]
    for way in ways:
        with contextlib.suppress(ft.FreshtakeError):
            sound(way())
    return len(ways)


@lru_cache(maxsize=1)
def _walk() -> ft.Clip:
    return ft.samples.walk(np.random.default_rng(0))


@lru_cache(maxsize=1)
def _files() -> Path:
    """Return a folder with a clip and a model that commands need in addition to the model under test."""
    folder = Path(tempfile.mkdtemp(prefix="freshtake-fuzz-"))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ft.write(folder / "walk.npz", _walk())
    walks = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(2)]
    ft.save(folder / "walks.ftm", ft.variation.learn(walks, rng=np.random.default_rng(0), cyclic=True))
    return folder


def sound(result: Any) -> None:
    """Check that all numbers of a result are finite and of a body's size."""
    for part in result if isinstance(result, list | tuple) else [result]:
        for name in ("root", "rotations", "vertices", "points", "positions"):
            values = getattr(part, name, None)
            if isinstance(values, np.ndarray):
                assert np.isfinite(values).all(), f"{name} is not finite"
                assert np.abs(values).max(initial=0.0) < FARTHEST, f"{name} reaches {np.abs(values).max():.3g}"
        if isinstance(part, ft.Clip) and len(part):
            size = float(np.linalg.norm(part.skeleton.offsets, axis=1).sum())
            travel = float(np.ptp(part.root, axis=0).max(initial=0.0))
            most = size * len(part) * max(FLUNG * part.frame_time, 1.0)
            assert size == 0.0 or travel <= most, f"a body of {size:.3g} travels {travel:.3g}"
