"""Learn a TextureModel from takes, offline (Sattler 2004, §2)."""

from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.features import Recipe
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture import jump_map
from freshtake.texture.cells import ENTRIES, unreachable
from freshtake.texture.examples import Described, Material, Takes, check_meshes, material_of, segments_of, takes_of
from freshtake.texture.frame_distance import Segments, Weights, weighted_frames, weights_of
from freshtake.texture.jump_map import Jumps, Reach, Sigmas, band_of, hold_of
from freshtake.texture.large_meshes import describe_large, is_large
from freshtake.texture.mesh_compression import compress, conditions
from freshtake.texture.model import TextureModel
from freshtake.texture.play_kernels import Frames
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Shape, mesh_recipe


@one_blas_thread()
def learn(
    takes: Any,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    report: Report | None = None,
    frame_time: float | None = None,
) -> TextureModel:
    """Learn where takes can be left and re-entered.

    Args:
        takes: one take, several, or takes by cell name: mesh sequences, clips, strokes, point clips, or plain arrays
            (frames, values).
        settings: how to compress, jump and blend; None for the defaults.
        rng: enables random projection for the principal components of very large takes.
        report: called with the progress, a fraction and the current step.
        frame_time: seconds per frame of plain arrays; other takes carry theirs. By default 1.

    Returns:
        The learned model.
    """
    chosen, say = settings or Settings(), report or silent
    say(Progress(0.0, "reading the takes"))
    described = _described(takes_of(takes), chosen, rng, frame_time, say)
    weights, segments, step = described.weights, described.segments, described.frame_time
    say(Progress(0.6, "looking for recurrences"))
    frames = weighted_frames(weights, segments, step, chosen.velocity_weight)
    jumps, reach = jump_map.jumps_and_reach(frames, segments, chosen, step)
    entries = _entries(frames, segments, reach, hold_of(step))
    say(Progress(0.9, "calibrating the rate of jumps"))
    sigmas = _sigmas(weights, jumps, reach, segments, chosen, step)
    say(Progress(1.0, "done"))
    return TextureModel(
        chosen, segments, step, described.recipe, described.shape, described.rows, weights, jumps, entries, reach,
        sigmas,
    )  # fmt: skip


def _described(
    listed: Takes, settings: Settings, rng: np.random.Generator | None, frame_time: float | None, say: Report
) -> Described:
    """Return the takes as rows and mode weights, rounded as in a model file."""
    if is_large(listed.motions):
        check_meshes(listed.motions)
        segments = segments_of(listed)
        _check_length(segments, listed.motions[0].frame_time, settings)
        say(Progress(0.1, "finding what moves together, a few vertices at a time"))
        described = describe_large(listed.motions, segments, settings)
    else:
        material = material_of(listed, settings, frame_time)
        _check_length(material.segments, material.frame_time, settings)
        say(Progress(0.3, "finding what moves together"))
        recipe, shape, rows = _compressed(material, settings, rng)
        # This refuses more components than there are values.
        conditions(settings, material.segments.frames, material.poses.shape[1])
        weights = weights_of(material.poses, material.velocities, *settings.compared)
        described = Described(recipe, shape, rows, weights, material.segments, material.frame_time)
    # Rows are rounded before anything is learned from them, so that a model read from a file plays the same frames.
    weights = Weights(rounded(described.weights.poses), rounded(described.weights.velocities))
    return described._replace(rows=rounded(described.rows), weights=weights)


def _check_length(segments: Segments, frame_time: float, settings: Settings) -> None:
    """Refuse cells in which no jump is far enough from the next frame."""
    if settings.method == "paper":
        return
    least = band_of(settings, frame_time) + 2
    for name, frames in zip(segments.names, np.bincount(segments.cells()).tolist(), strict=True):
        if frames < least:
            where = f"the cell {name!r} has" if len(segments.names) > 1 else "the takes have"
            raise UsageError(f"{where} {frames} frames in all, but a texture needs at least {least}")


def recurring(model: TextureModel) -> bool:
    """Return whether the takes recur in every cell, so that jumps are small."""
    return max(model.reach.limits) <= jump_map.POOR


