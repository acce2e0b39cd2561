"""Read UsdSkel characters and their animations as clips."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.files import MOST_NUMBERS, SINGLE, stored_note
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.rig import (
    affine,
    choose_number,
    compose,
    distinct,
    moving_translations,
    naming,
    nearest_rotations,
    scale_free,
    stored_playback,
)
from freshtake.formats.usd.writing import NOTE, explained, open_stage, pxr
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_matrix, multiply, normalize, rotate, to_matrix


def _local(bones: _Bones, source: Any, codes: Floats) -> tuple[list[Floats], bool]:
    """Return local translations, rotations (w x y z) and scales (frames, joints, ...), and whether joints are moved.

    Joints that the animation lacks are at rest.
    """
    linear = bones.rest[:, :3, :3]
    rest = (bones.rest[:, 3, :3], nearest_rotations(linear.swapaxes(-1, -2)), np.linalg.norm(linear, axis=-1))
    arrays = [np.repeat(values[None], len(codes), axis=0) for values in rest]
    if source is None:
        return arrays, False
    animation = pxr().UsdSkel.Animation(source)
    listed = [str(joint) for joint in animation.GetJointsAttr().Get() or []]
    places = {path: k for k, path in enumerate(bones.paths)}
    matched = [k for k, path in enumerate(listed) if path in places]
    into = [places[listed[k]] for k in matched]
    attributes = (animation.GetTranslationsAttr(), animation.GetRotationsAttr(), animation.GetScalesAttr())
    for number, (attribute, width) in enumerate(zip(attributes, (3, 4, 3), strict=True)):
        # A constant attribute is read once, not for each frame.
        varies = len(attribute.GetTimeSamples()) > 1
        for frame, code in enumerate(codes if varies else codes[:1]):
            value = attribute.Get(float(code))
            values = np.zeros(0) if value is None else np.array(value, dtype=np.float64)
            if values.shape != (len(listed), width) or not np.isfinite(values).all():
                break
            # USD's arrays of quaternions have the real part last; we compute with it first.
            values = values[:, [3, 0, 1, 2]] if width == 4 else values
            arrays[number][frame if varies else slice(None), into] = values[matched]
    lengths = np.linalg.norm(arrays[1], axis=-1, keepdims=True)
    arrays[1] = np.where(lengths > 1e-9, normalize(np.where(lengths > 1e-9, arrays[1], 1.0)), [1.0, 0.0, 0.0, 0.0])
    return arrays, len(attributes[0].GetTimeSamples()) > 1


def _clip_pose(bones: _Bones, source: Any, codes: Floats) -> tuple[Floats, Floats, Floats]:
    """Return translations (frames, joints, 3; the root's in the world), rotations and rest offsets.

    Everything above the skeleton is folded into the root. `source` is the animation prim; None: the rest pose.
    """
    (places, turns, scales), animated = _local(bones, source, codes)
    above = np.empty((len(codes), 4, 4))
    cache = pxr().UsdGeom.XformCache()
    for frame, code in enumerate(codes):
        cache.SetTime(float(code))
        above[frame] = np.array(cache.GetLocalToWorldTransform(bones.prim)).T
    above = np.nan_to_num(above)
    linear = above[:, :3, :3]
    rigid = np.abs(linear @ linear.swapaxes(-1, -2) - np.eye(3)).max() < SINGLE and (np.linalg.det(linear) > 0).all()
    rest_scales = np.linalg.norm(bones.rest[:, :3, :3], axis=-1)
    # Without scale, rotations and translations are taken as written: matrices would cost their last digits.
    if rigid and np.abs(scales - 1.0).max() < SINGLE and np.abs(rest_scales - 1.0).max() < 1e-4:
        offsets = bones.rest[:, 3, :3].copy()
        # Most stages have no transform above the skeleton; multiplying by the identity would still round.
        if not np.array_equal(linear, np.broadcast_to(np.eye(3), linear.shape)):
            turns_above = from_matrix(linear)
            places[:, 0] = rotate(turns_above, places[:, 0])
            turns[:, 0] = multiply(turns_above, turns[:, 0])
        places[:, 0] += above[:, :3, 3]
        # Exact rest offsets instead of single precision, so the clip needs no joint translations.
        if not animated:
            places[:, 1:] = offsets[1:]
        return places, turns, offsets
    moving = affine(to_matrix(turns) * scales[..., None, :], places)
    at_rest = compose(bones.rest[None].swapaxes(-1, -2), bones.parents, above[:1])
    offsets = scale_free(at_rest, bones.parents)[0][0]
    return *scale_free(compose(moving, bones.parents, above), bones.parents), offsets


class _Take(NamedTuple):
    """An animation, and the variant set and name that have to be chosen for it, if any; the rest pose has no prim."""

    name: str
    prim: Any | None
    variant: tuple[Any, str] | None


class _Bones(NamedTuple):
    """The skeleton prim, its joints as paths, names and parents, and local rest matrices (joints, 4, 4)."""

    prim: Any
    paths: list[str]
    names: tuple[str, ...]
    parents: list[int]
    rest: Floats


def read(path: Path, options: ReadOptions) -> Clip:
    """Read one animation of the first skeleton: `options.animation`, else the first, with a note."""
    return _clips_in(path, options, every=False)[0]


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """Return all animations of the first skeleton, one clip each."""
    return _clips_in(path, options or ReadOptions(), every=True)


def _clips_in(path: Path, options: ReadOptions, every: bool) -> list[Clip]:
    """Return the clips of a file: all of them, or the chosen one."""
    stage = open_stage(path)
    with naming(path), explained(path, "the file is damaged"):
        bones = _bones(path, stage)
        takes = _takes(bones)
        if takes and not every:
            takes = [takes[choose_number(path, [take.name for take in takes], options)]]
        return [_clip(path, stage, bones, take, options) for take in takes or [_Take("", None, None)]]


def _bones(path: Path, stage: Any) -> _Bones:
    lib = pxr()
    skeletons = [prim for prim in stage.Traverse(lib.Usd.TraverseInstanceProxies()) if prim.IsA(lib.UsdSkel.Skeleton)]
    if not skeletons:
        raise FormatError(path, "there is no skeleton (UsdSkel) in the stage, so there is no motion to read")
    prim, place = skeletons[0], str(skeletons[0].GetPath())
    skeleton = lib.UsdSkel.Skeleton(prim)
    paths = [str(joint) for joint in skeleton.GetJointsAttr().Get() or []]
    if not paths or len(set(paths)) < len(paths):
        raise FormatError(path, "the skeleton has no joints, or lists one of them twice", place)
    parents = _parents(path, paths, place)
    stated = [str(name) for name in skeleton.GetJointNamesAttr().Get() or []]
    names = distinct(stated if len(stated) == len(paths) else [joint.rpartition("/")[2] for joint in paths])
    count, rest = len(paths), np.array(skeleton.GetRestTransformsAttr().Get() or [], dtype=np.float64)
    if rest.shape != (count, 4, 4):
        bind = np.array(skeleton.GetBindTransformsAttr().Get() or [], dtype=np.float64)
        if bind.shape != (count, 4, 4):
            raise FormatError(path, f"{count} joints need as many rest or bind transforms", place)
        if not np.isfinite(bind).all():  # the inversion of infinite numbers may never end
            raise FormatError(path, "a bind transform is not finite: export the character again", place)
        # Bind transforms are in the world, rest transforms relative to the parent.
        above = [np.eye(4) if parent < 0 else np.linalg.pinv(bind[parent]) for parent in parents]
        rest = bind @ np.stack(above)
    if not np.isfinite(rest).all():
        raise FormatError(path, "a rest transform is not finite: export the character again", place)
    return _Bones(prim, paths, tuple(names), parents, rest)


def _parents(path: Path, paths: list[str], place: str) -> list[int]:
    """Return the nearest joint above each; there is one root, and parents come first."""
    numbers = {joint: k for k, joint in enumerate(paths)}
    out = []
    for k, joint in enumerate(paths):
        above = joint.rpartition("/")[0]
        # Paths may leave out joints between two others (Hips/Spine/Head without Hips/Spine).
        while above and above not in numbers:
            above = above.rpartition("/")[0]
        out.append(numbers.get(above, -1))
        if out[-1] >= k or (out[-1] < 0) != (k == 0):
            raise FormatError(path, f"joint {joint[:80]!r} does not come after its parent, or is a second root", place)
    return out


def _takes(bones: _Bones) -> list[_Take]:
    """Return each variant that binds a different animation to the skeleton; if there is none, the bound animation."""
    lib, prim = pxr(), bones.prim
    out: list[_Take] = []

    def order(take: _Take) -> int:  # the place among its siblings: USD lists variants in another order
        return [child.GetPath() for child in take.prim.GetParent().GetAllChildren()].index(take.prim.GetPath())  # type: ignore[union-attr]

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
                    takes.append(_Take(_note(source).get("name") or variant, source, (one, variant)))
            # Restore the selection: the stage is left as it was read.
            one.SetVariantSelection(before)
            out = sorted(takes, key=order) if len(takes) > 1 else out
        holder = holder.GetParent()
    if out:
        return out
    source = lib.UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
    return [_Take(_note(source).get("name") or source.GetName(), source, None)] if source else []


def _note(prim: Any) -> dict[str, Any]:
    """Return the note that our writer stored in a prim; empty if there is none or it is invalid."""
    return stored_note(prim.GetCustomDataByKey(NOTE)) if prim else {}


def _clip(path: Path, stage: Any, bones: _Bones, take: _Take, options: ReadOptions) -> Clip:
    lib = pxr()
    if take.variant is not None:
        take.variant[0].SetVariantSelection(take.variant[1])
    codes, frame_time = _frames(path, stage, bones, take, options)
    translations, rotations, offsets = _clip_pose(bones, take.prim, codes)
    metres = float(lib.UsdGeom.GetStageMetersPerUnit(stage))
    return Clip(
        _skeleton(bones, offsets),
        frame_time,
        translations[:, 0],
        rotations,
        moving_translations(translations, offsets),
        name=take.name or path.stem,
        provenance=path.name,
        up="z" if str(lib.UsdGeom.GetStageUpAxis(stage)).upper() == "Z" else "y",
        unit_m=metres if np.isfinite(metres) and metres > 0 else None,
        playback=stored_playback(_note(take.prim).get("playback"), len(codes), frame_time),
    )


def _frames(path: Path, stage: Any, bones: _Bones, take: _Take, options: ReadOptions) -> tuple[Floats, float]:
    """Return the time codes of all frames and the seconds per frame: at the samples' step, else one frame per code."""
    rate = stage.GetTimeCodesPerSecond()
    if not (np.isfinite(rate) and rate > 0):
        raise FormatError(path, f"timeCodesPerSecond must be above 0, not {rate}")
    codes = _sampled(bones, take)
    noted = _note(take.prim).get("frame_time")
    if len(codes) < 2:
        return codes if len(codes) else np.zeros(1), _seconds(noted, 1.0, rate)
    step = float(np.median(np.diff(codes)))
    even = np.allclose(np.diff(codes), step, rtol=1e-6, atol=0)
    if options.fps is not None:
        step, even = rate / options.fps, False
    elif not even:
        step = 1.0
    count = len(codes) if even else int(min(np.floor((codes[-1] - codes[0]) / step + 1e-6), 1e12)) + 1
    if count * len(bones.paths) * 7 > max(MOST_NUMBERS, 100 * path.stat().st_size):
        raise FormatError(path, f"{count} frames of {len(bones.paths)} joints are too many for a file of this size")
    return (codes if even else codes[0] + step * np.arange(count)), _seconds(noted if even else None, step, rate)


def _seconds(noted: Any, step: float, rate: float) -> float:
    """Return the exact frame time that our writer stored, if it agrees with the time codes."""
    by_codes = step / rate
    return noted if isinstance(noted, float) and abs(noted / by_codes - 1.0) < 1e-6 else by_codes


def _sampled(bones: _Bones, take: _Take) -> Floats:
    """Return all time codes at which the animation, or something above the skeleton, has a value."""
    lib = pxr()
    codes: set[float] = set()
    if take.prim:
        animation = lib.UsdSkel.Animation(take.prim)
        for attribute in (animation.GetRotationsAttr(), animation.GetTranslationsAttr(), animation.GetScalesAttr()):
            codes |= set(attribute.GetTimeSamples())
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
