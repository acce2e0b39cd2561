"""Files in and out. The only layer that opens files; every format is one module, found through the registry."""

from freshtake.formats.registry import read, write

__all__ = ["read", "write"]
