"""Baselines for variants: noise on a take, combinations of takes, replayed takes (Lau 2009, §8, §10)."""

from freshtake.evaluation.baselines.basis import Basis, basis_of
from freshtake.evaluation.baselines.making import (
    KINDS,
    BaselineMotion,
    Changes,
    Match,
    baseline_sets,
    changes,
    make,
    matched_amount,
)

__all__ = [
    "KINDS",
    "BaselineMotion",
    "Basis",
    "Changes",
    "Match",
    "baseline_sets",
    "basis_of",
    "changes",
    "make",
    "matched_amount",
]
