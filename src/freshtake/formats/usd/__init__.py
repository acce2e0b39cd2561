"""Read and write USD: clips as UsdSkel, with the extra `freshtake[usd]`."""

from freshtake.formats.usd.reading import read, read_animations
from freshtake.formats.usd.writing import write

__all__ = ["read", "read_animations", "write"]
