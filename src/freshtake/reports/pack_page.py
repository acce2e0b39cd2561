"""Preview a pack: a page that plays its clips and stores which are starred or rejected, and a contact sheet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.cycles.seams import chained
from freshtake.motion.edit import take_frames
from freshtake.numeric.rotations import continuous
from freshtake.reports.viewport.painting import FINE, PAPER, finished, strip
from freshtake.reports.viewport.scene import Figure, Scene, Shape
from freshtake.reports.viewport.staging import scene_of
from freshtake.reports.viewport.viewport_page import document, scripts, stage, style, web_file

if TYPE_CHECKING:
    from PIL.Image import Image

Loops = Sequence[tuple[str, Sequence[Clip]]]
SECONDS = 2.5  # shorter loops are repeated for at least this long
COLUMNS, POSES, CELL, NAME = 3, 5, (420, 134), 18
INK, DIM = (32, 38, 45), (102, 112, 123)


def pack_page(loops: Loops, scene: Scene, pack: Mapping[str, Any]) -> str:
    """Return the self-contained page of a `pack_scene`; `pack` is the content of pack.json."""
    title = f"Pack: {', '.join(name for name, _ in loops)}"
    facts = json.dumps(_facts(pack), ensure_ascii=False, allow_nan=False).replace("</", "<\\/")
    body = (
        f"\n<aside id='pack-list' aria-label='clips'></aside>\n<main>{stage(scene, height='100%')}</main>\n"
        f"<script type='application/json' id='pack-facts'>{facts}</script>\n"
        f"<script type='module'>{web_file('pack.js')}</script>\n{scripts()}\n"
    )
    return document(title, f"{style()}<style>{web_file('pack.css')}</style>", body)


def pack_scene(loops: Loops, character: Path | None = None) -> Scene:
    """Return a scene of all clips and, for each group, a sequence of a few; with the skin of a character if given."""
    clips = []
    for loop in (loop for _, some in loops for loop in some):
        frames = loop_frames(loop)
        times = max(1, int(np.ceil(SECONDS / (frames * loop.frame_time))))
        clips.append(slower(played(loop, times * frames + 1)).changed(name=loop.name))
    rows = [slower(chained(some[:6])).changed(name=f"{name}, in a row") for name, some in loops]
    skins = [character] * (len(clips) + len(rows))
    return scene_of([("variant", clips), ("input", rows)], legend={"input": "clips in a row"}, skins=skins)


def _facts(pack: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that the page shows and writes into stars.json."""
    clips = [
        {key: clip[key] for key in ("name", "group", "seed", "frames", "fps", "seconds", "speed")}
        | {"slide": clip["quality"]["foot_slide"], "tries": clip["quality"]["tries"]}
        for clip in pack["clips"]
    ]
    models = {group["name"]: group["checksum"] for group in pack["groups"]}
    return {"settings": pack["settings"], "models": models, "clips": clips}


def slower(clip: Clip) -> Clip:
    """Return the clip at about 30 frames per second, to keep pages small."""
    thinned = take_frames(clip, step=max(1, round(clip.fps / 30.0)))
    return thinned.changed(rotations=continuous(thinned.rotations))


def pack_sheet(loops: Loops, scene: Scene) -> Image:
    """Draw a contact sheet: poses and name of every clip in a cell, one block per group."""
    from PIL import Image as Images

    blocks, first, left = [], 0, 240
    for name, some in loops:
        shapes = [_once(shape, loop) for shape, loop in zip(scene.shapes[first:], some, strict=False)]
        blocks.append(_block(name, some, shapes[:left]))
        first, left = first + len(some), max(0, left - len(some))
    sheet = Images.new("RGB", (blocks[0].width, sum(block.height for block in blocks)), PAPER)
    top = 0
    for block in blocks:
        sheet.paste(block, (0, top))
        top += block.height
    return finished(sheet)


def _once(shape: Shape, loop: Clip) -> Shape:
    """Return a single cycle of a shape that repeats a loop."""
    frames = 1 + round(loop_frames(loop) * loop.frame_time / shape.frame_time)
    assert isinstance(shape, Figure)
    return replace(shape, points=shape.points[:frames], ground=shape.ground[:frames], standing=shape.standing[:frames])


def _block(name: str, loops: Sequence[Clip], shapes: Sequence[Shape]) -> Image:
    from PIL import Image as Images
    from PIL.ImageDraw import Draw
    from PIL.ImageFont import load_default

    width, height, head, below = CELL[0] * FINE, CELL[1] * FINE, 34 * FINE, NAME * FINE
    rows = -(-len(shapes) // COLUMNS)
    block = Images.new("RGB", (COLUMNS * width, head + rows * height), PAPER)
    draw = Draw(block)
    more = "" if len(shapes) == len(loops) else f", the first {len(shapes)} of them"
    draw.text((10 * FINE, 9 * FINE), f"{name}: {len(loops)} clips{more}", fill=INK, font=load_default(15 * FINE))
    for number, (loop, shape) in enumerate(zip(loops, shapes, strict=False)):
        left, top = number % COLUMNS * width, head + number // COLUMNS * height
        block.paste(strip(shape, (53, 162, 100), POSES, (width, height - below), ruled=False), (left, top + below))
        caption = f"{loop.name}  {loop_frames(loop) * loop.frame_time:.2f} s"
        draw.text((left + 8 * FINE, top + 4 * FINE), caption, fill=DIM, font=load_default(11 * FINE))
    return block
