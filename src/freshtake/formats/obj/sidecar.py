"""`freshtake.json` beside the OBJ files of a sequence: rate, unit, vertical axis, name and origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes
from freshtake.motion import MeshSequence

SIDECAR = "freshtake.json"
_TAG = "freshtake mesh sequence"
_LARGEST = 1 << 20
_KINDS: dict[str, tuple[type, ...]] = {
    "frame_time": (int, float),
    "unit_m": (int, float, type(None)),
    "up": (str,),
    "name": (str,),
    "provenance": (str,),
}


def sidecar_text(mesh: MeshSequence) -> str:
    """What OBJ files cannot say of a sequence."""
    said = {"format": _TAG, "version": 1, "fps": mesh.fps, **{key: getattr(mesh, key) for key in _KINDS}}
    return json.dumps(said, indent=2) + "\n"


def read_sidecar(path: Path) -> dict[str, Any]:
    """The fields of a mesh sequence that the file says; none where there is no such file of ours."""
    if not path.is_file():
        return {}
    try:
        said = json.loads(read_bytes(path, _LARGEST).decode("utf-8"))
    except (ValueError, RecursionError):
        raise FormatError(path, "the text is no JSON: correct it or remove the file") from None
    if not isinstance(said, dict) or said.get("format") != _TAG:
        raise FormatError(path, f'an object with "format": "{_TAG}" was expected: correct it or remove the file')
    for key, kinds in _KINDS.items():
        if key in said and (not isinstance(said[key], kinds) or isinstance(said[key], bool)):
            raise FormatError(path, f"the value of {key!r} has the wrong type: correct it or remove the file")
    return {key: said[key] for key in _KINDS if key in said}
