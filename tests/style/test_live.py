"""Live poses: placed on, in time with the classifiers, their planted feet still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet
from freshtake.motion.features import Start, decode, where_it_ends
from freshtake.motion.planting import Planter
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.model import StyleModel
from freshtake.style.synthesize import classifiers_of, latest
from tests.style.pairs_of_clips import model, walk


def joined(poses: list[Clip]) -> Clip:
    root, rotations = (np.concatenate([getattr(pose, part) for pose in poses]) for part in ("root", "rotations"))
    return poses[0].changed(root=root, rotations=rotations)


def stood_speed(clip: Clip, mask: Bools) -> float:
    """Of the slower joint of feet that stand by the mask, in lengths per second."""
    places, speeds = clip.positions(), []
    for column, foot in enumerate(feet(clip.skeleton)):
        speed = np.linalg.norm(np.diff(places[:, list(foot.joints)], axis=0), axis=-1).min(axis=1) * clip.fps
        speeds.append(speed[mask[1:, column] & mask[:-1, column]])
    return float(np.concatenate(speeds).mean())


def live_masks(rows: Floats) -> tuple[Bools, Floats]:
    """The classifiers' output at every output row, the slow way: whole arrays, first pose held before."""
    learned = model()
    tool = learned.translator()
    state, _ = tool._prepared(tool.start(), rows)
    seen = learned.bank.features(state.systems, tool.inputs(state, rows))
    known = {annotation.name: annotation for annotation in learned.annotations}
    labels = np.stack([known[name].label(seen) for name in learned.feet], axis=1)
    made = tool.advance(tool.start(), rows)[1]
    return labels[np.clip(np.round(made.origins), 0, len(rows) - 1).astype(int)], made.rows


def placed_one_by_one(learned: StyleModel, rows: Floats) -> Clip:
    """The slow way to poses: every row advanced, decoded and placed by functions that check all inputs."""
    tool, start, resume, poses = learned.translator(), Start(), False, []
    state = tool.start()
    for row in rows:
        state, made = tool.advance(state, row)
        if len(made.rows):
            poses.append(decode(learned.recipe, made.rows, start=start, resume=resume))
            start, resume = where_it_ends(learned.recipe, made.rows, start=start, resume=resume), True
    return joined(poses)  # type: ignore[arg-type]


def test_a_decoded_stream_is_every_row_decoded_by_itself() -> None:
    learned = model()
    rows = learned.encode(walk(61, cycles=4)).values
    slow, poses = placed_one_by_one(learned, rows), list(learned.stream(rows, decode=True))
    made = joined(poses)
    np.testing.assert_allclose(made.root, slow.root, atol=1e-10)
    np.testing.assert_allclose(made.rotations, slow.rotations, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(made.rotations, axis=-1), 1.0, atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        poses[0].root[0] = 0.0


def test_a_planted_stream_is_the_planter_on_the_stream_with_the_classifiers_contacts() -> None:
    learned = model()
    rows = learned.encode(walk(61, cycles=4)).values
    raw = placed_one_by_one(learned, rows)
    made = joined(list(learned.stream(rows, decode=True, plant=True)))
    mask, _ = live_masks(rows)
    planter = learned.planter
    state, first = planter.feed(planter.start(), raw.root, raw.rotations, mask)
    rest = planter.finish(state)
    assert len(made) == len(raw)  # late, but none is lost
    np.testing.assert_allclose(made.root, np.concatenate([first.root, rest.root]), atol=1e-10)
    np.testing.assert_allclose(made.rotations, np.concatenate([first.rotations, rest.rotations]), atol=1e-12)
    assert stood_speed(made, mask) < 0.8 * stood_speed(raw, mask)


def test_blocks_of_rows_give_what_single_rows_give() -> None:
    learned = model()
    rows = learned.encode(walk(61, cycles=4)).values
    blocks = np.split(rows, [1, 8, 9, 40])
    for how in ({"decode": True}, {"decode": True, "plant": True}):
        one, many = (joined(list(learned.stream(items, **how))) for items in (rows, blocks))  # type: ignore[arg-type]
        np.testing.assert_allclose(many.root, one.root, atol=1e-9)
        np.testing.assert_allclose(many.rotations, one.rotations, atol=1e-9)
    np.testing.assert_array_equal(list(learned.stream(blocks)), list(learned.stream(rows)))


def test_a_block_with_a_bad_row_is_refused_and_the_stream_goes_on() -> None:
    learned = model()
    rows = learned.encode(walk(61, cycles=4)).values
    bad = rows[20:30].copy()
    bad[3, 4] = np.nan
    stream = learned.stream([rows[:20], bad, rows[20:]], time_warp=False, decode=True, plant=True)
    made = []
    with pytest.raises(InvalidMotion, match="row 3"):
        made.extend(stream)
    made.extend(stream)
    whole = joined(list(learned.stream([rows], time_warp=False, decode=True, plant=True)))
    np.testing.assert_allclose(joined(made).rotations, whole.rotations[len(whole) - len(made) :], atol=1e-9)


def test_poses_come_as_late_as_the_planter_says() -> None:
    learned = model()
    rows = learned.encode(walk(62, cycles=4)).values
    fed = 0

    def counted() -> object:
        nonlocal fed
        for row in rows:
            fed += 1
            yield row

    stream = learned.stream(counted(), time_warp=False, decode=True, plant=True)  # type: ignore[arg-type]
    next(stream)
    assert fed == learned.planter.latency + 1
    assert isinstance(learned.planter, Planter) and learned.planter.latency * learned.frame_time < 0.5


def test_labels_of_single_rows_are_those_of_all_rows_at_once() -> None:
    learned = model()
    rows = learned.encode(walk(63)).values
    tool = replace(learned.translator(), classifiers=classifiers_of(learned.annotations))
    state = tool.start(learned.past(rows))
    told = []
    for row in rows:
        state, made = tool.advance(state, row)
        told.append(made.contacts[0])
    whole = learned.labels(rows)
    for column, annotation in enumerate(learned.annotations):
        np.testing.assert_array_equal(np.array(told)[:, column], whole[annotation.name])
        assert 0.2 < whole[annotation.name].mean() < 0.9


def test_planting_rows_or_without_poses_is_refused() -> None:
    learned = model()
    with pytest.raises(UsageError, match="decode=True"):
        learned.stream([], plant=True)
    bare = replace(learned, poses=learned.poses[:0])
    with pytest.raises(UsageError, match="relearn it"):
        bare.stream([], decode=True, plant=True)


def test_a_slider_is_read_for_every_frame_and_converted_only_when_it_moves() -> None:
    values, converted = {"arms": 1.0}, []

    def convert(now: dict[str, float]) -> int:
        converted.append(dict(now))
        return len(converted)

    live = latest(lambda: values, convert)
    assert [live(), live()] == [1, 1]
    values["arms"] = 0.5  # changed in place
    assert [live(), live()] == [2, 2]
    assert converted == [{"arms": 1.0}, {"arms": 0.5}]
