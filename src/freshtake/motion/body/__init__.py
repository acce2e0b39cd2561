"""Recognize a body in a skeleton: limbs, hinges, feet, facing, size and the root."""
