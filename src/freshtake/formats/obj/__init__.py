"""OBJ: a mesh, or a folder of numbered meshes as a mesh sequence."""

from freshtake.formats.obj.io import read, write

__all__ = ["read", "write"]
