"""Draw the pictures of the manual that no other command draws: python -m benchmarks.pictures FOLDER NAME ...

All are made from takes that freshtake generates. A name is a picture or a page of the manual, whose blocks draw
its pictures. Web pages are rendered by Chromium. `make figures` runs this.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import freshtake as ft
from freshtake.density import Settings as DensitySettings
from freshtake.evaluation import study
from freshtake.numeric.rotations import about_axis, multiply
from freshtake.reports.alignment_figure import picture
from freshtake.reports.explanation import explanation
from freshtake.reports.likelihood_map import clip_likelihood, likelihood_figure
from freshtake.reports.network_pictures import joint_pictures, network_pictures
from freshtake.reports.overlay import overlay
from freshtake.reports.study_figure import figure as study_figure
from freshtake.reports.style_figures import blend_function, strips
from freshtake.reports.texture_figures import matrices
from freshtake.texture.guiding import Guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOME = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PACK = {"width": 1100, "height": 825}
VIEW = {"width": 1280, "height": 720}


def walk(seed: int, **options: Any) -> ft.Clip:
    """Return a sample walk of four cycles."""
    return ft.samples.walk(np.random.default_rng(seed), **{"cycles": 4, **options})


def alignment_hip() -> Figure:
    normal, crouched = walk(1), walk(2, style="crouch")
    names = ("first", "second")
    return picture(normal, crouched, ft.style.WarpSettings(), against="dtw-1", dof="LeftUpLeg.x", names=names)


def bilinear_gaits() -> Figure:
    walks = {
        (style, speed): walk(3, cycles=3, speed=speed, style=style, amount=0.3)
        for style in ("normal", "crouch")
        for speed in (0.9, 1.3, 1.7)
    }
    gaits = ft.style.bilinear.fit(walks, reference=("normal", 1.3))
    made = [
        gaits.synthesize({"normal": 1.0 - share, "crouch": share}, 1.3, cycles=1).changed(name=f"{share:.0%} crouched")
        for share in (-0.3, 0.0, 0.5, 1.0, 1.3)
    ]
    return overlay(made, phases=6, views=(("side", 2),))


def walk_and_run() -> dict[str, list[ft.Clip]]:
    """Return the classes of the pictures of densities."""
    run = ft.samples.run(np.random.default_rng(2), cycles=8, fps=30.0)
    return {"walk": [walk(1, cycles=6, fps=30.0)], "run": [run]}


def density_walk_to_run() -> Figure:
    made = [
        ft.density.learn(walk_and_run(), DensitySettings(method=method)).sample(
            np.random.default_rng(4), frames=120, weights="walk:1->run:1"
        )
        for method in ("switch", "default")
    ]
    return strips(made, poses=20, titles=["switched: only one class at a time", "blended: both, in one phase"])


def density_paper() -> Figure:
    from matplotlib.figure import Figure

    ways = {
        "default": DensitySettings(),
        "paper, search along modes": DensitySettings(method="paper", search="coordinate"),
        "paper, search over kernels": DensitySettings(method="paper", search="kernels"),
    }
    figure = Figure(figsize=(8.2, 2.6), layout="constrained")
    for axis, (title, settings) in zip(figure.subplots(1, 3, sharex=True, sharey=True), ways.items(), strict=True):
        model = ft.density.learn({"walk": walk_and_run()["walk"]}, settings)
        rows = model.rows(np.random.default_rng(0), frames=600)
        axis.plot(*model.weights[:, :2].T, color="#c9ced6", linewidth=3, label="data")
        axis.plot(*rows[:, :2].T, color="#3b82d6", linewidth=0.6, label="600 frames")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("mode 1", fontsize=8)
        axis.tick_params(labelsize=7)
    figure.axes[0].set_ylabel("mode 2", fontsize=8)
    figure.axes[0].legend(fontsize=7, frameon=False)
    return figure


def walk_model() -> ft.VariationModel:
    """Return the model of four walks of one cycle."""
    return ft.variation.learn([walk(k, cycles=1) for k in range(4)], rng=np.random.default_rng(7))


def likelihood_map() -> Figure:
    odd = walk(4, cycles=1)
    angles = np.zeros(len(odd))
    angles[20:41] = np.radians(20.0) * np.hanning(21)  # a third of a second
    rotations, joint = odd.rotations.copy(), odd.skeleton.index("RightForeArm")
    rotations[:, joint] = multiply(rotations[:, joint], about_axis([1.0, 0.0, 0.0], angles))
    return likelihood_figure(clip_likelihood(walk_model(), odd.changed(rotations=rotations)))


def network_matrix() -> bytes:
    return network_pictures(walk_model())[0].png


def network_body() -> bytes:
    return network_pictures(walk_model())[1].png


def network_left_leg() -> bytes:
    model = walk_model()
    return joint_pictures(model, explanation(model, "LeftLeg"))[0].png


def study_simulated() -> Figure:
    """Simulate raters in the paper's setup: fifteen of them, fifteen trials, known means."""
    means = {
        "A": {"cheering": {"variants": 5.6, "captured": 5.9}, "walk": {"variants": 5.9, "captured": 5.9}},
        "B": {"cheering": {"variants": 4.0, "cycle": 5.6}, "walk": {"variants": 4.0, "cycle": 5.6}},
    }
    rng, key, ratings = np.random.default_rng(3), {}, []
    for experiment, motions in means.items():
        for motion, conditions in motions.items():
            for condition, mean in conditions.items():
                name = f"{experiment}_{motion}_{condition}"
                key[name] = study.Stimulus(name, experiment, motion, condition)
                for rater in range(15):
                    scores = np.clip(np.rint(rng.normal(mean, 1.5, 15)), 1, 9).astype(int)
                    for trial, score in enumerate(scores):
                        place = 2 * trial + (condition == "variants")
                        person = f"simulated_{rater:02d}"
                        ratings.append(study.Rating(person, place, experiment, motion, name, int(score)))
    return study_figure(study.analyze(ratings, key))


