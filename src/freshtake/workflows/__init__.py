"""One function per user task: files in, files out. Each name loads on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.workflows.density_blending import density_facts, density_learn, density_sample, named_takes
    from freshtake.workflows.density_reporting import density_report
    from freshtake.workflows.model_describing import model_facts, variation_facts
    from freshtake.workflows.motion_converting import motion_convert
    from freshtake.workflows.motion_cutting import motion_cut
    from freshtake.workflows.motion_describing import motion_info, motion_set_info
    from freshtake.workflows.motion_evaluating import evaluate_motions, motion_evaluate
    from freshtake.workflows.motion_looping import motion_loop
    from freshtake.workflows.motion_noising import motion_noise
    from freshtake.workflows.motion_planting import motion_plant
    from freshtake.workflows.motion_retargeting import motion_retarget
    from freshtake.workflows.motion_sampling import SAMPLE_SETS, download_takes, motion_samples
    from freshtake.workflows.motion_sending import motion_send
    from freshtake.workflows.motion_studying import study_analyze, study_design
    from freshtake.workflows.motion_viewing import motion_view
    from freshtake.workflows.paper_drawing import paper_figures
    from freshtake.workflows.paper_method import paper_explain, paper_facts
    from freshtake.workflows.style_aligning import style_align
    from freshtake.workflows.style_gaits_making import gaits_facts, gaits_learn, gaits_sample
    from freshtake.workflows.style_translating import style_apply, style_facts, style_learn, style_pairs
    from freshtake.workflows.texture_sampling import texture_facts, texture_learn, texture_sample
    from freshtake.workflows.texture_study import compression_table, error_table, texture_study_draw
    from freshtake.workflows.variation_augmenting import variation_augment
    from freshtake.workflows.variation_compressing import variation_compress, variation_restore
    from freshtake.workflows.variation_demonstrating import variation_demo
    from freshtake.workflows.variation_explaining import variation_explain
    from freshtake.workflows.variation_learning import variation_learn
    from freshtake.workflows.variation_packing import variation_pack
    from freshtake.workflows.variation_selecting import variation_select
    from freshtake.workflows.variation_streaming import variation_stream
    from freshtake.workflows.variation_varying import variants, variation_vary

_HOMES = {
    "SAMPLE_SETS": "motion_sampling",
    "style_align": "style_aligning",
    "study_analyze": "motion_studying",
    "density_facts": "density_blending",
    "density_learn": "density_blending",
    "density_report": "density_reporting",
    "density_sample": "density_blending",
    "variation_augment": "variation_augmenting",
    "variation_compress": "variation_compressing",
    "compression_table": "texture_study",
    "motion_convert": "motion_converting",
    "motion_cut": "motion_cutting",
    "variation_demo": "variation_demonstrating",
    "motion_info": "motion_describing",
    "motion_set_info": "motion_describing",
    "motion_view": "motion_viewing",
    "study_design": "motion_studying",
    "download_takes": "motion_sampling",
    "texture_study_draw": "texture_study",
    "error_table": "texture_study",
    "motion_evaluate": "motion_evaluating",
    "evaluate_motions": "motion_evaluating",
    "variation_explain": "variation_explaining",
    "gaits_facts": "style_gaits_making",
    "gaits_learn": "style_gaits_making",
    "gaits_sample": "style_gaits_making",
    "variation_learn": "variation_learning",
    "texture_learn": "texture_sampling",
    "motion_loop": "motion_looping",
    "model_facts": "model_describing",
    "named_takes": "density_blending",
    "motion_noise": "motion_noising",
    "motion_plant": "motion_planting",
    "motion_retarget": "motion_retargeting",
    "motion_send": "motion_sending",
    "paper_explain": "paper_method",
    "paper_facts": "paper_method",
    "paper_figures": "paper_drawing",
    "variation_restore": "variation_compressing",
    "texture_sample": "texture_sampling",
    "variation_select": "variation_selecting",
    "variation_stream": "variation_streaming",
    "style_apply": "style_translating",
    "style_facts": "style_translating",
    "style_learn": "style_translating",
    "style_pairs": "style_translating",
    "texture_facts": "texture_sampling",
    "variants": "variation_varying",
    "variation_facts": "model_describing",
    "variation_pack": "variation_packing",
    "variation_vary": "variation_varying",
    "motion_samples": "motion_sampling",
}

__all__ = [
    "SAMPLE_SETS",
    "compression_table",
    "density_facts",
    "density_learn",
    "density_report",
    "density_sample",
    "download_takes",
    "error_table",
    "evaluate_motions",
    "gaits_facts",
    "gaits_learn",
    "gaits_sample",
    "model_facts",
    "motion_convert",
    "motion_cut",
    "motion_evaluate",
    "motion_info",
    "motion_loop",
    "motion_noise",
    "motion_plant",
    "motion_retarget",
    "motion_samples",
    "motion_send",
    "motion_set_info",
    "motion_view",
    "named_takes",
    "paper_explain",
    "paper_facts",
    "paper_figures",
    "study_analyze",
    "study_design",
    "style_align",
    "style_apply",
    "style_facts",
    "style_learn",
    "style_pairs",
    "texture_facts",
    "texture_learn",
    "texture_sample",
    "texture_study_draw",
    "variants",
    "variation_augment",
    "variation_compress",
    "variation_demo",
    "variation_explain",
    "variation_facts",
    "variation_learn",
    "variation_pack",
    "variation_restore",
    "variation_select",
    "variation_stream",
    "variation_vary",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
