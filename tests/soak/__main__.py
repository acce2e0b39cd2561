"""Stream every method for a long time: python -m tests.soak [--hours 1] [--frames 5000000] [--only blend].

The bundled samples are learned and streamed with planted feet. Each frame is checked for numbers that are not finite,
knees that bend backwards, stretches that repeat exactly, postures that drift, and memory that grows. "live" is steered
like live commands, in blocks of a twentieth of a second, by an amount and a heading that change. A stream ends at the
given number of frames, or when its share of the hours is over. The program exits with 1 after any fault.
"""

from __future__ import annotations

import argparse
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import freshtake as ft
from freshtake.motion.body_limits import learn_limits
from freshtake.numeric.arrays import Floats
from freshtake.requests import Stream
from freshtake.workflows.live import STREAMS, Steers, joined
from freshtake.workflows.sending import motion_send

BLOCK = 2000  # frames that are checked together
REPORT = 500_000  # frames between two lines on standard error
REPEATED = 1800  # frames: half a minute that was seen before is a repeat; takes that are played are not
DRIFT = 0.05  # of quaternions, or leg lengths: mean posture of the last tenth minus that of the first
GROWTH = 64.0  # megabytes
LATE_MS = 1000.0 / 60.0  # the deadline of a pose
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that it has an inverse modulo 2^64


class Row(NamedTuple):
    """The figures of one stream."""

    method: str
    frames: int
    not_finite: int
    backwards: int
    repeats: int
    drift: float
    growth_mb: float

    @property
    def wrong(self) -> bool:
        """Whether any figure exceeds its limit."""
        return bool(self.not_finite or self.backwards or self.repeats or self.drift > DRIFT or self.growth_mb > GROWTH)


def walks(count: int, cycles: int, style: str = "normal") -> list[ft.Clip]:
    """Return sample walks."""
    return [ft.samples.walk(np.random.default_rng(k), cycles=cycles, style=style) for k in range(count)]


def variation() -> tuple[Any, list[ft.Clip]]:
    """Return a model of cyclic walks, and its takes."""
    takes = walks(4, 1)
    return ft.variation.learn(takes, rng=np.random.default_rng(0), cyclic=True), takes


def style() -> tuple[Any, list[ft.Clip]]:
    """Return a model of a limp, and the takes of the limp."""
    normal, limping = walks(4, 3), walks(4, 3, "limp")
    return ft.style.learn(list(zip(normal, limping, strict=True))), [*normal, *limping]


def blend() -> tuple[Any, list[ft.Clip]]:
    """Return a model of walks and runs, and its takes."""
    runs = [ft.samples.run(np.random.default_rng(k), cycles=4) for k in range(2)]
    return ft.density.learn({"walk": walks(2, 4), "run": runs}), [*walks(2, 4), *runs]


def texture() -> tuple[Any, list[ft.Clip]]:
    """Return a model of one long walk, and its take."""
    takes = walks(1, 20)
    return ft.texture.learn(takes[0]), takes


MODELS: dict[str, tuple[str, Callable[[], tuple[Any, list[ft.Clip]]]]] = {
    "variation": ("variation", variation),
    "style": ("style", style),
    "blend": ("density", blend),
    "texture": ("texture", texture),
    "live": ("variation", variation),
}


def frames_of(name: str, model: Any) -> Iterator[ft.Clip]:
    """Return one-frame clips without end, with planted feet."""
    rng = np.random.default_rng(1)
    if name == "live":
        return steered(STREAMS["variation"](model, steers := Steers(), True, rng), steers)
    if name == "style":
        # A looped take would itself repeat: the style is applied to a walk that never does.
        source = ft.variation.learn(walks(4, 1), rng=np.random.default_rng(0), cyclic=True)
        frames = source.stream(rng, decode=True, plant=True)
        rows = (model.encode(joined(list(islice(frames, 400)))).values for _ in iter(int, 1))
        return iter(model.stream(rows, decode=True, plant=True))
    options = {"weights": {"walk": 0.6, "run": 0.4}} if name == "blend" else {}
    return iter(model.stream(rng, decode=True, plant=True, **options))


def steered(frames: Iterator[ft.Clip], steers: Steers) -> Iterator[ft.Clip]:
    """Yield frames while the amount goes up and down and the heading turns, each five seconds, sometimes to free."""
    rng = np.random.default_rng(2)
    for number, frame in enumerate(frames):
        if number % 300 == 0:
            steers.put("amount", float(rng.uniform(0.0, 1.5)))
            steers.heading = None if rng.random() < 0.3 else float(rng.uniform(-180.0, 180.0))
        yield frame


