"""The user study of Lau 2009, §8: who sees what in which order, scores from 1 to 9, and their analysis."""

from freshtake.evaluation.study.analysis import Anova, Group, Outcome, analyze, one_way
from freshtake.evaluation.study.schedule import CONDITIONS, QUESTIONS, Rating, Stimulus, Trial, schedule

__all__ = [
    "CONDITIONS",
    "QUESTIONS",
    "Anova",
    "Group",
    "Outcome",
    "Rating",
    "Stimulus",
    "Trial",
    "analyze",
    "one_way",
    "schedule",
]
