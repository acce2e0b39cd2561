"""Live motion: the model's stream is sent on time and in small packets; steering and refusals."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.cli.live import pressed_keys
from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm.io import Stored
from freshtake.formats.vrm import Message, humanoid_of, message, mirrored_places, mirrored_turns, unity_name
from freshtake.motion import Clip
from freshtake.motion.edit import scaled
from freshtake.requests import Stream
from freshtake.samples import walk
from freshtake.workflows import sending
from freshtake.workflows.live import (
    STREAMS,
    Inbox,
    Steers,
    Tick,
    classes_of,
    joined,
    key_pressed,
    lateness,
    obey,
    ticks,
)
from freshtake.workflows.sending import address_of, motion_send
from tests.formats.osc_reader import read_packet


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("live")
    assert run(["samples", "write", "walk", "-o", str(place)]) == 0
    assert run(["learn", *map(str, sorted(place.glob("walk_*.bvh"))), "-o", str(place / "walk.ftm")]) == 0
    return place


@pytest.fixture
def receiver() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        opened.bind(("127.0.0.1", 0))
        opened.setblocking(False)
        yield opened


def received(opened: socket.socket) -> list[bytes]:
    out = []
    while True:
        try:
            out.append(opened.recv(65536))
        except BlockingIOError:
            return out


class FakeTime:
    """A clock that advances only by sleeping and by work."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + 1e-4  # as real sleep does, it wakes a little late


def test_ticks_do_not_drift_however_long_the_work_takes() -> None:
    world, rng = FakeTime(), np.random.default_rng(0)
    seen = []
    for tick in islice(ticks(60.0, world.clock, world.sleep), 10_000):
        assert world.now == pytest.approx(100.0 + tick.number / 60.0 + tick.late, abs=1e-6)
        assert tick.late >= 0.0
        seen.append(tick)
        world.now += rng.uniform(0.0, 0.9 / 60.0)
    assert [tick.number for tick in seen] == list(range(10_000))
    assert max(tick.late for tick in seen) < 2e-4


def test_ticks_that_are_long_past_are_left_out_and_the_rest_is_on_time() -> None:
    world = FakeTime()
    seen = []
    for number, tick in enumerate(islice(ticks(60.0, world.clock, world.sleep), 100)):
        seen.append(tick)
        world.now += 0.1 if number == 50 else 0.001
    assert seen[50].number == 50 and seen[51].number == 56 and seen[52].number == 57
    assert seen[51].late < 1.0 / 60.0 and seen[52].late < 2e-4
    assert lateness(seen).left_out == 5 and lateness(seen).sent == 100
    assert lateness([Tick(k, k / 1e3) for k in range(101)])[2:] == pytest.approx((50.0, 99.0, 100.0))


def vmc(receiver: socket.socket) -> str:
    return "vmc://{}:{}".format(*receiver.getsockname())


def test_poses_are_those_of_the_stream_in_small_packets_and_in_order(folder: Path, receiver: socket.socket) -> None:
    model = ft.load(folder / "walk.ftm")
    frames = list(islice(model.stream(np.random.default_rng(4), decode=True, plant="soft"), 40))
    assert model.frame_time == pytest.approx(1 / 60)
    unit = 1.0 if frames[0].unit_m is None else frames[0].unit_m
    clip = scaled(joined(frames), unit)
    human = humanoid_of(clip).put(clip)
    sent = motion_send(Stream(model=folder / "walk.ftm", live=vmc(receiver), seconds=0.5, unit=unit, seed=4))
    packets = received(receiver)
    assert len(packets) == sent.packets and max(map(len, packets)) == sent.largest_packet < 1472
    said = [one for packet in packets for one in read_packet(packet)]
    frame, now, last = 0, -1.0, len(human.skeleton) - 1
    names = [unity_name(name) for name in human.skeleton.names]
    bone = 0
    for address, values in said:
        if address == "/VMC/Ext/T":
            assert float(values[0]) > now, "poses come in order"
            now, bone = float(values[0]), 0
            frame = round(now * 60)
        elif address == "/VMC/Ext/Root/Pos":
            np.testing.assert_allclose(values[1:4], mirrored_places(human.root[frame] * [1, 0, 1]), atol=1e-5)
        elif address == "/VMC/Ext/Bone/Pos":
            assert values[0] == names[bone]
            wanted = mirrored_turns(human.rotations[frame, bone])
            assert abs(np.dot(values[4:], wanted)) == pytest.approx(1.0, abs=1e-6)
            bone += 1
    assert bone == last + 1 and sent.timing.sent == sum(address == "/VMC/Ext/OK" for address, _ in said)
    assert sent.timing.sent + sent.timing.left_out <= 30 and sent.timing.sent >= 1  # on a busy machine not all


