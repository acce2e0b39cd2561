"""Broken USD stages."""

from __future__ import annotations

from tests.broken.case import Case

GOOD = """#usda 1.0
(
    timeCodesPerSecond = 24
)
def SkelRoot "Body" {
    def Skeleton "Bones" (prepend apiSchemas = ["SkelBindingAPI"]) {
        rel skel:animationSource = </Body/Move>
        uniform token[] joints = ["hip", "hip/knee"]
        uniform matrix4d[] restTransforms = [
            ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,5,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,3,1))]
    }
    def SkelAnimation "Move" {
        uniform token[] joints = ["hip", "hip/knee"]
        float3[] translations = [(0,0,5),(0,0,3)]
        quatf[] rotations.timeSamples = { 1: [(1,0,0,0),(1,0,0,0)], 2: [(1,0,0,0),(0,1,0,0)] }
        half3[] scales = [(1,1,1),(1,1,1)]
    }
}
"""


def edited(*changes: tuple[str, str]) -> str:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def case(title: str, text: str, *says: str) -> Case:
    return Case(f"usd: {title}", "x.usda", text, ("x.usda", *says))


USD = (
    case("cut", GOOD[:400], "the file is damaged"),
    case("no skeleton", edited(("def Skeleton", "def Scope")), "no skeleton (UsdSkel)"),
    case("no joints", edited(('joints = ["hip", "hip/knee"]', "joints = []")), "/Body/Bones", "no joints"),
    case("joint twice", edited(('"hip/knee"]', '"hip"]')), "one of them twice"),
    case("second root", edited(('"hip/knee"]', '"knee"]')), "'knee'", "second root"),
    case("child first", edited(('["hip", "hip/knee"]', '["hip/knee", "hip"]')), "does not come after its parent"),
    case("too few rest transforms", edited(("(0,0,5,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),", "")), "as many rest"),
    case("rest not finite", edited(("(0,0,5,1)", "(0,0,inf,1)")), "not finite"),
    case("no rate", edited(("= 24", "= 0")), "timeCodesPerSecond"),
    case(
        "frames beyond all proportion",
        edited((" 2: [", " 2e12: ["), ("1: [", "0: [(1,0,0,0),(1,0,0,0)], 1: [")),
        "too many",
    ),
    case(
        "reference out of the folder",
        edited(("def SkelRoot", 'def "A" (references = @../x.usda@) {}\ndef SkelRoot')),
        "leads out",
    ),
    Case("usd: binary cut", "x.usdc", b"PXR-USDC\x00\x08" + bytes(60), ("x.usdc", "the file is damaged")),
)
