"""The user study of Lau 2009, §8: who sees what in which order, scores from 1 to 9, and their analysis."""

from freshtake.evaluation.study.analysis import Group, Outcome, analyze
from freshtake.evaluation.study.anova import Anova, one_way
from freshtake.evaluation.study.conditions import CONDITIONS, QUESTIONS, Rating, Stimulus, Trial
from freshtake.evaluation.study.schedule import schedule

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
