"""What may change while motion is sent: amount, speed, heading and class, by keys and OSC messages."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from freshtake.errors import UsageError
from freshtake.formats.osc import Message, Value, decoded
from freshtake.motion import Clip

LIMITS = {  # times as much, as fast; degrees; degrees a second; times as strong; times as often
    "amount": (0.0, 4.0), "speed": (0.1, 4.0), "heading": (-1e6, 1e6), "turn": (-720.0, 720.0),
    "strength": (0.0, 3.0), "jump_rate": (0.0, 20.0),
}  # fmt: skip
PREFIX = "/freshtake/"
MOST_PACKETS = 64  # messages read at a time, so that a flood of them cannot stop the motion


@dataclass
class Steers:
    """The values now. `heading` in degrees from that of the start, None: as it comes; `weights` of the `classes`.

    A style works on `source`, with `strength`; a texture tells by `shown` which frame of its takes is shown.
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
        """Add to one of LIMITS, as far as it goes."""
        low, high = LIMITS[name]
        now = getattr(self, name) or 0.0
        self.put(name, min(max(round(now + by, 6), low), high))

    def choose(self, name: str) -> None:
        """One class alone."""
        self.weigh(name, 1.0, alone=True)

    def weigh(self, name: str, weight: Value, *, alone: bool = False) -> None:
        """A weight of a class beside the others."""
        if name not in self.classes:
            known = ", ".join(self.classes) or "none, since this is not a blend"
            raise UsageError(f"there is no class {name!r}; the classes are {known}")
        if isinstance(weight, str) or not (math.isfinite(weight) and weight >= 0.0):
            raise UsageError(f"the weight of {name} must be 0 or more, but is {weight}")
        fresh = {**({} if alone else self.weights), name: float(weight)}
        if sum(fresh.values()) <= 0.0:
            raise UsageError("at least one class needs a weight above 0")
        self.weights = fresh

    def status(self) -> str:
        """In one line."""
        way = "free" if self.heading is None else f"{self.heading:g} degrees"
        mixed = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
        return f"amount {self.amount:g}, speed {self.speed:g}, heading {way}" + (f", {mixed}" if mixed else "")


def obey(steers: Steers, message: Message) -> None:
    """What a message says: /freshtake/amount 0.5, and so speed, heading, class (a name), weight (name, number), end."""
    word, values = message.address.removeprefix(PREFIX), message.values
    if message.address == PREFIX + word:
        match word, values:
            case (("amount" | "speed" | "heading"), (value,)):
                return steers.put(word, value)
            case "heading", ():
                steers.heading = None
                return None
            case "class", (str(name),):
                return steers.choose(name)
            case "weight", (str(name), value):
                return steers.weigh(name, value)
            case "end", ():
                steers.ended = True
                return None
    raise UsageError(f"{message.address} with {len(values)} values is not a message this stream understands")


class Inbox:
    """Takes OSC messages in, without waiting for any."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            reason = getattr(error, "strerror", None) or "it is not a port"
            raise UsageError(
                f"messages cannot be received on port {port} ({reason}): name another with --listen"
            ) from None
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def take(self, steers: Steers, warn: Callable[[str], None]) -> None:
        """Apply all messages that have arrived, and warn about those that are not understood."""
        for _ in range(MOST_PACKETS):
            try:
                packet = self._socket.recv(65536)
            except OSError:  # nothing is there
                return
            try:
                for message in decoded(packet):
                    obey(steers, message)
            except UsageError as error:
                warn(str(error))

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()


def key_pressed(steers: Steers, key: str) -> bool:
    """What keys do; whether this one does anything."""
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
    """In one line."""
    several = f", 1 to {len(classes)} {', '.join(classes)}" if classes else ""
    return f"keys: + - amount, w s speed, a d heading (left, right), f free heading{several}, q end"
