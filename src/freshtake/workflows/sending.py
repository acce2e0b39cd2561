"""Live motion sent to avatars, and poses received from other programs, both as VMC messages."""

from __future__ import annotations

import gc
import ipaddress
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm import Stored, is_model, read_stored
from freshtake.formats.read_options import WriteOptions
from freshtake.formats.rig import in_metres
from freshtake.formats.vrm import PORT, PosePackets, PoseReader, humanoid_of
from freshtake.methods.progress import Warn, unheard
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.features import decode
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.motion.verdict import assess, require_possible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.rotations import slerp
from freshtake.requests.variation import Stream
from freshtake.style.model import StyleModel
from freshtake.workflows.live import (
    OWN_MOTION,
    STREAMS,
    Inbox,
    Lateness,
    Playback,
    Steers,
    Tick,
    classes_of,
    joined,
    lateness,
    ticks,
)

LOOKED_AT = 90  # number of first frames, which give the rest pose and are checked before any frame is sent


class Pose(NamedTuple):
    """Position of the hips (3,), in metres with y up, and rotations of bones (bones, 4) relative to their parents."""

    hips: Floats
    turns: Floats


class HumanoidBody:
    """Converts clips of one skeleton to poses of a humanoid.

    The rest pose is found in `trial`, some frames of the motion; `source` is the file named in messages.
    """

    def __init__(self, trial: Clip, source: Path, unit_m: float | None, warn: Warn) -> None:
        trial = as_filed(trial)
        upright = in_metres(source, trial, WriteOptions(unit_m=unit_m, warn=warn), "VMC")
        unit_m = float(upright.skeleton.lengths().max() / trial.skeleton.lengths().max())
        self._options, self._source = WriteOptions(unit_m=unit_m, warn=warn), source
        self._humanoid = humanoid_of(upright)
        self.skeleton = self._humanoid.skeleton

    def pose(self, clip: Clip) -> Pose:
        """Return the pose of a one-frame clip."""
        put = self._humanoid.put(in_metres(self._source, as_filed(clip), self._options, "VMC"))
        return Pose(put.root[0], put.rotations[0])


class LiveSender:
    """Sends poses to avatars without waiting, while the motion is also shown on the page."""

    def __init__(self, address: Address, trial: Clip, source: Path) -> None:
        self._body = HumanoidBody(trial, source, None, unheard)
        self._packing, self._address = PosePackets(self._body.skeleton), address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, clip: Clip, seconds: float) -> None:
        """Send a one-frame clip."""
        send_packets(self._socket, packed_pose(self._body.pose(clip), self._packing, seconds), self._address)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def send_packets(out: socket.socket, packets: Sequence[bytes], address: Address) -> None:
    """Send packets; an address that cannot be reached is an error."""
    try:
        for packet in packets:
            out.sendto(packet, address)
    except BlockingIOError:
        return  # the network buffer is full: the next pose follows in a sixtieth of a second
    except OSError as error:
        raise UsageError(f"nothing can be sent to {address.host}:{address.port} ({error.strerror or error})") from None


class HumanoidPoses(Playback[Pose]):
    """Poses of a model's stream on a humanoid skeleton."""

    def __init__(
        self,
        source: Path,
        stored: Stored,
        steers: Steers,
        *,
        unit_m: float | None,
        plant: bool | str,
        seed: int,
        warn: Warn,
        keep_going: bool = False,
    ) -> None:
        first = joined(list(islice(_frames(source, stored, replace(steers), plant, seed), LOOKED_AT)))
        standard = stored.model.standard if stored.method == "variation" else None
        if standard is not None:
            verdict = assess(first, standard, amount=steers.amount, name=source.name)
            require_possible([verdict], keep_going, warn)
        body = HumanoidBody(first, source, unit_m, warn)
        self.packing = PosePackets(body.skeleton)
        super().__init__(map(body.pose, _frames(source, stored, steers, plant, seed)), stored.model.frame_time)

    def now(self) -> Pose:
        """Return the pose between the current two frames."""
        first, second = self.pair
        hips = (1.0 - self.at) * first.hips + self.at * second.hips
        return Pose(hips, slerp(first.turns, second.turns, self.at))


def _frames(source: Path, stored: Stored, steers: Steers, plant: bool | str, seed: int) -> Iterator[Clip]:
    """Yield one-frame clips endlessly, made with the current values of `steers`."""
    if stored.method not in OWN_MOTION:
        methods = ", ".join(OWN_MOTION)
        raise FormatError(source, f"a {stored.method} model has no motion of its own to send: give one of {methods}")
    for clip in STREAMS[stored.method](stored.model, steers, plant, np.random.default_rng(seed)):
        if not isinstance(clip, Clip):
            raise FormatError(source, "only motion of a body with a skeleton can be sent to avatars")
        yield clip


RATE = 60.0  # poses a second
KEPT = 216_000  # most recent ticks used to measure the timing: an hour
GROUND = np.array([1.0, 0.0, 1.0])


class Address(NamedTuple):
    """Destination of poses."""

    host: str
    port: int


class SendReport(NamedTuple):
    """The number of poses sent, and their punctuality."""

    address: Address
    seconds: float
    packets: int
    largest_packet: int
    timing: Lateness
    listening: int | None = None


