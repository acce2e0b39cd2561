"""`redraw` as files: kept bytes, refusals, one seed for one motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.formats import bvh
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import scaled, with_up
from freshtake.numeric.arrays import Floats
from freshtake.requests import Learn, Redraw
from freshtake.workflows import learn, redraw
from tests.motion.rigs import RIGS


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("redraw")
    for k in range(5):
        ft.write(folder / f"walk_{k}.bvh", ft.samples.walk(np.random.default_rng(k), cycles=1))
    learn(Learn(takes=[folder / f"walk_{k}.bvh" for k in range(4)], out=folder / "walk.ftm", cyclic=True))
    return folder


def lines(path: Path) -> tuple[bytes, list[bytes]]:
    data = path.read_bytes()
    end = data.index(b"\n", data.index(b"Frame Time")) + 1
    return data[:end], data[end:].splitlines()


def asked(place: Path, out: Path, **values: object) -> Redraw:
    return Redraw(take=place / "walk_4.bvh", model=place / "walk.ftm", out=out, **values)  # type: ignore[arg-type]


def test_every_byte_outside_the_stretch_is_the_takes(place: Path, tmp_path: Path) -> None:
    done = redraw(asked(place, tmp_path / "new", start="20", stop="0.8s", count=3))
    head, before = lines(place / "walk_4.bvh")
    first, stop = done.frames
    assert [path.name for path in done.paths] == ["walk_4_001.bvh", "walk_4_002.bvh", "walk_4_003.bvh"]
    for path in done.paths:
        again, after = lines(path)
        assert again == head and len(after) == len(before)
        differ = [k for k in range(len(before)) if before[k] != after[k]]
        assert differ and first <= min(differ) and max(differ) < stop
        assert np.isfinite(ft.read(path).root).all()  # type: ignore[union-attr]


def test_columns_of_other_parts_keep_their_bytes(place: Path, tmp_path: Path) -> None:
    done = redraw(asked(place, tmp_path / "arm.bvh", part=("left arm",), count=1))
    (_, before), (_, after) = lines(place / "walk_4.bvh"), lines(done.paths[0])
    clip = ft.read(place / "walk_4.bvh")
    assert isinstance(clip, ft.Clip)
    owners = [
        name for name, channels in zip(clip.skeleton.names, clip.skeleton.channels, strict=True) for _ in channels
    ]
    changed = {
        owners[k]
        for a, b in zip(before, after, strict=True)
        for k in range(len(owners))
        if a.split()[k] != b.split()[k]
    }
    assert changed and all("Left" in name for name in changed)


def test_a_longer_clip_begins_with_the_takes_bytes(place: Path, tmp_path: Path) -> None:
    done = redraw(asked(place, tmp_path / "long.bvh", extend="1s", count=1))
    (_, before), (head, after) = lines(place / "walk_4.bvh"), lines(done.paths[0])
    assert after[: len(before)] == before
    assert f"Frames: {len(after)}".encode() in head
    clip = ft.read(done.paths[0])
    assert len(clip) == len(after)
    # angles continue from the file's: no curve jumps by half a turn
    numbers = np.array([line.split() for line in after], dtype=float)
    assert np.abs(np.diff(numbers[len(before) - 1 :], axis=0)).max() < 60.0


def test_what_was_written_is_what_was_drawn(place: Path, tmp_path: Path) -> None:
    redraw(asked(place, tmp_path / "a", start="20", stop="50", count=2, seed=3))
    redraw(asked(place, tmp_path / "b", start="20", stop="50", count=1, seed=3))
    assert (tmp_path / "a" / "walk_4_001.bvh").read_bytes() == (tmp_path / "b" / "walk_4_001.bvh").read_bytes()
    done = redraw(asked(place, tmp_path / "c", start="20", stop="50", count=1, seed=3, format="npz"))
    one, other = ft.read(tmp_path / "b" / "walk_4_001.bvh"), ft.read(done.paths[0])
    assert isinstance(one, ft.Clip) and isinstance(other, ft.Clip)
    assert np.abs(one.positions() - other.positions()).max() < 1e-6


def test_files_with_other_line_ends_and_blanks_keep_them(place: Path, tmp_path: Path) -> None:
    take = tmp_path / "dos.bvh"
    head, rows = lines(place / "walk_4.bvh")
    take.write_bytes(head.replace(b"\n", b"\r\n") + b"".join(b" " + row + b"  \r\n" for row in rows))
    done = redraw(Redraw(take=take, model=place / "walk.ftm", out=tmp_path / "x.bvh", start="20", stop="50", count=1))
    data = done.paths[0].read_bytes()
    assert data.count(b"\r\n") == take.read_bytes().count(b"\r\n")
    after = data.splitlines()[-len(rows) :]
    assert all(line == b" " + row + b"  " for line, row in zip(after[:20], rows[:20], strict=True))


def test_frames_that_wrap_over_lines_are_written_anew(place: Path) -> None:
    values = np.zeros((2, 6))
    path = place / "wrapped.bvh"
    path.write_text("HIERARCHY\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n")
    assert bvh.splice(path, values, values + 1.0) is None


def test_clips_that_do_not_fit_are_refused_in_one_sentence(place: Path, tmp_path: Path) -> None:
    jump = tmp_path / "jump.bvh"
    ft.write(jump, ft.samples.jump(np.random.default_rng(0)))
    with pytest.raises(UsageError, match="another movement"):
        redraw(Redraw(take=jump, model=place / "walk.ftm", out=tmp_path / "no", start="10", stop="40"))
    assert not (tmp_path / "no").exists()
    with pytest.raises(UsageError, match="leave --from"):
        redraw(asked(place, tmp_path / "no", extend="1s", start="3"))
    slow = tmp_path / "slow.bvh"
    clip = ft.read(place / "walk_4.bvh")
    assert isinstance(clip, ft.Clip)
    ft.write(slow, clip.changed(frame_time=2.0 * clip.frame_time))
    with pytest.raises(UsageError, match="--fps"):
        redraw(Redraw(take=slow, model=place / "walk.ftm", out=tmp_path / "no", start="10", stop="40"))


def limbs(path: Path) -> Floats:
    """Positions of hands, feet and head in leg lengths, y up, whatever joints are above the body."""
    clip = with_up(ft.read_clip(path), "y")
    ends = ("LeftFoot", "RightFoot", "LeftHand", "RightHand", "Head")
    joints = [next(j for j, name in enumerate(clip.skeleton.names) if name.endswith(end)) for end in ends]
    return np.asarray(clip.positions()[:, joints] / leg_length(clip.skeleton))


@pytest.mark.parametrize("rig", ["static root", "root motion"])
@pytest.mark.parametrize("values", [{"start": "20", "stop": "50"}, {"extend": "0.5s"}], ids=["stretch", "extend"])
def test_a_joint_above_the_body_z_up_and_inches_change_nothing(
    place: Path, tmp_path: Path, rig: str, values: dict[str, str]
) -> None:
    for k in range(5):
        take = RIGS[rig](ft.read_clip(place / f"walk_{k}.bvh"))
        ft.write(tmp_path / f"walk_{k}.bvh", scaled(with_up(take, "z"), 1.0 / 2.54))
    learn(Learn(takes=[tmp_path / f"walk_{k}.bvh" for k in range(4)], out=tmp_path / "walk.ftm", cyclic=True))
    plain = redraw(asked(place, tmp_path / "plain.bvh", count=1, **values))
    dressed = redraw(asked(tmp_path, tmp_path / "dressed.bvh", count=1, **values))
    np.testing.assert_allclose(limbs(dressed.paths[0]), limbs(plain.paths[0]), atol=1e-4)
    (_, before), (_, after) = lines(tmp_path / "walk_4.bvh"), lines(dressed.paths[0])
    path = np.array([line.split()[:3] for line in after], dtype=float)
    # the joint that carries the body keeps its path, and continues from there if frames are added
    assert np.array_equal(path[: len(before)], np.array([line.split()[:3] for line in before], dtype=float))
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert steps.max() <= 2.0 * steps[: len(before) - 1].max()