def style_strips() -> Figure:
    model = ft.style.learn([(walk(k), walk(100 + k, style="crouch")) for k in range(4)])
    source = walk(50)
    clips = [source, model.translate(source), walk(150, style="crouch")]
    return strips(clips, titles=["a normal walk", "translated: crouched", "for comparison: a crouched walk"])


def style_generalization() -> Figure:
    model = ft.style.learn([(walk(k), walk(100 + k, style="crouch")) for k in range(4)])
    source = walk(50)
    bent = np.zeros(len(source))
    middle = slice(len(source) // 3, len(source) // 3 + 90)
    bent[middle] = np.radians(60.0) * np.hanning(90)
    rotations, back = source.rotations.copy(), source.skeleton.index("LowerBack")
    rotations[:, back] = multiply(rotations[:, back], about_axis([1.0, 0.0, 0.0], bent))
    odd = source.changed(rotations=rotations)
    clips = [odd, *(model.translate(odd, generalize=generalize) for generalize in (False, True))]
    return strips(clips, poses=18, titles=["input", "translated without generalization", "with generalization"])


def texture_matrices() -> Figure:
    return matrices(ft.texture.learn(ft.samples.flag(np.random.default_rng(7), frames=900)))


def texture_guiding() -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.9, 3.2), layout="constrained")
    loops, ahead, way = figure.subplots(1, 3)
    curved = ft.texture.learn(walk(0, cycles=12, turn_rate=10.0))
    for course, frames, times in (("free", 130, 4), ("straight", 130, 4), ("closed", 300, 1)):
        mode = None if course == "straight" else course
        made = curved.loop(np.random.default_rng(2), frames=frames, course=mode, times=times)
        loops.plot(*_ground(made), label=f"{course}, {times} × {frames} frames")
    loops.set_title("loops of a walk in a curve", fontsize=9)
    turns = {"left": 25.0, "right": -25.0, "forward": 2.0}
    cells = {name: walk(k, cycles=6, turn_rate=rate) for k, (name, rate) in enumerate(turns.items())}
    steered = ft.texture.learn(cells)
    for guide, label in ((None, "as recorded"), (Guide(heading=0.0), "kept straight")):
        rng = np.random.default_rng(3)
        if guide is None:
            rows = steered.advance(steered.start(rng, cell="forward"), rng, 600)[1]
        else:
            rows = steered.advance_guided(steered.start_guided(rng, guide, cell="forward"), rng, guide, 600)[1]
        ahead.plot(*_ground(steered.decode(rows)), label=label)
    ahead.set_title('ten seconds in the cell "forward"', fontsize=9)
    t = np.linspace(0.0, 15.0, 200)
    path = steered.bearings.speed * np.stack([2.0 * np.sin(t / 2.5), 0.7 * t], axis=1)
    guide, rng = Guide(path=path), np.random.default_rng(5)
    rows = steered.advance_guided(steered.start_guided(rng, guide), rng, guide, 900)[1]
    way.plot(*path.T, color="#c9ced6", linewidth=4, label="path")
    way.plot(*_ground(steered.decode(rows)), label="walk")
    way.set_title("along a path", fontsize=9)
    for axis in (loops, ahead, way):
        axis.set_aspect("equal", "datalim")
        axis.tick_params(labelsize=7)
        axis.legend(fontsize=7, frameon=False)
    return figure


