"""Find faults in a motion and report them in sentences; findings are warnings and nothing is refused."""

from freshtake.motion.check.checking import check, check_clip
from freshtake.motion.check.checks import NOTE, WARNING, Finding, check_set

__all__ = ["NOTE", "WARNING", "Finding", "check", "check_clip", "check_set"]
