"""Baselines for translation: copying, shifting mean and variance, and a static map for each joint."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import angle_between, from_rotvec
from freshtake.style.body_coding import coded, uncoded
from freshtake.style.learning import aligned, learn
from freshtake.style.model import Settings, StyleModel
from freshtake.style.pairs import pair_rows
from freshtake.style.systems.system_choice import Mapper
from freshtake.style.warping.alignment import Alignment

KINDS = ("copy", "mean/variance", "static", "n4sid")
STATIC = {"order": 0, "steadiness": 0.0, "ridge": 1e-3, "calming": 0.0}


class TranslationErrors(NamedTuple):
    """Mean joint-angle errors by kind, in degrees, and the models of the last two."""

    errors: dict[str, float]
    models: dict[str, StyleModel]


def joint_angle_error(recipe: Recipe, translated: Floats, real: Floats) -> float:
    """Measure the mean angle in degrees between rows (frames, DOFs), over moving joints and the root's two tilts."""
    joints: dict[str, list[int]] = {}
    for column, (name, unit) in enumerate(zip(recipe.names, recipe.units, strict=True)):
        if unit == "angle":
            joints.setdefault(name.rsplit(".", 1)[0], []).append(column)
    apart = []
    for columns in joints.values():
        vectors = np.zeros((2, len(translated), 3))
        vectors[0, :, : len(columns)], vectors[1, :, : len(columns)] = translated[:, columns], real[:, columns]
        apart.append(angle_between(from_rotvec(vectors[0]), from_rotvec(vectors[1])))
    return float(np.degrees(np.mean(apart)))


def untimed_rows(model: StyleModel, rows: Floats) -> Floats:
    """Translate rows in the source's timing, row for row, without generalization."""
    tool = model.translator(generalize=False)
    out = tool.coded_outputs(tool.start(model.past(rows)), rows)[1]
    return uncoded(np.ascontiguousarray(out[:, :-1]), model.coding)


def shifted_rows(model: StyleModel, rows: Floats) -> Floats:
    """Shift each DOF to the mean and variance of the target style."""
    count = len(model.dofs)
    shifted = model.source.down(coded(rows, model.coding)) * model.target.deviation[:count] + model.target.mean[:count]
    return np.asarray(uncoded(shifted, model.coding))


def held_out_errors(
    train: Sequence[tuple[Clip, Clip]],
    test: tuple[Clip, Clip],
    settings: Settings | None = None,
    *,
    alignments: Mapping[tuple[int, int], Alignment] | None = None,
    map: Mapper | None = None,
) -> TranslationErrors:
    """Learn from some pairs, translate the source of another, and compare it with its target in the source's timing.

    `alignments` is a cache by the ids of the two clips.
    """
    settings, given = settings or Settings(), alignments or {}
    warps = [given.get((id(a), id(b))) or aligned(a, b, settings) for a, b in (*train, test)]
    changes: dict[str, dict[str, Any]] = {"static": STATIC, "n4sid": {}}
    models = {
        kind: learn(train, settings.changed(**change), alignments=warps[:-1], map=map)
        for kind, change in changes.items()
    }
    first = models["static"]
    pair = pair_rows(first.recipe, *test, warps[-1])
    real = pair.target[:, :-1]
    rows_by_kind = {"copy": pair.source, "mean/variance": shifted_rows(first, pair.source)}
    rows_by_kind |= {kind: untimed_rows(model, pair.source) for kind, model in models.items()}
    return TranslationErrors(
        {kind: joint_angle_error(first.recipe, rows_by_kind[kind], real) for kind in KINDS}, models
    )
