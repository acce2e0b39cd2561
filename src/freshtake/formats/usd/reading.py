"""UsdSkel as clips: the first skeleton of a stage, moved by its animation and by everything above it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.clip_sets import chosen_number
from freshtake.formats.gltf.nodes import distinct
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.usd.library import explained, pxr
from freshtake.formats.usd.opening import open_stage
from freshtake.formats.usd.pose import StagePose, clip_pose, local_matrices
from freshtake.formats.usd.writing import NOTE
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.playback import playback_from
from freshtake.numeric.arrays import Floats

_MOST = 20_000_000  # numbers of a clip that a small file may ask for


class _Take(NamedTuple):
    """An animation, and which variant has to be chosen for it (set, name), if any."""

    name: str
    prim: Any
    variant: tuple[str, str] | None


class _Bones(NamedTuple):
    """The skeleton prim, its joints as paths, names and parents, and local rest matrices (joints, 4, 4)."""

    prim: Any
    paths: list[str]
    names: tuple[str, ...]
    parents: list[int]
    rest: Floats


def clips_in(path: Path, options: ReadOptions, every: bool) -> list[Clip]:
    """The clips of a file: all of them, or the chosen one."""
    try:
        stage = open_stage(path)
        with explained(path, "the file is damaged"), np.errstate(all="ignore"):
            bones = _bones(path, stage)
            takes = _takes(bones)
            if not every:
                takes = [takes[chosen_number(path, [take.name for take in takes], options)]] if takes else []
            if not takes:
                return [_clip(path, stage, bones, None, options)]
            return [_clip(path, stage, bones, take, options) for take in takes]
    except InvalidMotion as error:
        raise FormatError(path, str(error)) from None


def _bones(path: Path, stage: Any) -> _Bones:
    lib = pxr()
    skeletons = [prim for prim in stage.Traverse(lib.Usd.TraverseInstanceProxies()) if prim.IsA(lib.UsdSkel.Skeleton)]
    if not skeletons:
        raise FormatError(path, "there is no skeleton (UsdSkel) in the stage, so there is no motion to read")
    prim, place = skeletons[0], str(skeletons[0].GetPath())
    skeleton = lib.UsdSkel.Skeleton(prim)
    paths = [str(joint) for joint in skeleton.GetJointsAttr().Get() or []]
    if not paths or len(set(paths)) < len(paths):
        raise FormatError(path, "the skeleton has no joints, or one of them twice", place)
    parents = _parents(path, paths, place)
    stated = [str(name) for name in skeleton.GetJointNamesAttr().Get() or []]
    names = distinct(stated if len(stated) == len(paths) else [joint.rpartition("/")[2] for joint in paths])
    count, rest = len(paths), _array(skeleton.GetRestTransformsAttr().Get())
    if rest.shape != (count, 4, 4):
        bind = _array(skeleton.GetBindTransformsAttr().Get())
        if bind.shape != (count, 4, 4):
            raise FormatError(path, f"{count} joints need as many rest or bind transforms", place)
        rest = local_matrices(bind, parents)
    if not np.isfinite(rest).all():
        raise FormatError(path, "a rest transform is not finite", place)
    return _Bones(prim, paths, tuple(names), parents, rest)


def _parents(path: Path, paths: list[str], place: str) -> list[int]:
    """The nearest joint above each; there is one root, and parents come first."""
    numbers = {joint: k for k, joint in enumerate(paths)}
    out = []
    for k, joint in enumerate(paths):
        above = joint.rpartition("/")[0]
        while above and above not in numbers:
            above = above.rpartition("/")[0]
        out.append(numbers.get(above, -1))
        if out[-1] >= k or (out[-1] < 0) != (k == 0):
            raise FormatError(path, f"joint {joint[:80]!r} does not come after its parent, or is a second root", place)
    return out


def _array(values: Any) -> Floats:
    return np.zeros(0) if values is None else np.array(values, dtype=np.float64)


def _takes(bones: _Bones) -> list[_Take]:
    """Each variant that gives the skeleton another animation; without such, the one that it has."""
    lib, prim = pxr(), bones.prim
    out: list[_Take] = []
    holder = prim
    while holder and not out:
        sets = holder.GetVariantSets()
        for name in sets.GetNames():
            one = sets.GetVariantSet(name)
            before = one.GetVariantSelection()
            takes: list[_Take] = []
            for variant in one.GetVariantNames()[:10_000]:
                one.SetVariantSelection(variant)
                source = lib.UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
                if source and source not in [take.prim for take in takes]:
                    takes.append(_Take(_note(source).get("name") or variant, source, (name, variant)))
            one.SetVariantSelection(before)
            out = sorted(takes, key=lambda take: _order(take.prim)) if len(takes) > 1 else out
        holder = holder.GetParent()
    if out:
        return out
    source = lib.UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
    return [_Take(_note(source).get("name") or source.GetName(), source, None)] if source else []


def _order(prim: Any) -> int:
    """Where a prim stands among its siblings: names of variants come back in another order."""
    return [str(child.GetPath()) for child in prim.GetParent().GetAllChildren()].index(str(prim.GetPath()))


def _note(prim: Any) -> dict[str, Any]:
    """What our writer left beside a prim; empty where nothing is or it is no longer what it was."""
    try:
        note = json.loads(str(prim.GetCustomDataByKey(NOTE) or "{}"))
    except (ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}


def _clip(path: Path, stage: Any, bones: _Bones, take: _Take | None, options: ReadOptions) -> Clip:
    lib = pxr()
    if take is not None and take.variant is not None:
        _select(bones.prim, *take.variant)
    codes, frame_time = _frames(path, stage, bones, take, options)
    source = None if take is None else take.prim
    pose = clip_pose(StagePose(bones.prim, bones.paths, bones.parents, bones.rest, source), codes)
    offsets = pose.offsets
    moving = pose.translations if pose.moving else None
    note = {} if take is None else _note(take.prim)
    playback = playback_from(note.get("playback"))
    return Clip(
        _skeleton(bones, offsets),
        frame_time,
        pose.translations[:, 0],
        pose.rotations,
        moving,
        name=(take.name if take is not None else "") or path.stem,
        provenance=path.name,
        up="z" if str(lib.UsdGeom.GetStageUpAxis(stage)).upper() == "Z" else "y",
        unit_m=_unit(lib.UsdGeom.GetStageMetersPerUnit(stage)),
        playback=playback if playback is not None and playback.fits(len(codes), frame_time) else None,
    )


def _unit(metres: float) -> float | None:
    return float(metres) if np.isfinite(metres) and metres > 0 else None


def _select(prim: Any, name: str, variant: str) -> None:
    while prim:
        if name in prim.GetVariantSets().GetNames():
            prim.GetVariantSets().GetVariantSet(name).SetVariantSelection(variant)
            return
        prim = prim.GetParent()


def _frames(path: Path, stage: Any, bones: _Bones, take: _Take | None, options: ReadOptions) -> tuple[Floats, float]:
    """Time codes of all frames, and seconds from one to the next: at the samples' own step, else one code each."""
    rate = stage.GetTimeCodesPerSecond()
    if not (np.isfinite(rate) and rate > 0):
        raise FormatError(path, f"timeCodesPerSecond must be above 0, not {rate}")
    codes = _sampled(bones, take)
    noted = _note(take.prim).get("frame_time") if take is not None else None
    if len(codes) < 2:
        return codes if len(codes) else np.zeros(1), _seconds(noted, 1.0, rate)
    step = float(np.median(np.diff(codes)))
    even = np.allclose(np.diff(codes), step, rtol=1e-6, atol=0)
    if options.fps is not None:
        step, even = rate / options.fps, False
    elif not even:
        step = 1.0
    count = len(codes) if even else int(min(np.floor((codes[-1] - codes[0]) / step + 1e-6), 1e12)) + 1
    if count * len(bones.paths) * 7 > max(_MOST, 100 * path.stat().st_size):
        raise FormatError(path, f"{count} frames of {len(bones.paths)} joints are too many for a file of this size")
    return (codes if even else codes[0] + step * np.arange(count)), _seconds(noted if even else None, step, rate)


