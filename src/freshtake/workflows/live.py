"""Endless motion that is steered while it is made: controls, streams of models, styles, and timing."""

import math
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import Stored
from freshtake.formats.vrm import Message, Value, decode_packet
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Warn
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats

LIMITS = {  # factors, except heading in degrees and turn in degrees per second
    "amount": (0.0, 4.0), "speed": (0.1, 4.0), "heading": (-1e6, 1e6), "turn": (-720.0, 720.0),
    "strength": (0.0, 3.0), "jump_rate": (0.0, 20.0),
}  # fmt: skip
PREFIX = "/freshtake/"
AT_REST = 0.3  # below this a stick counts as released; worn sticks do not return to 0
MOST_PACKETS = 64  # packets read at a time


@dataclass
class Steers:
    """Current values of the controls: `heading` in degrees from the start (None: free), `weights` of the `classes`.

    The classes of a texture are its cells: playback moves to the cell with the largest weight, and `shown` is set to
    the current frame of the takes. A style works on `source`, with `strength`.
    """

    amount: float = 1.0
    speed: float = 1.0
    heading: float | None = None
    turn: float | None = None
    strength: float = 1.0
    jump_rate: float = 1.0
    source: Clip | None = None
    shown: int | None = None
    ended: bool = False
    classes: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in LIMITS:
            if getattr(self, name) is not None:
                self.put(name, getattr(self, name))

    def put(self, name: str, value: Value) -> None:
        """Set one of LIMITS; a number outside its limits is refused."""
        low, high = LIMITS[name]
        if isinstance(value, str) or not (math.isfinite(value) and low <= value <= high):
            raise UsageError(f"the {name} must be a number between {low:g} and {high:g}, but is {value}")
        setattr(self, name, float(value))

    def change(self, name: str, by: float) -> None:
        """Add to one of LIMITS, clipped to its range."""
        low, high = LIMITS[name]
        now = getattr(self, name) or 0.0
        self.put(name, min(max(round(now + by, 6), low), high))

    def choose(self, name: str) -> None:
        """Give all weight to one class."""
        self.weigh(name, 1.0, alone=True)

    def weigh(self, name: str, weight: Value, *, alone: bool = False) -> None:
        """Set the weight of a class; `alone` sets all others to 0."""
        if name not in self.classes:
            names = ", ".join(self.classes) or "none, since this is neither a blend nor a texture with cells"
            raise UsageError(f"there is no class {name!r}; the classes are {names}")
        if isinstance(weight, str) or not (math.isfinite(weight) and weight >= 0.0):
            raise UsageError(f"the weight of {name} must be 0 or more, but is {weight}")
        weights = {**({} if alone else self.weights), name: float(weight)}
        if sum(weights.values()) <= 0.0:
            raise UsageError("at least one class needs a weight above 0")
        self.weights = weights

    @property
    def cell(self) -> str | None:
        """The class with the largest weight; None if there are no classes."""
        return max(self.weights, key=self.weights.__getitem__, default=None)

    def push(self, across: Value, along: Value) -> None:
        """Obey a stick: choose the class in its direction, or set the heading if there are no classes.

        `across` goes from -1, left, to 1, right, and `along` from -1, back, to 1, forward.
        """
        if any(isinstance(x, str) or not -1.01 <= x <= 1.01 for x in (across, along)):
            raise UsageError(f"a stick gives two numbers between -1 and 1, not {across} and {along}")
        x, y = float(across), float(along)
        at_rest = math.hypot(x, y) < AT_REST
        if not self.classes:
            self.heading = None if at_rest else math.degrees(math.atan2(-x, y))
        elif {"forward", "left", "right"} <= set(self.classes):
            self.choose("forward" if at_rest or abs(x) < abs(y) else "left" if x < 0.0 else "right")
        elif not at_rest:  # classes are on a circle, clockwise, the first one ahead
            share = math.atan2(x, y) / (2.0 * math.pi) * len(self.classes)
            self.choose(self.classes[round(share) % len(self.classes)])

    def status(self) -> str:
        """Return the values in one line."""
        heading = "free" if self.heading is None else f"{self.heading:g} degrees"
        weights = (f"{name} {weight:g}" for name, weight in self.weights.items())
        return ", ".join([f"amount {self.amount:g}", f"speed {self.speed:g}", f"heading {heading}", *weights])


