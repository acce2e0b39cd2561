"""Help texts in an animator's words: technical ones appear only in brackets after plain words."""

from __future__ import annotations

import re

import pytest

from freshtake.cli.entry import app
from tests.cli.test_grammar import COMMANDS, commands

TECHNICAL = (
    "DOFs?", "AUC", "N4SID", "nats?", "DTW", "jerk", "PCA", "eigen\\w+", "kernels?", "lattice", "octaves?", "imw",
    "z-?score",
    "sigma", "log-likelihoods?", "likelihoods?", "residuals?", "variance", "principal", "root mean square",
    "RMS", "float32", "convex", "strawman", "ANOVA", "expmap", "euler", "quaternions?", "deviations?", "instances?",
    "prior", "parents?", "nodes?", "states? per", "eq\\.", "spectral", "percentiles?", "inertial", "confidence",
)  # fmt: skip
WORD = re.compile(rf"\b(?:{'|'.join(TECHNICAL)})\b", re.IGNORECASE)
BESIDE = re.compile(r"\([^()]*\)|`[^`]*`|\*\*[^*]*\*\*|(?s:```.*?```)")  # brackets, code, names of choices
DESCRIPTIONS = {name: command.help or "" for name, command in commands(app)}


def technical_words(text: str) -> list[str]:
    return WORD.findall(BESIDE.sub("", text))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_options_is_in_plain_words(command: str) -> None:
    found = {option: technical_words(text) for option, text in COMMANDS[command].items()}
    assert {option: words for option, words in found.items() if words} == {}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_does_is_said_in_plain_words(command: str) -> None:
    told = re.sub(r"```.*?```", "", DESCRIPTIONS[command], flags=re.DOTALL).partition("Parameters\n")[0]
    assert technical_words(told) == []
    assert WORD.findall(told.strip().split("\n\n")[0]) == []  # the first line has none at all
