"""Make tables 1 and 2 and figures 3 and 5-9 of Sattler 2004 for the user's takes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import replacing_folder, scratch_folder
from freshtake.formats.ftm import save
from freshtake.formats.registry import read, take_files
from freshtake.formats.report_files import require_plots, write_figure
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import MeshSequence
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.texture_figures import matrices, played_frames, sample_frames, spectrum
from freshtake.requests.texturing import TextureFigures, TextureTables
from freshtake.texture.examples import Material, material_of
from freshtake.texture.learning import learn
from freshtake.texture.mesh_compression import Fidelity, eigenvalues, fidelity_table, position_error
from freshtake.texture.model import TextureModel
from freshtake.texture.settings import Settings
from freshtake.workflows.texturing import zipped_size

COUNTS = (0, 1, 2, 4, 6, 8, 10)
SIGMAS = (0.01, 0.05, 0.3)  # fractions of the mean distance
EMPHASES = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.2, 0.2))


class Compression(NamedTuple):
    """One line of table 1: components, bytes of the model file, ratio to raw float32, E(c) relative to E(0)."""

    components: int
    bits: int
    bytes: int
    ratio: float
    zipped_ratio: float
    relative_error: float


@one_blas_thread()
def compression_table(
    mesh: MeshSequence, choices: Sequence[tuple[int, int]], report: Report = silent
) -> list[Compression]:
    """Compute table 1 with real file sizes, for pairs of components and bits (0: float32)."""
    raw, zipped = mesh.vertices.nbytes, zipped_size(mesh.vertices)
    out = []
    with scratch_folder() as folder:
        for number, (count, bits) in enumerate(choices):
            report(Progress(number / len(choices), f"{count} components"))
            model = learn(mesh, Settings(components=count, bits=bits))
            target = folder / "model.ftm"
            save(target, model)
            size = target.stat().st_size
            out.append(Compression(count, bits, size, raw / size, zipped / size, relative_error(mesh, model)))
    return out


def relative_error(mesh: MeshSequence, model: TextureModel) -> float:
    """Compute E(c) / E(0) of the positions, with travel and heading removed as in the model."""
    true = _local(material_of(mesh, model.settings))
    assert model.shape is not None and model.recipe is not None
    at = 3 if model.recipe.layout.root == "heading" else 0
    restored = model.shape.restore(model.rows[:, at:])[:, : true.shape[1] * 3].astype(np.float64).reshape(true.shape)
    mean = np.broadcast_to(true.mean(axis=0), true.shape)
    return position_error(true, restored) / position_error(true, mean)


@one_blas_thread()
def error_table(mesh: MeshSequence, counts: Sequence[int] = COUNTS) -> list[Fidelity]:
    """Compute table 2: E(c) and E*(c), per frame and as printed."""
    material = material_of(mesh, Settings())
    local = _local(material)
    scale = local.shape[1] ** 0.5  # the material's points are scaled by the vertex count
    velocities = material.velocities.reshape(local.shape) * scale
    return fidelity_table(local, velocities, [count for count in counts if count <= len(mesh)])


def _local(material: Material) -> Floats:
    """Return vertices relative to the body (frames, vertices, 3)."""
    assert material.recipe is not None
    layout = material.recipe.layout
    assert isinstance(layout, MeshLayout)
    at = 3 if layout.root == "heading" else 0
    return material.rows[:, at : at + 3 * layout.vertex_count].reshape(len(material.rows), -1, 3)


def texture_tables(
    request: TextureTables, report: Report = silent, warn: Warn = unheard
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Measure table 1 (compression with real file sizes) and table 2 (errors) of mesh sequences.

    Return the rows of both by file, as `compression` and `errors`.
    """
    tables = {}
    for path in take_files(request.meshes):
        mesh = read(path, **{**request.reading(warn), "mesh": True})
        if not isinstance(mesh, MeshSequence):
            raise UsageError(f"{path}: the tables need mesh sequences, not a {kind_word(mesh)}")
        most = min(COUNTS[-1], len(mesh))
        choices = [(c, 0) for c in COUNTS if 1 <= c <= most] + [(most, 16), (most, 8)]
        tables[str(path)] = {
            "compression": [row._asdict() for row in compression_table(mesh, choices, report)],
            "errors": [row._asdict() for row in error_table(mesh)],
        }
    return tables


@one_blas_thread()
def texture_figures(request: TextureFigures, report: Report = silent, warn: Warn = unheard) -> list[Path]:
    """Draw figs. 3 and 5-9 for a take into a folder that appears atomically."""
    require_plots()
    source, folder, seed = request.take, request.out, request.seed
    motion = read(source, **request.reading(warn))
    if len(motion) < 3:
        raise UsageError(f"{source} has {len(motion)} frames: the figures need at least 3")
    material = material_of(motion, Settings())
    figures: dict[str, Any] = {}
    report(Progress(0.1, "matrices"))
    model = learn(motion)
    literal = learn(motion, Settings(method="paper"))
    figures["fig3_matrices"] = matrices(model)
    figures["fig3_matrices_paper"] = matrices(literal)
    report(Progress(0.4, "eigenvalues"))
    figures["fig5_eigenvalues"] = spectrum(
        [(source.stem, eigenvalues(material.poses, 40), eigenvalues(material.velocities, 40))]
    )
    report(Progress(0.6, "sigma and q"))
    for name, choices in (("fig6_sigma", _by_sigma(literal)), ("fig7_emphasis", _by_emphasis(literal))):
        plays = [(f"paper's method, {how}", _played(learn(motion, one), seed)) for how, one in choices.items()]
        figures[name] = played_frames(plays, model.frame_time)
    figures["default_play"] = played_frames([("default method", _played(model, seed))], model.frame_time)
    if hasattr(motion, "up"):
        shown = np.linspace(1, len(motion) - 2, 6).astype(int).tolist()
        figures["fig9_frames"] = sample_frames(model, shown)
    with replacing_folder(folder) as temporary:
        for name, figure in figures.items():
            write_figure(temporary / f"{name}.png", figure, dpi=90)
    return [folder / f"{name}.png" for name in figures]


def _by_sigma(literal: TextureModel) -> dict[str, Settings]:
    """Return the paper's method with several sigmas, as fractions of the mean distance (figs. 6 and 8)."""
    from freshtake.texture.frame_distance import weight_distances

    d, dv = (float(weight_distances(rows, rows).mean()) for rows in literal.weights)
    return {
        f"sigma = {share:g} of the mean distance": Settings(method="paper", sigma=share * d, velocity_sigma=share * dv)
        for share in SIGMAS
    }


def _by_emphasis(literal: TextureModel) -> dict[str, Settings]:
    """Return the paper's method with several emphases (fig. 7)."""
    sigma, velocity = literal.sigmas.sigma, literal.sigmas.velocity
    return {
        f"q = {q:g}, q* = {velocity_q:g}": Settings(
            method="paper", sigma=sigma, velocity_sigma=velocity, q=q, velocity_q=velocity_q
        )
        for q, velocity_q in EMPHASES
    }


def _played(model: TextureModel, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    # Enough frames to show several jumps.
    return model.play(model.start(rng, frame=0), rng, 900)[1].source