def test_messages_and_callers_steer(folder: Path, receiver: socket.socket) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said: list[str] = []
    steers, count = Steers(), 0

    def each_tick(now: Steers) -> None:
        nonlocal count
        count += 1
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as voice:
            for words in (("amount", 0.25), ("speed", 99.0), ("heading", 30)) if count == 2 else ():
                voice.sendto(message(f"/freshtake/{words[0]}", words[1]), ("127.0.0.1", port))
            if count == 12:
                voice.sendto(message("/freshtake/end"), ("127.0.0.1", port))

    request = Stream(model=folder / "walk.ftm", live=vmc(receiver), seconds=600.0, listen=port, in_place=True)
    motion_send(request, said.append, steers=steers, each_tick=each_tick)
    assert steers == Steers(0.25, 1.0, 30.0, ended=True)
    assert any("speed must be a number between 0.1 and 4" in sentence for sentence in said)
    roots = [v for packet in received(receiver) for a, v in read_packet(packet) if a == "/VMC/Ext/Root/Pos"]
    assert roots and {tuple(v[1:4]) for v in roots} == {(0.0, 0.0, 0.0)}


def test_a_port_in_use_and_bad_addresses_are_one_sentence(
    folder: Path, receiver: socket.socket, capsys: pytest.CaptureFixture[str]
) -> None:
    port = str(receiver.getsockname()[1])
    live = ["stream", str(folder / "walk.ftm"), "--live"]
    for arguments, word in (
        ([*live, "vmc://127.0.0.1:39539", "--listen", port], "--listen"),
        ([*live, "vmc://127.0.0.1:39539", "--listen", "99999"], "--listen"),
        ([*live, "vmc://127.0.0.1:99999"], "vmc://127.0.0.1:39539"),
        ([*live, "osc://127.0.0.1:1"], "vmc://127.0.0.1:39539"),
        ([*live, "vmc://[::1"], "vmc://127.0.0.1:39539"),
        ([*live, "vmc://198.51.100.7:39539"], "--host"),
        ([*live, "vmc://127.0.0.1:39539", "--frames", "9"], "--frames"),
        ([*live, "vmc://127.0.0.1:39539", "--amount", "9"], "amount"),
        ([*live, "vmc://127.0.0.1:39539", "--seconds", "-1"], "above 0"),
        ([*live, "vmc://127.0.0.1:39539", "--seed", "-1"], "seed"),
        (["stream", str(folder / "walk_1.bvh"), "--live", "vmc://127.0.0.1:39539"], "not a freshtake model"),
        (["stream", str(folder / "walk.ftm")], "--live"),
        (["stream", str(folder / "walk.ftm"), "-o", "x.bvh", "--frames", "9", "--listen", "9"], "--listen"),
    ):
        assert run(arguments) == 2, arguments
        said = capsys.readouterr().err
        assert word in said and len(said.splitlines()) == 1, said


