"""Random commands over methods, rigs, rates, axes, units and formats: no command may exit with 0 and a wrong result.

`python -m tests.fuzz.commands 1000 --seed 3 --log FILE` runs commands through the entry of the command line, in one
process, and checks only their files: the verdict on each motion must not be red, and axis, unit
and rate must be those of the takes. It prints each failed command, and exits with 1 if there was a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats import read_clip
from freshtake.motion import Clip
from freshtake.motion.clip import ROOT_MOTIONS
from freshtake.motion.edit import resample, scaled
from freshtake.motion.skeleton import compatible
from freshtake.motion.verdict import RED, assess, standard_of
from tests.motion.rigs import RIGS, elephant

Rng = np.random.Generator
RATES = (24.0, 25.0, 29.97, 30.0, 50.0, 59.94, 60.0, 90.0, 100.0, 120.0, 240.0)
UNITS = (1.0, 0.01, 1.0 / 2.54, 10.0)  # of centimetres: cm, m, inches, mm
FORMATS = ("bvh", "glb", "fbx", "npz")
MOTIONS: dict[str, Callable[[Rng], Clip]] = {
    "walk": lambda rng: ft.samples.walk(rng, cycles=float(rng.choice([1.0, 1.0, 2.0, 3.2]))),
    "limp": lambda rng: ft.samples.walk(rng, cycles=float(rng.choice([1.0, 2.0])), style="limp"),
    "turn": lambda rng: ft.samples.walk(rng, cycles=2.0, turn_rate=40.0),
    "run": lambda rng: ft.samples.run(rng, cycles=float(rng.choice([1.0, 3.0]))),
    "skip": lambda rng: ft.samples.skip(rng, cycles=float(rng.choice([1.0, 2.0]))),
    "jump": ft.samples.jump,
    "cheer": ft.samples.cheer,
    "punch": ft.samples.punch,
}
CYCLIC = ("walk", "limp", "run", "skip", "turn")


class Takes(NamedTuple):
    """Takes of one movement on one rig, as files."""

    kind: str
    about: str
    suffix: str
    files: list[str]


class Outcome(NamedTuple):
    """A command, its exit code, its last sentence, and its faults (empty: none)."""

    command: list[str]
    code: int
    sentence: str
    wrong: str
    about: str


def make_takes(rng: Rng, folder: Path, kind: str, count: int, dress: Callable[[Clip], Clip], suffix: str) -> list[str]:
    """Write takes of a movement, dressed as another rig, rate and unit."""
    folder.mkdir(parents=True)
    names = []
    for number in range(count):
        clip = (
            elephant(int(rng.integers(9)), "Hips", ("Root", "Reference"), 150.0)
            if kind == "elephant"
            else MOTIONS[kind](rng)
        )
        names.append(str(folder / f"{kind}_{number}.{suffix}"))
        ft.write(names[-1], dress(clip))
    return names


def scene(rng: Rng, folder: Path) -> tuple[Takes, Takes, Callable[[Clip], Clip]]:
    """Draw a rig, a rate, a unit and a format, and write takes of two movements."""
    rig, fps, unit = str(rng.choice(list(RIGS))), float(rng.choice(RATES)), float(rng.choice(UNITS))
    suffix = str(rng.choice(FORMATS))

    def dress(clip: Clip) -> Clip:
        return scaled(RIGS[rig](resample(clip, fps)), unit)

    kinds = rng.permutation(list(MOTIONS))[:2].tolist()
    if rng.random() < 0.5:
        kinds = rng.permutation(list(CYCLIC))[:2].tolist()
    plain = rng.random() < 0.08
    if plain:
        kinds, rig, dress = ["elephant", "elephant"], "elephant", lambda clip: clip
    about = f"{rig}, {fps:g} fps, unit {unit:g} cm, {suffix}"
    count = int(rng.choice([1, 2, 3, 4]))
    both = [
        Takes(kind, f"{kind} on {about}", suffix, make_takes(rng, folder / f"takes_{k}", kind, count, dress, suffix))
        for k, kind in enumerate(kinds)
    ]
    return both[0], both[1], dress


def commands(rng: Rng, folder: Path, first: Takes, second: Takes) -> Iterator[tuple[list[str], list[str], bool]]:
    """Yield commands, the takes to compare results with, and whether results have the body of the takes."""
    model, out = str(folder / "model.ftm"), folder / "out"
    a, b = first.files, second.files
    yield ["learn", *a, "-o", model], [], True
    drawn: list[Callable[[], tuple[list[str], list[str], bool]]] = [
        lambda: (["vary", model, "-n", "2", *_vary_options(rng), "-o", str(out)], a, True),
        lambda: (["vary", model, "-n", "2", "-o", str(out)], a, True),
        lambda: (["vary", model, "-n", "2", "--format", str(rng.choice(FORMATS)), "-o", str(out)], a, True),
        lambda: (["stream", model, "--seconds", "4", *_stream_options(rng), "-o", f"{out}/s.{first.suffix}"], a, True),
        lambda: (["loop", a[0], "-o", str(out / f"l.{first.suffix}")], a, True),
        lambda: (["loop", *a, "-o", str(out)], a, True),
        lambda: (["pack", model, "-n", "2", "--no-preview", "-o", str(out)], a, True),
        lambda: (["plant", a[0], "-o", str(out / f"p.{first.suffix}")], a, True),
        lambda: (["cut", *a, "-o", str(out)], a, True),
        lambda: (["convert", a[0], "-o", str(out / f"c.{rng.choice(FORMATS)}")], a, True),
        lambda: (["crowd", model, "-n", "2", "--seconds", "2", "--workers=1", "--format=bvh", "-o", f"{out}"], a, True),
    ]  # fmt: skip
    for k in rng.permutation(len(drawn))[:5]:
        yield drawn[int(k)]()
    group = str(rng.choice(["style", "blend", "texture", "retarget"]))
    if group == "style":
        yield ["style", "learn", "--source", *a, "--target", *b, "-o", str(folder / "style.ftm")], [], True
        yield ["style", "apply", str(folder / "style.ftm"), a[-1], "-o", str(out / f"y.{first.suffix}")], [*a, *b], True
    elif group == "blend":
        names = ["one", "two"]
        given = [f"{name}={file}" for name, files in zip(names, (a, b), strict=True) for file in files]
        yield ["blend", "learn", *given, "-o", str(folder / "blend.ftm")], [], True
        weights = str(rng.choice(["one:1->two:1", "one:1", "one:0.5,two:0.5"]))
        yield (
            ["blend", "sample", str(folder / "blend.ftm"), "--weights", weights, "--seconds", "3", "-o",
             str(out / f"b.{first.suffix}")], [*a, *b], True,
        )  # fmt: skip
    elif group == "texture":
        yield ["texture", "learn", a[0], "-o", str(folder / "texture.ftm")], [], True
        loop = ["--loop"] if rng.random() < 0.3 else []
        yield (
            ["texture", "sample", str(folder / "texture.ftm"), "--seconds", "3", *loop, "-o",
             str(out / f"t.{first.suffix}")], [a[0]], True,
        )  # fmt: skip
    else:
        other = folder / f"onto.{rng.choice(FORMATS)}"
        ft.write(other, RIGS[str(rng.choice(list(RIGS)))](ft.samples.walk(rng)))
        yield ["retarget", a[0], "--onto", str(other), "-o", str(out / f"r.{first.suffix}")], a, False


def _vary_options(rng: Rng) -> list[str]:
    options = [
        ["--amount", f"{rng.choice([0.0, 0.5, 1.0, 1.5, 2.0])}"], ["--seed", str(rng.integers(1000))],
        ["--cycles", str(rng.integers(1, 4))], ["--no-plant"], ["--seconds", f"{rng.uniform(1.0, 4.0):.2f}"],
        ["--speed", f"{rng.uniform(0.7, 1.4):.2f}"], ["--loop"], ["--in-place"],
        ["--root-motion", str(rng.choice(ROOT_MOTIONS))],
        ["--heading", f"{rng.uniform(-120, 120):.0f}"],
    ]  # fmt: skip
    return [word for k in rng.permutation(len(options))[: rng.integers(1, 3)] for word in options[int(k)]]


def _stream_options(rng: Rng) -> list[str]:
    options = [["--amount", "1.5"], ["--seed", "5"], ["--no-plant"], ["--in-place"], []]
    return options[int(rng.integers(len(options)))]


def outcome(command: list[str], takes: list[str], same_body: bool, about: str, out: Path) -> Outcome:
    """Run a command and assess its files."""
    before = {path for path in out.rglob("*") if path.is_file()} if out.exists() else set()
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = run(command)
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        said.write(traceback.format_exc())
        code = 1
    lines = [line for line in said.getvalue().strip().splitlines() if line.strip()]
    sentence = " ".join(lines[-6:])[-600:]
    if code not in (0, 2) or "Traceback" in said.getvalue():
        return Outcome(command, code, said.getvalue()[-3000:], "crash", about)
    files = sorted(path for path in out.rglob("*") if path.is_file() and path not in before) if out.exists() else []
    files = [path for path in files if path.suffix[1:] in FORMATS and "poses" not in path.name]
    if code == 2:  # files before the refused file may be written, but not the refused file
        if "ftm: " in sentence and "expected" in sentence:  # all models here are our own
            return Outcome(command, code, sentence, "a model that was written cannot be read", about)
        refused = [path for path in files if path.name in sentence or len(takes) < 2]
        wrong = f"wrote {refused[0].name} although it refused" if refused else ""
        return Outcome(command, code, sentence, wrong or (wrong_files(files, takes, same_body) if files else ""), about)
    wrong = wrong_files(files, takes, same_body) if takes else ""
    return Outcome(command, code, sentence, wrong, about)


def wrong_files(files: list[Path], takes: list[str], same_body: bool) -> str:
    """Return the faults in the files of a command that exited with 0."""
    if not files:
        return "no file was written"
    known = [read_clip(take) for take in takes]
    standards = [standard_of([clip]) for clip in known[1:] if not compatible(clip.skeleton, known[0].skeleton)]
    same = [clip for clip in known if compatible(clip.skeleton, known[0].skeleton)]
    standards.insert(0, standard_of(same))
    for path, clip in [(one, clip) for one in files for clip in clips_of(one)]:
        verdict = assess(clip, standards[0], rate=1.5, amount=2.0, same_body=same_body, name=path.name)
        if verdict.color == RED:
            return verdict.sentences[0]
        if same_body and path.suffix == Path(takes[0]).suffix:
            up = "y" if path.name.startswith("character_") else known[0].up  # crowds are y up, in metres
            if clip.up != up:
                return f"{path.name}: {clip.up} is up, not {up}"
            if abs(clip.fps / known[0].fps - 1.0) > 1e-4:
                return f"{path.name}: {clip.fps} fps, in the takes {known[0].fps}"
    return ""


def clips_of(path: Path) -> list[Clip]:
    """Read all animations of a file."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        clips = [read_clip(path)]
        several = any("only the first animation" in str(note.message) for note in notes)
        for number in range(1, 99 if several else 1):
            try:
                clips.append(read_clip(path, animation=str(number)))
            except ft.FreshtakeError:
                break
    return clips


