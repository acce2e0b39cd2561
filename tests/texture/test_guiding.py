"""Where play goes, by law: feet stand, loops keep their course, headings and paths are met, standing is not a trap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freshtake import read_clip
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import played as endless
from freshtake.motion.cycles.seams import seam_of, steps_of
from freshtake.motion.edit import concatenate, heading, take_frames, turned
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.samples import walk
from freshtake.texture import Settings, learn
from freshtake.texture.action import FAST, turning_costs
from freshtake.texture.examples import central_velocities
from freshtake.texture.guiding import GENTLY, TEMPI, Guide, start_on
from freshtake.texture.loop_making import loop_motion, loop_rows, on_its_course, ranked_loops, shown_loop
from freshtake.texture.planting import shown_contacts
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import settling
from tests.texture.made import circling, long_walk, played_rows, sheet, shown_costs


@pytest.fixture(scope="module")
def turner():
    """A walk that turns left all the time."""
    return learn(walk(np.random.default_rng(5), cycles=6, turn_rate=20.0))


@pytest.fixture(scope="module")
def celled():
    rng = np.random.default_rng(3)
    return learn(
        {
            "forward": turned_slowly(walk(rng, cycles=5), 8.0),
            "left": walk(rng, cycles=5, turn_rate=45.0),
            "right": walk(rng, cycles=5, turn_rate=-45.0),
        }
    )


def turned_slowly(clip: Clip, degrees: float) -> Clip:
    """The clip, drifting by this many degrees per second."""
    angle = np.radians(degrees) * clip.frame_time
    steps = np.diff(clip.root, axis=0)
    spun = [turned(clip.changed(root=np.tile(s, (len(clip), 1))), angle * k).root[0] for k, s in enumerate(steps)]
    root = clip.root[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(spun, axis=0)])
    return turned(clip, angle * np.arange(len(clip))).changed(root=root)


def mean_heading(clip: Clip) -> np.ndarray:
    width = round(1.0 / clip.frame_time)
    return np.degrees(np.convolve(heading(clip), np.ones(width) / width, "valid"))


def test_turning_is_continuous_where_a_guide_begins_and_ends(turner) -> None:  # type: ignore[no-untyped-def]
    """Released and guided again: the turn rate changes by no more per frame than guiding ever turns a body."""
    rng, state, parts = np.random.default_rng(1), None, []
    state = turner.start_guided(rng, Guide())
    for guide in (Guide(), Guide(heading=1.0), Guide(), Guide(heading=-1.0)):
        state, rows, _ = turner.advance_guided(state, rng, guide, 50)
        parts.append(rows[:, 2])
    rate, own = np.concatenate(parts), turner.rows[:, 2]
    slew = turner.bearings.most / GENTLY * turner.frame_time
    usual = np.abs(np.diff(own)).max()
    assert np.abs(np.diff(rate))[1:].max() <= 1.3 * usual + slew


def test_speeds_settle_without_a_kink() -> None:
    left = np.concatenate([[1.0], settling(9), [0.0]])
    assert (np.diff(left) < 0.0).all() and np.abs(np.diff(left)).max() <= 1.5 / 10
    np.testing.assert_allclose(left + left[::-1], 1.0)


def test_velocities_at_the_ends_of_a_take() -> None:
    rows = circling(2.0)
    usual, printed = central_velocities(rows), central_velocities(rows, still_ends=True)
    assert not printed[[0, -1]].any() and usual[[0, -1]].any()
    np.testing.assert_array_equal(usual[1:-1], printed[1:-1])
    paper, plain = (learn(rows, Settings(method=m, sigma=1.0), frame_time=1 / 60) for m in ("paper", "default"))
    assert not paper.weights.velocities[[0, -1]].any() and plain.weights.velocities[0].any()


def test_a_body_that_stands_for_a_while_does_not_stay_there() -> None:
    """If poses hardly change, all frames are near; play still continues, and never against the movement."""
    rows = circling(6.0)
    t = np.arange(400)
    still = rows[-1] + 1e-3 * np.stack([np.sin(t / 9.0 + k) + 0.3 * np.sin(t / 3.7 + k * k) for k in range(4)], axis=1)
    model = learn(np.concatenate([rows, still, rows - rows[0] + still[-1]]), frame_time=1 / 60)
    _, played = model.play(model.start(np.random.default_rng(1)), np.random.default_rng(2), 6000)
    stood = (played.source >= len(rows)) & (played.source < len(rows) + len(still))
    assert stood.mean() < 0.3
    change = np.gradient(model.rows, axis=0)
    jumps = np.flatnonzero(played.jumped >= 0)
    along = np.einsum("ij,ij->i", change[played.jumped[jumps]], change[played.source[jumps]])
    assert len(jumps) > 20 and (along < 0.0).mean() <= 0.02


def test_planted_feet_stay_in_place() -> None:
    take = long_walk()
    model = learn(take)
    rng = np.random.default_rng(1)
    state = model.start(rng)
    _, played = model.play(state, rng, 900)
    raw = model.decode(shown(state, played, model.blending))
    done = model.planted(raw, played)
    stands = shown_contacts(model.standing, played) > 0.5
    joints = [joint for foot in model.standing.base.feet for joint in foot.joints]

    def slide(clip: Clip) -> float:
        speed = np.linalg.norm(np.diff(clip.positions()[:, joints], axis=0)[..., [0, 2]], axis=2)
        return float(speed[stands[1:] & stands[:-1]].mean())

    assert slide(done) < 0.8 * slide(raw)
    np.testing.assert_allclose(done.root[-1], raw.root[-1], atol=0.05 * np.ptp(take.positions()[0]))
    same = model.sample(np.random.default_rng(1), frames=300, plant=False)
    held = model.sample(np.random.default_rng(1), frames=300)
    assert np.abs(same.rotations - held.rotations).max() > 1e-4
    assert learn(sheet()).standing is None


@pytest.mark.parametrize("plant", [True, False])
def test_loops_go_straight_or_return(turner, plant: bool) -> None:
    steps = steps_of(turner.decode(turner.rows))
    for course in (None, "straight", "closed"):
        loop = turner.loop(np.random.default_rng(2), frames=150, course=course, plant=plant)
        assert len(loop) == 150 and loop.playback.loop and np.isclose(loop.playback.seconds, 150 * loop.frame_time)
        seam = seam_of(loop)
        assert seam.step < 1.1 * np.percentile(steps.step, 99) and seam.bend < 1.5 * np.percentile(steps.bend, 99)
        angles = np.degrees(heading(endless(loop, 151)))
        assert abs((angles[-1] - angles[0] + 180.0) % 360.0 - 180.0) < 1e-3
        net = np.linalg.norm(loop.playback.travel)
        if course == "closed":
            assert net < 1e-6 and abs(mean_heading(loop)).max() > 100.0
        else:
            assert net > 1.0 and abs(loop.playback.turn) > 0.3


def test_a_loop_turns_by_the_requested_angle(turner) -> None:
    twice = turner.loop(np.random.default_rng(2), frames=150, course=-90.0, times=2, plant=False)
    angles = np.degrees(heading(twice))
    assert twice.playback is None and abs(angles[150] - angles[0] + 90.0) < 1e-6
    rows, _ = loop_rows(turner, np.random.default_rng(2), 150)
    np.testing.assert_array_equal(on_its_course(turner, rows, "free").rows, rows)
    for wrong in ("round", 1e6):
        with pytest.raises(UsageError, match="a loop"):
            turner.loop(np.random.default_rng(0), frames=100, course=wrong)
    with pytest.raises(UsageError, match="a loop has no course"):
        learn(circling(), frame_time=1 / 60).loop(np.random.default_rng(0), frames=100, course="closed")


def test_a_loop_in_place_does_not_drift() -> None:
    take = long_walk(4)
    sway = 0.02 * np.sin(np.arange(len(take)) / 8.0)
    swayed = take.root * [0.0, 1.0, 0.0] + np.stack([sway, 0 * sway, 0 * sway], axis=1)
    model = learn(take.changed(root=swayed))
    loop = model.loop(np.random.default_rng(1), frames=120)
    assert not loop.playback.travel.any()
    assert np.linalg.norm(endless(loop, 121).root[-1] - loop.root[0]) < 1e-9


def test_a_heading_is_kept_and_changed(turner) -> None:
    rng = np.random.default_rng(0)
    state, rows, _ = turner.advance_guided(turner.start_guided(rng, Guide(heading=0.0)), rng, Guide(heading=0.0), 600)
    state, more, _ = turner.advance_guided(state, rng, Guide(heading=np.pi / 2), 600)
    angles = mean_heading(turner.decode(np.concatenate([rows, more])))
    assert np.abs(angles[:500]).max() < 10.0 and np.abs(angles[800:] - 90.0).max() < 10.0
    free = mean_heading(turner.decode(played_rows(turner, 0, 600)))
    assert np.abs(free).max() > 90.0


def test_guided_frames_are_the_same_in_any_blocks(turner) -> None:
    guide = Guide(heading=0.4, speed=1.1 * turner.bearings.speed)
    state = turner.start_guided(np.random.default_rng(1), guide)
    whole = turner.advance_guided(state, np.random.default_rng(2), guide, 200)[1]
    rng, parts = np.random.default_rng(2), []
    for count in (1, 1, 5, 43, 150):
        state, rows, _ = turner.advance_guided(state, rng, guide, count)
        parts.append(rows)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-9)


def test_a_path_is_followed_from_its_beginning(turner) -> None:
    speed = turner.bearings.speed
    t = np.linspace(0.0, 14.0, 100)
    path = np.stack([5.0 + speed * t, 3.0 + speed * 2.0 * np.sin(t / 3.0)], axis=1)
    guide, rng = Guide(path=path), np.random.default_rng(0)
    _, rows, _ = turner.advance_guided(turner.start_guided(rng, guide), rng, guide, 700)
    made = turner.decode(rows, start=start_on(guide, "y"))
    np.testing.assert_allclose(made.root[0, [0, 2]], [5.0, 3.0])
    off = np.linalg.norm(made.root[:, None, [0, 2]] - path[None], axis=2).min(axis=1)
    assert off.max() < 0.5 * speed and np.linalg.norm(made.root[-1, [0, 2]] - path[0]) > 6.0 * speed


def test_speed_is_tempo_within_natural_limits(turner) -> None:
    usual = turner.bearings.speed

    def gone(speed: float | None) -> float:
        guide, rng = Guide(heading=0.0, speed=speed), np.random.default_rng(0)
        rows = turner.advance_guided(turner.start_guided(rng, guide), rng, guide, 900)[1]
        return float(np.abs(rows[100:, 0] + 1j * rows[100:, 1]).mean())

    assert abs(gone(0.85 * usual) / gone(None) - 0.85) < 0.04
    assert abs(gone(5.0 * usual) / gone(None) - TEMPI[1]) < 0.04


def test_forward_goes_forward_and_turns_turn(celled) -> None:
    rng = np.random.default_rng(0)
    assert set(celled.segments.cells()[celled.bearings.straight].tolist()) == {celled.cell("forward")}
    state, rows, _ = celled.advance_guided(celled.start_guided(rng, Guide(), cell="forward"), rng, Guide(), 500)
    ahead = mean_heading(celled.decode(rows))
    assert np.abs(ahead - ahead[0]).max() < 8.0
    free = mean_heading(celled.decode(played_rows(celled, 0, 500, cell="forward")))
    assert np.abs(free - free[0]).max() > 25.0
    state = state.steered(celled.steer(state.play, "left"))
    _, rows, _ = celled.advance_guided(state, rng, Guide(), 300)
    assert mean_heading(celled.decode(rows))[-1] > 100.0


def test_no_jump_follows_another_within_its_fade(celled) -> None:
    rng = np.random.default_rng(1)
    state, jumped = celled.start(rng), []
    for _ in range(60):
        state = celled.steer(state, str(rng.choice([c for c in celled.cells if c != celled.cell_of(state)])))
        state, played = celled.play(state, rng, int(rng.integers(5, 60)))
        jumped.append(played.jumped >= 0)
    assert np.diff(np.flatnonzero(np.concatenate(jumped))).min() >= celled.rules.hold


def test_guides_are_checked() -> None:
    for wrong, says in (
        ({"heading": 0.0, "path": np.eye(2)}, "cannot both"),
        ({"path": np.ones((3, 2))}, "are the same"),
        ({"path": np.ones((1, 2))}, "at least two points"),
        ({"speed": -1.0}, "above 0"),
        ({"heading": np.nan}, "finite"),
    ):
        with pytest.raises(UsageError, match=says):
            Guide(**wrong)
    with pytest.raises(UsageError, match="cannot be guided"):
        learn(circling(), frame_time=1 / 60).start_guided(np.random.default_rng(0), Guide())


def test_takes_laid_end_to_end_are_found_again() -> None:
    """Loops prefer frames that turn as their course does: for a walk half straight, half curved, the straight half."""
    rng = np.random.default_rng(7)
    both = concatenate([walk(rng, cycles=5), walk(rng, cycles=5, turn_rate=60.0)])
    model = learn(both)

    def straight(course: str | float) -> float:
        return float((loop_rows(model, np.random.default_rng(1), 200, course=course)[1].source < len(both) // 2).mean())

    assert straight("straight") > 0.7 and straight(200.0) < 0.3


def test_a_length_that_was_found_is_made() -> None:
    """The loop that decides the length goes through an anchor, and is looked for there again."""
    from freshtake.texture.closed_paths import LoopRequest, find_loops, frame_graph, nearest_lengths

    model = learn(circling(5.0), frame_time=1 / 60)
    graph = frame_graph(*model.live, max(model.reach.limits), model.play_material)
    anchors = sorted({int(j) for j in graph.targets.ravel() if j >= 0})
    for length in (70, 100, 130):
        for anchor in anchors[::5]:
            for found, through in nearest_lengths(length, graph, [anchor], 0.12, np.zeros(len(graph.successor))):
                ways_found = find_loops(found, graph, lambda a, n: (), [through], LoopRequest(0.0, 1, 1000))
                assert ways_found and all(len(way) == found for way in ways_found)


def test_impossible_turning_does_not_cause_larger_jumps() -> None:
    """What a frame costs on a course is how much more it has to be bent than the best frame of the takes."""
    trend = np.array([-0.2, 0.0, 0.3])
    np.testing.assert_allclose(turning_costs(trend, 0.1), np.square((trend - 0.1) / FAST))
    np.testing.assert_allclose(turning_costs(trend, 3.0), np.square((trend - 0.3) / FAST))
    take = walk(np.random.default_rng(5), cycles=10)
    model = learn(take)  # goes straight: every frame has to be bent alike
    costs = []
    for course in ("straight", "closed"):
        _, played = loop_rows(model, np.random.default_rng(2), 100, course=course)
        costs.append(float(shown_costs(model, played).max()))
    assert costs[1] < 1.5 * costs[0] + 0.5


def stood(clip: Clip, frames: int, seed: int = 4) -> Clip:
    """The first pose of a clip for a number of frames, its joints swaying a little as people's do."""
    t = np.arange(frames)[:, None]
    phase = np.random.default_rng(seed).uniform(0.0, 6.0, (1, 3))
    sway = from_rotvec(0.004 * np.sin(t / 17.0 + phase))
    return take_frames(clip, 0, 1).changed(
        root=np.repeat(clip.root[:1], frames, axis=0),
        rotations=multiply(sway[:, None], np.repeat(clip.rotations[:1], frames, axis=0)),
        channels=None,
    )


