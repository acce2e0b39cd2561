"""glTF 2.0 and GLB: skinned characters with their animations, read and written."""

from freshtake.formats.gltf.io import read, read_animations, read_character, write

__all__ = ["read", "read_animations", "read_character", "write"]
