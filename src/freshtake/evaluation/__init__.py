"""How alike, how new, how natural: figures of variants next to those of real takes, plots and a report."""

from freshtake.evaluation.results import Column, Evaluation, Figure
from freshtake.evaluation.scores import evaluate

__all__ = [
    "Column",
    "Evaluation",
    "Figure",
    "evaluate",
]
