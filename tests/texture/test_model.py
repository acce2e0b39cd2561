"""Play by law: streams equal blocks, nothing sticks, probabilities hold, loops close, cells are reached."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion import Clip, MeshSequence, Stroke
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Floats
from freshtake.reports.texture_figures import dense
from freshtake.samples import flag
from freshtake.texture import Settings, learn
from freshtake.texture.closed_paths import FrameGraph, NoLoop, closed_stretches, path_cost, period, tempo_cost
from freshtake.texture.examples import material_of
from freshtake.texture.jump_map import Jumps, costs_of
from freshtake.texture.learning import recurring
from freshtake.texture.loop_making import loop_lengths, loop_rows, ranked_loops, shown_loop
from freshtake.texture.play_kernels import NO_BLEND, Chances, PlayMaterial, Rules
from freshtake.texture.synthesize import advance, begin, shown
from tests.conftest import data_files, label
from tests.texture.made import FRAME_TIME, circling, long_walk, played_rows, second_differences, sheet, shown_costs


@pytest.fixture(scope="module")
def walker():
    return learn(long_walk())


@pytest.fixture(scope="module")
def rower():
    return learn(circling(8.0), Settings(jump_time=0.7), frame_time=FRAME_TIME)


def test_jumps_occur_with_their_probabilities() -> None:
    successor = np.array([1, 2, -1])
    targets = np.array([[2, -1], [0, -1], [0, 1]], dtype=np.int32)
    chances = np.array([[0.3, 0.0], [0.6, 0.0], [0.25, 0.75]])
    table = Chances(successor, np.array([0.7, 0.4, 0.0]), targets, chances)
    rng, rules = np.random.default_rng(0), Rules(0, NO_BLEND, 0, 1.0)
    _, played = advance(begin(0, 0), 60_000, table, PlayMaterial(successor, np.zeros((3, 1)), rules), 0, rng)
    seen = np.zeros((3, 3))
    np.add.at(seen, (played.source[:-1], played.source[1:]), 1)
    full = np.array([[0.0, 0.7, 0.3], [0.6, 0.0, 0.4], [0.25, 0.75, 0.0]])
    counts = seen.sum(axis=1, keepdims=True)
    error = np.sqrt(full * (1 - full) / counts)
    assert (np.abs(seen / counts - full) <= 4 * error + 1e-12).all()
    assert ((played.jumped >= 0) == (np.append(-1, successor[played.source[:-1]]) != played.source))[1:].all()


def test_recent_frames_are_not_jumped_to() -> None:
    successor = np.array([1, 2, 3, -1])
    targets = np.array([[-1, -1], [-1, -1], [0, 1], [2, 0]], dtype=np.int32)
    chances = np.array([[0, 0], [0, 0], [0.5, 0.4], [0.9, 0.1]])
    table = Chances(successor, np.array([1.0, 1.0, 0.1, 0.0]), targets, chances)
    rng, rules = np.random.default_rng(0), Rules(0, NO_BLEND, 0, 1.0)
    _, played = advance(begin(0, 2), 3000, table, PlayMaterial(successor, np.zeros((4, 1)), rules), 0, rng)
    for t in range(2, 3000):
        assert played.source[t] not in played.source[t - 2 : t]


def test_the_same_frames_in_any_blocks(walker) -> None:
    rng = np.random.default_rng(3)
    state = walker.start(rng)
    whole = walker.advance(state, np.random.default_rng(4), 400)[1]
    rng, parts = np.random.default_rng(4), []
    for count in (1, 2, 3, 7, 50, 1, 100, 236):
        state, rows = walker.advance(state, rng, count)
        parts.append(rows)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-12)


@pytest.mark.parametrize("blend", ["constant", "variable", "printed", "none"])
def test_other_blends_in_blocks_and_exact_length(blend: str) -> None:
    model = learn(circling(8.0), Settings(blend=blend, jump_time=0.5), frame_time=FRAME_TIME)
    state = model.start(np.random.default_rng(1))
    whole = model.advance(state, np.random.default_rng(2), 300)[1]
    rng, parts = np.random.default_rng(2), []
    for _ in range(60):
        state, rows = model.advance(state, rng, 5)
        parts.append(rows)
    np.testing.assert_allclose(np.concatenate(parts), whole)
    assert len(model.sample(np.random.default_rng(0), frames=123)) == 123
    _, played = model.play(model.start(np.random.default_rng(1)), np.random.default_rng(2), 2000)
    assert (played.step.max() > 0) == (blend != "none")
    if blend == "constant":
        assert set(played.length.tolist()) == {0, 3}


def test_streams_equal_samples_and_are_endless(walker) -> None:
    rows = played_rows(walker, 5, 200)
    streamed = np.stack(list(itertools.islice(walker.stream(np.random.default_rng(5)), 64)))
    np.testing.assert_allclose(streamed, rows[:64])
    poses = list(itertools.islice(walker.stream(np.random.default_rng(5), decode=True), 70))
    made = walker.decode(np.stack(list(itertools.islice(walker.stream(np.random.default_rng(5)), 70))))
    np.testing.assert_allclose(np.concatenate([pose.root for pose in poses]), made.root, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([pose.rotations for pose in poses]), made.rotations, atol=1e-9)


def test_nothing_sticks_and_jumps_are_smooth(walker) -> None:
    rng = np.random.default_rng(1)
    state = walker.start(rng)
    _, played = walker.play(state, rng, 5000)
    visits = np.bincount(played.source) / 5000
    assert visits.max() < 0.05 and (visits > 0).mean() > 0.4
    jumps = np.flatnonzero(played.jumped >= 0)
    mean_time = 5000 / len(jumps) * walker.frame_time
    assert 0.5 < mean_time < 3.0
    made = walker.decode(shown(state, played, walker.blending)[:1500])
    usual = np.quantile(second_differences(material_of(long_walk(), Settings()).poses), 0.999)
    assert np.quantile(second_differences(material_of(made, Settings()).poses), 0.999) < 1.3 * usual


def test_jumps_occur_at_the_requested_rate() -> None:
    rows = circling(30.0)
    for seconds in (0.8, 2.5):
        model = learn(rows, Settings(jump_time=seconds), frame_time=FRAME_TIME)
        _, played = model.play(model.start(np.random.default_rng(0)), np.random.default_rng(1), 60_000)
        found = 60_000 * FRAME_TIME / (played.jumped >= 0).sum()
        assert abs(found - seconds) < 0.2 * seconds


def test_a_short_take_does_not_repeat_one_loop() -> None:
    """Less than two cycles must be left every cycle, more often than requested, but still by different jumps."""
    model = learn(circling(1.8), Settings(jump_time=3.0), frame_time=FRAME_TIME)
    _, played = model.play(model.start(np.random.default_rng(0)), np.random.default_rng(1), 10_000)
    jumps = np.flatnonzero(played.jumped >= 0)
    kinds = set(zip(played.jumped[jumps].tolist(), played.source[jumps].tolist(), strict=True))
    assert len(kinds) >= 5 and len(jumps) < 1.3 * 10_000 / 50


def test_without_anticipation_and_with_raw_sigma() -> None:
    plain = learn(circling(8.0), Settings(anticipation=0.0, sigma=0.4), frame_time=FRAME_TIME)
    assert plain.sigmas == (0.4, 0.4, 0.0)
    assert len(played_rows(plain, 0, 50)) == 50


def test_the_paper_to_the_letter() -> None:
    model = learn(circling(5.0), Settings(method="paper", jump_time=0.5), frame_time=FRAME_TIME)
    table = model.chances
    np.testing.assert_allclose(table.onward + table.chances.sum(axis=1), 1.0)
    rows = played_rows(model, 0, 500)
    assert rows.shape == (500, 4)
    raw = learn(circling(5.0), Settings(method="paper", sigma=0.05), frame_time=FRAME_TIME)
    assert raw.sigmas[:2] == (0.05, 0.05)
    with pytest.raises(UsageError, match="too large: use the default method"):
        learn(np.random.default_rng(0).normal(size=(4001, 2)), Settings(method="paper", sigma=1.0), frame_time=1.0)


@pytest.mark.parametrize("frames", [100, 150, 350])
def test_loops_have_their_length_and_close(rower, frames: int) -> None:
    rows, played = loop_rows(rower, np.random.default_rng(2), frames, stretch=0.0)
    assert len(rows) == frames == len(played.source)
    first, last = int(played.source[0]), int(played.source[-1])
    assert played.jumped[0] == (last if rower.segments.successors()[last] != first else -1)
    usual = second_differences(circling(8.0)).max()
    assert second_differences(np.tile(rows, (2, 1))).max() < 2.0 * usual
    stretched, shown_frames = loop_rows(rower, np.random.default_rng(2), frames)
    assert len(stretched) == frames and abs(len(shown_frames.source) / frames - 1) <= 0.12


def test_a_long_loop_is_a_chain_of_exact_length() -> None:
    from freshtake.texture import closed_paths

    rower = learn(circling(4.0), frame_time=FRAME_TIME)
    graph = closed_paths.frame_graph(*rower.live, max(rower.reach.limits), rower.play_material)
    anchors = closed_paths.anchors_of(graph, np.random.default_rng(0))
    request = closed_paths.LoopRequest(1.0, 1, 120)
    for length in (400, 737):
        found = list(closed_paths._chained(length, graph, anchors, request, np.zeros(len(graph.successor))))
        assert found and all(len(way) == length for way in found)
        # Every step continues, or is a jump that exists: the cost of any other is infinite.
        assert all(np.isfinite(closed_paths.jump_cost(way, graph)) for way in found)


def test_the_cheapest_loop_is_found() -> None:
    """Against all closed paths of one jump: with no variety and no noise the cost is not above theirs."""
    from freshtake.texture import closed_paths

    rower = learn(circling(4.0), frame_time=FRAME_TIME)
    graph = closed_paths.frame_graph(*rower.live, max(rower.reach.limits), rower.play_material)
    anchors = closed_paths.anchors_of(graph, np.random.default_rng(0))
    found = min(
        closed_paths.find_loops(100, graph, lambda a, n: (), anchors, closed_paths.LoopRequest(0.0, 1, 1000)),
        key=lambda way: closed_paths.jump_cost(way, graph),
    )
    single = [
        float(closed_paths.JUMP_COST + 0.5 * rower.live[1].costs[i, slot] ** 2)
        for i, slot in zip(*np.nonzero(rower.live[1].targets >= 0), strict=True)
        if i + 1 - rower.live[1].targets[i, slot] == 100
    ]
    assert single and closed_paths.jump_cost(found, graph) <= 1.5 * min(single)


def test_variety_shows_more_of_the_takes() -> None:
    model = learn(circling(30.0, seed=9), frame_time=FRAME_TIME)

    def distinct(variety: float) -> int:
        return len(np.unique(loop_rows(model, np.random.default_rng(1), 500, variety=variety)[1].source))

    assert distinct(1.0) >= max(distinct(0.0), 350)


def test_an_impossible_loop_names_possible_lengths() -> None:
    once = learn(circling(1.04, 50), frame_time=FRAME_TIME)
    with pytest.raises(UsageError, match=r"no loop of exactly 75 frames: the nearest lengths are"):
        loop_rows(once, np.random.default_rng(0), 75, stretch=0.0)


def test_a_length_near_enough_to_that_of_a_loop_is_never_refused() -> None:
    """A loop of 61 frames may be played in 60: only lengths that a tempo 5 % off cannot reach are refused."""
    model = learn(flag(np.random.default_rng(0), frames=300, columns=9, rows=7))
    refused = 0
    for frames in (50, 56, 57, 58, 59, 60, 61, 70):
        try:
            assert len(loop_rows(model, np.random.default_rng(0), frames)[0]) == frames
        except NoLoop as problem:
            refused += 1
            assert all(abs(near / frames - 1.0) > 0.05 for near in problem.near), (frames, problem.near)
    assert 0 < refused < 8


def test_a_loop_that_needs_a_large_jump_is_as_smooth_as_others() -> None:
    t = np.arange(200)
    once = np.stack([np.cos(2 * np.pi * t / 200), np.sin(2 * np.pi * t / 200)], axis=1)  # one turn: no jump but its end
    model = learn(once, frame_time=FRAME_TIME)
    rows, played = loop_rows(model, np.random.default_rng(0), 160)
    large = shown_costs(model, played).max()
    assert large > 6.0 > max(model.reach.limits)
    hard = model.rows[played.source]
    bends = [second_differences(np.tile(x, (3, 1))).max() for x in (hard, rows)]
    fixed = shown(None, played, replace(model.blending, fades=lambda left, entered: np.full(len(left), model.fade)))
    assert bends[1] < 0.6 * second_differences(np.tile(fixed, (3, 1))).max() < 0.6 * bends[0]
    near = loop_lengths(model, np.random.default_rng(0), 160)
    assert near and all(abs(n - 200) < 10 for n in near)


@pytest.mark.parametrize("blend", ["constant", "variable", "printed", "none"])
def test_clips_have_loops_whatever_the_blend(blend: str) -> None:
    model = learn(long_walk(), Settings(blend=blend))
    assert len(model.loop(np.random.default_rng(1), frames=100)) == 100


def test_a_loop_does_not_repeat_a_shorter_one() -> None:
    assert period((1, 2, 3, 1, 2, 3)) == 3 and period((1, 2, 3, 1, 2, 4)) == 6 and period((5, 5, 5)) == 1
    model = learn(circling(1.8), frame_time=FRAME_TIME)
    for seed in range(4):
        rows, played = loop_rows(model, np.random.default_rng(seed), 120)
        assert len(rows) == 120 and period(tuple(played.source.tolist())) == len(played.source)


def test_missing_jumps_cost_infinity() -> None:
    jumps = Jumps(np.array([[3, 1], [2, -1]], dtype=np.int32), np.array([[0.5, 0.7], [1.5, np.inf]]))
    assert costs_of(jumps, np.array([0, 1, 1]), np.array([1, 2, 3])).tolist() == [0.7, 1.5, np.inf]


def test_cells_are_reached_within_the_look_ahead_and_kept() -> None:
    walk = long_walk(6)
    third = len(walk) // 3
    cells = {name: take_frames(walk, k * third, (k + 1) * third) for k, name in enumerate("abc")}
    model = learn(cells)
    assert model.cells == ("a", "b", "c")
    rng = np.random.default_rng(0)
    state = model.start(rng, cell="a")
    for goal in "bcacbab":
        state, _ = model.advance(state, rng, 35)
        before = model.cell_of(state)
        state = model.steer(state, goal)
        counts = 0
        while model.cell_of(state) != goal:
            state, _ = model.advance(state, rng, 1)
            counts += 1
        assert counts * model.frame_time <= 0.3 + 1e-9 and (counts > 0) == (before != goal)
        state, played = model.play(state, rng, 200)
        assert (model.segments.cells()[played.source] == model.cell(goal)).all()
    with pytest.raises(UsageError, match="there is no cell 'd'; the cells are a, b, c"):
        model.steer(state, "d")


def test_the_path_into_a_cell_is_the_cheapest_in_time() -> None:
    from freshtake.texture.cells import path_into
    from freshtake.texture.frame_distance import laid_out
    from freshtake.texture.jump_map import Jumps, Reach

    segments = laid_out([5, 3], ["a", "b"])
    none = Jumps(np.full((8, 1), -1, dtype=np.int32), np.full((8, 1), np.inf))
    entries = Jumps(np.array([[5], [-1], [6], [-1], [7], [-1], [-1], [-1]], dtype=np.int32), np.full((8, 1), 3.0))
    entries.costs[2], entries.costs[4] = 2.0, 1.0
    reach = Reach((1.0, 1.0), np.ones(8, dtype=bool))

    def way(ahead: int) -> tuple[int, ...]:
        return path_into(1, 0, none, entries, segments, reach, ahead)

    assert way(1) == (5,) and way(3) == (1, 2, 6) and way(5) == (1, 2, 3, 4, 7) == way(50)
    entries.costs[[0, 2, 4]] = 1.0
    assert way(5) == (5,)  # of equally expensive ways, the first to arrive
    lost = Jumps(np.full((8, 1), -1, dtype=np.int32), np.full((8, 1), np.inf))
    with pytest.raises(UsageError, match="the cell 'b' cannot be reached from 'a'"):
        path_into(1, 0, none, lost, segments, reach, 3)


def test_meshes_travel_and_stay_near_their_take() -> None:
    mesh = sheet()
    model = learn(mesh)
    made = model.sample(np.random.default_rng(0), frames=300, name="new")
    assert isinstance(made, MeshSequence) and made.vertices.shape == (300, 20, 3) and made.name == "new"
    center = made.vertices.mean(axis=1)
    assert 0.75 < np.linalg.norm(np.diff(center, axis=0), axis=1).mean() / 0.02 < 1.25
    usual = np.quantile(second_differences(mesh.vertices.astype(float)), 0.999)
    assert second_differences(made.vertices.astype(float)).max() < 1.6 * usual
    back = model.decode(model.rows)
    moved = back.vertices - back.vertices.mean(axis=1, keepdims=True)
    assert (
        np.abs(
            np.linalg.norm(moved, axis=-1)
            - np.linalg.norm(mesh.vertices - mesh.vertices.mean(axis=1, keepdims=True), axis=-1)
        ).max()
        < 2e-3
    )
    absolute = learn(mesh, Settings(root="absolute", energy=1.0))
    np.testing.assert_allclose(absolute.decode(absolute.rows).vertices, mesh.vertices, atol=1e-4)


def test_strokes_and_points_play_too() -> None:
    rows = circling(6.0)
    stroke = Stroke(rows[:, :2], np.arange(len(rows)) * FRAME_TIME, ("x", "y"), "ring")
    made = learn(stroke).sample(np.random.default_rng(0), frames=150)
    assert isinstance(made, Stroke) and len(made) == 150
    assert np.abs(np.linalg.norm(made.points, axis=1) - 1.0).max() < 0.1


def test_a_take_that_never_recurs_is_reported() -> None:
    line = np.stack([np.linspace(0, 10, 80), np.linspace(0, 3, 80) ** 2], axis=1)
    model = learn(line, frame_time=FRAME_TIME)
    assert not recurring(model)
    assert len(played_rows(model, 0, 300)) == 300
    assert recurring(learn(circling(6.0), frame_time=FRAME_TIME))


def test_a_thinned_picture_shows_the_largest_chances(rower) -> None:
    whole = dense(rower)
    np.testing.assert_allclose(whole.sum(axis=1)[rower.reach.alive], 1.0)
    padded = np.zeros((402, 402))
    padded[:400, :400] = whole
    np.testing.assert_array_equal(dense(rower, 3), padded.reshape(134, 3, 134, 3).max(axis=(1, 3)))


def test_refusals() -> None:
    mesh = sheet(20)
    with pytest.raises(UsageError, match="one frame"):
        learn(MeshSequence(mesh.vertices[:1], mesh.faces, FRAME_TIME, name="still"))
    with pytest.raises(UsageError, match="the takes have 3 frames in all, but a texture needs at least 8"):
        learn(take_frames(long_walk(1), 0, 3))
    other = MeshSequence(mesh.vertices, mesh.faces[:-1], FRAME_TIME, name="cut")
    with pytest.raises(UsageError, match="cut and sheet have different vertices or faces"):
        learn([MeshSequence(mesh.vertices, mesh.faces, FRAME_TIME, name="sheet"), other])
    broken = mesh.vertices.copy()
    broken[3, 2, 1] = np.nan
    with pytest.raises(InvalidMotion, match="vertices must be finite, but holds nan"):
        MeshSequence(broken, mesh.faces, FRAME_TIME)
    for wrong, says in (
        ({"blend": "slow"}, "blend must be one of"),
        ({"components": 0}, "components must lie between 1"),
        ({"sigma": 0.0}, "sigma must be above 0"),
        ({"bits": 5}, "bits must be one of 0, 8, 16"),
        ({"jump_time": -1.0}, "jump_time must lie between"),
    ):
        with pytest.raises(UsageError, match=says):
            Settings(**wrong)
    with pytest.raises(UsageError, match=r"no jump of at most 0\.01 mean frame steps"):
        learn(circling(3.5), Settings(largest_jump=0.01), frame_time=FRAME_TIME)
    with pytest.raises(UsageError, match="no takes to learn from"):
        learn([])
    with pytest.raises(UsageError, match="the cell 'x' has no takes"):
        learn({"x": []})


@pytest.mark.parametrize("path", data_files("cyclic/*.bvh"), ids=label)
def test_real_takes_neither_stick_nor_jerk_nor_reverse(path) -> None:
    from freshtake.formats import read

    clip = read(path)
    assert isinstance(clip, Clip)
    model = learn(clip)
    rng = np.random.default_rng(1)
    state = model.start(rng)
    _, played = model.play(state, rng, 10_000)
    assert np.bincount(played.source).max() < 500
    jumps = np.flatnonzero(played.jumped >= 0)
    poses = material_of(clip, Settings()).poses
    change = np.gradient(poses, axis=0)
    along = np.einsum("ij,ij->i", change[played.jumped[jumps]], change[played.source[jumps]])
    assert (along < 0).mean() <= 0.02
    some = type(played)(*[part[:1800] for part in played])
    made = material_of(model.decode(shown(state, some, model.blending)), Settings()).poses
    found, usual = second_differences(made), np.quantile(second_differences(poses), 0.999)
    near = [found[t - 4 : t + 11].max() / usual for t in jumps if 4 < t < 1780]
    assert np.mean(np.array(near) <= 1.3) >= 0.99


def test_real_walk_is_steered_in_time(data) -> None:
    from freshtake.formats import read
    from freshtake.texture.cells import turn_cells

    cells = turn_cells(read(data / "cyclic" / "walk_turns_16s.bvh"))
    assert set(cells) == {"forward", "left", "right"}
    model = learn(cells)
    rng, waits = np.random.default_rng(0), []
    state = model.start(rng, cell="forward")
    for _ in range(40):
        state, _ = model.advance(state, rng, int(rng.integers(20, 90)))
        state = model.steer(state, str(rng.choice([c for c in model.cells if c != model.cell_of(state)])))
        waits.append(len(state.plan) * model.frame_time)
    assert np.median(waits) <= 0.3


def test_a_planted_stream_is_the_planted_clip(walker) -> None:
    count = 300
    poses = list(itertools.islice(walker.stream(np.random.default_rng(5), decode=True, plant=True), count))
    assert [len(pose) for pose in poses] == [1] * count
    clip, loose = (walker.sample(np.random.default_rng(5), frames=count + 80, plant=plant) for plant in (True, False))
    np.testing.assert_allclose(np.concatenate([pose.root for pose in poses]), clip.root[:count], atol=1e-9)
    streamed = np.concatenate([pose.rotations for pose in poses])
    np.testing.assert_allclose(streamed, clip.rotations[:count], atol=1e-9)
    assert np.abs(streamed - loose.rotations[:count]).max() > 1e-3
    with pytest.raises(UsageError, match="decode=True"):
        walker.stream(np.random.default_rng(5), plant=True)


def test_a_stretch_closed_by_one_jump_beats_a_loop_that_shows_frames_twice() -> None:
    count, rest = 400, 4
    successor = np.append(np.arange(1, count), -1)
    targets, costs = np.full((count, 2), -1, dtype=np.int32), np.full((count, 2), np.inf)
    for left, entered, cost in ((149, 100, 0.1), (209, 100, 0.6), (399, 290, 0.5)):
        slot = int((targets[left] >= 0).sum())
        targets[left, slot], costs[left, slot] = entered, cost
    graph = FrameGraph(
        successor, targets, targets, costs, np.full((count, 2), 1 + rest), rest, Jumps(targets, costs), 1.5
    )
    twice = (*range(100, 150), *range(100, 150))
    none = np.zeros(count)

    def cost(way: tuple[int, ...], variety: float) -> float:
        return path_cost(way, graph, variety, none) + tempo_cost(len(way), 100)

    found = closed_stretches(100, graph, 0.12, none)
    assert [len(set(way)) for way in found] == [len(way) for way in found] == [110, 110]
    assert cost(found[0], 1.0) < cost(twice, 1.0)
    assert cost(found[0], 0.0) > cost(twice, 0.0)  # repetition may cost nothing
    assert not closed_stretches(100, graph, 0.0, none)  # nothing else is of that length
    cut = np.where(np.arange(count) == 200, -1, successor)
    torn = closed_stretches(100, replace(graph, successor=cut), 0.12, none)[0]
    assert torn == tuple(range(290, 400))


def swing(circles: int) -> Floats:
    """Small circles of 30 frames, then a wide swing that only a large jump leads back from."""
    angle = 2.0 * np.pi * np.arange(30 * circles) / 30.0
    share = np.linspace(0.0, 1.0, 120)
    away = np.stack([0.2 + 4.0 * np.sin(0.5 * np.pi * share) ** 2, 0.6 * np.sin(3.0 * np.pi * share)], axis=1)
    return np.concatenate([0.2 * np.stack([np.cos(angle), np.sin(angle)], axis=1), away])


def test_a_loop_takes_larger_jumps_rather_than_omit_the_action() -> None:
    """The cheapest jumps lead round the small circles, whose poses reach 0.15 times as far as the take's."""
    for seed in range(3):
        best = ranked_loops(learn(swing(8), frame_time=1 / 60), np.random.default_rng(seed), 180)[0]
        assert best.likeness.range > 0.35


def test_the_energy_of_a_loop_is_that_of_the_frames_shown() -> None:
    """Going back to where a one-way movement began is movement too."""
    share = np.linspace(0.0, 1.0, 60)
    takes = [np.stack([4.0 * share**2 * (3.0 - 2.0 * share), 0.1 * k + 0.0 * share], axis=1) for k in range(3)]
    model, rng = learn(takes, frame_time=1 / 60), np.random.default_rng(0)
    best = ranked_loops(model, rng, 50)[0]
    rows, _ = shown_loop(model, best, rng, 50)
    moved = np.linalg.norm(np.roll(rows, -1, axis=0) - rows, axis=1).mean()
    usual = np.mean([np.linalg.norm(np.diff(take, axis=0), axis=1).mean() for take in takes])
    assert best.likeness.energy > 1.15 and best.likeness.energy == pytest.approx(moved / usual, rel=0.02)