def test_the_command_sends_and_says_how_punctual_it_was(
    folder: Path, receiver: socket.socket, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"vmc://localhost:{receiver.getsockname()[1]}"
    assert run(["stream", str(folder / "walk.ftm"), "--live", address, "--seconds", "0.2"]) == 0
    assert "poses in 0." in capsys.readouterr().out
    assert len(received(receiver)) >= 2


def test_models_without_a_body_or_an_end_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    curves = [np.cumsum(rng.normal(size=(40, 2)), axis=0) for _ in range(1)]
    t = np.linspace(0, 2 * np.pi, 40)
    circles = [np.stack([np.cos(t), np.sin(t)], axis=1) * (1 + 0.1 * k) + 0 * curves[0] for k in range(3)]
    for cyclic, error in ((True, FormatError), (False, UsageError)):
        ft.save(tmp_path / "x.ftm", ft.variation.learn(circles, rng=rng, cyclic=cyclic))
        with pytest.raises(error):
            motion_send(Stream(model=tmp_path / "x.ftm", live="vmc://127.0.0.1:39539", seconds=0.1))


def test_blends_and_textures_are_sent_too(tmp_path: Path, receiver: socket.socket) -> None:
    takes = [walk(np.random.default_rng(k), cycles=4) for k in range(2)]
    blend = ft.density.learn({"slow": takes[:1], "fast": takes[1:]})
    ft.save(tmp_path / "blend.ftm", blend)
    steers = Steers()
    request = Stream(model=tmp_path / "blend.ftm", live=vmc(receiver), seconds=0.1, unit=1.0)
    done = motion_send(request, steers=steers)
    assert done.timing.sent >= 1 and steers.classes == ("slow", "fast") and steers.weights == {"slow": 1.0}
    ft.save(tmp_path / "texture.ftm", ft.texture.learn(takes))
    done = motion_send(replace(request, model=tmp_path / "texture.ftm"))
    assert done.timing.sent >= 1


def test_values_stay_within_their_limits() -> None:
    steers = Steers(classes=("walk", "run"))
    for _ in range(99):
        key_pressed(steers, "+")
        key_pressed(steers, "s")
    key_pressed(steers, "a")
    assert (steers.amount, steers.speed, steers.heading) == (4.0, 0.1, 15.0)
    assert not key_pressed(steers, "x") and not key_pressed(steers, "3") and key_pressed(steers, "2")
    assert steers.weights == {"run": 1.0} and "run 1" in steers.status()
    obey(steers, Message("/freshtake/weight", ("walk", 3.0)))
    obey(steers, Message("/freshtake/heading", ()))
    assert steers.weights == {"run": 1.0, "walk": 3.0} and steers.heading is None
    for bad in (
        Message("/freshtake/amount", ("much",)), Message("/freshtake/amount", (float("nan"),)),
        Message("/amount", (1.0,)), Message("/freshtake/class", ("swim",)), Message("/freshtake/weight", ("run", -1)),
        Message("/freshtake/heading", (1, 2)), Message("/freshtake/classes", ()),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            obey(steers, bad)
    assert key_pressed(steers, "q") and steers.ended


def test_an_inbox_survives_rubbish() -> None:
    inbox, said, steers = Inbox("127.0.0.1", 0), list[str](), Steers()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as voice:
        for packet in (b"", b"rubbish", message("/freshtake/speed", 2.0)):
            voice.sendto(packet, ("127.0.0.1", inbox.port))
    for _ in range(100):
        inbox.take(steers, said.append)
        if steers.speed == 2.0:
            break
        time.sleep(0.01)
    inbox.close()
    assert steers.speed == 2.0 and len(said) == 2


@pytest.mark.skipif(os.name != "posix", reason="terminals of other systems have no file numbers")
def test_keys_are_read_without_waiting_and_the_terminal_is_left_as_it_was() -> None:
    import termios

    user, terminal = os.openpty()
    before = termios.tcgetattr(terminal)
    with pressed_keys(terminal) as keys:
        assert keys() == ""
        os.write(user, b"+a")
        typed = ""
        for _ in range(200):
            typed += keys()
            if len(typed) == 2:
                break
            time.sleep(0.005)
        assert typed == "+a"
        assert not termios.tcgetattr(terminal)[3] & termios.ICANON
    assert termios.tcgetattr(terminal) == before
    os.close(user)
    os.close(terminal)
    read, write = os.pipe()
    with pressed_keys(read) as keys:
        assert keys() == ""
    os.close(read)
    os.close(write)


def test_this_machine_alone_unless_another_is_meant() -> None:
    assert address_of("vmc://") == ("127.0.0.1", 39539)
    assert address_of("vmc://198.51.100.7:5", anywhere=True) == ("198.51.100.7", 5)


def test_nothing_is_sent_of_what_no_body_does(
    folder: Path, receiver: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = sending._frames

    def sunk(*given: Any) -> Iterator[Clip]:
        return (one.changed(root=one.root - [0.0, 60.0, 0.0]) for one in frames(*given))

    monkeypatch.setattr(sending, "_frames", sunk)
    said: list[str] = []
    request = Stream(model=folder / "walk.ftm", live=vmc(receiver), seconds=0.1, unit=0.01)
    with pytest.raises(UsageError, match=r"walk\.ftm, frame \d+: a foot goes .* deeper than in any take"):
        motion_send(request)
    assert received(receiver) == []
    motion_send(replace(request, keep_going=True), said.append)
    assert received(receiver) and "deeper than in any take" in said[0]


def test_a_stick_chooses_cells_or_a_heading() -> None:
    steers = Steers(classes=("right", "forward", "left"))
    for push, cell in (((-0.9, 0.2), "left"), ((0.0, 0.05), "forward"), ((0.8, 0.1), "right"), ((0.1, 1.0), "forward")):
        obey(steers, Message("/freshtake/stick", push))
        assert steers.cell == cell
    around = Steers(classes=("north", "east", "south", "west"))
    for push, cell in (((0.0, 1.0), "north"), ((1.0, 0.0), "east"), ((0.0, -1.0), "south"), ((-1.0, 0.1), "west")):
        obey(around, Message("/freshtake/stick", push))
        assert around.cell == cell
    obey(around, Message("/freshtake/stick", (0.1, 0.0)))
    assert around.cell == "west"
    free = Steers()
    obey(free, Message("/freshtake/stick", (-1.0, 0.0)))
    assert free.heading == pytest.approx(90.0)
    obey(free, Message("/freshtake/stick", (0.0, 0.0)))
    assert free.heading is None
    for bad in (("left", 0.0), (2.0, 0.0), (float("nan"), 0.0)):
        with pytest.raises(UsageError, match="stick"):
            obey(free, Message("/freshtake/stick", bad))


@pytest.mark.parametrize("root", ["heading", "absolute"])
def test_a_live_texture_goes_to_the_cell_that_is_chosen(root: str) -> None:
    rng = np.random.default_rng(0)
    slow, fast = (walk(rng, cycles=4, speed=speed) for speed in (1.0, 1.5))
    model = ft.texture.learn({"slow": slow, "fast": fast}, ft.texture.Settings(root=root))
    steers = Steers(classes=classes_of(Stored(model, "texture", (), "")))
    steers.choose("slow")
    frames, seen = STREAMS["texture"](model, steers, False, rng), []
    for name in ("slow", "fast", "slow"):
        obey(steers, Message("/freshtake/cell", (name,)))
        for _ in islice(frames, 90):
            assert steers.shown is not None
        seen.append(model.cells[int(model.segments.cells()[steers.shown])])
    assert seen == ["slow", "fast", "slow"]
