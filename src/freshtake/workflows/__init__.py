"""What a user says in one sentence; everything below comes together here. Each name loads on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freshtake.workflows.conversion import convert
    from freshtake.workflows.cutting import cut_take
    from freshtake.workflows.demonstration import demo
    from freshtake.workflows.description import describe, describe_set
    from freshtake.workflows.evaluating import evaluate, evaluate_motions
    from freshtake.workflows.model_description import model_facts
    from freshtake.workflows.sampling import SAMPLE_SETS, download_takes, write_samples
    from freshtake.workflows.varying import learn, stream, variants, vary

_HOMES = {
    "SAMPLE_SETS": "sampling",
    "convert": "conversion",
    "cut_take": "cutting",
    "demo": "demonstration",
    "describe": "description",
    "describe_set": "description",
    "download_takes": "sampling",
    "evaluate": "evaluating",
    "evaluate_motions": "evaluating",
    "learn": "varying",
    "model_facts": "model_description",
    "stream": "varying",
    "variants": "varying",
    "vary": "varying",
    "write_samples": "sampling",
}

__all__ = [
    "SAMPLE_SETS",
    "convert",
    "cut_take",
    "demo",
    "describe",
    "describe_set",
    "download_takes",
    "evaluate",
    "evaluate_motions",
    "learn",
    "model_facts",
    "stream",
    "variants",
    "vary",
    "write_samples",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"freshtake.workflows.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'freshtake.workflows' has no attribute {name!r}")
