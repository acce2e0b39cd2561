"""Texture: quality of jumps, loops and steering, on all takes or on named takes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.texture_takes import held_out, motions
from benchmarks.timing import table
from freshtake.motion import MeshSequence
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.texture import Settings, TextureModel, learn
from freshtake.texture.cells import turn_cells
from freshtake.texture.examples import material_of
from freshtake.texture.jump_map import costs_of
from freshtake.texture.loop_making import loop_rows
from freshtake.texture.synthesize import shown

FRAMES = 10_000
LIMIT = 1.3  # times the take's own 99.9th percentile
BEFORE, AFTER = 4, 3  # frames examined around a jump and its fade


def second_differences(points: Any) -> Any:
    """Return the length of the second difference of all points, frame by frame."""
    return np.linalg.norm(np.diff(points, 2, axis=0), axis=1)


def usual(points: Any) -> float:
    """Return the 99.9th percentile of a take's second differences."""
    return float(np.quantile(second_differences(points), 0.999))


def body_differences(model: TextureModel, rows: Any) -> Any:
    """Return second differences relative to the body; for a mesh, from its weights and the products of its modes."""
    if model.shape is None:
        return second_differences(material_of(model.decode(rows), Settings()).poses)
    assert model.recipe is not None and isinstance(model.recipe.layout, MeshLayout)
    at, count = (3 if model.recipe.layout.root == "heading" else 0), model.recipe.layout.vertex_count
    modes = model.shape.restore(np.concatenate([np.zeros((1, model.shape.width)), np.eye(model.shape.width)]))
    modes = (modes[1:] - modes[0])[:, : 3 * count].astype(np.float64)
    bent = np.diff(rows[:, at:], 2, axis=0)
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", bent, modes @ modes.T, bent), 0.0) / count)


def quality(takes: Sequence[str] = ()) -> str:
    """Play 10,000 frames of every take: jumps, stays, smoothness around every jump, reversals."""
    rows = []
    for name, motion in chain(motions(takes), held_out(takes)):
        model = learn(motion)
        rng = np.random.default_rng(1)
        state = model.start(rng)
        _, played = model.play(state, rng, FRAMES)
        jumps = np.flatnonzero(played.jumped >= 0)
        visits = np.bincount(played.source, minlength=len(motion)) / len(played.source)
        poses = material_of(motion, Settings()).poses
        body, world = smoothness(motion, poses, model, shown(state, played, model.blending), jumps)
        change = np.gradient(poses, axis=0)
        along = np.einsum("ij,ij->i", change[played.jumped[jumps]], change[played.source[jumps]])
        kinds = len(set(zip(played.jumped[jumps].tolist(), played.source[jumps].tolist(), strict=True)))
        rows.append(
            [
                name, str(len(motion)), f"{max(model.reach.limits):g}", str(len(jumps)), str(kinds),
                f"{FRAMES * model.frame_time / max(1, len(jumps)):.2f}", f"{100 * visits.max():.2f}",
                f"{100 * (visits > 0).mean():.0f}", f"{np.quantile(body, 0.99):.2f}",
                f"{100 * (body <= LIMIT).mean():.1f}", f"{np.quantile(world, 0.99):.2f}",
                f"{100 * (world <= LIMIT).mean():.1f}", f"{100 * (along < 0).mean():.1f}",
            ]
        )  # fmt: skip
    head = [
        "take", "frames", "largest jump", "jumps", "different", "s between", "most visited, %", "frames used, %",
        "2nd difference, 99 %", "within 1.3, %", "in the world, 99 %", "within 1.3, %", "reversals, %",
    ]  # fmt: skip
    title = "10,000 frames (targets: no frame above 5 %, 99 % of jumps within 1.3 x the take's own 99.9th percentile"
    return table(f"{title} of second differences, reversals at most 2 %)", head, rows)


def smoothness(motion: Any, poses: Any, model: TextureModel, rows: Any, jumps: Any) -> tuple[Any, Any]:
    """Return the largest second difference around each jump over the take's 99.9th percentile, with and without travel.

    In the world only the frames around a jump are decoded, each piece from the same position, which does
    not change its second differences.
    """
    ends = [(t - BEFORE, t + model.fade + AFTER) for t in jumps if t > BEFORE and t + model.fade + AFTER < len(rows)]
    body = body_differences(model, rows)
    near = np.array([body[first : stop - 2].max() for first, stop in ends]) / usual(poses)
    pieces = (world_points(model.decode(rows[first:stop])) for first, stop in ends)
    world = np.array([second_differences(piece).max() for piece in pieces]) / usual(world_points(motion))
    return near, world


