"""One frozen dataclass per task: its parameters, with limits and a line of help for each.

`freshtake.workflows` carries requests out: the function for `Vary` is `vary`, that for `StyleApply` is `style_apply`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.requests.blending import Blend as Blend
    from freshtake.requests.blending import BlendLearn as BlendLearn
    from freshtake.requests.blending import BlendReport as BlendReport
    from freshtake.requests.blending import BlendSample as BlendSample
    from freshtake.requests.blending import Classes as Classes
    from freshtake.requests.clips import Convert as Convert
    from freshtake.requests.clips import Cut as Cut
    from freshtake.requests.clips import Info as Info
    from freshtake.requests.clips import Loop as Loop
    from freshtake.requests.clips import Looping as Looping
    from freshtake.requests.clips import Plant as Plant
    from freshtake.requests.clips import Retarget as Retarget
    from freshtake.requests.clips import Retargeting as Retargeting
    from freshtake.requests.clips import Robot as Robot
    from freshtake.requests.clips import View as View
    from freshtake.requests.crowd import Crowd as Crowd
    from freshtake.requests.crowd import CrowdPreview as CrowdPreview
    from freshtake.requests.crowd import CrowdTextures as CrowdTextures
    from freshtake.requests.evaluation import Evaluate as Evaluate
    from freshtake.requests.evaluation import StudyAnalyze as StudyAnalyze
    from freshtake.requests.evaluation import StudyDesign as StudyDesign
    from freshtake.requests.evaluation import StudyPlan as StudyPlan
    from freshtake.requests.fields import Option as Option
    from freshtake.requests.fields import Request as Request
    from freshtake.requests.fields import RequestField as RequestField
    from freshtake.requests.fields import fields_of as fields_of
    from freshtake.requests.fields import from_values as from_values
    from freshtake.requests.packs import Pack as Pack
    from freshtake.requests.packs import Packing as Packing
    from freshtake.requests.samples import Demo as Demo
    from freshtake.requests.samples import SamplesDownload as SamplesDownload
    from freshtake.requests.samples import SamplesWrite as SamplesWrite
    from freshtake.requests.servers import Mcp as Mcp
    from freshtake.requests.servers import Serve as Serve
    from freshtake.requests.servers import Studio as Studio
    from freshtake.requests.style import GaitsLearn as GaitsLearn
    from freshtake.requests.style import GaitsSample as GaitsSample
    from freshtake.requests.style import StyleAlign as StyleAlign
    from freshtake.requests.style import StyleApply as StyleApply
    from freshtake.requests.style import StyleLearn as StyleLearn
    from freshtake.requests.style import StyleLearning as StyleLearning
    from freshtake.requests.style import Styling as Styling
    from freshtake.requests.texturing import Playing as Playing
    from freshtake.requests.texturing import TextureFigures as TextureFigures
    from freshtake.requests.texturing import TextureLearn as TextureLearn
    from freshtake.requests.texturing import TextureLearning as TextureLearning
    from freshtake.requests.texturing import TextureSample as TextureSample
    from freshtake.requests.texturing import TextureTables as TextureTables
    from freshtake.requests.variation import Augment as Augment
    from freshtake.requests.variation import Explain as Explain
    from freshtake.requests.variation import Learn as Learn
    from freshtake.requests.variation import Learning as Learning
    from freshtake.requests.variation import PaperFigures as PaperFigures
    from freshtake.requests.variation import Redraw as Redraw
    from freshtake.requests.variation import Redrawing as Redrawing
    from freshtake.requests.variation import Select as Select
    from freshtake.requests.variation import Stream as Stream
    from freshtake.requests.variation import Variants as Variants
    from freshtake.requests.variation import Vary as Vary

_NAMES = {
    "blending": ("Blend", "BlendLearn", "BlendReport", "BlendSample", "Classes"),
    "clips": ("Convert", "Cut", "Info", "Loop", "Looping", "Plant", "Retarget", "Retargeting", "Robot", "View"),
    "crowd": ("Crowd", "CrowdPreview", "CrowdTextures"),
    "evaluation": ("Evaluate", "StudyAnalyze", "StudyDesign", "StudyPlan"),
    "fields": ("Option", "Request", "RequestField", "fields_of", "from_values"),
    "packs": ("Pack", "Packing"),
    "samples": ("Demo", "SamplesDownload", "SamplesWrite"),
    "servers": ("Mcp", "Serve", "Studio"),
    "style": ("GaitsLearn", "GaitsSample", "StyleAlign", "StyleApply", "StyleLearn", "StyleLearning", "Styling"),
    "texturing": ("Playing", "TextureFigures", "TextureLearn", "TextureLearning", "TextureSample", "TextureTables"),
    "variation": (
        "Augment",
        "Explain",
        "Learn",
        "Learning",
        "PaperFigures",
        "Redraw",
        "Redrawing",
        "Select",
        "Stream",
        "Variants",
        "Vary",
    ),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