def outcomes(count: int, seed: int) -> Iterator[Outcome]:
    """Run a number of commands."""
    made, number = 0, 0
    while made < count:
        rng = np.random.default_rng([seed, number])
        number += 1
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            first, second, _ = scene(rng, folder)
            for command, takes, same_body in commands(rng, folder, first, second):
                out = folder / "out"
                if (
                    "learn" not in command
                    and command[0] in ("vary", "stream", "pack", "crowd")
                    and not Path(command[1]).exists()
                ):
                    continue
                if (
                    command[0] in ("style", "blend", "texture")
                    and command[1] != "learn"
                    and not Path(command[2]).exists()
                ):
                    continue
                yield outcome(command, takes, same_body, f"{first.about} [{seed},{number - 1}]", out)
                made += 1
                if out.exists():
                    for path in sorted(out.rglob("*"), reverse=True):
                        path.rmdir() if path.is_dir() else path.unlink()
                    out.rmdir()
                if made >= count:
                    return


def main() -> int:
    """Run random commands, and report failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    with asked.log.open("a") if asked.log else contextlib.nullcontext(sys.stdout) as log:
        for one in outcomes(asked.count, asked.seed):
            counts[f"{' '.join(one.command[:1])} exit {one.code}{' WRONG' if one.wrong else ''}"] += 1
            log.write(json.dumps(one._asdict()) + "\n")
            log.flush()
    for what, often in sorted(counts.items()):
        print(f"{often:5d} {what}")
    return int(any("WRONG" in what for what in counts))


if __name__ == "__main__":
    sys.exit(main())