def address_of(text: str, *, anywhere: bool = False) -> Address:
    """Parse vmc://HOST:PORT, both optional; other machines are refused unless `anywhere`."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        port, parts = -1, urlsplit("")
    plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if parts.scheme != "vmc" or not plain or port in (-1, 0):
        raise UsageError(f"{text!r} is not an address to send to: write vmc://127.0.0.1:{PORT}")
    name = parts.hostname or "127.0.0.1"
    try:
        host = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_DGRAM)[0][4][0]
    except (OSError, UnicodeError):
        raise UsageError(f"there is no machine {name!r}, or it has no IPv4 address") from None
    if not ipaddress.ip_address(host).is_loopback and not anywhere:
        raise UsageError(f"{name} is another machine: add --host to send there")
    return Address(str(host), PORT if port is None else port)


@one_blas_thread()
def motion_send(
    request: Stream,
    warn: Warn = unheard,
    *,
    steers: Steers | None = None,
    each_tick: Callable[[Steers], None] | None = None,
) -> SendReport:
    """Send a model's motion until `request.seconds` are over or `steers.ended` is set.

    If the first frames of a variation model are impossible for a body, nothing is sent, unless the request keeps going.
    Messages to the port `request.listen` steer the motion, only from this machine unless `request.host` is set. The
    caller may change `steers` meanwhile; `each_tick` is called with them after every pose.
    """
    source, seconds, address = request.model, request.seconds, address_of(request.live or "", anywhere=request.host)
    if seconds is not None and not 0.0 < seconds < 1e9:
        raise UsageError(f"a time above 0 and below 1e9 s was expected, not {seconds:g} s")
    if source.exists() and not is_model(source):
        raise FormatError(source, "this is not a freshtake model: write one with freshtake learn")
    steers = steers or Steers(request.amount, request.speed, request.heading)
    stored = read_stored(source)
    steers.classes = classes_of(stored)
    if steers.classes and not steers.weights:
        steers.choose(steers.classes[0])
    listens_at = "0.0.0.0" if request.host else "127.0.0.1"
    inbox = None if request.listen is None else Inbox(listens_at, request.listen)
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gc.collect()
    gc.freeze()  # loaded objects stay, and are not scanned in the middle of a motion
    try:
        posing = HumanoidPoses(
            source, stored, steers, unit_m=request.unit, plant=request.planting, seed=request.seed, warn=warn,
            keep_going=request.keep_going,
        )  # fmt: skip
        return _send(posing, out, address, steers, seconds, request.in_place, inbox, each_tick, warn)
    finally:
        gc.unfreeze()
        out.close()
        if inbox is not None:
            inbox.close()


def _send(
    posing: HumanoidPoses, out: socket.socket, address: Address, steers: Steers, seconds: float | None, in_place: bool,
    inbox: Inbox | None, each_tick: Callable[[Steers], None] | None, warn: Warn,
) -> SendReport:  # fmt: skip
    """At each tick, send the pose prepared for it, apply incoming messages, and prepare the next pose."""
    seen: deque[Tick] = deque(maxlen=KEPT)
    packets, largest, before = 0, 0, 0
    ready = packed_pose(posing.now(), posing.packing, 0.0, in_place=in_place)
    for tick in ticks(RATE, time.perf_counter, time.sleep):
        if steers.ended or (seconds is not None and tick.number >= seconds * RATE):
            break
        send_packets(out, ready, address)
        packets, largest = packets + len(ready), max(largest, *map(len, ready))
        seen.append(tick)
        if inbox is not None:
            inbox.take(steers, warn)
        if each_tick is not None:
            each_tick(steers)
        posing.advance((tick.number + 1 - before) / RATE * steers.speed)
        before = tick.number + 1
        ready = packed_pose(posing.now(), posing.packing, before / RATE, in_place=in_place)
    timing = lateness(seen) if seen else Lateness(0, 0, 0.0, 0.0, 0.0)
    return SendReport(address, before / RATE, packets, largest, timing, None if inbox is None else inbox.port)


def packed_pose(pose: Pose, packing: PosePackets, seconds: float, *, in_place: bool = False) -> list[bytes]:
    """Pack a pose: the root gets the travel over the ground, the hips the remaining movement."""
    place = pose.hips * GROUND
    return packing.of(np.zeros(3) if in_place else place, pose.hips - place, pose.turns, seconds)


PATIENCE = 20.0  # seconds that the first pose may take


class Receiver:
    """Listens on a port of this machine; `frames` gives the newest pose on request."""

    def __init__(self, port: int) -> None:
        self._reader, self._inbox = PoseReader(), Inbox("127.0.0.1", port, "poses", "choose another port")

    def wait(self) -> None:
        """Wait until a complete body has arrived; raise an error after `PATIENCE` seconds."""
        end = time.monotonic() + PATIENCE
        while not self._reader.complete:
            self._take()
            if time.monotonic() > end:
                raise UsageError("no poses arrive: let the other program send VMC to this port, then try again")
            time.sleep(0.01)

    def frames(self, model: StyleModel) -> Iterator[Clip]:
        """Yield one-frame clips on the model's skeleton endlessly: the newest pose each time."""
        first = self._newest(model.frame_time)
        body = decode(model.recipe, model.poses, name="the model's skeleton")
        if not isinstance(body, Clip):
            raise UsageError("this style is for motion without a skeleton: choose a style for bodies")
        onto = Retargeter(make_rig(first, who="the received body"), make_rig(body, who="the model's skeleton"))
        while True:
            yield onto.retarget(self._newest(model.frame_time))

    def _newest(self, frame_time: float) -> Clip:
        self._take()
        return self._reader.clip(frame_time)

    def _take(self) -> None:
        for packet in self._inbox.packets():
            with suppress(UsageError):  # not OSC: a packet of another program
                self._reader.take(packet)

    def close(self) -> None:
        """Release the port."""
        self._inbox.close()
