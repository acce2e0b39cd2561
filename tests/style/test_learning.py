"""Learning and translating synthetic walks, punches and real takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import FreshtakeError, InvalidMotion, SkeletonMismatch, UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import heading, sampled_at, take_frames
from freshtake.motion.planting.contacts import contact_mask
from freshtake.numeric.rotations import about_axis, angle_between, multiply
from freshtake.style.columns import blocks_of
from freshtake.style.learning import aligned, learn, style_recipe
from freshtake.style.model import Settings
from freshtake.style.pairs import pair_rows
from freshtake.style.simple_translations import held_out_errors, joint_angle_error, shifted_rows, untimed_rows
from freshtake.style.translation_kernels import TranslationState
from tests.motion.rigs import RIGS
from tests.style.pairs_of_clips import model, walk, walk_pairs


def joint(clip: Clip, name: str, angle: np.ndarray) -> Clip:  # type: ignore[type-arg]
    """The clip with a joint turned about x, frame by frame."""
    rotations = clip.rotations.copy()
    k = clip.skeleton.index(name)
    rotations[:, k] = multiply(rotations[:, k], about_axis([1.0, 0.0, 0.0], angle))
    return clip.changed(rotations=rotations)


def test_a_clip_left_out_comes_nearer_to_the_style_than_by_simpler_ways() -> None:
    pairs = walk_pairs()
    errors = held_out_errors(pairs[:3], pairs[3], Settings(order=6, calming=0.0), map=map).errors
    assert errors["n4sid"] < errors["static"] < errors["mean/variance"] < errors["copy"]


def test_a_translated_walk_keeps_its_direction_and_its_strides() -> None:
    source = walk(50, cycles=4)
    made = model().translate(source)
    assert abs(np.degrees(heading(made)[-1] - heading(made)[0])) < 6.0  # both ends of a swaying pelvis
    strikes = [int((np.diff(contact_mask(clip).astype(int), axis=0) > 0).sum()) for clip in (source, made)]
    assert abs(strikes[0] - strikes[1]) <= 1
    limp = walk(150, "limp", cycles=4)
    assert len(made) / len(source) == pytest.approx(len(limp) / len(source), rel=0.06)


def test_a_turn_stays_a_turn() -> None:
    source = walk(51, turn_rate=30.0)
    made = model().translate(source)
    turned = [np.degrees(heading(clip)[-1] - heading(clip)[0]) for clip in (source, made)]
    assert abs(turned[0]) > 60.0
    assert abs(turned[1] - turned[0]) < 5.0


def test_systems_are_stable_and_a_deviation_is_forgotten() -> None:
    learned = model()
    assert learned.bank.radius < 1.0
    source = walk(52, cycles=8)
    bump = np.zeros(len(source))
    bump[120:180] = np.radians(50.0) * np.hanning(60)
    calm, bent = (
        learned.translate(clip, plant=False, time_warp=False, generalize=False)
        for clip in (source, joint(source, "LeftUpLeg", bump))
    )
    apart = np.degrees(angle_between(calm.rotations, bent.rotations)).max(axis=1)
    assert apart[120:180].max() > 10.0
    assert apart[180 + round(learned.memory / learned.frame_time) :].max() < 2.0


def test_a_long_stream_neither_drifts_nor_grows() -> None:
    learned = model()
    rows = learned.encode(walk(53, cycles=1)).values[1:]
    state, sizes, spans = learned.start(), [], []
    for _ in range(150):
        state, made = learned.advance(state, np.tile(rows, (8, 1)))
        sizes.append(sum(part.nbytes for part in state[:3]))
        spans.append((made.min(axis=0), made.max(axis=0)))
    assert isinstance(state, TranslationState) and len(set(sizes)) == 1
    first, last = spans[1], spans[-1]
    np.testing.assert_allclose(last[0], first[0], atol=0.05 * np.ptp(first, axis=0).max())
    assert np.isfinite(np.array(spans)).all()


def test_the_stream_of_rows_is_the_translation() -> None:
    learned = model()
    rows = learned.encode(walk(54)).values
    streamed = np.array(list(learned.stream(rows)))
    state, whole = learned.advance(learned.start(), rows)
    np.testing.assert_array_equal(streamed, whole)


def test_the_first_frames_are_usable() -> None:
    learned, source = model(), walk(55, cycles=4)
    rows = learned.encode(source).values
    period = (len(source) - 1) // 4
    made = untimed_rows(learned, rows)
    once_more = untimed_rows(learned, rows[period:])
    start = joint_angle_error(learned.recipe, once_more[:20], made[period : period + 20])
    cold = learned.target.up(learned.bank.run(learned.bank.start(), learned.source.down(rows[period:]))[1])
    assert start < 0.3 * joint_angle_error(learned.recipe, cold[:20, :-1], made[period : period + 20])


def test_what_is_unlike_the_examples_survives_only_with_generalization() -> None:
    learned, source = model(), walk(56, cycles=6)
    rows = learned.encode(source).values
    height, duck = learned.dofs.index("Hips.height"), np.zeros(len(rows))
    duck[120:240] = -0.4 * rows[0, 3] * np.hanning(120)
    ducking = rows.copy()
    ducking[:, height] += duck
    kept, *_ = learned.translate_rows(ducking, learned.translator(time_warp=False))
    lost, *_ = learned.translate_rows(ducking, learned.translator(time_warp=False, generalize=False))
    usual, *_ = learned.translate_rows(rows, learned.translator(time_warp=False))
    assert usual.blends.mean() < 0.1
    assert kept.blends[165:195, 0].min() > 0.9
    assert kept.blends[:, 1:].max() == 0.0  # the hips duck; trunk and arms keep the style
    low = [(made.rows - usual.rows)[165:195, height].mean() / duck[165:195].mean() for made in (kept, lost)]
    assert low[0] == pytest.approx(1.0, abs=0.2)
    assert abs(low[1] - 1.0) > 1.5 * abs(low[0] - 1.0)


def test_an_exaggerated_arm_swing_arrives() -> None:
    learned, source = model(), walk(57, cycles=4)
    rows = learned.encode(source).values
    arm = [k for k, name in enumerate(learned.dofs) if name.startswith("LeftArm.")]
    more = rows.copy()
    more[:, arm] = rows[:, arm].mean(axis=0) + 1.6 * (rows[:, arm] - rows[:, arm].mean(axis=0))
    tool = learned.translator(time_warp=False)
    swing = [np.ptp(learned.translate_rows(r, tool)[0].rows[:, arm], axis=0).max() for r in (rows, more)]
    assert swing[1] / swing[0] == pytest.approx(1.6, abs=0.25)


def test_footplants_are_told_from_the_states() -> None:
    learned, pair = model(), (walk(58, cycles=4), walk(158, "limp", cycles=4))
    warp = ft.style.align(*pair)
    rows = pair_rows(learned.recipe, *pair, warp)
    labels = learned.labels(rows.source)
    truth = contact_mask(pair[1])[slice(*warp.second)][np.round(warp.path).astype(int)]
    said = np.stack([labels[name] for name in learned.feet], axis=1)
    assert np.mean(said == truth) > 0.93


def test_what_arms_do_says_nothing_of_footplants() -> None:
    learned = model()
    rows = learned.encode(walk(58, cycles=4)).values
    other = rows.copy()
    arms = [k for k, name in enumerate(learned.dofs) if "Arm" in name or "Hand" in name]
    other[:, arms] = np.random.default_rng(3).normal(size=(len(rows), len(arms)))
    source = learned.translator()
    told = [source.advance(source.start(), each)[1].contacts for each in (rows, other)]
    np.testing.assert_array_equal(told[0], told[1])
    assert told[0].any() and not told[0].all()


def test_timing_is_told_by_limbs_that_move_and_not_by_how_they_are_held() -> None:
    learned, rows = model(), model().encode(walk(58, cycles=4)).values
    arm = [k for k, name in enumerate(learned.dofs) if name.startswith("LeftArm.")]
    tool = learned.translator(generalize=False)
    timing = {}
    for name, moved in (("held", np.full(len(rows), 0.4)), ("moves", 0.4 * np.sin(np.arange(len(rows)) / 4.0))):
        other = rows.copy()
        other[:, arm] += moved[:, None]
        a, b = (tool.coded_outputs(tool.start(), each)[1][60:, -1] for each in (rows, other))
        timing[name] = np.abs(b - a).max()
    assert timing["held"] < 0.25 * timing["moves"]


def test_any_label_can_be_learned() -> None:
    pairs = walk_pairs()[:2]
    high = [b.positions()[:, 0, 1] > np.median(b.positions()[:, 0, 1]) for _, b in pairs]
    learned = learn(pairs, labels={"high": high})
    assert [a.name for a in learned.annotations][-1] == "high" and "high" not in learned.feet
    with pytest.raises(UsageError, match="'high' need one array per pair"):
        learn(pairs, labels={"high": high[:1]})


def test_a_known_space_and_time_warp_is_learned_back() -> None:
    """Targets made from sources: a knee bent by 20 degrees more, at two thirds of the speed."""
    sources = [walk(k, cycles=3) for k in range(60, 64)]

    def slow_bent(clip: Clip) -> Clip:
        bent = joint(clip, "LeftLeg", np.full(len(clip), np.radians(20.0)))
        return sampled_at(bent, np.linspace(0, len(clip) - 1, round(1.5 * len(clip)))).changed(name=f"{clip.name}_b")

    learned = learn([(clip, slow_bent(clip)) for clip in sources[:3]], Settings(order=4))
    made, truth = learned.translate(sources[3], plant=False, generalize=False), slow_bent(sources[3])
    assert len(made) == pytest.approx(len(truth), rel=0.02)
    k = truth.skeleton.index("LeftLeg")
    places = np.linspace(0, len(made) - 1, len(truth))
    apart = angle_between(sampled_at(made, places).rotations[:, k], truth.rotations[:, k])
    assert np.degrees(apart.mean()) < 3.0


def test_weak_punches_become_aggressive() -> None:
    weak = [samples.punch(np.random.default_rng(k), strength="weak") for k in range(5)]
    strong = [samples.punch(np.random.default_rng(50 + k), strength="aggressive") for k in range(5)]
    learned = learn(list(zip(weak[:4], strong[:4], strict=True)), Settings(order=4))
    made = learned.translate(weak[4])
    hand = made.skeleton.index("RightHand")

    def speed(clip: Clip) -> float:
        return float(np.linalg.norm(np.diff(clip.positions()[:, hand], axis=0), axis=1).max() * clip.fps)

    assert 1.5 * speed(weak[4]) < speed(made) < 1.2 * speed(strong[4])


def test_the_result_does_not_depend_on_the_mapper() -> None:
    settings = Settings(order=3)
    alone, together = (learn(walk_pairs()[:2], settings, map=how) for how in (map, None))
    np.testing.assert_array_equal(alone.bank.packed.offsets, together.bank.packed.offsets)


def test_short_clips_are_learned_too() -> None:
    learned = learn(walk_pairs()[:3], Settings(order=4))
    assert 0.0 < learned.held_out.n4sid < learned.held_out.copy
    short = [(take_frames(a, 0, 40), take_frames(b, 0, 40)) for a, b in walk_pairs()[:2]]
    made = learn(short).translate(walk(7))
    usual, limping = (clip.rotations.mean(axis=0) for clip in (walk(7), walk(107, "limp")))
    apart = [angle_between(made.rotations.mean(axis=0), mean).mean() for mean in (usual, limping)]
    assert apart[1] < apart[0]


def test_one_pair_of_long_takes_is_enough() -> None:
    source, target = walk(80, cycles=8), walk(180, "limp", cycles=8)
    learned = learn([(source, target)])
    assert len(learned.pairs) >= 3
    assert len({a for a, _ in learned.pairs}) >= 3
    made, truth = learned.translate(walk(81)), walk(181, "limp")
    assert abs(len(made) - len(truth)) < 0.1 * len(truth)
    knee = learned.dofs.index("LeftLeg.x")
    spans = [np.ptp(learned.encode(clip).values[:, knee]) for clip in (walk(81), made, truth)]
    assert abs(spans[1] - spans[2]) < 0.5 * abs(spans[0] - spans[2]) + 0.05


def test_one_pair_without_cycles_is_learned_as_it_is() -> None:
    weak, strong = (samples.punch(np.random.default_rng(k), strength=s) for k, s in enumerate(("weak", "aggressive")))
    learned = learn([(weak, strong)])
    assert learned.pairs == (("punch", "punch"),) or len(learned.pairs) == 1
    assert np.isfinite(learned.translate(weak).rotations).all()


def test_two_takes_of_one_style_are_told() -> None:
    assert learn([(walk(k), walk(90 + k)) for k in range(2)], Settings(order=2)).held_out.hardly_differs
    assert not model().held_out.hardly_differs


def test_strength_goes_from_the_clip_itself_past_the_style() -> None:
    learned, source = model(style="crouch"), walk(82)
    assert learned.translate(source, strength=0.0) is source
    heights = [learned.translate(source, strength=s, plant=False).root[:, 1].mean() for s in (0.5, 1.0, 1.5)]
    first = source.root[:, 1].mean()
    assert first > heights[0] > heights[1] > heights[2]
    assert first - heights[0] == pytest.approx(0.5 * (first - heights[1]), rel=0.05)
    for wrong in (-0.1, 2.5, np.nan, {"tail": 1.0}):
        with pytest.raises(UsageError):
            learned.translate(source, strength=wrong)


def test_parts_take_the_style_by_themselves() -> None:
    learned, source = model(style="crouch"), walk(83)
    rows = learned.encode(source).values
    made = learned.translate_rows(rows, learned.translator(time_warp=False, strength={"arms": 1.0}))[0].rows
    whole = learned.translate_rows(rows, learned.translator(time_warp=False))[0].rows
    arms = np.array(["Arm" in name or "Hand" in name or "Shoulder" in name for name in learned.dofs])
    turn = learned.dofs.index("Hips.turn")
    np.testing.assert_allclose(made[:, arms], whole[:, arms], atol=1e-9)
    legs = [k for k, name in enumerate(learned.dofs) if "Leg" in name or (name.startswith("Hips") and k != turn)]
    np.testing.assert_allclose(made[:, legs], rows[:, legs], atol=1e-9)
    assert learned.parts[0] == "legs" and {"left arm", "right arm", "trunk"} <= set(learned.parts)


def test_a_live_strength_changes_over_smoothly() -> None:
    learned, source = model(style="crouch"), walk(84, cycles=6)
    rows = learned.encode(source).values
    asked = iter([0.0] * 101 + [1.0] * len(rows))  # once before the first row
    made = np.array(list(learned.stream(rows, time_warp=False, strength=lambda: next(asked))))
    height = learned.dofs.index("Hips.height")
    np.testing.assert_allclose(made[:100, height], rows[:100, height], atol=1e-9)
    steady = np.array(list(learned.stream(rows, time_warp=False)))
    assert np.abs(made[140:, height] - steady[140:, height]).max() < 0.05 * np.abs(steady - rows)[:, height].max()
    usual = np.abs(np.diff(steady[:, height], 2)).max()
    assert np.abs(np.diff(made[:, height], 2)).max() < 4.0 * usual  # it does not jump


BAD = {
    "no pair": (list, "at least one"),
    "the same motion": (lambda: [(walk(0), walk(0)), *walk_pairs()[1:]], "pair 1 are the same motion"),
    "too short": (lambda: [(take_frames(walk(0), 0, 5), walk(100, "limp")), *walk_pairs()[1:]], "5 frames"),
    "another rate": (
        lambda: [(sampled_at(walk(0), np.arange(0, 100.0, 2), 1 / 30), walk(100, "limp")), *walk_pairs()[1:]],
        "has 60 fps and normal_0 30",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_pairs_are_refused_in_one_sentence(case: str) -> None:
    make, words = BAD[case]
    with pytest.raises(UsageError, match=words) as caught:
        learn(make())
    assert "\n" not in str(caught.value)


def test_other_skeletons_are_refused() -> None:
    a, b = walk_pairs()[0]
    names = tuple(f"J{k}" for k in range(len(b.skeleton)))
    other = ft.Skeleton(names, b.skeleton.parents, b.skeleton.offsets)
    renamed = Clip(other, b.frame_time, b.root, b.rotations, name="renamed")
    with pytest.raises(SkeletonMismatch, match="renamed"):
        learn([(a, b), (a, renamed)])
    with pytest.raises(FreshtakeError):
        model().translate(renamed)


def test_numbers_that_are_not_finite_are_refused() -> None:
    rows = model().encode(walk(0)).values.copy()
    rows[3, 4] = np.nan
    with pytest.raises(InvalidMotion, match="swing_x' is nan in row 3"):
        model().translate_rows(rows)


def test_real_takes_of_a_crouched_walk(data: Path) -> None:
    clips = {path.stem: ft.read(path) for path in sorted((data / "style").glob("[nc]*_[1-5].bvh"))}
    normal = [clip for name, clip in clips.items() if name.startswith("normal")]
    pairs = [(clip, clips["crouched_1"]) for clip in normal[:4]]
    learned, test = learn(pairs, Settings(order=4)), (normal[4], clips["crouched_2"])
    rows = pair_rows(learned.recipe, *test, ft.style.align(*test))
    ways = (untimed_rows(learned, rows.source), shifted_rows(learned, rows.source))
    n4sid, shifted = (joint_angle_error(learned.recipe, way, rows.target[:, :-1]) for way in ways)
    assert n4sid < 0.8 * shifted
    made = learned.translate(normal[4])
    hips = [clip.root[:, 1].mean() for clip in (made, clips["crouched_2"], normal[4])]
    assert abs(hips[0] - hips[1]) < 0.2 * abs(hips[2] - hips[1])


def test_a_decoded_stream_is_the_clip_frame_by_frame() -> None:
    learned = model()
    rows = learned.encode(walk(59)).values
    poses = list(learned.stream(rows, decode=True))
    whole = ft.motion.features.decode(learned.recipe, learned.advance(learned.start(), rows)[1])
    assert isinstance(whole, Clip) and len(whole) == len(poses)
    np.testing.assert_allclose(np.concatenate([p.root for p in poses]), whole.root, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([p.rotations for p in poses]), whole.rotations, atol=1e-9)


def test_durations_of_the_examples_come_out_right_on_average() -> None:
    learned, pairs = model(), walk_pairs()
    made = plain = wanted = 0.0
    for pair in pairs:
        rows = pair_rows(learned.recipe, *pair, aligned(*pair, learned.settings))
        tool = learned.translator(generalize=False)
        log_w = tool.coded_outputs(tool.start(learned.past(rows.source)), rows.source)[1][:, -1]
        made += float(np.exp(log_w).sum())
        plain += float(np.exp(log_w - learned.later).sum())
        wanted += float(np.exp(rows.target[:, -1]).sum())
    assert made == pytest.approx(wanted, rel=2e-4)
    assert abs(plain / wanted - 1.0) > 5e-4  # the mean of logarithms falls short


def test_the_style_sways_the_heading_within_bounds() -> None:
    learned, source = model(), walk(65)
    turn, rows = learned.dofs.index("Hips.turn"), learned.encode(source).values
    made, first = learned.translate_rows(rows, learned.translator(time_warp=False, generalize=False))
    swayed = first + np.cumsum(made.rows[1:, turn] - rows[1:, turn]) * learned.frame_time
    assert np.radians(0.1) < np.ptp(swayed) and np.abs(swayed).max() <= learned.widest + 1e-9


def test_a_source_that_comes_to_a_stand_stands_in_the_style() -> None:
    learned = model()
    going = learned.encode(walk(61, cycles=4)).values
    fade = np.clip(np.linspace(1.0, -1.0, 120), 0.0, 1.0)[:, None]
    stop = np.repeat(going[-1:], 120, axis=0)
    stop[:, :3] *= fade
    made, *_ = learned.translate_rows(np.concatenate([going, stop]), learned.translator(time_warp=False))
    speed = np.linalg.norm(made.rows[:, :2], axis=1)
    assert speed[: len(going)].mean() > 0.5 * learned.slowest
    assert speed[-40:].max() < 0.02 * learned.slowest  # it went on at the style's usual speed before
    slow, *_ = learned.translate_rows(np.concatenate([going, stop]))
    assert np.abs(np.diff(slow.origins[-30:]) - 1.0).max() < 0.02  # and in the style's usual time


def test_rates_beyond_the_examples_drive_no_more_than_theirs() -> None:
    learned = model()
    tool = learned.translator()
    rows = learned.encode(walk(61)).values
    wild = rows.copy()
    wild[:, :3] += [[900.0, -500.0, 30.0]]
    inputs = tool.inputs(tool.start(wild[:1]), wild)
    bounds = (learned.speeds - learned.source.mean[:3]) / learned.source.deviation[:3]
    assert (inputs[:, :3] <= bounds[1] + 1e-9).all() and (inputs[:, :3] >= bounds[0] - 1e-9).all()
    usual = tool.inputs(tool.start(rows[:1]), rows)
    np.testing.assert_array_equal(inputs[:, 3:], usual[:, 3:])


@pytest.mark.parametrize("rig", ["static root", "unreal"])
def test_blocks_do_not_depend_on_the_joint_that_carries_the_body(tmp_path: Path, rig: str) -> None:
    clip = walk(0)
    ft.write(tmp_path / "rig.bvh", RIGS[rig](clip))
    other = ft.read(tmp_path / "rig.bvh")
    assert isinstance(other, Clip) and other.skeleton.base is not None
    sizes = []
    for each in (clip, other):
        recipe = style_recipe([each])
        blocks = blocks_of(recipe, np.ones(len(recipe.names)))
        sizes.append([(len(block.inputs), len(block.outputs)) for block in blocks])
    assert sizes[0] == sizes[1]
    assert sizes[0][0][0] > 6  # the thighs drive the root in addition to its own DOFs