def world_points(motion: Any) -> Any:
    """Return all vertices or joints in the world."""
    points = motion.vertices if isinstance(motion, MeshSequence) else motion.positions()
    return np.asarray(points, dtype=np.float64).reshape(len(motion), -1)


def loops(takes: Sequence[str] = ()) -> str:
    """Make loops of several lengths: jumps, distinct frames, smoothness including the seam, time."""
    rows = []
    for name, motion in motions(takes):
        model = learn(motion)
        own = usual(material_of(motion, Settings()).poses)
        for frames in (120, 300, 600):
            start = time.process_time()
            made, played = loop_rows(model, np.random.default_rng(2), frames)
            spent = time.process_time() - start
            found = body_differences(model, np.tile(made, (3, 1))).max() / own
            distinct = len(np.unique(played.source)) / min(len(played.source), int(model.reach.alive.sum()))
            now = np.flatnonzero(played.jumped >= 0)
            costs = costs_of(model.jumps, played.jumped[now], played.source[now])
            tempo = 100 * (len(played.source) / frames - 1)
            cells = [name, str(len(made)), f"{tempo:+.1f}", str(len(costs)), f"{max(costs, default=0.0):.1f}"]
            rows.append([*cells, f"{100 * distinct:.0f}", f"{found:.2f}", f"{spent:.2f}"])
    head = ["take", "frames", "tempo, %", "jumps", "largest jump", "distinct frames, %", "largest 2nd difference"]
    return table("Loops of exact length, three times over", [*head, "CPU s"], rows)


def steering(takes: Sequence[str] = ()) -> str:
    """Make 300 requests at random moments: seconds until a frame of the requested cell is shown."""
    rows = []
    path = DATA / "cyclic" / "walk_turns_16s.bvh"
    sets: dict[str, Any] = {"walk_turns_16s": turn_cells(ft.read_clip(path))} if path.exists() else {}
    rng = np.random.default_rng(3)
    sets["bundled walks"] = {
        "forward": ft.samples.walk(rng, cycles=6),
        "left": ft.samples.walk(rng, cycles=6, turn_rate=25.0),
        "right": ft.samples.walk(rng, cycles=6, turn_rate=-25.0),
    }
    for name, cells in sets.items():
        model = learn(cells)
        waits, asked, ratio = steered(model)
        rows.append(
            [
                name, f"{np.median(waits):.3f}", f"{np.quantile(waits, 0.9):.3f}", f"{max(waits):.3f}",
                f"{1e3 * np.median(asked):.2f}", f"{ratio:.2f}",
            ]
        )  # fmt: skip
    head = ["cells from", "median s", "90 %", "longest", "ms per request", "largest 2nd difference"]
    return table("Steering (target: median 0.3 s at 60 fps)", head, rows)


def steered(model: TextureModel, requests: int = 300) -> tuple[list[float], list[float], float]:
    """Return waits, time per request, and the largest second difference of all frames against the takes'."""
    rng = np.random.default_rng(0)
    state = model.start(rng, cell=model.cells[0])
    waits, asked, rows = [], [], []
    for _ in range(requests):
        state, some = model.advance(state, rng, int(rng.integers(20, 120)))
        rows.append(some)
        goal = str(rng.choice([cell for cell in model.cells if cell != model.cell_of(state)]))
        start = time.perf_counter()
        state = model.steer(state, goal)
        asked.append(time.perf_counter() - start)
        count = 0
        while model.cell_of(state) != goal:
            state, some = model.advance(state, rng, 1)
            rows.append(some)
            count += 1
        waits.append(count * model.frame_time)
    takes = [model.decode(part) for part in np.split(model.rows, model.segments.bounds[1:-1])]
    usual = np.concatenate([second_differences(material_of(take, Settings()).poses) for take in takes])
    made = material_of(model.decode(np.concatenate(rows)), Settings()).poses
    return waits, asked, float(second_differences(made).max() / np.quantile(usual, 0.999))
