"""Clip: a skeleton in motion, as arrays over frames and joints; Playback: how an engine should play it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import Changeable, Timed, check_timing, frozen, frozen_quaternions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import WorldPose, forward, rotate

ROOT_MOTIONS = ("hips", "joint", "none")
LEADS, REPEATS = "leads into the first", "repeats the first"


@dataclass(frozen=True, eq=False)
class Playback(Changeable):
    """How an engine plays a clip; `travel` (3,) is the path along the ground in `seconds` (for a loop, in one pass).

    A loop of N frames lasts N frame times: its last frame leads into its first, and frame N is frame 0 moved by the
    travel. With `closing`, frame N is in the clip too, as its last frame. `root_motion` states where the travel is: on
    the hips, on a joint above them, or nowhere in the clip (none). `turn` is the rotation removed from a loop to make
    it straight, in radians. `events` are (seconds from the first frame, name) in order, such as feet touching down.
    """

    travel: Floats
    seconds: float
    loop: bool = False
    closing: bool = False
    cycles: int = 1
    turn: float = 0.0
    root_motion: str = "hips"
    events: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "travel", frozen(self.travel, "travel", (3,)))
        if not (np.isfinite(self.seconds) and self.seconds >= 0.0 and np.isfinite(self.turn)):
            raise InvalidMotion(f"a travel takes 0 seconds or more, not {self.seconds}")
        if self.root_motion not in ROOT_MOTIONS:
            raise InvalidMotion(f"root motion is one of {', '.join(ROOT_MOTIONS)}, not {self.root_motion!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Playback):
            return NotImplemented
        return self.summary() == other.summary()

    def __hash__(self) -> int:
        return hash((self.seconds, self.loop, self.closing, self.cycles))

    @property
    def speed(self) -> float:
        """Speed along the ground in lengths per second, in the direction of the travel."""
        return float(np.linalg.norm(self.travel)) / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def direction(self) -> Floats:
        """The travel at length 1, (3,); 0 if there is none."""
        length = float(np.linalg.norm(self.travel))
        return np.asarray(self.travel / length if length > 0.0 else np.zeros(3))

    def fits(self, frames: int, frame_time: float) -> bool:
        """Return whether a clip with this many frames matches this playback; a loop read at another rate does not."""
        return not self.loop or round(self.seconds / frame_time) == frames - self.closing

    def summary(self) -> dict[str, Any]:
        """Return plain values, for JSON and for files that can hold them."""
        out: dict[str, Any] = {"loop": self.loop}
        if self.loop:
            last = REPEATS if self.closing else LEADS
            out |= {"cycles": self.cycles, "last_frame": last, "turn_removed_deg": float(np.degrees(self.turn))}
        if self.events:
            out["events"] = [{"seconds": seconds, "name": name} for seconds, name in self.events]
        return out | {
            "seconds": self.seconds,
            "travel": self.travel.tolist(),
            "speed": self.speed,
            "direction": self.direction.tolist(),
            "root_motion": self.root_motion,
        }


def playback_from(values: Any) -> Playback | None:
    """Return the playback of a `summary`; None for any other content of a file."""
    if not isinstance(values, Mapping):
        return None
    try:
        return Playback(
            np.array(values["travel"], dtype=np.float64), float(values["seconds"]), bool(values["loop"]),
            values.get("last_frame") == REPEATS, int(values.get("cycles", 1)),
            float(np.radians(float(values.get("turn_removed_deg", 0.0)))), str(values["root_motion"]),
            tuple((float(event["seconds"]), str(event["name"])) for event in values.get("events", ())),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, OverflowError, InvalidMotion):
        return None


@dataclass(frozen=True, eq=False, repr=False)
class Clip(Timed):
    """A take or clip of a skeleton: how its root moves and its joints turn, frame by frame.

    Arrays are copied, checked and read-only. Any change of the motion drops `channels` and `playback`.

    Args:
        skeleton: The joints.
        frame_time: Seconds per frame, as the file has it.
        root: (frames, 3): the root's position in the world, in the file's unit of length.
        rotations: (frames, joints, 4): local rotations, unit quaternions w x y z.
        joint_translations: (frames, joints, 3), only if joints other than the root move relative to their parents;
            replaces the skeleton's offsets.
        channels: (frames, columns): the numbers of the file in its units, as long as they describe this motion.
        name: The name of the clip.
        provenance: Its source, and the operations applied to it.
        up: The vertical axis, "y" or "z".
        unit_m: Metres per unit of length, if known.
        playback: How to play a loop, or a clip whose travel was removed.
    """

    skeleton: Skeleton
    frame_time: float
    root: Floats
    rotations: Floats
    joint_translations: Floats | None = None
    channels: Floats | None = None
    name: str = ""
    provenance: str = ""
    up: str = "y"
    unit_m: float | None = None
    playback: Playback | None = None

    def __post_init__(self) -> None:
        self._check_fields({"root", "rotations", "joint_translations", "channels"})

    def _check_fields(self, fresh: set[str]) -> None:
        """Check all fields, but only the shapes of arrays that are not `fresh`: they are checked copies already."""
        put = object.__setattr__
        joints = len(self.skeleton)
        check_timing(self)
        if "root" in fresh:
            put(self, "root", frozen(self.root, "root", (None, 3)))
        frames = len(self.root)
        if frames == 0:
            raise InvalidMotion("a clip needs at least one frame")
        if "rotations" in fresh or self.rotations.shape != (frames, joints, 4):
            put(self, "rotations", frozen_quaternions(self.rotations, "rotations", (frames, joints, 4)))
        if self.joint_translations is not None:
            moved = np.array(self.joint_translations, dtype=np.float64)
            if moved.shape == (frames, joints, 3):
                moved[:, 0] = self.root
            put(self, "joint_translations", frozen(moved, "joint_translations", (frames, joints, 3)))
        if self.channels is not None:
            put(self, "channels", frozen(self.channels, "channels", (frames, self.skeleton.channel_count)))

    def __repr__(self) -> str:
        return f"Clip({self.name!r}, {len(self)} frames at {self.fps:g} fps, {len(self.skeleton)} joints)"

    def __len__(self) -> int:
        return len(self.root)

    @property
    def up_index(self) -> int:
        """The column of the vertical axis."""
        return "xyz".index(self.up)

    def local_translations(self) -> Floats:
        """Return the positions of joints relative to their parents.

        Returns:
            (frames, joints, 3): the root's position in the world, then each joint's offset from its parent.
        """
        if self.joint_translations is not None:
            return self.joint_translations
        out = np.empty((len(self), len(self.skeleton), 3))
        out[:] = self.skeleton.offsets
        out[:, 0] = self.root
        return out

    def bone_offsets(self) -> Floats:
        """Return the positions of joints relative to their parents, as an array for compiled functions.

        Returns:
            (1 or frames, joints, 3): one row if no joint moves relative to its parent.
        """
        moved = self.joint_translations
        return np.ascontiguousarray(self.skeleton.offsets[None] if moved is None else moved)

    def world(self) -> WorldPose:
        """Return the world pose of all joints, by forward kinematics.

        Returns:
            Positions (frames, joints, 3) in the clip's unit and rotations (frames, joints, 4).
        """
        return forward(self.skeleton.parents, self.local_translations(), self.rotations)

    def positions(self) -> Floats:
        """Return the world positions of all joints.

        Returns:
            (frames, joints, 3), in the clip's unit of length.
        """
        return self.world().positions

    def end_positions(self) -> Floats:
        """Return the world positions of the skeleton's tips.

        Returns:
            (frames, end sites, 3), in the clip's unit of length.
        """
        sites = self.skeleton.end_sites
        joints = [site.joint for site in sites]
        offsets = np.array([site.offset for site in sites]).reshape(-1, 3)
        pose = self.world()
        return pose.positions[:, joints] + rotate(pose.rotations[:, joints], offsets)

    def changed(self, **changes: Any) -> Clip:
        """Return a copy with some fields replaced.

        Args:
            changes: Fields by name. Changes of the motion drop the file's channels and the playback.

        Returns:
            The new clip; arrays that are not replaced are shared.
        """
        unknown = changes.keys() - self.__dataclass_fields__.keys()
        if unknown:
            raise TypeError(f"a clip has no field {sorted(unknown)[0]!r}")
        motion = {"skeleton", "root", "rotations", "joint_translations"}
        if motion & changes.keys():
            changes = {"channels": None, "playback": None, **changes}
        out = object.__new__(Clip)
        vars(out).update(vars(self), **changes)
        if changes.keys() - {"name", "provenance"}:
            out._check_fields(set(changes))
        return out

    def span(self, start: int, stop: int) -> Clip:
        """Return some frames, without playback; arrays are views of this clip's.

        Args:
            start: The first frame.
            stop: The frame after the last.

        Returns:
            The shorter clip.
        """
        out = copy(self)
        for name in ("root", "rotations", "joint_translations", "channels"):
            values = getattr(self, name)
            object.__setattr__(out, name, None if values is None else values[start:stop])
        object.__setattr__(out, "playback", None)
        return out

    def posed(self, local: Floats, rotations: Floats) -> Clip:
        """Return the clip with other poses.

        Args:
            local: (frames, joints, 3): positions of joints relative to their parents, as in `local_translations`; all
                but the root's count only if joints move relative to their parents.
            rotations: (frames, joints, 4): local rotations.

        Returns:
            The new clip.
        """
        moved = None if self.joint_translations is None else local
        return self.changed(root=local[:, 0], rotations=rotations, joint_translations=moved)

    def picked(self, rows: Any) -> Clip:
        """Return some frames, in any order, without playback.

        Args:
            rows: Their numbers, or a flag for each frame.

        Returns:
            The new clip, with the file's channels.
        """
        moved, channels = self.joint_translations, self.channels
        return self.changed(
            root=self.root[rows], rotations=self.rotations[rows],
            joint_translations=None if moved is None else moved[rows],
            channels=None if channels is None else channels[rows],
        )  # fmt: skip

    def single_frames(self) -> Iterator[Clip]:
        """Yield the frames as clips of one frame; their arrays are views of this clip's.

        Returns:
            One clip for each frame.
        """
        for frame, out in enumerate(self.posed_frames(self.root, self.rotations, self.joint_translations)):
            if self.channels is not None:
                object.__setattr__(out, "channels", self.channels[frame : frame + 1])
            yield out

    def posed_frames(self, root: Floats, rotations: Floats, moved: Floats | None = None) -> Iterator[Clip]:
        """Yield clips of one frame like this one, with other poses that are not checked.

        For live streams, in which checks would take most of the time.

        Args:
            root: (frames, 3): finite numbers; becomes read-only.
            rotations: (frames, joints, 4): unit quaternions; becomes read-only.
            moved: (frames, joints, 3): positions relative to the parents, if joints move.

        Returns:
            One clip for each frame; their arrays are views of those given.
        """
        shared = {**vars(self), "channels": None, "playback": None, "joint_translations": None}
        for values in (root, rotations):
            values.setflags(write=False)
        for frame in range(len(root)):
            out = object.__new__(Clip)
            vars(out).update(shared, root=root[frame : frame + 1], rotations=rotations[frame : frame + 1])
            if moved is not None:
                vars(out)["joint_translations"] = moved[frame : frame + 1]
            yield out
