"""Read animations of a glTF file: tracks of keys, their frame times, and the poses that they give nodes and joints."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.files import SINGLE, SLOWEST_KEYS
from freshtake.formats.gltf.accessors import floats
from freshtake.formats.gltf.container import Container, Item
from freshtake.formats.gltf.nodes import MOVES, Character, Nodes, clean_name
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.rig import choose_number
from freshtake.motion import EndSite, Skeleton
from freshtake.motion.edit import nominal_frame_time
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import forward, inverse, levels, normalize, rotate, slerp, to_matrix

_KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}


class Track(NamedTuple):
    """Keys of one property of one node: times (keys,), values (keys, width) and, for splines, tangents."""

    node: int
    path: str
    interpolation: str
    times: Floats
    values: Floats
    tangents: tuple[Floats, Floats] | None = None  # into and out of each key, per second


@dataclass(frozen=True, eq=False)
class Animation:
    """A named set of tracks; if our writer noted them, the playback and the frame time, which keys round to float32."""

    name: str
    tracks: tuple[Track, ...]
    noted: dict[str, Any]


def choose_animation(container: Container, options: ReadOptions) -> int | None:
    """Return the number of the requested animation, by default the first that moves; None if the file has none."""
    items = container.top.items("animations")
    if not items:
        if options.animation is not None:
            raise FormatError(container.path, f"there is no animation {options.animation!r}: the file has none")
        return None
    names = [clean_name(item) for item in items]
    moving = [k for k, item in enumerate(items) if _has_keys(container, item)]
    return choose_number(container.path, names, options, moving)


def _has_keys(container: Container, animation: Item) -> bool:
    """Return whether any track of an animation has more than one key."""
    count = len(container.accessors)
    sources = (sampler.index("input", count, "accessor") for sampler in animation.items("samplers"))
    return any(source is not None and container.accessors[source].value.get("count") != 1 for source in sources)


def read_animation(container: Container, number: int, options: ReadOptions) -> Animation:
    """Return the tracks of one animation, checked."""
    item = container.top.items("animations")[number]
    samplers = item.items("samplers")
    tracks: dict[tuple[int, str], Track] = {}
    for channel in item.items("channels"):
        target = channel.needed("target")
        node, path = target.index("node", len(container.nodes), "node"), target.text("path")
        if node is None or path not in _KINDS:
            if path not in _KINDS:
                options.warn(f"{container.path.name}: {target.place} moves {path[:40]!r}, which is left out")
            continue
        if (node, path) in tracks:
            channel.fail(f"two channels animate the {path} of node {node}")
        sampler = channel.needed_index("sampler", len(samplers), "sampler")
        tracks[node, path] = _track(container, samplers[sampler], node, path)
    if not tracks:
        item.fail("the animation moves nothing", "channels")
    extras = item.value.get("extras")
    return Animation(clean_name(item), tuple(tracks.values()), extras if isinstance(extras, dict) else {})


def _track(container: Container, sampler: Item, node: int, path: str) -> Track:
    count = len(container.accessors)
    source, result = (sampler.needed_index(key, count, "accessor") for key in ("input", "output"))
    times = floats(container, source, "SCALAR")[:, 0]
    if (np.diff(times) <= 0).any():
        container.accessors[source].fail("key times must increase strictly")
    interpolation = sampler.text("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        sampler.fail(f"LINEAR, STEP or CUBICSPLINE was expected, not {interpolation[:20]!r}", "interpolation")
    values = floats(container, result, _KINDS[path])
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    width = MOVES.get(path, max(values.size // (parts * len(times)), 1))
    if values.size != len(times) * parts * width:
        place = container.accessors[result]
        place.fail(f"{len(times)} keys of {parts * width} numbers were expected, but there are {values.size} numbers")
    keys = values.reshape(len(times), parts, width)
    if path == "rotation":
        # glTF stores x, y, z, w; we use w first.
        keys = keys[..., [3, 0, 1, 2]]
    middle = keys[:, parts // 2]
    if path == "rotation":
        length = np.linalg.norm(middle, axis=-1, keepdims=True)
        if length.min() < 1e-3:
            container.accessors[result].fail(f"key {int(length.argmin())} is not a rotation: its length is 0")
        # A spline's values are not normalized, since its tangents belong to them as stored.
        middle = middle / length if interpolation != "CUBICSPLINE" else middle
    return Track(node, path, interpolation, times, middle, (keys[:, 0], keys[:, 2]) if parts == 3 else None)


def sample(track: Track, times: Floats) -> Floats:
    """Return values (frames, width) at the given times; before the first key and after the last they are constant."""
    keys = track.times
    times = np.clip(times, keys[0], keys[-1])
    low = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, max(len(keys) - 2, 0))
    high = np.minimum(low + 1, len(keys) - 1)
    span = np.where(high > low, keys[high] - keys[low], 1.0)
    share = (times - keys[low]) / span
    a, b = track.values[low], track.values[high]
    # After the last key the fraction is 1, which gives that key's value.
    if track.interpolation == "STEP":
        return np.where((share >= 1.0)[:, None], b, a)
    if track.tangents is not None:
        mixed = _hermite(a, span[:, None] * track.tangents[1][low], b, span[:, None] * track.tangents[0][high], share)
        # A cubic between unit quaternions leaves the sphere, and may pass through zero.
        if track.path != "rotation":
            return mixed
        return normalize(np.where(np.linalg.norm(mixed, axis=-1, keepdims=True) > 1e-9, mixed, a))
    if track.path == "rotation":
        return slerp(a, b, share)
    return np.asarray(a + share[:, None] * (b - a))


def _hermite(a: Floats, out: Floats, b: Floats, into: Floats, share: Floats) -> Floats:
    """Evaluate the cubic with these end values and (scaled) tangents: glTF 2.0, appendix C.5."""
    t = share[:, None]
    t2, t3 = t * t, t * t * t
    mixed: Floats = (2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * out + (3 * t2 - 2 * t3) * b + (t3 - t2) * into
    return mixed


class Timing(NamedTuple):
    """The times of frames, and the time between them."""

    times: Floats
    frame_time: float


def timing(container: Container, animation: Animation, options: ReadOptions, columns: int) -> Timing:
    """Return frames from the first to the last key: at `fps`, else at the keys' rate, else at 60 with a warning."""
    keys = np.unique(np.concatenate([track.times for track in animation.tracks]))
    # Keys that differ only by single precision are merged.
    keys = keys[np.diff(keys, prepend=-np.inf) > max(1e-7, 4e-7 * float(np.abs(keys).max()))]
    start, length = float(keys[0]), float(keys[-1] - keys[0])
    if options.fps is not None:
        step = 1.0 / options.fps
    else:
        step = _key_step(keys, animation.noted.get("freshtake_frame_time")) or 0.0
        if not step:
            step = 1.0 / 60.0
            if len(keys) > 1:
                name = f"{container.path.name}: animation {animation.name!r}"
                options.warn(f"{name} has keys at varying rates; it is read at 60 fps")
    slack = min(_slack(keys, step), 0.2)
    count = np.floor(length / step + slack) + 1
    # A file of a few bytes can span hours at a thousand frames a second: memory is bounded by its size.
    limit = max(1_000_000, container.size // 2)
    if not count * columns <= limit:
        raise FormatError(
            container.path,
            f"{length:g} s at {1 / step:g} fps would make {count:g} frames, too many for a file of this size: "
            "give a lower fps",
            f"animation {animation.name!r}",
        )
    times = start + step * np.arange(int(count))
    # A frame next to a key gets the key's time, so its values are read exactly as written.
    nearest = keys[np.clip(np.searchsorted(keys, times - slack * step), 0, len(keys) - 1)]
    return Timing(np.where(np.abs(nearest - times) <= slack * step, nearest, times), step)


def _key_step(keys: Floats, noted: object) -> float | None:
    """Return the frame time that puts every key on a frame; None if there is none or it is too long."""
    usable = isinstance(noted, float | int) and not isinstance(noted, bool) and 1e-9 < noted < 1e9
    if usable and _on_grid(keys, float(noted)):  # type: ignore[arg-type]
        return float(noted)  # type: ignore[arg-type]
    if len(keys) < 2:
        return None
    length, gaps = float(keys[-1] - keys[0]), np.diff(keys)
    # Try in order of likelihood: keys on every frame; most gaps one frame; at least one gap of one frame.
    for count in (len(gaps), length / float(np.median(gaps)), length / float(gaps.min())):
        rate = max(round(count), 1) / length
        if rate >= SLOWEST_KEYS and _on_grid(keys, 1.0 / rate):
            return nominal_frame_time(1.0 / rate, SINGLE)
    return None


def _on_grid(keys: Floats, step: float) -> bool:
    places, slack = (keys - keys[0]) / step, _slack(keys, step)
    return slack < 0.2 and bool((np.abs(places - np.round(places)) <= slack).all())


def _slack(keys: Floats, step: float) -> float:
    """Return the tolerance, in frames, for a key to be on a frame: near 100 s, float32 resolves 8 µs."""
    return 1e-3 + 2e-7 * float(np.abs(keys).max()) / step


@dataclass(frozen=True, eq=False)
class LocalPose:
    """Local transforms (frames, nodes, ...) of some nodes with all their ancestors, parents first."""

    nodes: list[int]
    parents: Ints  # indices among these nodes
    translations: Floats
    rotations: Floats
    scales: Floats
    sheared: dict[int, Floats]  # by index among these nodes

    @cached_property
    def _places(self) -> dict[int, int]:
        return {node: k for k, node in enumerate(self.nodes)}

    def place(self, node: int) -> int:
        """Return the index among these nodes for the number of a node in the file."""
        return self._places[node]


class WorldMatrices(NamedTuple):
    """x_world = linear x + positions, per frame and node: (frames, nodes, 3, 3) and (frames, nodes, 3)."""

    linear: Floats
    positions: Floats


class JointPose(NamedTuple):
    """A clip's arrays: translations (frames, joints, 3; the root's in the world) and rotations (frames, joints, 4).

    `exact` is False if scale is animated, differs by axis or reflects: rotations then do not give the positions.
    """

    translations: Floats
    rotations: Floats
    exact: bool


def sampled_pose(nodes: Nodes, node_numbers: list[int], tracks: tuple[Track, ...], times: Floats) -> LocalPose:
    """Return these nodes and their ancestors at the given times; nodes without tracks stay at rest."""
    used = nodes.with_ancestors(node_numbers)
    place = {node: k for k, node in enumerate(used)}
    parents = np.array([place.get(int(nodes.parents[n]), -1) for n in used])
    rest = {"translation": nodes.translations, "rotation": nodes.rotations, "scale": nodes.scales}
    arrays = {path: np.repeat(values[None, used], len(times), axis=0) for path, values in rest.items()}
    moved = set()
    for track in tracks:
        if track.node in place and track.path in arrays:
            arrays[track.path][:, place[track.node]] = sample(track, times)
            moved.add(track.node)
    sheared = {place[n]: matrix for n, matrix in nodes.sheared.items() if n in place and n not in moved}
    return LocalPose(used, parents, arrays["translation"], arrays["rotation"], arrays["scale"], sheared)


def rest_pose(nodes: Nodes, node_numbers: list[int]) -> LocalPose:
    """Return the rest pose, one frame."""
    return sampled_pose(nodes, node_numbers, (), np.zeros(1))


def world_matrices(pose: LocalPose) -> WorldMatrices:
    """Multiply the local matrices T R S from the roots down."""
    linear = to_matrix(pose.rotations) * pose.scales[..., None, :]
    positions = pose.translations.copy()
    for place, matrix in pose.sheared.items():
        linear[:, place] = matrix[:3, :3]
    # Level by level: all parents are complete before their children are placed, with one product for each level.
    for joints, above in levels(tuple(pose.parents.tolist())):
        positions[:, joints] = positions[:, above] + np.einsum("fnij,fnj->fni", linear[:, above], positions[:, joints])
        linear[:, joints] = linear[:, above] @ linear[:, joints]
    return WorldMatrices(linear, positions)


def joint_pose(pose: LocalPose, character: Character) -> JointPose:
    """Return the pose with the file's world positions; transforms of nodes above the root are folded into the root.

    Scale that is uniform, constant and positive multiplies the translations below it. Any other scale is kept in
    the positions alone: the translations then absorb what rotations cannot express.
    """
    scales = _uniform_scales(pose)
    joints = [pose.place(node) if node >= 0 else -1 for node in character.nodes]
    if scales is not None:
        local = pose.translations * scales[:, None]
        turning = forward(pose.parents, local, pose.rotations)
        return JointPose(*_gather(joints, local, pose.rotations, turning.positions, turning.rotations), True)
    turning = forward(pose.parents, pose.translations, pose.rotations)
    positions, world = world_matrices(pose).positions, turning.rotations
    local = positions.copy()
    # Rotations cannot express the scale, so translations are chosen that put joints where the matrices do.
    below = np.flatnonzero(pose.parents >= 0)
    above = pose.parents[below]
    local[:, below] = rotate(inverse(world[:, above]), positions[:, below] - positions[:, above])
    return JointPose(*_gather(joints, local, pose.rotations, positions, world), False)


def _gather(
    joints: list[int], translations: Floats, rotations: Floats, positions: Floats, world: Floats
) -> tuple[Floats, Floats]:
    """Return local values of the joints, world values for the root (the identity for a root not in the file)."""
    moved, turned = translations[:, joints], rotations[:, joints]
    if joints[0] >= 0:
        moved[:, 0], turned[:, 0] = positions[:, joints[0]], world[:, joints[0]]
    else:
        moved[:, 0], turned[:, 0] = 0.0, np.array([1.0, 0.0, 0.0, 0.0])
    return moved, turned


def _uniform_scales(pose: LocalPose) -> Floats | None:
    """Return the scale (nodes,) of each node's translation, None if one is not uniform, constant and positive."""
    scales = pose.scales[0, :, 0]
    inner = np.unique(pose.parents[pose.parents >= 0])
    spread = np.abs(pose.scales[:, inner] - scales[inner, None]).max(initial=0.0, axis=(0, 2))
    # Tolerates rounding, such as 1.000001 for 1.
    if (scales[inner] <= 0).any() or (spread > 5e-6 * np.abs(scales[inner])).any():
        return None
    if not set(pose.sheared).isdisjoint(inner.tolist()):
        return None
    total = np.ones(len(scales))
    for k, parent in enumerate(pose.parents.tolist()):
        if parent >= 0:
            total[k] = total[parent] * scales[parent]
    return total


def rest_skeleton(nodes: Nodes, character: Character, rest: JointPose) -> Skeleton:
    """Return rest offsets from the nodes; bare leaves below joints become end sites."""
    sites = []
    if character.tips:
        tips = [node for _, node in character.tips]
        with_tips = Character(
            (*character.nodes, *tips),
            np.array([*character.parents.tolist(), *[joint for joint, _ in character.tips]]),
            (*character.names, *[str(node) for node in tips]),
            (),
        )
        places = joint_pose(rest_pose(nodes, [*character.nodes, *tips]), with_tips).translations[
            0, len(character.nodes) :
        ]
        for (joint, node), offset in zip(character.tips, places.tolist(), strict=True):
            sites.append(EndSite(joint, (offset[0], offset[1], offset[2]), clean_name(nodes.items[node])))
    return Skeleton(character.names, character.parents, rest.translations[0], tuple(sites))