@pytest.fixture(scope="module")
def hesitant():
    """A walk with standing before and after it, and the walk."""
    moving = long_walk(6)
    return concatenate([stood(moving, 200), moving, stood(moving, 200, 5)]), moving


def speed_of(loop: Clip) -> float:
    assert loop.playback is not None
    return float(np.linalg.norm(loop.playback.travel) / loop.playback.seconds)


def test_loops_of_a_walk_with_standing_walk(hesitant: tuple[Clip, Clip]) -> None:
    """Small jumps are cheapest while a body stands: loops of all lengths still come from the moving part."""
    take, moving = hesitant
    model, usual = learn(take), np.linalg.norm(moving.root[-1] - moving.root[0]) / moving.duration
    for frames in (70, 120, 200, 300):
        for seed in (0, 1):
            loop = model.loop(np.random.default_rng(seed), frames=frames)
            assert len(loop) == frames and 0.8 <= speed_of(loop) / usual <= 1.25


def test_loops_are_ranked_and_report_their_likeness(hesitant: tuple[Clip, Clip]) -> None:
    take, _ = hesitant
    model = learn(take)
    loops = ranked_loops(model, np.random.default_rng(0), 140, course=None)
    costs = [loop.cost for loop in loops]
    assert len(loops) > 1 and costs == sorted(costs)
    for loop in loops:
        assert not loop.likeness.unlike and min(loop.path) >= 180 and max(loop.path) < 220 + len(long_walk(6))
        assert sum(last - first + 1 for first, last in loop.pieces()) == len(loop.path)
        rows, played = shown_loop(model, loop, np.random.default_rng(0), 140)
        made = loop_motion(model, rows, played)
        assert len(rows) == 140 and made.playback is not None and made.playback.loop
    standing = np.zeros(len(take), dtype=bool)
    standing[:190] = True
    kept = ranked_loops(model, np.random.default_rng(0), 95, course=None, among=standing)
    assert all(max(loop.path) < 190 for loop in kept)


