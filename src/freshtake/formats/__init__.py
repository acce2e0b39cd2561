"""Read and write files. The only layer that opens files; each format is one module, found through the registry."""

from freshtake.formats.registry import read, read_clip, read_mesh, read_points, read_stroke, write

__all__ = ["read", "read_clip", "read_mesh", "read_points", "read_stroke", "write"]
