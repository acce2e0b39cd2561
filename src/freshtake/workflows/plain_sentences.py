"""Sentences for people who type no commands: in the studio and in Blender."""

from __future__ import annotations

import re

OPTION = re.compile(r"(?<![\w-])--[a-z]")
IN_BRACKETS = re.compile(r" ?\([^()]*--[a-z][^()]*\)")
BREAK = re.compile(r"[:;] ")
FILE_NAME = re.compile(r"[^:;]*\.\w{1,5}")


def plainly(sentence: str) -> str:
    """A sentence without the advice that names an option of a command; the rest of it stays."""
    plain = IN_BRACKETS.sub("", sentence)
    option = OPTION.search(plain)
    if option is None:
        return plain
    breaks = [found.start() for found in BREAK.finditer(plain, 0, option.start())]
    said = plain[: breaks[-1]] if breaks else ""
    return plain if not said or FILE_NAME.fullmatch(said) else said