def obey(steers: Steers, message: Message) -> None:
    """Obey a message such as /freshtake/amount 0.5.

    The words are amount, speed and heading (a number), class and cell (a name), weight (name, number), stick (two
    numbers) and end.
    """
    word, values = message.address.removeprefix(PREFIX), message.values
    if message.address == PREFIX + word:
        match word, values:
            case (("amount" | "speed" | "heading"), (value,)):
                return steers.put(word, value)
            case "heading", ():
                steers.heading = None
                return None
            case (("class" | "cell"), (str(name),)):
                return steers.choose(name)
            case "stick", (across, along):
                return steers.push(across, along)
            case "weight", (str(name), value):
                return steers.weigh(name, value)
            case "end", ():
                steers.ended = True
                return None
    raise UsageError(f"{message.address} with {len(values)} values is not a message this stream understands")


class Inbox:
    """Receives packets without waiting; `what` and `remedy` are words for the error if the port cannot be opened."""

    def __init__(
        self, host: str, port: int, what: str = "messages", remedy: str = "name another with --listen"
    ) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            reason = getattr(error, "strerror", None) or "it is not a port"
            raise UsageError(f"{what} cannot be received on port {port} ({reason}): {remedy}") from None
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def packets(self) -> Iterator[bytes]:
        """Yield the packets that have arrived."""
        # A flood must not stop the motion: leave the rest for the next frame.
        for _ in range(MOST_PACKETS):
            try:
                yield self._socket.recv(65536)
            except OSError:  # nothing has arrived
                return

    def take(self, steers: Steers, warn: Warn) -> None:
        """Apply all messages that have arrived, and warn about any that are not understood."""
        for packet in self.packets():
            try:
                for message in decode_packet(packet):
                    obey(steers, message)
            except UsageError as error:
                warn(str(error))

    def close(self) -> None:
        """Release the port."""
        self._socket.close()


def key_pressed(steers: Steers, key: str) -> bool:
    """Apply a key to the steers; return whether it has a meaning."""
    steps = {"+": ("amount", 0.1), "-": ("amount", -0.1), "w": ("speed", 0.1), "s": ("speed", -0.1)}
    steps |= {"a": ("heading", 15.0), "d": ("heading", -15.0)}
    if key in steps:
        steers.change(*steps[key])
    elif key == "f":
        steers.heading = None
    elif key == "q":
        steers.ended = True
    elif key.isdecimal() and 1 <= int(key) <= len(steers.classes):
        steers.choose(steers.classes[int(key) - 1])
    else:
        return False
    return True


def keys_help(classes: Sequence[str]) -> str:
    """Return the help on keys in one line."""
    several = f", 1 to {len(classes)} {', '.join(classes)}" if classes else ""
    return f"keys: + - amount, w s speed, a d heading (left, right), f free heading{several}, q end"


class Tick(NamedTuple):
    """Number of a tick, counting skipped ticks too, and how many seconds late it is."""

    number: int
    late: float


def ticks(rate: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Tick]:
    """Yield ticks forever. Skip a tick if the next is already due: receivers only need the newest pose."""
    began, number = clock(), 0
    while True:
        wait = began + number / rate - clock()
        while wait > 0.0:
            sleep(wait)
            wait = began + number / rate - clock()
        yield Tick(number, -wait)
        number = max(number + 1, int((clock() - began) * rate))


class Lateness(NamedTuple):
    """Punctuality of ticks, in milliseconds; `left_out` ticks were not sent at all."""

    sent: int
    left_out: int
    median_ms: float
    p99_ms: float
    worst_ms: float


def lateness(seen: Sequence[Tick]) -> Lateness:
    """Measure the punctuality of one or more ticks."""
    late = 1e3 * np.array([tick.late for tick in seen])
    missing = seen[-1].number - seen[0].number + 1 - len(seen)
    p99 = float(np.quantile(late, 0.99, method="higher"))
    return Lateness(len(seen), missing, float(np.median(late)), p99, float(late.max()))


Frame = TypeVar("Frame")


class Playback(Generic[Frame]):
    """Frames of an endless stream, played at any speed; the current moment lies between the frames of `pair`."""

    def __init__(self, frames: Iterator[Frame], frame_time: float) -> None:
        self._frames, self.frame_time = frames, frame_time
        self.at, self.pair = 0.0, (next(frames), next(frames))

    def advance(self, seconds: float) -> None:
        """Advance by some seconds of the motion."""
        self.at += seconds / self.frame_time
        while self.at >= 1.0:
            self.pair = self.pair[1], next(self._frames)
            self.at -= 1.0


SEAM = 0.3  # seconds over which the end of a repeated take is blended into its beginning
STYLE_BLOCK = 0.05  # seconds of a take that are translated at a time


