"""FBX 7.4 (binary): written, with any number of takes and the skinned mesh of a character; not read."""

from freshtake.formats.fbx.io import read, write

__all__ = ["read", "write"]
