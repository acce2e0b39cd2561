"""Motion types: skeletons, clips, strokes, point clips and mesh sequences, and the operations on them."""

from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke
from freshtake.motion.skeleton import EndSite, Skeleton, compatible

__all__ = ["Clip", "EndSite", "MeshSequence", "PointClip", "Skeleton", "Stroke", "compatible"]