def test_few_jumps_are_preferred_to_small_ones() -> None:
    """A take of even cycles has a loop of one jump for every number of cycles: none of its loops has more than two."""
    take = walk(np.random.default_rng(8), cycles=10)
    model = learn(take)
    for frames in (130, 200, 330):
        assert len(ranked_loops(model, np.random.default_rng(1), frames, course=None)[0].costs) <= 2


def test_a_mesh_that_rests_loops_where_it_moves() -> None:
    mesh = sheet(200)
    rest = np.repeat(mesh.vertices[:1], 150, axis=0)
    model = learn(replace(mesh, vertices=np.concatenate([rest, mesh.vertices])))
    best = ranked_loops(model, np.random.default_rng(0), 80)[0]
    assert min(best.path) >= 140 and not best.likeness.unlike


@pytest.mark.parametrize("take", ["style137/normal", "style137/graceful"])
def test_loops_of_recorded_walks_that_begin_with_standing_walk(data: Path, take: str) -> None:
    clip = read_clip(data / "validation" / f"{take}.bvh")
    model = learn(clip)
    step = np.linalg.norm(np.diff(clip.root[::12, [0, 2]], axis=0), axis=1) / (12 * clip.frame_time)
    usual = step[step > 0.5 * np.percentile(step, 75)].mean()
    for frames in (90, 200):
        for seed in (0, 1):
            assert 0.8 <= speed_of(model.loop(np.random.default_rng(seed), frames=frames)) / usual <= 1.25


def test_the_speed_of_joints_is_that_of_the_finished_motion() -> None:
    """Every second frame of the takes moves twice as fast, and only the frames that count are compared."""
    from freshtake.texture.action import joint_speed_factor

    take = long_walk(3)
    everything = np.ones(len(take), dtype=np.bool_)
    assert joint_speed_factor(take, [take], everything) == pytest.approx(1.0)
    quick = take.changed(root=take.root[::2], rotations=take.rotations[::2])
    assert joint_speed_factor(quick, [take], everything) == pytest.approx(2.0, rel=0.05)
    still = take.changed(root=take.root[:1].repeat(40, axis=0), rotations=take.rotations[:1].repeat(40, axis=0))
    only_walk = np.concatenate([everything, np.zeros(40, dtype=np.bool_)])
    assert joint_speed_factor(take, [take, still], only_walk) == pytest.approx(1.0)
    assert joint_speed_factor(still, [take], everything) == pytest.approx(0.0, abs=1e-12)
