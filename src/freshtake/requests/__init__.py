"""One frozen dataclass per task: what can be asked for, with limits and a line of help for each field.

`freshtake.workflows` carries requests out: the function for `Vary` is `vary`, that for `StyleApply` is `style_apply`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.requests.blending import Blend, BlendLearn, BlendReport, BlendSample, Classes
    from freshtake.requests.clips import Convert, Cut, Info, Loop, Looping, Plant, Retarget, Retargeting, View
    from freshtake.requests.crowd import Crowd, CrowdPreview, CrowdTextures
    from freshtake.requests.evaluation import Evaluate, StudyAnalyze, StudyDesign, StudyPlan
    from freshtake.requests.fields import Option, Request, RequestField, fields_of, from_values
    from freshtake.requests.packs import Pack, Packing
    from freshtake.requests.robot import Robot
    from freshtake.requests.samples import Demo, SamplesDownload, SamplesWrite
    from freshtake.requests.servers import Mcp, Serve, Studio
    from freshtake.requests.style import (
        GaitsLearn,
        GaitsSample,
        StyleAlign,
        StyleApply,
        StyleLearn,
        StyleLearning,
        Styling,
    )
    from freshtake.requests.texturing import (
        Playing,
        TextureFigures,
        TextureLearn,
        TextureLearning,
        TextureSample,
        TextureTables,
    )
    from freshtake.requests.variation import (
        Augment,
        Explain,
        Learn,
        Learning,
        PaperFigures,
        Redraw,
        Redrawing,
        Select,
        Stream,
        Variants,
        Vary,
    )

_HOMES = {
    "Augment": "variation",
    "Blend": "blending",
    "BlendLearn": "blending",
    "BlendReport": "blending",
    "BlendSample": "blending",
    "Classes": "blending",
    "Convert": "clips",
    "Crowd": "crowd",
    "CrowdPreview": "crowd",
    "CrowdTextures": "crowd",
    "Cut": "clips",
    "Demo": "samples",
    "Evaluate": "evaluation",
    "Explain": "variation",
    "GaitsLearn": "style",
    "GaitsSample": "style",
    "Info": "clips",
    "Learn": "variation",
    "Learning": "variation",
    "Loop": "clips",
    "Looping": "clips",
    "Mcp": "servers",
    "Option": "fields",
    "Pack": "packs",
    "Packing": "packs",
    "PaperFigures": "variation",
    "Plant": "clips",
    "Playing": "texturing",
    "Redraw": "variation",
    "Redrawing": "variation",
    "Request": "fields",
    "RequestField": "fields",
    "Retarget": "clips",
    "Retargeting": "clips",
    "Robot": "robot",
    "SamplesDownload": "samples",
    "SamplesWrite": "samples",
    "Select": "variation",
    "Serve": "servers",
    "Stream": "variation",
    "Studio": "servers",
    "StudyAnalyze": "evaluation",
    "StudyDesign": "evaluation",
    "StudyPlan": "evaluation",
    "StyleAlign": "style",
    "StyleApply": "style",
    "StyleLearn": "style",
    "StyleLearning": "style",
    "Styling": "style",
    "TextureFigures": "texturing",
    "TextureLearn": "texturing",
    "TextureLearning": "texturing",
    "TextureSample": "texturing",
    "TextureTables": "texturing",
    "Variants": "variation",
    "Vary": "variation",
    "View": "clips",
    "fields_of": "fields",
    "from_values": "fields",
}

__all__ = [
    "Augment",
    "Blend",
    "BlendLearn",
    "BlendReport",
    "BlendSample",
    "Classes",
    "Convert",
    "Crowd",
    "CrowdPreview",
    "CrowdTextures",
    "Cut",
    "Demo",
    "Evaluate",
    "Explain",
    "GaitsLearn",
    "GaitsSample",
    "Info",
    "Learn",
    "Learning",
    "Loop",
    "Looping",
    "Mcp",
    "Option",
    "Pack",
    "Packing",
    "PaperFigures",
    "Plant",
    "Playing",
    "Redraw",
    "Redrawing",
    "Request",
    "RequestField",
    "Retarget",
    "Retargeting",
    "Robot",
    "SamplesDownload",
    "SamplesWrite",
    "Select",
    "Serve",
    "Stream",
    "Studio",
    "StudyAnalyze",
    "StudyDesign",
    "StudyPlan",
    "StyleAlign",
    "StyleApply",
    "StyleLearn",
    "StyleLearning",
    "Styling",
    "TextureFigures",
    "TextureLearn",
    "TextureLearning",
    "TextureSample",
    "TextureTables",
    "Variants",
    "Vary",
    "View",
    "fields_of",
    "from_values",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
