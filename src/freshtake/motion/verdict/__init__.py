"""Check motions against what their takes do: one list of limits, for every method and command.

`limits` holds how far a body may go, `judging` turns what exceeds it into remarks that are green, amber or red.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.motion.verdict.judging import (
        AMBER,
        GREEN,
        RED,
        Remark,
        Standard,
        Verdict,
        check_result,
        gait_remarks,
        judge,
        off_the_path,
        require_possible,
        require_unflung,
        standard_of,
        verdict_line,
    )
    from freshtake.motion.verdict.limits import BodyCheck, BodyLimits, learn_limits

_HOMES = {
    "AMBER": "judging",
    "BodyCheck": "limits",
    "BodyLimits": "limits",
    "GREEN": "judging",
    "RED": "judging",
    "Remark": "judging",
    "Standard": "judging",
    "Verdict": "judging",
    "check_result": "judging",
    "gait_remarks": "judging",
    "judge": "judging",
    "learn_limits": "limits",
    "off_the_path": "judging",
    "require_possible": "judging",
    "require_unflung": "judging",
    "standard_of": "judging",
    "verdict_line": "judging",
}

__all__ = [
    "AMBER",
    "GREEN",
    "RED",
    "BodyCheck",
    "BodyLimits",
    "Remark",
    "Standard",
    "Verdict",
    "check_result",
    "gait_remarks",
    "judge",
    "learn_limits",
    "off_the_path",
    "require_possible",
    "require_unflung",
    "standard_of",
    "verdict_line",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
