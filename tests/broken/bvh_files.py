"""Broken BVH files."""

from __future__ import annotations

from tests.broken.case import Case

ROOT = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
"""
LEG = """  JOINT Leg
  {
    OFFSET 0 -1 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
"""
HIERARCHY = ROOT + LEG + "}\n"
MOTION = "MOTION\nFrames: 2\nFrame Time: 0.04\n0 1 0 0 0 0 0 0 0\n0 1 0 5 5 5 5 5 5\n"
GOOD = HIERARCHY + MOTION


def edited(old: str, new: str, text: str = GOOD) -> str:
    """The good file with one piece replaced."""
    assert old in text
    return text.replace(old, new, 1)


def deep(depth: int) -> str:
    joints = "".join(f"JOINT J{k} {{ OFFSET 0 1 0 CHANNELS 0 " for k in range(depth))
    return f"{ROOT}{joints}{'}' * depth}}}\n{MOTION}"


def many_still_joints(joints: int, frames: int) -> str:
    """A small file that would expand to joints times frames."""
    still = "".join(f"JOINT J{k} {{ OFFSET 0 1 0 }}\n" for k in range(joints))
    return (
        f"HIERARCHY ROOT A {{ OFFSET 0 0 0 CHANNELS 1 Xposition\n{still}}}\nMOTION Frames: {frames} Frame Time: 1\n"
        + ("0\n" * frames)
    )


def case(title: str, text: str, *says: str) -> Case:
    return Case(f"bvh: {title}", "clip.bvh", text, says)


BVH = (
    case("blank", " \n\n", "'HIERARCHY' was expected", "ends there"),
    case("no hierarchy", MOTION, "line 1", "'HIERARCHY' was expected, not 'MOTION'"),
    case("no root", edited("ROOT Hips", "Hips"), "line 2", "'ROOT' was expected, not 'Hips'"),
    case("joint as root", edited("ROOT", "JOINT"), "line 2", "'ROOT' was expected, not 'JOINT'"),
    case("root without name", edited("ROOT Hips\n", "ROOT\n"), "line 3", "the name of a joint"),
    case("two roots", edited("MOTION", f"ROOT Other\n{{\n{LEG}}}\nMOTION"), "line 16", "one ROOT"),
    case("no opening brace", edited("{\n", ""), "line 3", "'{' was expected, not 'OFFSET'"),
    case("no closing brace", edited("}\nMOTION", "MOTION"), "line 15", "not 'MOTION'"),
    case("brace too many", edited("}\nMOTION", "}\n}\nMOTION"), "line 16", "MOTION after the hierarchy"),
    case("no offset", edited("    OFFSET 0 -1 0\n", ""), "line 6", "'Leg' has no OFFSET"),
    case("offset twice", edited("OFFSET 0 0 0\n", "OFFSET 0 0 0\nOFFSET 1 1 1\n"), "line 5", "not 'OFFSET'"),
    case("offset of two", edited("OFFSET 0 0 0", "OFFSET 0 0"), "line 5", "an offset in z was expected"),
    case("offset not finite", edited("OFFSET 0 0 0", "OFFSET 0 nan 0"), "line 4", "an offset in y", "'nan'"),
    case("offset too large", edited("OFFSET 0 0 0", "OFFSET 1e999 0 0"), "line 4", "an offset in x", "'1e999'"),
    case("end site without offset", edited("      OFFSET 0 -1 0\n", ""), "line 12", "'OFFSET' was expected, not '}'"),
    case("End without Site", edited("End Site", "End"), "line 11", "'SITE' was expected"),
    case("channel count wrong", edited("CHANNELS 3", "CHANNELS 2"), "line 9", "not 'Xrotation'"),
    case("channel count huge", edited("CHANNELS 3", "CHANNELS 999999999"), "line 9", "a channel count from 0 to 6"),
    case("channel count negative", edited("CHANNELS 3", "CHANNELS -3"), "line 9", "a channel count from 0 to 6"),
    case("channel unknown", edited("Xposition", "Wposition"), "line 5", "one of Xposition", "'Wposition'"),
    case("position twice", edited("Yposition", "Xposition"), "hierarchy", "'Hips' lists a position channel twice"),
    case(
        "same axis in a row",
        edited("CHANNELS 3 Zrotation Yrotation", "CHANNELS 3 Zrotation Zrotation"),
        "twice in a row",
    ),
    case("four rotations", edited("CHANNELS 3 Z", "CHANNELS 4 Yrotation Z"), "'Leg'", "more than three rotation"),
    case(
        "names repeated",
        edited("JOINT Leg", "JOINT Hips"),
        "line 6",
        "two joints are named 'Hips' (the first in line 2)",
    ),
    case("name with control characters", edited("Leg", "L\x07g"), "hierarchy", "control characters"),
    case("nested too deeply", deep(5000), "nested deeper than 500"),
    case("no motion", HIERARCHY, "MOTION", "was expected", "ends there"),
    case("motion without header", HIERARCHY + "MOTION\n", "line 16", "'Frames: N' and 'Frame Time: seconds'"),
    case("no frame time", edited("Frame Time: 0.04\n", ""), "line 16", "'Frame Time: seconds'"),
    case("frame count missing", edited("Frames: 2", "Frames:"), "line 16", "'Frames: N'"),
    case("frame count zero", edited("Frames: 2", "Frames: 0"), "line 17", "a number of frames above 0", "'0'"),
    case("frame count negative", edited("Frames: 2", "Frames: -2"), "a number of frames above 0", "'-2'"),
    case("frame count a fraction", edited("Frames: 2", "Frames: 2.5"), "a number of frames above 0", "'2.5'"),
    case(
        "frame count huge",
        edited("Frames: 2", "Frames: 999999999999"),
        "999999999999 frames of 9 channels",
        "has 2 frames:",
    ),
    case("frame count beyond any", edited("Frames: 2", "Frames: " + "9" * 5000), "a number of frames above 0"),
    case("frame time zero", edited("0.04", "0"), "line 18", "a frame time above 0 s"),
    case("frame time negative", edited("0.04", "-0.04"), "a frame time above 0 s", "'-0.04'"),
    case("frame time beyond any rate", edited("0.04", "1e-320"), "frame_time must be a finite number above 0"),
    case("frame time infinite", edited("0.04", "inf"), "a frame time above 0 s", "'inf'"),
    case("frame time with underscore", edited("0.04", "1_0"), "a frame time above 0 s", "'1_0'"),
    case("frames missing", edited("0 1 0 5 5 5 5 5 5\n", ""), "2 frames of 9 channels", "has 1 frame:"),
    case("frames too many", GOOD + "0 " * 9, "2 frames of 9 channels", "has 3 frames:"),
    case("cut in a frame", GOOD[:-8], "2 frames of 9 channels", "has 1 frame and 5 numbers:"),
    case("row torn", edited("0 0 0\n0 1", "0 0\n0 0 1"), "line 19", "9 numbers were expected in this line", "not 8"),
    case("word among numbers", edited("5 5 5 5", "5 5 five 5"), "line 20", "a finite number was expected, not 'five'"),
    case("nan among numbers", edited("5 5 5 5", "5 5 NaN 5"), "line 20", "'NaN'"),
    case("comma among numbers", edited("5 5 5 5", "5 5 5,5 5"), "line 20", "'5,5'"),
    case(
        "no channels at all",
        "HIERARCHY ROOT A { OFFSET 0 0 0 }\nMOTION Frames: 1 Frame Time: 1\n",
        "no joint has a channel",
    ),
    case("joints without channels beyond measure", many_still_joints(3000, 3000), "3001 joints over 3000 frames"),
)
