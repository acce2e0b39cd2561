"""Pictures of every tab of the studio: light, dark and on a tablet, and a moving one.

python -m tests.studio.pictures FOLDER
"""

from __future__ import annotations

import io
import random
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.chromium import FLAGS, PROGRAMS
from tests.studio.server import Studio, Window

SIZES = {
    "light": (1280, 800), "dark": (1280, 800), "wide": (1680, 1000), "wide_dark": (1680, 1000),
    "tablet": (1024, 768), "tablet_dark": (1024, 768), "phone": (390, 844), "phone_dark": (390, 844),
}  # fmt: skip
COLORS = 256


def prepare(window: Window) -> None:
    """Samples, a model and fifteen variants, three of them starred."""
    window.press("Walk")
    window.until(f"{window.count('take')} === 4 && v?.scene.shapes.length === 4")
    window.press("Make 15 variants")
    window.until(f"{window.count('variant')} === 15")
    for item in window.studio.items("variant")[1:6:2]:
        window.press(f"star {item['name']}")
    window.until("s.items.filter((item) => item.star === 1).length === 3")
    prepare_methods(window)


def open_movement(window: Window, name: str) -> None:
    """Choose a movement in the list."""
    window.page.locator(f".movement-name[title='{name}']").click()
    window.until(f"s.items.find((item) => item.id === s.movement)?.name === '{name}'")


def prepare_methods(window: Window) -> None:
    """A style, a blend and a texture of samples, baselines to compare with, and a study with scores."""
    samples = {
        "Style": "Try it with samples: walking and limping",
        "Blend": "Try it with samples: walking, running, skipping",
        "Endless": "Try it with a flag",
    }
    for tab, button in samples.items():
        open_movement(window, "walk")
        window.tab(tab)
        before = window.of(window.count("model"))
        window.press(button)
        window.until(f"{window.count('model')} === {before + 1}")
    open_movement(window, "walk")
    window.tab("Endless")
    window.press("Learn")
    window.until("v?.live")
    window.tab("Draw")
    window.press("Show an example")
    open_movement(window, "walk")
    window.tab("Compare")
    window.press("Make from the takes")
    window.until("s.items.filter((item) => item.facts.baseline).length === 4")
    window.tab("Study")
    window.press("Make the study")
    window.until("s.items.some((item) => item.facts.what === 'study')")
    (study,) = window.studio.ask("api/studies")
    score_by_script(window.studio, study["id"])


def score_by_script(studio: Studio, study: str) -> None:
    """Eight participants whose scores are drawn at random around 6."""
    chance = random.Random(1)
    for code in (f"p{k:02d}" for k in range(1, 9)):
        state = studio.ask(f"api/studies/{study}/participants", "POST", {"code": code, "consent": True})
        while state["next"] is not None:
            score = min(max(round(chance.gauss(6.0, 1.3)), 1), 9)
            said = {"code": code, "position": state["next"]["position"], "score": score}
            state = studio.ask(f"api/studies/{study}/scores", "POST", said)


def show(window: Window, tab: str) -> None:
    """A tab as it looks best."""
    if tab != "Draw":
        open_movement(window, "walk + run + skip" if tab == "Blend" else "walk")
    window.tab(tab)
    if tab == "Vary":
        window.press("With takes")
        window.until("v?.scene.shapes.length > 15")
    if tab == "Curves":
        window.until(
            "document.querySelector('.plot[data-series]:not([data-series=\"0\"])') && v?.scene.shapes.length > 4"
        )
    if tab == "Network":
        window.until("document.querySelectorAll('.net .joint').length > 20")
        if not window.page.get_by_role("heading", name="LeftLeg").count():
            window.press("LeftLeg")
    if tab == "Compare" and not window.page.get_by_label("Hide names until you vote").is_checked():
        window.page.get_by_label("Hide names until you vote").check()
    if tab in ("Blend", "Endless"):
        window.until("v?.live && v.timing.frames > 30")
    if tab == "Blend":
        window.press("Center")
    if tab == "Draw":
        window.until("Number(document.querySelector('.draw-writing canvas')?.dataset.seconds) > 0.9")
    if tab == "Study":
        window.until("document.querySelector('img.figure8')?.naturalWidth > 0")
    window.of("window.studio.set({ toasts: [] })")
    if window.of("v && !v.live"):
        window.of("(v.pause(), v.seek(0.45 * v.state.duration))")
    window.page.mouse.move(2, 2)
    window.page.wait_for_timeout(100 if tab == "Draw" else 1500)


def save(data: bytes, file: Path) -> None:
    """Few colors, no more bytes than needed."""
    with Image.open(io.BytesIO(data)) as picture:
        picture.convert("RGB").quantize(COLORS, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)


def moving(window: Window, file: Path, frames: int = 16) -> None:
    """The variants next to the takes, walking, as a GIF."""
    show(window, "Vary")
    shots = []
    for k in range(frames):
        window.of(f"(v.seek({k / frames} * v.state.duration), v.update(), v.renderer.render(v.world, v.camera.eye), 1)")
        window.page.wait_for_timeout(250)
        with Image.open(io.BytesIO(window.page.screenshot())) as shot:
            shots.append(shot.convert("RGB").resize((720, 450), Image.Resampling.LANCZOS))
    palette = shots[0].quantize(96, kmeans=2, dither=Image.Dither.NONE)
    flat = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
    flat[0].save(file, save_all=True, append_images=flat[1:], duration=1000 // frames, loop=0, optimize=True)


def main(folder: Path, looks: list[str], only: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, sync_playwright() as driver:
        studio = Studio(Path(work) / "project", Path(work) / "log.txt")
        browser: Any = driver.chromium.launch_persistent_context(
            Path(work) / "profile", executable_path=f"/usr/bin/{PROGRAMS[0]}", args=list(FLAGS)
        )
        try:
            window = Window(browser, studio, SIZES["light"])
            save(window.page.screenshot(), folder / "welcome.png")
            prepare(window)
            open_movement(window, "walk")
            tabs = window.of("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)")
            for look in looks:
                wide, tall = SIZES[look]
                window.page.set_viewport_size({"width": wide, "height": tall})
                window.of(f"window.studio.set({{ theme: '{'dark' if 'dark' in look else 'light'}' }})")
                for tab in only or tabs:
                    show(window, tab)
                    save(window.page.screenshot(), folder / f"{tab.lower()}_{look}.png")
            window.page.set_viewport_size({"width": 1280, "height": 800})
            moving(window, folder / "studio.gif")
        finally:
            browser.close()
            studio.close()


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--looks", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--tabs", nargs="+", default=[])
    asked = parser.parse_args()
    main(asked.folder, asked.looks, asked.tabs)
