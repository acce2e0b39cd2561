"""BVH files made by hypothesis: what a file says (our own model) and one of the many ways to write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")
CHANNELS = {name: ("t" if name.endswith("position") else "r") + name[0].lower() for name in POSITIONS + ROTATIONS}
AWKWARD = ("End", "Site", "OFFSET", "MOTION", "JOINT", "ROOT", "HIERARCHY", "Frames:", "CHANNELS 3", "1e5")


@dataclass(frozen=True)
class Node:
    """A joint as written in the file; offsets are strings, so the test can compare what was read bit by bit."""

    name: str
    parent: int
    offset: tuple[str, str, str]
    channels: tuple[str, ...]
    sites: tuple[tuple[str, tuple[str, str, str]], ...]


@dataclass(frozen=True)
class File:
    nodes: tuple[Node, ...]
    frame_time: str
    rows: tuple[tuple[str, ...], ...]
    text: str


def numbers(limit: float = 500.0) -> st.SearchStrategy[str]:
    """Decimal spellings of finite numbers."""
    floats = st.floats(-limit, limit, allow_subnormal=False)
    spell = st.sampled_from(["{!r}", "{:.6f}", "{:.3e}", "{:+.4f}", "{:.0f}.", "{:E}", "{:.17g}", "{:.20f}"])
    odd = st.sampled_from([".5", "5.", "+3", "-0", "-.25", "0", "1e-3", "1E+02", "007", "-0.000000"])
    return st.one_of(st.builds(lambda form, value: form.format(value), spell, floats), odd)


def names() -> st.SearchStrategy[str]:
    letters = st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"], exclude_characters="{}"), min_size=1
    )
    words = st.lists(letters, min_size=1, max_size=3).map(" ".join)
    return st.one_of(words, st.sampled_from(["mixamorig:Hips", "Left  Knee", "Füße", "左足", *AWKWARD]))


@st.composite
def trees(draw: st.DrawFn) -> tuple[Node, ...]:
    labels = draw(st.lists(names(), min_size=1, max_size=7, unique=True))
    parents = [-1] + [draw(st.integers(0, k - 1)) for k in range(1, len(labels))]
    return tuple(
        Node(label, parent, draw(vectors()), draw(layouts(at_least=not k)), draw(end_sites()))
        for k, (label, parent) in enumerate(zip(labels, _depth_first(parents), strict=True))
    )


def _depth_first(parents: list[int]) -> list[int]:
    """The same tree numbered in the order in which a file lists it."""
    order: list[int] = []
    stack = [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack += [child for child in range(len(parents)) if parents[child] == joint][::-1]
    return [-1 if parents[joint] < 0 else order.index(parents[joint]) for joint in order]


def vectors() -> st.SearchStrategy[tuple[str, str, str]]:
    return st.tuples(numbers(100), numbers(100), numbers(100))


def end_sites() -> st.SearchStrategy[tuple[tuple[str, tuple[str, str, str]], ...]]:
    return st.lists(st.tuples(st.one_of(st.just(""), names()), vectors()), max_size=2).map(tuple)


@st.composite
def layouts(draw: st.DrawFn, at_least: bool) -> tuple[str, ...]:
    """Any subset in any order; a single repeated axis such as Z X Z too."""
    if draw(st.integers(0, 9)) == 0:
        return draw(
            st.sampled_from([("Zrotation", "Xrotation", "Zrotation"), (*POSITIONS, *ROTATIONS[:2], "Xrotation")])
        )
    chosen = draw(st.lists(st.sampled_from(POSITIONS + ROTATIONS), min_size=int(at_least), max_size=6, unique=True))
    return tuple(chosen)


@st.composite
def files(draw: st.DrawFn) -> File:
    nodes = draw(trees())
    width = sum(len(node.channels) for node in nodes)
    frames = draw(st.integers(1, 4))
    rows = tuple(tuple(draw(st.lists(numbers(), min_size=width, max_size=width))) for _ in range(frames))
    frame_time = draw(st.sampled_from(["0.0083333", "0,04", ".0166667", "3.3e-2", "1", "0.033333333333333333"]))
    text = draw(spelled(nodes, rows, frame_time))
    return File(nodes, frame_time.replace(",", "."), rows, text)


@st.composite
def spelled(draw: st.DrawFn, nodes: tuple[Node, ...], rows: tuple[tuple[str, ...], ...], frame_time: str) -> str:
    """One of the ways to write the file: blanks, line ends, case of keywords, everything on one line."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r", " \t\n", "\n\n", "\r\n \r\n"]))
    blank = draw(st.sampled_from([" ", "\t", "   ", " \t "]))
    soft = draw(st.sampled_from([end, end, " "]))  # where a line end and a blank mean the same
    spellings: list[Callable[[str], str]] = [str, str.upper, str.lower, str.title]
    case = draw(st.sampled_from(spellings))
    wrap = draw(st.booleans())

    def block(joint: int) -> list[str]:
        node = nodes[joint]
        lines = [f"{case('ROOT' if joint == 0 else 'JOINT')}{blank}{node.name}{soft}{{"]
        offset = blank.join([case("OFFSET"), *node.offset])
        layout = blank.join([case("CHANNELS"), str(len(node.channels)), *[case(c) for c in node.channels]])
        lines += [layout, offset] if draw(st.booleans()) else [offset, layout]
        if not node.channels and draw(st.booleans()):
            lines.remove(layout)
        for name, place in node.sites:
            tip = blank.join([case("End"), case("Site")]) + (blank + name if name else "")
            lines.append(f"{tip}{soft}{{{soft}{blank.join([case('OFFSET'), *place])}{blank}}}")
        for child in range(joint + 1, len(nodes)):
            if nodes[child].parent == joint:
                lines += block(child)
        return [*lines, "}"]

    body = [blank.join(row) for row in rows]
    if wrap:
        body = [draw(st.sampled_from([" ", end])).join(word for row in rows for word in row)]
    space = draw(st.sampled_from(["", blank]))
    header = [case("MOTION"), f"{case('Frames:')}{space}{len(rows)}", f"{case('Frame Time:')}{space}{frame_time}"]
    mark = draw(st.sampled_from(["", "\ufeff"]))
    tail = draw(st.sampled_from(["", end, end + blank, end * 3]))
    return mark + soft.join([case("HIERARCHY"), *block(0), *header]) + end + end.join(body) + tail