def soak(name: str, frames: int, seconds: float) -> Row:
    """Check one stream for a number of frames, or of seconds if they end first."""
    model, takes = MODELS[name][1]()
    limits = learn_limits(takes)
    knees = np.array([figure.what == "stretch" for figure in limits.figures])
    # The straightest leg of any take, or a straight leg; planting may add a quarter of a degree.
    most = np.maximum(limits.most[knees], 0.0) + np.radians(0.25)
    stream, until = frames_of(name, model), time.monotonic() + seconds
    hashes: list[np.ndarray[Any, Any]] = []
    means: list[Floats] = []
    not_finite = backwards = 0
    memory: list[float] = []
    began = time.process_time()
    while BLOCK * len(means) < frames and time.monotonic() < until:
        clip = joined(list(islice(stream, BLOCK)))
        values = clip.rotations.reshape(len(clip), -1)
        not_finite += int((~np.isfinite(values)).any(axis=1).sum() + (~np.isfinite(clip.root)).any(axis=1).sum())
        backwards += int((limits.check(clip).measured.values[knees] > most).any())
        hashes.append(_hashed(values))
        height = clip.root[:, clip.up_index].mean() / limits.leg
        means.append(np.append(np.abs(values[:, 4:]).mean(axis=0), height))  # not the heading, which may wander
        memory.append(_resident())
        if len(means) % (REPORT // BLOCK) == 0:
            print(f"{name}: {BLOCK * len(means):,} frames, {time.process_time():.0f} s of CPU", file=sys.stderr)
    every = np.concatenate(hashes)
    worked = time.process_time() - began
    print(f"{name}: {len(every) / worked:,.0f} frames a second of processor time, {worked:.0f} s", file=sys.stderr)
    tenth = max(len(means) // 10, 1)
    drift = np.abs(np.mean(means[-tenth:], axis=0) - np.mean(means[:tenth], axis=0)).max()
    # Checking keeps 8 bytes of hash per frame and a mean per block; any other growth is a leak.
    kept = 8e-6 * (len(every) - len(every) // 5)
    growth = memory[-1] - memory[len(memory) // 5] - kept
    return Row(name, len(every), not_finite, backwards, repeated(every, REPEATED), float(drift), max(growth, 0.0))


def _hashed(values: Floats) -> np.ndarray[Any, Any]:
    """Return a hash (frames,) of the bits of each row."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(bits.shape[1], FACTOR))
        mixed = ((bits ^ (bits >> np.uint64(29))) * powers).sum(axis=1, dtype=np.uint64)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def repeated(hashes: np.ndarray[Any, Any], window: int) -> int:
    """Return the number of stretches of `window` rows that occurred at any earlier frame.

    Sums of hashes times powers of an odd number, divided by the first power, are equal where stretches are.
    """
    if len(hashes) <= window:
        return 0
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(len(hashes), FACTOR))
        back = np.cumprod(np.full(len(hashes), np.uint64(pow(int(FACTOR), -1, 1 << 64))))
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes * powers, dtype=np.uint64)])
        windows = (sums[window:] - sums[:-window]) * back[: len(hashes) - window + 1]
    return int(len(windows) - len(np.unique(windows)))


def _resident() -> float:
    """Return the memory of this process in megabytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return float(text.partition("VmRSS:")[2].split()[0]) / 1024


def sending(seconds: float) -> tuple[int, int, float, float]:
    """Send a walk to this machine at 60 poses a second; return sent and skipped poses, p99 and worst lateness in ms."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    with receiver, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.ftm"
        ft.save(path, variation()[0])
        address = "vmc://{}:{}".format(*receiver.getsockname())
        timing = motion_send(Stream(model=path, live=address, seconds=seconds, unit=0.01)).timing
    return timing.sent, timing.left_out, timing.p99_ms, timing.worst_ms


def main() -> int:
    """Run all streams, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="for all methods and live sending together")
    parser.add_argument("--frames", type=int, default=5_000_000, help="of each method, at most")
    parser.add_argument("--only", action="append", choices=[*MODELS, "sending"])
    options = parser.parse_args()
    names = options.only or [*MODELS, "sending"]
    seconds, failed = 3600.0 * options.hours / len(names), False
    heads = ("stream", "frames", "not finite", "knees backwards", "repeats", "drift", "growth, MB")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    for name in [name for name in names if name != "sending"]:
        row = soak(name, options.frames, seconds)
        failed |= row.wrong
        print(
            f"| {name} | {row.frames:,} | {row.not_finite} | {row.backwards} | {row.repeats} | {row.drift:.4f}"
            f" | {row.growth_mb:.0f} |",
            flush=True,
        )
    if "sending" in names:
        sent, left_out, p99, worst = sending(seconds)
        failed |= p99 > LATE_MS
        print(f"\nsending: {sent:,} poses sent, {left_out} left out, p99 {p99:.2f} ms and at worst {worst:.1f} ms late")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
