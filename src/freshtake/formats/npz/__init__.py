"""npz archives: every kind of motion as named arrays, without pickle, read with bounded memory."""

from freshtake.formats.npz.io import read, write

__all__ = ["read", "write"]
