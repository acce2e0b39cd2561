"""Convert between motions and the arrays that models learn from: exactly invertible, with a name for every DOF."""

from freshtake.motion.features.coding import Features, Motion, Recipe, Start, decode, encode, recipe, where_it_ends

__all__ = ["Features", "Motion", "Recipe", "Start", "decode", "encode", "recipe", "where_it_ends"]
