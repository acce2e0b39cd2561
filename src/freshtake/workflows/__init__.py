"""One function per request: files in, files out. Each module loads on first use.

A request is carried out by `getattr(workflows, request.task())(request, report, warn)`: `report` is called with
progress, `warn` with sentences for the user, and the result describes what was made.
"""

# ruff: noqa: F403  (the names are listed once, below)

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:  # for checkers and editors
    from freshtake.crowd.bone_textures import *
    from freshtake.crowd.making import *
    from freshtake.crowd.previewing import *
    from freshtake.workflows.augmenting import *
    from freshtake.workflows.density_blending import *
    from freshtake.workflows.describing import *
    from freshtake.workflows.editing import *
    from freshtake.workflows.evaluating import *
    from freshtake.workflows.learning import *
    from freshtake.workflows.packing import *
    from freshtake.workflows.paper_drawing import *
    from freshtake.workflows.redrawing import *
    from freshtake.workflows.retargeting import *
    from freshtake.workflows.sampling import *
    from freshtake.workflows.sending import *
    from freshtake.workflows.streaming import *
    from freshtake.workflows.style_reporting import *
    from freshtake.workflows.style_translating import *
    from freshtake.workflows.texture_study import *
    from freshtake.workflows.texturing import *
    from freshtake.workflows.varying import *
    from freshtake.workflows.viewing import *

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
    "texturing": ("texture_facts", "texture_learn", "texture_sample"),
    "texture_study": ("compression_table", "texture_figures", "texture_tables"),
    "varying": ("variants", "vary"),
    "viewing": ("view",),
    "freshtake.crowd.bone_textures": ("crowd_textures",),
    "freshtake.crowd.making": ("crowd",),
    "freshtake.crowd.previewing": ("crowd_preview",),
}
__all__ = sorted(sum(_NAMES.values(), ()))

__getattr__, __dir__ = lazy_names(__name__, _NAMES)