def _compressed(
    material: Material, settings: Settings, rng: np.random.Generator | None
) -> tuple[Recipe | None, Shape | None, Floats]:
    """Compress a mesh to its modes; leave others unchanged."""
    recipe = material.recipe
    if recipe is None or not isinstance(recipe.layout, MeshLayout):
        return recipe, None, material.rows
    layout = recipe.layout
    at = 3 if layout.root == "heading" else 0
    columns = material.rows[:, at:]
    shape, mode_weights = compress(columns, layout, settings, rng)
    rows = np.concatenate([material.rows[:, :at], mode_weights], axis=1)
    return mesh_recipe(layout, shape), shape, rows


def _entries(frames: Frames, segments: Segments, reach: Reach, hold: int) -> tuple[Jumps, ...]:
    """Find jumps from every frame into each cell, to frames from which playback can continue; refuse unreachable cells.

    If takes are long enough, jumps leave time for a fade before the next jump.
    """
    if len(segments.names) == 1:
        return ()
    cells = np.where(reach.alive, segments.cells(), -1)
    # The last live frame to which playback can continue from each frame without a jump.
    lasts = frames.last.copy()
    for frame in range(len(lasts) - 2, -1, -1):
        if frame < frames.last[frame]:
            lasts[frame] = lasts[frame + 1] if reach.alive[frame + 1] else frame
    frames = frames._replace(last=lasts)
    out = []
    for cell, name in enumerate(segments.names):
        cell_of = np.full(segments.frames, cell)
        for forward, rest in ((True, hold), (True, 0), (False, 0)):
            jumps = jump_map.find_jumps(frames, cell_of, cells, 0, ENTRIES, forward=forward, rest=rest)
            lost = unreachable(jumps, segments, cell)
            if not lost:
                break
        if lost:
            raise UsageError(f"the cell {name!r} cannot be reached from {lost[0]!r}: give longer takes of that cell")
        out.append(jump_map.rounded_jumps(jumps))
    return tuple(out)


def _sigmas(
    weights: Weights, jumps: Jumps, reach: Reach, segments: Segments, settings: Settings, frame_time: float
) -> Sigmas:
    """Return the given sigmas, or find sigmas that give the mean time between jumps."""
    if settings.method == "paper":
        return _paper_sigmas(weights, segments, settings, frame_time / settings.jump_time)
    if settings.sigma is not None:
        return Sigmas(settings.sigma, settings.sigma)
    successor, live = jump_map.within(jumps, reach, segments)
    costs = jump_map.totals(successor, live, settings.anticipation)
    # A jump is followed by frames without a jump, which do not count.
    rate = 1.0 / max(1.0 + 1e-9, settings.jump_time / frame_time - hold_of(frame_time))
    sigma, reluctance = jump_map.calibrated(successor, live, costs, reach.alive, rate)
    return Sigmas(sigma, sigma, reluctance)


def _paper_sigmas(weights: Weights, segments: Segments, settings: Settings, rate: float) -> Sigmas:
    jump_map.check_size(segments)
    if settings.sigma is not None:
        return Sigmas(settings.sigma, settings.velocity_sigma or settings.sigma)
    positions, velocities = jump_map.successor_distances(weights, segments)
    # The ratio of both sigmas is fixed to the ratio of the distances, so both count equally and one search suffices.
    ratio = float(velocities.mean() / max(positions.mean(), 1e-300)) or 1.0
    low, high = np.log(1e-6 * positions.mean()), np.log(10.0 * positions.mean())
    share = np.full(segments.frames, 1.0 / segments.frames)
    for _ in range(12):
        middle = float(np.exp((low + high) / 2.0))
        chances = jump_map.paper_chances(weights, segments, Sigmas(middle, middle * ratio), settings)
        jumps_per_frame, share = jump_map.jump_rate(chances, share)
        low, high = (np.log(middle), high) if jumps_per_frame < rate else (low, np.log(middle))
    sigma = float(np.exp((low + high) / 2.0))
    return Sigmas(sigma, settings.velocity_sigma or sigma * ratio)


def with_jump_time(model: TextureModel, seconds: float) -> TextureModel:
    """Return the model with another mean time between jumps, as if it had been learned with it."""
    if model.settings.method == "paper":
        raise UsageError("the method paper learns its rate of jumps: relearn with another jump_time")
    settings = model.settings.changed(jump_time=seconds, sigma=None)
    sigmas = _sigmas(model.weights, model.jumps, model.reach, model.segments, settings, model.frame_time)
    return replace(model, settings=settings, sigmas=sigmas)
