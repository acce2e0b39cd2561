"""One function per request: files in, files out. Each module loads on first use."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from freshtake.lazy import lazy_names
from freshtake.methods.progress import Report, silent
from freshtake.requests.fields import Request

if TYPE_CHECKING:
    from freshtake.crowd.bone_textures import crowd_textures
    from freshtake.crowd.making import crowd
    from freshtake.crowd.previewing import crowd_preview
    from freshtake.workflows.augmenting import augment
    from freshtake.workflows.density_blending import blend_learn, blend_sample, density_facts, named_takes
    from freshtake.workflows.density_reporting import blend_report
    from freshtake.workflows.describing import (
        explain,
        info,
        model_facts,
        motion_info,
        motion_set_info,
        paper_facts,
        variation_facts,
    )
    from freshtake.workflows.editing import convert, cut, loop, plant
    from freshtake.workflows.evaluating import evaluate, evaluate_motions, study_analyze, study_design
    from freshtake.workflows.learning import learn, select
    from freshtake.workflows.packing import pack
    from freshtake.workflows.paper_drawing import paper_figures
    from freshtake.workflows.redrawing import redraw
    from freshtake.workflows.retargeting import retarget, robot
    from freshtake.workflows.sampling import SAMPLE_SETS, demo, samples_download, samples_write
    from freshtake.workflows.sending import motion_send
    from freshtake.workflows.streaming import stream
    from freshtake.workflows.style_gaits_making import gaits_facts, gaits_learn, gaits_sample
    from freshtake.workflows.style_reporting import style_align
    from freshtake.workflows.style_translating import style_apply, style_facts, style_learn, style_pairs
    from freshtake.workflows.texture_sampling import texture_facts, texture_learn, texture_sample
    from freshtake.workflows.texture_study import compression_table, error_table, texture_figures, texture_tables
    from freshtake.workflows.varying import variants, vary
    from freshtake.workflows.viewing import view

_HOMES = {
    "SAMPLE_SETS": "sampling",
    "augment": "augmenting",
    "blend_learn": "density_blending",
    "blend_sample": "density_blending",
    "compression_table": "texture_study",
    "convert": "editing",
    "crowd": "freshtake.crowd.making",
    "crowd_preview": "freshtake.crowd.previewing",
    "crowd_textures": "freshtake.crowd.bone_textures",
    "cut": "editing",
    "demo": "sampling",
    "density_facts": "density_blending",
    "blend_report": "density_reporting",
    "error_table": "texture_study",
    "evaluate": "evaluating",
    "evaluate_motions": "evaluating",
    "explain": "describing",
    "gaits_facts": "style_gaits_making",
    "gaits_learn": "style_gaits_making",
    "gaits_sample": "style_gaits_making",
    "info": "describing",
    "learn": "learning",
    "loop": "editing",
    "model_facts": "describing",
    "motion_info": "describing",
    "motion_send": "sending",
    "motion_set_info": "describing",
    "named_takes": "density_blending",
    "pack": "packing",
    "paper_facts": "describing",
    "paper_figures": "paper_drawing",
    "plant": "editing",
    "redraw": "redrawing",
    "retarget": "retargeting",
    "robot": "retargeting",
    "samples_download": "sampling",
    "samples_write": "sampling",
    "select": "learning",
    "stream": "streaming",
    "study_analyze": "evaluating",
    "study_design": "evaluating",
    "style_align": "style_reporting",
    "style_apply": "style_translating",
    "style_facts": "style_translating",
    "style_learn": "style_translating",
    "style_pairs": "style_translating",
    "texture_facts": "texture_sampling",
    "texture_learn": "texture_sampling",
    "texture_sample": "texture_sampling",
    "texture_figures": "texture_study",
    "texture_tables": "texture_study",
    "variants": "varying",
    "variation_facts": "describing",
    "vary": "varying",
    "view": "viewing",
}

__all__ = [
    "SAMPLE_SETS",
    "augment",
    "blend_learn",
    "blend_report",
    "blend_sample",
    "compression_table",
    "convert",
    "crowd",
    "crowd_preview",
    "crowd_textures",
    "cut",
    "demo",
    "density_facts",
    "error_table",
    "evaluate",
    "evaluate_motions",
    "explain",
    "gaits_facts",
    "gaits_learn",
    "gaits_sample",
    "info",
    "learn",
    "loop",
    "model_facts",
    "motion_info",
    "motion_send",
    "motion_set_info",
    "named_takes",
    "pack",
    "paper_facts",
    "paper_figures",
    "plant",
    "redraw",
    "retarget",
    "robot",
    "run",
    "samples_download",
    "samples_write",
    "select",
    "stream",
    "study_analyze",
    "study_design",
    "style_align",
    "style_apply",
    "style_facts",
    "style_learn",
    "style_pairs",
    "texture_facts",
    "texture_figures",
    "texture_learn",
    "texture_sample",
    "texture_tables",
    "variants",
    "variation_facts",
    "vary",
    "view",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)


def run(request: Request, report: Report = silent, warn: Callable[[str], None] | None = None) -> Any:
    """Carry out a request of any task.

    Args:
        request: The request; the function for `StyleApply` is `style_apply`.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        What that function returns.
    """
    return __getattr__(task_name(type(request)))(request, report, warn)


def task_name(request: type[Request]) -> str:
    """Return the name of the function that carries out requests of a class: `style_apply` for `StyleApply`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", request.__name__).lower()
