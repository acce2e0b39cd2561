"""Evaluate how similar, how new and how natural variants are: figures next to those of real takes."""

from freshtake.evaluation.results import Column, Evaluation, Figure
from freshtake.evaluation.scores import evaluate

__all__ = [
    "Column",
    "Evaluation",
    "Figure",
    "evaluate",
]
