"""One function per request: files in, files out. Each module loads on first use.

What carries a request out is `getattr(workflows, request.task())(request, report, warn)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.crowd.bone_textures import crowd_textures as crowd_textures
    from freshtake.crowd.making import crowd as crowd
    from freshtake.crowd.previewing import crowd_preview as crowd_preview
    from freshtake.workflows.augmenting import augment as augment
    from freshtake.workflows.density_blending import blend_learn as blend_learn
    from freshtake.workflows.density_blending import blend_report as blend_report
    from freshtake.workflows.density_blending import blend_sample as blend_sample
    from freshtake.workflows.density_blending import density_facts as density_facts
    from freshtake.workflows.describing import explain as explain
    from freshtake.workflows.describing import info as info
    from freshtake.workflows.describing import motion_info as motion_info
    from freshtake.workflows.describing import motion_set_info as motion_set_info
    from freshtake.workflows.editing import convert as convert
    from freshtake.workflows.editing import cut as cut
    from freshtake.workflows.editing import loop as loop
    from freshtake.workflows.editing import plant as plant
    from freshtake.workflows.evaluating import evaluate as evaluate
    from freshtake.workflows.evaluating import study_analyze as study_analyze
    from freshtake.workflows.evaluating import study_design as study_design
    from freshtake.workflows.learning import learn as learn
    from freshtake.workflows.learning import model_facts as model_facts
    from freshtake.workflows.learning import paper_facts as paper_facts
    from freshtake.workflows.learning import select as select
    from freshtake.workflows.learning import variation_facts as variation_facts
    from freshtake.workflows.packing import pack as pack
    from freshtake.workflows.paper_drawing import paper_figures as paper_figures
    from freshtake.workflows.redrawing import redraw as redraw
    from freshtake.workflows.retargeting import retarget as retarget
    from freshtake.workflows.retargeting import robot as robot
    from freshtake.workflows.sampling import SAMPLE_SETS as SAMPLE_SETS
    from freshtake.workflows.sampling import demo as demo
    from freshtake.workflows.sampling import samples_download as samples_download
    from freshtake.workflows.sampling import samples_write as samples_write
    from freshtake.workflows.sending import motion_send as motion_send
    from freshtake.workflows.streaming import stream as stream
    from freshtake.workflows.style_reporting import style_align as style_align
    from freshtake.workflows.style_translating import gaits_facts as gaits_facts
    from freshtake.workflows.style_translating import gaits_learn as gaits_learn
    from freshtake.workflows.style_translating import gaits_sample as gaits_sample
    from freshtake.workflows.style_translating import style_apply as style_apply
    from freshtake.workflows.style_translating import style_facts as style_facts
    from freshtake.workflows.style_translating import style_learn as style_learn
    from freshtake.workflows.texture_sampling import texture_facts as texture_facts
    from freshtake.workflows.texture_sampling import texture_learn as texture_learn
    from freshtake.workflows.texture_sampling import texture_sample as texture_sample
    from freshtake.workflows.texture_study import compression_table as compression_table
    from freshtake.workflows.texture_study import texture_figures as texture_figures
    from freshtake.workflows.texture_study import texture_tables as texture_tables
    from freshtake.workflows.varying import variants as variants
    from freshtake.workflows.varying import vary as vary
    from freshtake.workflows.viewing import view as view

_NAMES = {
    "augmenting": ("augment",),
    "density_blending": ("blend_learn", "blend_report", "blend_sample", "density_facts"),
    "describing": ("explain", "info", "motion_info", "motion_set_info"),
    "editing": ("convert", "cut", "loop", "plant"),
    "evaluating": ("evaluate", "study_analyze", "study_design"),
    "learning": ("learn", "model_facts", "paper_facts", "select", "variation_facts"),
    "packing": ("pack",),
    "paper_drawing": ("paper_figures",),
    "redrawing": ("redraw",),
    "retargeting": ("retarget", "robot"),
    "sampling": ("SAMPLE_SETS", "demo", "samples_download", "samples_write"),
    "sending": ("motion_send",),
    "streaming": ("stream",),
    "style_reporting": ("style_align",),
    "style_translating": ("gaits_facts", "gaits_learn", "gaits_sample", "style_apply", "style_facts", "style_learn"),
    "texture_sampling": ("texture_facts", "texture_learn", "texture_sample"),
    "texture_study": ("compression_table", "texture_figures", "texture_tables"),
    "varying": ("variants", "vary"),
    "viewing": ("view",),
    "freshtake.crowd.bone_textures": ("crowd_textures",),
    "freshtake.crowd.making": ("crowd",),
    "freshtake.crowd.previewing": ("crowd_preview",),
}
__all__ = sorted(sum(_NAMES.values(), ()))

__getattr__, __dir__ = lazy_names(__name__, _NAMES)
