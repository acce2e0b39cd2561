"""Read and write FBX: a skeleton or a skinned character, with a take for every clip."""

from freshtake.formats.fbx.reading import read, read_animations
from freshtake.formats.fbx.writing import write

__all__ = ["read", "read_animations", "write"]