def _seconds(noted: Any, step: float, rate: float) -> float:
    """The exact frame time that our writer noted, where it is the one that the codes say."""
    by_codes = step / rate
    return noted if isinstance(noted, float) and abs(noted / by_codes - 1.0) < 1e-6 else by_codes


def _sampled(bones: _Bones, take: _Take | None) -> Floats:
    """All time codes at which the animation, or something above the skeleton, has a value."""
    lib = pxr()
    codes: set[float] = set()
    if take is not None:
        animation = lib.UsdSkel.Animation(take.prim)
        for attribute in (
            animation.GetRotationsAttr(),
            animation.GetTranslationsAttr(),
            animation.GetScalesAttr(),
        ):
            codes.update(attribute.GetTimeSamples())
    prim = bones.prim
    while prim:
        if prim.IsA(lib.UsdGeom.Xformable):
            codes.update(lib.UsdGeom.Xformable(prim).GetTimeSamples())
        prim = prim.GetParent()
    out = np.array(sorted(codes), dtype=np.float64)
    return out[np.isfinite(out)]


def _skeleton(bones: _Bones, offsets: Floats) -> Skeleton:
    note = _note(bones.prim)
    plain = Skeleton(bones.names, np.array(bones.parents), offsets)
    try:
        sites = tuple(EndSite(int(j), (float(x), float(y), float(z)), str(n)) for j, x, y, z, n in note["end_sites"])
        channels = tuple(tuple(str(layout).split()) for layout in note.get("channels", []))
        orders = tuple(map(str, note.get("orders", [])))
        return Skeleton(bones.names, plain.parents, offsets, sites, channels, orders)
    except (KeyError, TypeError, ValueError, OverflowError, InvalidMotion):
        return plain
