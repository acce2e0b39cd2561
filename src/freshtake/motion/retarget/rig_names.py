"""What the joints of widespread rigs are called: facts about other programs' files, by part of the body.

Names are compared without case, namespaces, blanks and punctuation; {0} stands for the side.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from freshtake.motion.retarget.body_map import ARM, LEG, SIDES

LONG, SHORT = ("left", "right"), ("l", "r")


class Family(NamedTuple):
    """A convention of names: `mark` is found in a name of every such rig, which tells it from others like it."""

    name: str
    mark: str
    sides: tuple[str, str]
    hips: str
    head: str
    arm: str  # shoulder, upper arm, lower arm, hand; "-" where there is none
    leg: str  # upper leg, lower leg, foot, toes

    def roles(self) -> dict[str, str]:
        """The plain name of every part."""
        out = {"hips": self.hips, "head": self.head}
        for side, called in zip(SIDES, self.sides, strict=True):
            for parts, words in ((ARM, self.arm), (LEG, self.leg)):
                named = zip(parts, words.split(), strict=True)
                out |= {f"{side}_{part}": word.format(called) for part, word in named if word != "-"}
        return out


_HUMAN_IK_ARM = "{0}shoulder {0}arm {0}forearm {0}hand"
_HUMANOID = ("{0}shoulder {0}upperarm {0}lowerarm {0}hand", "{0}upperleg {0}lowerleg {0}foot {0}toes")
_BEHIND = ("shoulder{0} upperarm{0} lowerarm{0} hand{0}", "upperleg{0} lowerleg{0} foot{0} toes{0}")
_JOINTS = ("{0}collar {0}shoulder {0}elbow {0}wrist", "{0}hip {0}knee {0}ankle {0}foot")

FAMILIES = (
    Family("CMU (ASF)", "^lhipjoint$", SHORT, "root", "head", "{0}clavicle {0}humerus {0}radius {0}wrist",
           "{0}femur {0}tibia {0}foot {0}toes"),
    Family("CMU (BVH)", "^lhipjoint$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("Mixamo", "^mixamorig", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("HumanIK", "^leftupleg$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toebase"),
    Family("LAFAN1", "^lefttoe$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}upleg {0}leg {0}foot {0}toe"),
    Family("Rokoko", "^leftthigh$", LONG, "hips", "head", _HUMAN_IK_ARM, "{0}thigh {0}shin {0}foot {0}toe"),
    Family("Xsens (BVH)", "^chest[34]$", LONG, "hips", "head", "{0}collar {0}shoulder {0}elbow {0}wrist",
           "{0}hip {0}knee {0}ankle {0}toe"),
    Family("Xsens (MVN)", "^t12$", LONG, "pelvis", "head", "{0}shoulder {0}upperarm {0}forearm {0}hand",
           "{0}upperleg {0}lowerleg {0}foot {0}toe"),
    Family("Unreal", "^clavicle[lr]$", SHORT, "pelvis", "head", "clavicle{0} upperarm{0} lowerarm{0} hand{0}",
           "thigh{0} calf{0} foot{0} ball{0}"),
    Family("Unity humanoid", "^leftupperleg$", LONG, "hips", "head", *_HUMANOID),
    Family("VRM (VRoid)", "^jbip", SHORT, "jbipchips", "jbipchead",
           "jbip{0}shoulder jbip{0}upperarm jbip{0}lowerarm jbip{0}hand",
           "jbip{0}upperleg jbip{0}lowerleg jbip{0}foot jbip{0}toebase"),
    Family("Bandai Namco", "^upperleg[lr]$", SHORT, "hips", "head", *_BEHIND),
    Family("SMPL", "^leftcollar$", LONG, "pelvis", "head", *_JOINTS),
    Family("SMPL (FBX)", "^lcollar$", SHORT, "pelvis", "head", *_JOINTS),
    Family("3ds Max Biped", "^bip", SHORT, "pelvis", "head", "{0}clavicle {0}upperarm {0}forearm {0}hand",
           "{0}thigh {0}calf {0}foot {0}toe0"),
)  # fmt: skip

_PREFIX = re.compile(r"^(?:mixamorig\d*|bip\d+|character\d+|mavg|favg)(?=.)")


def plain(name: str) -> str:
    """A joint's name without namespace, case, blanks, punctuation and what programs put before every name."""
    return _PREFIX.sub("", bare(name))


def bare(name: str) -> str:
    """A joint's name without namespace, case, blanks and punctuation."""
    last = re.split(r"[:|]", name)[-1] if not name.lower().startswith("mixamorig") else name
    return re.sub(r"[^a-z0-9]", "", last.lower())