def _ground(clip: ft.Clip) -> np.ndarray:
    return np.asarray(np.delete(clip.root, clip.up_index, axis=1).T)


def jump_takes() -> Figure:
    takes = [ft.samples.jump(np.random.default_rng(k)).changed(name=f"jump_{k + 1}") for k in range(4)]
    return overlay(takes, phases=9, views=(("side", 2),))


def crowd_routes() -> bytes:
    page = (HOME / "docs" / "crowd.md").read_text(encoding="utf-8")
    (text,) = (block for _, block in BLOCK.findall(page) if "routes.png" in block)
    before = "freshtake samples write walk -o .\nfreshtake learn walk_?.bvh -o walk.ftm\n"
    with tempfile.TemporaryDirectory() as folder:
        run_shell(before + text, Path(folder))
        return (Path(folder) / "routes.png").read_bytes()


def draw_page(page: Path, folder: Path) -> None:
    """Run the blocks of a page, starting from nothing, and keep the pictures they write."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    shell, python = ("".join(text for language, text in blocks if language == kind) for kind in ("sh", "python"))
    with tempfile.TemporaryDirectory() as scratch:
        run_shell(f"{shell}{sys.executable} - <<'BLOCK'\n{python}BLOCK\n", Path(scratch))
        for picture in Path(scratch).glob("*.png"):
            shutil.copy(picture, folder)


def run_shell(lines: str, folder: Path) -> None:
    """Run lines of shell in a folder, with this environment's freshtake."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-ec", lines], cwd=folder, env=os.environ | {"PATH": path}, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr.decode())


def screenshot(page: Path, size: Mapping[str, int], colors: int = 256) -> bytes:
    """Open a page in Chromium and return a screenshot, in few colors."""
    from PIL import Image
    from playwright.sync_api import sync_playwright
    from tests.chromium import FLAGS, PROGRAMS

    program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if program is None:
        raise SystemExit("pictures of pages need chromium (make browser)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        shown = browser.new_page(viewport=dict(size))
        shown.goto(page.as_uri())
        shown.wait_for_function("window.viewports?.[0]?.timing.frames > 0")
        shown.evaluate("(() => { const v = window.viewports[0]; v.pause(); v.seek(0.4 * v.state.duration); })()")
        shown.wait_for_timeout(1500)
        data = shown.screenshot()
        browser.close()
    with Image.open(io.BytesIO(data)) as image, io.BytesIO() as out:
        image.convert("RGB").quantize(colors, kmeans=2, dither=Image.Dither.NONE).save(out, "png", optimize=True)
        return out.getvalue()


def pack_preview() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("walk", "jump"):
            command("samples", "write", name, "-n", "4", "-o", place / name)
            command("learn", place / name, "-o", place / f"{name}.ftm")
        command("pack", place / "walk.ftm", place / "jump.ftm", "-n", "6", "-o", place / "pack")
        return screenshot(place / "pack" / "preview.html", PACK)


def view_page() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        command("samples", "write", "cheer", "-n", "4", "-o", place / "takes")
        command("learn", place / "takes", "-o", place / "cheer.ftm")
        command("vary", place / "cheer.ftm", "-n", "8", "-o", place / "new")
        command("view", place / "takes", "--variants", place / "new", "-o", place / "page.html")
        return screenshot(place / "page.html", VIEW)


def command(*words: object) -> None:
    """Run a command of freshtake."""
    subprocess.run([sys.executable, "-m", "freshtake", *map(str, words)], check=True, capture_output=True)


PICTURES: dict[str, Callable[[], Figure | bytes]] = {
    make.__name__: make
    for make in (
        alignment_hip, bilinear_gaits, density_walk_to_run, density_paper, likelihood_map, network_matrix, network_body,
        network_left_leg, study_simulated, style_strips, style_generalization, texture_matrices, texture_guiding,
        jump_takes, crowd_routes, pack_preview, view_page,
    )
}  # fmt: skip
PICTURES["style_blend"] = blend_function


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+", help=f"pages (docs/examples.md), or {', '.join(PICTURES)}")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.names:
        if name.endswith(".md"):
            draw_page(HOME / name, given.folder)
            continue
        drawn, file = PICTURES[name](), given.folder / f"{name}.png"
        if isinstance(drawn, bytes):
            file.write_bytes(drawn)
        else:
            drawn.savefig(file, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
