"""The text of an OBJ file: comments and line continuations resolved, blocks of equal lines, numbers of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from freshtake.errors import FormatError

_JOINED = "\v"  # stands for a line end that a backslash took away; it counts as white space and as a line
_KEYWORDS = (  # that OBJ has and we have no use for
    "vp l p o g s mg usemtl mtllib usemap maplib cstype deg bmat step curv curv2 surf parm trim hole scrv sp end "
    "con fo shadow_obj trace_obj bevel c_interp d_interp lod ctech stech call csh bsp bzp cdc cdp res"
)
_IGNORED = frozenset(_KEYWORDS.split())
_BLOCKS = re.compile(
    r"(?P<v>(?:v[ \t\v][^\n]*\n)+)|(?P<vn>(?:vn[ \t\v][^\n]*\n)+)|(?P<vt>(?:vt[ \t\v][^\n]*\n)+)"
    r"|(?P<f>(?:f[ \t\v][^\n]*\n)+)|(?P<other>[^\n]*)\n"
)


def plain(text: str) -> str:
    """Line ends as a newline, lines without leading blanks, comments removed, continued lines joined."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(_JOINED, " ").replace("\f", " ")
    if "\n " in text or "\n\t" in text or text[:1] in (" ", "\t"):
        text = re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE)
    if "#" in text:
        text = re.sub(r"#[^\n]*", "", text)
    return text.replace("\\\n", _JOINED) + "\n"


def blocks(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Runs of lines with the same keyword, as (v, vt, vn or f; text); unknown keywords are refused."""
    for match in _BLOCKS.finditer(text):
        kind = match.lastgroup or ""
        if kind != "other":
            yield kind, match[0]
        elif match[kind].strip() and match[kind].split(" ")[0].split("\t")[0].lower() not in _IGNORED:
            before = text[: match.start()]
            line = before.count("\n") + before.count(_JOINED) + 1
            start = match[kind][:40]
            raise FormatError(path, f"an OBJ keyword (v, vt, vn, f ...) was expected, not {start!r}", f"line {line}")


def without_word(block: str, word: str) -> str:
    """The block without the keyword at the start of each line."""
    return re.sub(rf"^{word}(?=[ \t\v])", "", block, flags=re.MULTILINE)


def place_of(text: str, word: str, wrong: Callable[[str], bool]) -> str:
    """'line N' for the first line that starts with the word and whose rest is wrong."""
    number = 1
    for line in text.split("\n"):
        start, *rest = line.split(maxsplit=1)[:2] or [""]
        if start == word and wrong(rest[0] if rest else ""):
            return f"line {number}"
        number += 1 + line.count(_JOINED)
    return ""
