"""Compile functions ahead of use: which functions each command needs, and how long they take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.numeric.blas_threads import one_blas_thread

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


# After a command that had to compile, the step of the command that usually follows is compiled in the background.
STEP_AFTER = {"learn": "variants", "style learn": "styles", "blend learn": "blends", "texture learn": "textures"}
AHEAD_VARIABLE = "FRESHTAKE_COMPILE_AHEAD"  # 0 switches background compilation off


def expected_times(*commands: str) -> dict[str, float]:
    """Return the seconds that each compiled function of these commands took, from `python -m benchmarks.compiling`."""
    from importlib import resources

    text = resources.files("freshtake.workflows").joinpath("compile_times.csv").read_text(encoding="utf-8")
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return {kernel: float(seconds) for kernel, seconds, used_by in rows if {*commands} & {*used_by.split(";")}}


def expected_of_steps() -> dict[str, dict[str, float]]:
    """Return the expected times of each step of `warm_up`, without functions that earlier steps compile."""
    out: dict[str, dict[str, float]] = {}
    for name, step in STEPS.items():
        compiled = {kernel for earlier in out.values() for kernel in earlier}
        out[name] = {k: seconds for k, seconds in expected_times(*step.commands).items() if k not in compiled}
    return out


@one_blas_thread()
def warm_up(report: Report = silent, steps: Sequence[str] | None = None) -> None:
    """Learn and synthesize a little, in all or the named steps, to compile and cache the functions that these call."""
    chosen = list(STEPS) if steps is None else steps
    for number, name in enumerate(chosen):
        if name not in STEPS:
            raise UsageError(f"there is no step {name!r}; choose from {', '.join(STEPS)}")
        report(Progress(number / len(chosen), f"compiling for {name}"))
        STEPS[name].work()


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _learning() -> VariationModel:
    from freshtake.motion.cycles.occurrences import find_occurrences
    from freshtake.motion.edit import take_frames
    from freshtake.variation.learning import learn_examples

    walk = samples.walk(_rng(), cycles=4)
    find_occurrences(walk, take_frames(walk, 0, len(walk) // 4))
    return learn_examples([samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)])


def _planting() -> None:
    from freshtake.motion.planting import plant

    plant(samples.walk(_rng(), cycles=1))


def _variants() -> None:
    from freshtake.requests.variation import Variants
    from freshtake.workflows.varying import guided_variants

    model = _learning()
    for loop in (False, True):
        for _ in guided_variants(model, Variants(count=1, loop=loop)):
            pass
    model.draw(_rng(), frames=60)


def _textures() -> None:
    from freshtake.texture.learning import learn

    model = learn(samples.walk(_rng(), cycles=6), rng=_rng())
    model.sample(_rng(), frames=60)
    model.loop(_rng(), frames=60)


def _styles() -> None:
    from freshtake.formats.ftm import save
    from freshtake.formats.ftm.io import load_style
    from freshtake.style.learning import learn

    walks, limps = (
        [samples.walk(np.random.default_rng(k), cycles=3, style=style) for k in range(2)]
        for style in ("normal", "limp")
    )
    model = learn(list(zip(walks, limps, strict=True)))
    with TemporaryDirectory() as folder:  # arrays of a loaded model are read-only: other types to numba
        save(Path(folder) / "style.ftm", model)
        read = load_style(Path(folder) / "style.ftm")
    for one in (model, read):
        one.translate(walks[0])


def _blends() -> None:
    from freshtake.density.learning import learn

    gaits = {"walk": [samples.walk(_rng(), cycles=3)], "run": [samples.run(_rng(), cycles=3)]}
    learn(gaits).sample(_rng(), frames=60)


def _retargeting() -> None:
    from freshtake.motion.retarget import Retargeter, make_rig
    from freshtake.samples.humanoid import TALL

    walk, tall = samples.walk(_rng(), cycles=1), samples.walk(_rng(), cycles=1, build=TALL)
    Retargeter(make_rig(walk), make_rig(tall)).retarget(walk)


class Step(NamedTuple):
    """A step of `warm_up`: a function that compiles what it calls, the commands that need it, and earlier steps."""

    work: Callable[[], object]
    commands: tuple[str, ...]
    after: tuple[str, ...] = ()  # steps that compile shared functions: Blender runs several steps at once


STEPS = {
    "learning": Step(_learning, ("learn",)),
    "planting": Step(_planting, ("plant",)),
    "variants": Step(_variants, ("vary",), ("learning", "planting")),
    "styles": Step(_styles, ("style learn", "style apply"), ("planting",)),
    "blends": Step(_blends, ("blend sample",), ("planting",)),
    "textures": Step(_textures, ("texture learn", "texture sample"), ("planting",)),
    "clips on other skeletons": Step(_retargeting, (), ("planting",)),
}


def compile_after(command: str) -> subprocess.Popen[bytes] | None:
    """Start compiling for the next command, in a process of lowest priority that outlives this process.

    Call this function after a command that had to compile; nothing starts if the environment forbids it.
    """
    step = STEP_AFTER.get(command)
    if step is None or os.environ.get(AHEAD_VARIABLE) == "0":
        return None
    # Windows' flags are not defined on other systems, where a new session has the same effect.
    flags = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
    nowhere = subprocess.DEVNULL
    with suppress(OSError):  # without the process, the next command compiles for itself
        return subprocess.Popen(
            # -P: import no modules from the working folder, where anybody could put some.
            [sys.executable, "-P", "-m", "freshtake.workflows.compiling", step],
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            cwd=gettempdir(),  # not the user's folder, which Windows could then not remove
            start_new_session=True,
            creationflags=flags,
        )
    return None


class _Rival(BaseException):
    """Another process compiles the same functions."""


def compile_in_background(step: str) -> None:
    """Run one step of `warm_up`, and stop as soon as another process has compiled one of its functions.

    That process is the command itself, started before we were done; compiling alongside would only slow it down.
    """
    from freshtake.numeric.compiled import has_machine_code, tell_of_compiling

    if hasattr(os, "nice"):
        os.nice(19)
    missing = {kernel for kernel in expected_times(*STEPS[step].commands) if not has_machine_code(kernel)}

    def heard(kernel: str, begins: bool) -> None:
        # Stop watching a function once we begin to compile it, since its file may be ours.
        missing.discard(kernel)
        if begins and any(map(has_machine_code, missing)):
            raise _Rival

    tell_of_compiling(heard)
    with suppress(_Rival):
        warm_up(steps=[step])


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    compile_in_background(sys.argv[1])
