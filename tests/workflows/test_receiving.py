"""Poses sent by another program: they arrive unchanged, and a style translates them as they arrive."""

from __future__ import annotations

import socket
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.formats.vrm import BONES, PoseReader, message, unity_name, vrm_name
from freshtake.style.learning import learn
from freshtake.workflows import sending
from freshtake.workflows.live import joined, styled
from freshtake.workflows.sending import Address, HumanoidBody, LiveSender, Receiver
from tests.workflows.test_live_styles import _bent


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_names_of_bones_go_both_ways() -> None:
    assert [vrm_name(unity_name(name)) for name in BONES] == list(BONES)
    assert vrm_name("LeftThumbThumb") not in BONES  # a name that another program may send


def test_a_style_translates_poses_as_they_come() -> None:
    walks = [samples.walk(np.random.default_rng(k)) for k in range(3)]
    style = learn([(walk, _bent(walk)) for walk in walks])
    port = free_port()
    receiver, sender = Receiver(port), LiveSender(Address("127.0.0.1", port), walks[0], Path("walk"))
    sent = list(walks[0].single_frames())
    try:
        sender.send(sent[0], 0.0)
        receiver.wait()
        expected = HumanoidBody(walks[0], Path("walk"), None, lambda sentence: None).pose(sent[0])
        got = receiver._reader.clip(walks[0].frame_time)
        assert np.allclose(got.root[0], expected.hips, atol=1e-5)

        def frames():  # type: ignore[no-untyped-def]
            newest = receiver.frames(style)
            for one in sent:
                sender.send(one, 0.0)
                yield next(newest)

        made = joined(list(islice(styled(frames(), style, lambda: 1.0), 30)))
    finally:
        sender.close()
        receiver.close()
    assert made.skeleton.names == walks[0].skeleton.names and np.isfinite(made.rotations).all()
    travel = np.linalg.norm(np.ptp(made.root[:, [0, 2]], axis=0))
    assert travel > 0.3 * np.linalg.norm(np.ptp(walks[0].root[:30, [0, 2]], axis=0)), "it goes on as it is sent"


def test_noise_on_the_port_is_left_alone_and_silence_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = PoseReader()
    for packet in (message("/VMC/Ext/Bone/Pos", "Hips", *[float("nan")] * 7), message("/other", 1)):
        reader.take(packet)
    assert not reader.complete
    monkeypatch.setattr(sending, "PATIENCE", 0.05)
    receiver = Receiver(port := free_port())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(b"garbage", ("127.0.0.1", port))
    with pytest.raises(UsageError, match="no poses arrive"):
        receiver.wait()
    with pytest.raises(UsageError, match="cannot be received on port"):
        Receiver(port)
    receiver.close()