def classes_of(stored: Stored) -> tuple[str, ...]:
    """Return the classes of a blend, or the cells of a texture that has several."""
    if stored.method == "texture":
        return tuple(stored.model.cells) if len(stored.model.cells) > 1 else ()
    return tuple(stored.model.classes) if stored.method == "density" else ()


def _variation(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    from freshtake.variation.live import LiveControl

    if not model.cyclic:
        raise UsageError("the model is of a motion that does not repeat: only cyclic ones can be sent")

    def control() -> LiveControl:
        return LiveControl(steers.amount, _radians(steers.heading))

    yield from model.stream(rng, control=control, decode=True, plant=plant)


def _density(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    from freshtake.density.control import Control

    def control(frame: int) -> Control:
        heading = _radians(steers.heading)
        return Control(heading=heading, turn=None if heading is not None else _radians(steers.turn))

    yield from model.stream(rng, weights=lambda frame: dict(steers.weights), decode=True, plant=plant, control=control)


def _texture(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    """Play towards the chosen cell, travelling at `steers.heading`; `steers.shown` is set to the frame shown."""
    from freshtake.texture.guiding import Guide
    from freshtake.texture.live import LivePlay, guided_blocks
    from freshtake.texture.planting import planted_stream

    if not model.rates and len(model.cells) == 1:
        yield from model.stream(rng, decode=True, plant=plant)
        return
    sources: deque[int] = deque()

    def blocks() -> Iterator[Any]:
        def control() -> LivePlay:
            return LivePlay(Guide(heading=_radians(steers.heading)), steers.jump_rate, steers.cell)

        for motion, played in guided_blocks(model, rng, steers.cell, control):
            sources.extend(played.source.tolist())
            yield motion, played

    if plant and model.standing is not None:
        frames = planted_stream(blocks(), model.standing, plant)
    else:
        frames = (frame for motion, _ in blocks() for frame in motion.single_frames())
    for frame in frames:
        steers.shown = sources.popleft()
        yield frame


def _style(model: Any, steers: Steers, plant: bool | str, rng: np.random.Generator) -> Iterator[Any]:
    """Yield a take again and again, in the style of the model."""
    if not isinstance(steers.source, Clip):
        raise UsageError("a style needs a take to work on: choose a clip with a skeleton")
    rows = _without_seam(model.encode(steers.source).values, round(SEAM / model.frame_time))
    size = max(1, round(STYLE_BLOCK / model.frame_time))

    def blocks() -> Iterator[Floats]:
        while True:
            for first in range(0, len(rows), size):
                yield rows[first : first + size]

    yield from model.stream(blocks(), decode=True, plant=bool(plant), strength=lambda: steers.strength)


def _without_seam(rows: Floats, frames: int) -> Floats:
    """Blend the end of rows into their beginning, so that they can be repeated."""
    count = min(frames, len(rows) // 3)
    if count < 1:
        return rows
    share = ((np.arange(count) + 0.5) / count)[:, None]
    mixed = (1.0 - share) * rows[-count:] + share * rows[:count]
    return np.concatenate([mixed, rows[count:-count]])


STREAMS = {"variation": _variation, "density": _density, "texture": _texture, "style": _style}
OWN_MOTION = ("variation", "density", "texture")  # a style only changes existing motion


def _radians(degrees: float | None) -> float | None:
    return None if degrees is None else math.radians(degrees)


def joined(frames: list[Clip]) -> Clip:
    """Join one-frame clips into one clip."""
    return frames[0].changed(
        root=np.concatenate([clip.root for clip in frames]),
        rotations=np.concatenate([clip.rotations for clip in frames]),
    )


MARGIN = 2  # frames before and after a block that its rows depend on
BLOCK = 2  # frames that are translated at a time


def styled(frames: Iterator[Clip], style: Any, strength: Callable[[], float]) -> Iterator[Clip]:
    """Yield one-frame clips in a style, `MARGIN + BLOCK` frames late; `strength` is called for every block."""
    first = next(frames)
    if abs(first.frame_time - style.frame_time) > 1e-3 * style.frame_time:
        rates = f"{1.0 / first.frame_time:.4g} and {1.0 / style.frame_time:.4g}"
        raise UsageError(f"the motion and the style have different frame rates ({rates} fps): learn both at one rate")

    def blocks() -> Iterator[Floats]:
        window = [first, *islice(frames, 2 * MARGIN - 1)]
        while True:
            window = [*window[-2 * MARGIN :], *islice(frames, BLOCK)]
            rows = style.encode(fitted(joined(window), style.recipe)).values
            yield rows[MARGIN : MARGIN + len(window) - 2 * MARGIN]

    yield from style.stream(blocks(), decode=True, time_warp=False, strength=strength)
