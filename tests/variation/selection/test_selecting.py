"""Selection of similar takes by how much they differ from trusted ones: which are kept, and why others are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion.edit import resample, scaled, take_frames
from freshtake.numeric.arrays import Floats
from freshtake.variation import select, similar
from freshtake.variation.examples import material_of
from freshtake.variation.phase import align
from freshtake.variation.selection.unlike import chances, compared
from tests.variation.small_takes import takes

LENGTHS = (21, 19, 22, 20, 21, 23, 20, 22, 21, 20, 22, 19)


def family() -> list[Floats]:
    return takes(3, dofs=4, lengths=LENGTHS)


def strangers() -> list[Floats]:
    return takes(11, dofs=4, lengths=LENGTHS)[:3]


def test_similar_ones_stay_and_strangers_go() -> None:
    members, rng = family(), np.random.default_rng(1)
    for known in (3, 4, 8):
        found = select([*members[8:], *strangers()], members[:known], rng=rng)
        assert not any(verdict.kept for verdict in found.verdicts[4:])
        assert sum(verdict.kept for verdict in found.verdicts[:4]) >= 3
        for verdict in found.verdicts:
            assert verdict.kept == (verdict.figure >= found.threshold == 0.05) == (verdict.reason == "")
    kept = similar([*members[8:], *strangers()], members[:8], rng=rng)
    assert len(kept) == len(found.kept) and all(any(x is one for one in members) for x in kept)


def test_trusted_clips_have_the_chances_of_takes_left_out() -> None:
    members = family()[:5]
    found = select(members[:1], members, rng=np.random.default_rng(1))
    material = material_of(members, None, None)
    table = chances(compared(members, material, align(material.values, material.weights, 0.05)), range(5))
    np.testing.assert_allclose(found.trusted, np.minimum(table["whole"], 1.0))


def test_others_do_not_decide_over_a_candidate() -> None:
    members, rng = family(), np.random.default_rng(1)
    alone = select(members[8:9], members[:4], rng=rng).verdicts[0].figure
    assert select([*strangers(), members[8]], members[:4], rng=rng).verdicts[3].figure == pytest.approx(alone)


def test_a_lower_percentile_keeps_more() -> None:
    walks = [samples.walk(np.random.default_rng([2, k])) for k in range(12)]
    strict = select(walks[4:], walks[:4], rng=np.random.default_rng(1), percentile=50.0)
    loose = select(walks[4:], walks[:4], rng=np.random.default_rng(1), percentile=1.0)
    assert set(strict.kept) < set(loose.kept) and len(loose.kept) >= 7


def test_where_a_clip_is_off_is_shown() -> None:
    members = family()
    spoiled = members[8].copy()
    late = slice(len(spoiled) // 2, len(spoiled))
    spoiled[late, 2] += 12.0 * np.hanning(2 * len(spoiled[late]))[: len(spoiled[late])] * spoiled[:, 2].std()
    verdict = select([spoiled], members[:8], rng=np.random.default_rng(1)).verdicts[0]
    assert not verdict.kept and verdict.missed is not None and verdict.missed.shape == (20, 4)
    assert verdict.missed[10:, 2].sum() > 3.0 * verdict.missed[:8, 2].sum()


def test_an_unlike_trusted_clip_is_doubted() -> None:
    members = family()
    found = select(members[8:9], [*members[:6], strangers()[0]], rng=np.random.default_rng(1))
    assert found.doubtful == (6,)
    assert select(members[8:9], members[:6], rng=np.random.default_rng(1)).doubtful == ()


def test_bad_requests_are_refused() -> None:
    members, rng = family(), np.random.default_rng(0)
    with pytest.raises(UsageError, match="at least 3"):
        select(members, members[:2], rng=rng)
    with pytest.raises(UsageError, match="nothing to select"):
        select([], members, rng=rng)
    for percentile in (60.0, 0.0):
        with pytest.raises(UsageError, match="above 0 and at most 50"):
            select(members, members, rng=rng, percentile=percentile)
    with pytest.raises(UsageError, match="groups must be one of"):
        select(members, members, rng=rng, groups="all")
    with pytest.raises(UsageError, match="measure must be one of"):
        select(members, members, rng=rng, measure="looks")
    with pytest.raises(UsageError, match="need the likelihood measure"):
        select(members, members, rng=rng, groups="candidates")
    with pytest.raises(UsageError, match="is not comparable with the first trusted clip: too short"):
        select(members, [*members[:4], members[4][:5]], rng=rng)
    verdict = select([members[8][:, :3]], members[:4], rng=rng).verdicts[0]
    assert not verdict.kept and "3 DOFs, the trusted ones have 4" in verdict.reason


def test_recorded_walks(data: Path) -> None:
    """Size, rate and bones are not reasons; other skeletons and stumps are; at least 6 of 8 stay, 6 of 6 go."""
    folder = data / "walk_select"
    trusted = [ft.read(path) for path in sorted(folder.glob("train_*.bvh"))]
    like = [ft.read(path) for path in sorted(folder.glob("test_*.bvh"))]
    unlike = [ft.read(path) for path in sorted(folder.glob("dissimilar_*.bvh"))]
    good = like[1]
    assert isinstance(good, ft.Clip)
    arms = np.array([1.1 if "Arm" in name or "Hand" in name else 1.0 for name in good.skeleton.names])[:, None]
    other = good.changed(skeleton=replace(good.skeleton, offsets=good.skeleton.offsets * arms))
    renamed = replace(good.skeleton, names=("Pelvis", *good.skeleton.names[1:]))
    altered = [scaled(good, 1.4), scaled(other, 0.8), resample(good, 120.0), resample(good, 30.0)]
    odd = [take_frames(good, 0, 6), take_frames(good, 0, 20), good.changed(skeleton=renamed)]
    found = select([*like, *unlike, *altered, *odd], trusted, rng=np.random.default_rng(0))
    kept = [verdict.kept for verdict in found.verdicts]
    assert sum(kept[:8]) >= 6 and not any(kept[8:14])
    assert all(kept[14:18])
    levels = [verdict.figure for verdict in found.verdicts]
    assert levels[14] == pytest.approx(levels[1], rel=1e-3) == pytest.approx(levels[15], rel=1e-3)
    assert [bool(found.verdicts[k].notes) for k in range(14, 18)] == [False, False, True, True]
    reasons = [verdict.reason for verdict in found.verdicts[18:]]
    assert "6 frames" in reasons[0] and "too short: 0.317 s" in reasons[1] and "skeletons" in reasons[2]
