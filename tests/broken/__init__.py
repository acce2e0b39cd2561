"""Broken files, each made by code: the defect, and what the reader must say about it."""

from __future__ import annotations

from tests.broken.anything import ANYTHING
from tests.broken.bvh_files import BVH
from tests.broken.case import Case
from tests.broken.other_files import OTHERS
from tests.broken.usd_files import USD

CORPUS: tuple[Case, ...] = (*BVH, *ANYTHING, *OTHERS, *USD)

__all__ = ["CORPUS", "Case"]
