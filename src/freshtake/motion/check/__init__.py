"""What is wrong with a motion, said in sentences; findings are warnings, never refusals."""

from freshtake.motion.check.checking import NOTE, WARNING, Finding, check, check_clip, check_set

__all__ = ["NOTE", "WARNING", "Finding", "check", "check_clip", "check_set"]
