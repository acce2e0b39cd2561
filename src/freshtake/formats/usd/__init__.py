"""USD: clips as UsdSkel, read and written with the extra `freshtake[usd]`."""

from freshtake.formats.usd.io import read, read_animations, write

__all__ = ["read", "read_animations", "write"]
