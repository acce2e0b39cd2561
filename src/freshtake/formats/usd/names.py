"""Names as USD takes them: letters, digits and underscores, and joints as paths from the root."""

from __future__ import annotations

import re
from collections.abc import Sequence

from freshtake.formats.gltf.nodes import distinct


def identifiers(names: Sequence[str]) -> list[str]:
    """A different valid name for each."""
    return distinct([_identifier(name) for name in names])


def _identifier(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain and not plain[0].isdigit() else f"_{plain}"


def joint_paths(names: Sequence[str], parents: Sequence[int]) -> list[str]:
    """Each joint's path from the root, such as Hips/Spine/Head."""
    out: list[str] = []
    for name, parent in zip(identifiers(names), parents, strict=True):
        out.append(name if parent < 0 else f"{out[parent]}/{name}")
    return out
