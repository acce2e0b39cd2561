"""One frozen dataclass per task: its parameters, with limits and a line of help for each.

`freshtake.workflows` carries requests out: `vary` carries out `Vary`, and `style_apply` carries out `StyleApply`.
"""

# ruff: noqa: F403  (the names are listed once, below)

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:  # for checkers and editors
    from freshtake.requests.blending import *
    from freshtake.requests.clips import *
    from freshtake.requests.crowd import *
    from freshtake.requests.evaluation import *
    from freshtake.requests.fields import Option as Option
    from freshtake.requests.fields import Request as Request
    from freshtake.requests.fields import RequestField as RequestField
    from freshtake.requests.fields import fields_of as fields_of
    from freshtake.requests.fields import from_values as from_values
    from freshtake.requests.packs import *
    from freshtake.requests.samples import *
    from freshtake.requests.servers import *
    from freshtake.requests.style import *
    from freshtake.requests.texturing import *
    from freshtake.requests.variation import *

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
    "variation": ("Augment", "Explain", "Learn", "Learning", "PaperFigures", "Redraw", "Redrawing", "Select", "Stream",
                  "Variants", "Vary"),
}  # fmt: skip
__all__ = sorted(sum(_NAMES.values(), ()))

__getattr__, __dir__ = lazy_names(__name__, _NAMES)
