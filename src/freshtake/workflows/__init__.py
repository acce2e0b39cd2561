"""What a user says in one sentence; everything below comes together here. Each name loads on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.workflows.aligning import align_files
    from freshtake.workflows.blending import blend_facts, blend_learn, blend_sample, named_takes
    from freshtake.workflows.blending_report import blend_report
    from freshtake.workflows.compressing import compress, restore
    from freshtake.workflows.conversion import convert
    from freshtake.workflows.cutting import cut_take
    from freshtake.workflows.demonstration import demo
    from freshtake.workflows.description import describe, describe_set
    from freshtake.workflows.evaluating import evaluate, evaluate_motions
    from freshtake.workflows.explaining import explain
    from freshtake.workflows.gaits import gaits_facts, gaits_learn, gaits_sample
    from freshtake.workflows.looping import loop
    from freshtake.workflows.model_description import model_facts, variation_facts
    from freshtake.workflows.noising import noise
    from freshtake.workflows.planting import plant
    from freshtake.workflows.sampling import SAMPLE_SETS, download_takes, write_samples
    from freshtake.workflows.selecting import select
    from freshtake.workflows.studying import analyze_study, design_study
    from freshtake.workflows.styling import style_apply, style_facts, style_learn, style_pairs
    from freshtake.workflows.texture_study import compression_table, draw_texture_study, error_table
    from freshtake.workflows.texturing import learn_texture, sample_texture, texture_facts
    from freshtake.workflows.varying import learn, stream, variants, vary

_HOMES = {
    "SAMPLE_SETS": "sampling",
    "align_files": "aligning",
    "analyze_study": "studying",
    "blend_facts": "blending",
    "blend_learn": "blending",
    "blend_report": "blending_report",
    "blend_sample": "blending",
    "compress": "compressing",
    "compression_table": "texture_study",
    "convert": "conversion",
    "cut_take": "cutting",
    "demo": "demonstration",
    "describe": "description",
    "describe_set": "description",
    "design_study": "studying",
    "download_takes": "sampling",
    "draw_texture_study": "texture_study",
    "error_table": "texture_study",
    "evaluate": "evaluating",
    "evaluate_motions": "evaluating",
    "explain": "explaining",
    "gaits_facts": "gaits",
    "gaits_learn": "gaits",
    "gaits_sample": "gaits",
    "learn": "varying",
    "learn_texture": "texturing",
    "loop": "looping",
    "model_facts": "model_description",
    "named_takes": "blending",
    "noise": "noising",
    "plant": "planting",
    "restore": "compressing",
    "sample_texture": "texturing",
    "select": "selecting",
    "stream": "varying",
    "style_apply": "styling",
    "style_facts": "styling",
    "style_learn": "styling",
    "style_pairs": "styling",
    "texture_facts": "texturing",
    "variants": "varying",
    "variation_facts": "model_description",
    "vary": "varying",
    "write_samples": "sampling",
}

__all__ = [
    "SAMPLE_SETS",
    "align_files",
    "analyze_study",
    "blend_facts",
    "blend_learn",
    "blend_report",
    "blend_sample",
    "compress",
    "compression_table",
    "convert",
    "cut_take",
    "demo",
    "describe",
    "describe_set",
    "design_study",
    "download_takes",
    "draw_texture_study",
    "error_table",
    "evaluate",
    "evaluate_motions",
    "explain",
    "gaits_facts",
    "gaits_learn",
    "gaits_sample",
    "learn",
    "learn_texture",
    "loop",
    "model_facts",
    "named_takes",
    "noise",
    "plant",
    "restore",
    "sample_texture",
    "select",
    "stream",
    "style_apply",
    "style_facts",
    "style_learn",
    "style_pairs",
    "texture_facts",
    "variants",
    "variation_facts",
    "vary",
    "write_samples",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.workflows.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.workflows' has no attribute {name!r}")
