"""Guards: whether a body does only what its takes allow: bends of limbs, depth, clearances, accelerations."""

from freshtake.motion.guards.limits import BodyCheck, BodyLimits, learn_limits

__all__ = ["BodyCheck", "BodyLimits", "learn_limits"]
