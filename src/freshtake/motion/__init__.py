"""The nouns: skeletons, clips, strokes, point clips and mesh sequences, and what can be done to them."""

from freshtake.motion.clip import Clip
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.skeleton import EndSite, Skeleton, compatible
from freshtake.motion.stroke import Stroke

__all__ = ["Clip", "EndSite", "MeshSequence", "PointClip", "Skeleton", "Stroke", "compatible"]
