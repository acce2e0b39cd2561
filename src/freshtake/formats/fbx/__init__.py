"""FBX (binary): takes are read from 7.1 to 7.7 and written as 7.4, with the skinned mesh of a character."""

from freshtake.formats.fbx.io import read, read_animations, write

__all__ = ["read", "read_animations", "write"]
