# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the .blend: a Text that describes the model, with the model's bytes as a custom property."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import bpy

from ..armature.trouble import Trouble

BYTES, FACTS = "freshtake_model", "freshtake_facts"
KINDS = {"variation": "Variants", "style": "Style", "density": "Blend", "texture": "Endless"}


def keep_model(figure: Any, name: str, kind: str, data: bytes, facts: dict[str, Any]) -> Any:
    """Pack a model, list it with the armature, and return its row."""
    text = bpy.data.texts.new(f"{name}.ftm")
    text.use_fake_user = True
    text[BYTES], text[FACTS] = data, json.dumps(facts)
    text.write(described(kind, facts))
    row = figure.freshtake.models.add()
    row.name, row.kind, row.text = name, kind, text
    figure.freshtake.model_index = len(figure.freshtake.models) - 1
    return row


def described(kind: str, facts: dict[str, Any]) -> str:
    """Describe a model in words."""
    takes = ", ".join(facts.get("takes", []))
    return (
        f"A model of freshtake ({KINDS[kind]}), learned from {takes or 'a file'}.\n"
        "It is packed into this file as a custom property of this text: do not delete the text.\n"
    )


def model_row(figure: Any, kind: str, name: str = "") -> Any:
    """Return a model of a kind: by name, else the model chosen in the list, else the newest."""
    rows = [row for row in figure.freshtake.models if row.kind == kind and (not name or row.name == name)]
    if not rows:
        what = f"named {name!r} " if name else ""
        raise Trouble(f"{figure.name!r} has no model {what}for {KINDS[kind]}: learn one first")
    index = figure.freshtake.model_index
    chosen = figure.freshtake.models[index] if 0 <= index < len(figure.freshtake.models) else None
    return next((row for row in rows if row == chosen), rows[-1])


def model_bytes(row: Any) -> bytes:
    """Return a model's bytes, from the .blend or from its file."""
    if row.text is not None and isinstance(row.text.get(BYTES), bytes):
        return bytes(row.text[BYTES])
    path = bpy.path.abspath(row.filepath) if row.filepath else ""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (Blender's paths are strings)
            return file.read()
    except OSError:
        raise Trouble(
            f"the model {row.name!r} is not in this file and not at {path or 'any path'}: relearn it"
        ) from None


def model_facts(row: Any) -> dict[str, Any]:
    """Return the facts stored with a model: takes, joints, rate, classes."""
    try:
        return dict(json.loads(row.text[FACTS])) if row.text is not None and FACTS in row.text else {}
    except ValueError:
        return {}


def fingerprint(data: bytes) -> str:
    """Return a string that identifies the model."""
    return hashlib.sha256(data).hexdigest()[:16]
