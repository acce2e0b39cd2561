"""Plan feet frame by frame, compiled: contacts of heel and toe, smooth offsets that fix feet in place, sinking hips."""

import math

from freshtake.motion.planting.contacts import ContactSettings
from freshtake.motion.planting.limb_leading import FULL, place_path, straight_length
from freshtake.motion.planting.rig import Bones, Frames, Ground, Pace, Scene
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import uncounted
from freshtake.numeric.limb_kernels import copy_into, quintic
from freshtake.numeric.smooth_path import EDGE, PathScratch, smooth_paths

HEEL = 0.25  # foot lengths by which the heel is behind the ankle
ROLLED = 0.026  # leg lengths: a heel or toe this much higher than the other has left the floor
BEGIN, CONTINUE = 0.5, 0.4  # contact strengths that begin and continue a contact
ABOVE, BESIDE = ContactSettings.pelvis_above, ContactSettings.beside
FLOOR = 3.0  # factor on the weight that keeps a foot above the floor, relative to the weight that keeps it in place
KEPT_BENT, MOVED = math.radians(8.0), 0.005  # minimum bend of a knee if its foot is moved by more than MOVED legs


@uncounted
def plane_of(up: int) -> tuple[int, int]:
    """Return the two horizontal axes."""
    return (1, 2) if up == 0 else ((0, 2) if up == 1 else (0, 1))


@uncounted
def heel_into(ankle: Floats, toe: Floats, up: int, below: float, out: Floats) -> None:
    """Compute the heel's point on the floor: below the ankle and a little behind it, turned with the foot's pitch."""
    a, b = plane_of(up)
    x, y, z = toe[a] - ankle[a], toe[b] - ankle[b], toe[up] - ankle[up]
    run = math.hypot(x, y)
    length = math.hypot(run, z)
    if length == 0.0:
        copy_into(ankle, out)
        return
    # The pitch against a flat foot, whose ankle is `below` above its toe.
    turned = math.asin(min(max(below / length, -1.0), 1.0)) - math.atan2(-z, run)  # above 0: toes up
    back = (below * math.sin(turned) - HEEL * length * math.cos(turned)) / max(run, 1e-12)
    out[a] = ankle[a] + x * back
    out[b] = ankle[b] + y * back
    out[up] = ankle[up] - below * math.cos(turned) - HEEL * length * math.sin(turned)


@uncounted
def place_legs(
    bones: Bones, ground: Ground, offsets: Floats, frames: Frames, frame: int, places: Floats, turns: Floats
) -> None:
    """Compute the points of all legs of a frame, and the feet below the pelvis; workspaces as in place_path."""
    frame_offsets = offsets[min(frame, len(offsets) - 1)]
    a, b = plane_of(ground.up)
    for leg in range(frames.points.shape[1]):
        place_path(bones, leg, frames.root[frame], frames.rotations[frame], frame_offsets, places, turns)
        points = frames.points[frame, leg]
        copy_into(places[bones.at[leg, 0]], points[0])
        copy_into(places[bones.at[leg, 2]], points[1])
        if bones.at[leg, 3] < 0:
            copy_into(points[1], points[2])
            copy_into(points[1], points[3])
        else:
            copy_into(places[bones.at[leg, 3]], points[3])
            heel_into(points[1], points[3], ground.up, ground.below[leg], points[2])
        pelvis = places[ground.pelvis]
        beside = math.hypot(pelvis[a] - points[1, a], pelvis[b] - points[1, b])
        above = pelvis[ground.up] - points[1, ground.up]
        over = above >= ABOVE * ground.leg and beside <= above + BESIDE * ground.leg
        frames.over[frame, leg] = 1 if over else 0


@uncounted
def classify(ground: Ground, pace: Pace, frames: Frames, frame: int, known: int) -> None:
    """Compute `raw` of a frame from contact strength, whether heel or toe is down and, if careful, height and speed."""
    a, b = plane_of(ground.up)
    first, last = max(frame - pace.reach, 0), min(frame + pace.reach, known - 1)
    for leg in range(frames.points.shape[1]):
        heel = frames.points[frame, leg, 2, ground.up] - ground.soles[leg, 0, 0]
        toe = frames.points[frame, leg, 3, ground.up] - ground.soles[leg, 1, 0]
        for point in range(2):
            height = heel if point == 0 else toe
            sure = frames.strength[frame, leg, point]
            raw = 2 if sure >= BEGIN else (1 if sure >= CONTINUE else 0)
            # A foot that rolls has one end in the air: that end has no contact, however slow it is.
            rolled = height - min(heel, toe) > ROLLED * ground.leg
            if rolled:
                raw = 0
            if pace.careful and (raw or pace.rest_on > 0.0):
                # Speed over a window, because single frames of recordings are noisy.
                x = frames.points[last, leg, 2 + point, a] - frames.points[first, leg, 2 + point, a]
                y = frames.points[last, leg, 2 + point, b] - frames.points[first, leg, 2 + point, b]
                speed = math.hypot(x, y) / max(last - first, 1)
                begins, ends = (pace.speed_on, pace.speed_off) if raw else (pace.rest_on, pace.rest_off)
                if frames.over[frame, leg] == 0 or height > pace.height_off or speed > ends or rolled:
                    raw = 0
                elif height > pace.height_on or speed > begins:
                    raw = 1
                else:
                    raw = raw or 2
            frames.raw[frame, leg, point] = raw


@uncounted
def settle(ground: Ground, pace: Pace, frames: Frames, frame: int, classified: int, started: bool) -> None:
    """Settle the contacts of a frame from `raw` of this and the next frames; `started`: whether a frame precedes it.

    A contact continues over short pauses and begins only where it will last.
    """
    a, b = plane_of(ground.up)
    for leg in range(frames.points.shape[1]):
        for point in range(2):
            on = started and frames.contacts[frame - 1, leg, point] == 1
            if on:
                stays = False
                # A short pause is a glitch: the contact continues if it resumes within the bridge.
                for k in range(frame, min(frame + pace.bridged, classified)):
                    stays = stays or frames.raw[k, leg, point] > 0
                on = stays
            else:
                lasts, begins = True, False
                # A touch that does not last is not a contact, or feet would stick in mid-swing.
                for k in range(frame, min(frame + pace.shortest, classified)):
                    lasts = lasts and frames.raw[k, leg, point] > 0
                    begins = begins or frames.raw[k, leg, point] == 2
                on = lasts and begins
            frames.contacts[frame, leg, point] = 1 if on else 0
        planted = frames.contacts[frame, leg, 0] == 1 or frames.contacts[frame, leg, 1] == 1
        if not started:
            frames.age[frame, leg] = 1 << 20 if planted else -1  # the contact began before the first frame
            frames.pivot[frame, leg, 0] = frames.pivot[frame, leg, 1] = 0.0
            continue
        frames.age[frame, leg] = frames.age[frame - 1, leg] + 1 if planted else -1
        for k in range(2):
            frames.pivot[frame, leg, k] = frames.pivot[frame - 1, leg, k]
        # The toe comes first: in the roll of a step the foot turns about it.
        for point in (1, 0):
            if frames.contacts[frame, leg, point] == 1 and frames.contacts[frame - 1, leg, point] == 1:
                here, before = frames.points[frame, leg, 2 + point], frames.points[frame - 1, leg, 2 + point]
                frames.pivot[frame, leg, 0] += here[a] - before[a]
                frames.pivot[frame, leg, 1] += here[b] - before[b]
                break


@uncounted
def plan_foot(scene: Scene, leg: int, frame: int, last: int, scratch: PathScratch, plan: Floats, firm: Floats) -> None:
    """Plan offsets (frames, 3) of a foot from `frame` to `last`, and how firmly it is planted (frames,)."""
    ground, pace, frames, memory = scene
    count, up = last - frame, ground.up
    a, b = plane_of(up)
    _grips(pace, frames, leg, frame, last, firm)
    _holding_offsets(scene, leg, frame, last, firm, scratch.targets)
    for k in range(count):
        # Least squares with a weak pull to 0: where nothing fixes the foot, its offset fades out smoothly.
        weight = pace.free + firm[k] * pace.stand
        share = firm[k] * pace.stand / weight
        scratch.weights[k, a] = scratch.weights[k, b] = weight
        scratch.targets[k, a] *= share
        scratch.targets[k, b] *= share
        lift, contact_strength = _lift(frames, leg, frame + k, firm[k])
        scratch.weights[k, up] = pace.free + contact_strength * pace.height
        scratch.targets[k, up] = lift * contact_strength * pace.height / scratch.weights[k, up]
    for k in range(3):
        # Continue from the offsets already used: frames already returned cannot change.
        copy_into(memory.offsets[leg, k], scratch.past[k])
    smooth_paths(scratch, count, memory.known[0])
    again = False
    for k in range(count):  # the path may dip below the floor next to a contact: repeat, keeping such frames above
        sunk = _sunk(frames, leg, frame + k, firm[k])
        # Ignore depths below the floor that are too small to see.
        if scratch.path[EDGE + k, up] < sunk - 1e-3 * ground.leg:
            scratch.weights[k, up], scratch.targets[k, up], again = FLOOR * pace.height, sunk, True
    if again:
        smooth_paths(scratch, count, memory.known[0])
    for k in range(count):
        copy_into(scratch.path[EDGE + k], plan[k])


@uncounted
def _grips(pace: Pace, frames: Frames, leg: int, frame: int, last: int, firm: Floats) -> None:
    """Compute how firmly a foot is planted: 1 in a contact, with ramps at the ends; contacts continue beyond `last`."""
    # Assume that a contact continues beyond the last known frame.
    left = 1 << 20
    for k in range(last - frame - 1, -1, -1):
        age = frames.age[frame + k, leg]
        left = left + 1 if age >= 0 else 0
        if age < 0:
            firm[k] = 0.0
        elif age >= pace.ramp and left > pace.ramp:
            firm[k] = 1.0
        else:
            firm[k] = quintic((age + 1.0) / (pace.ramp + 1.0)) * quintic(left / (pace.ramp + 1.0))


@uncounted
def _holding_offsets(scene: Scene, leg: int, frame: int, last: int, firm: Floats, targets: Floats) -> None:
    """Compute offsets (frames, 3) along the ground that keep the foot at its mean place in a contact, 0 in the air."""
    ground, pace, frames, memory = scene
    a, b = plane_of(ground.up)
    k = frame
    while k < last:
        if frames.age[k, leg] < 0:
            targets[k - frame, a] = targets[k - frame, b] = 0.0
            k += 1
            continue
        end = k
        x = y = total = 0.0
        while end < last and frames.age[end, leg] >= 0:
            w = firm[end - frame] + 1e-9
            x += w * frames.pivot[end, leg, 0]
            y += w * frames.pivot[end, leg, 1]
            total += w
            end += 1
        x /= total
        y /= total
        if k == frame:
            if memory.known[0] > 0 and frames.age[k, leg] > 0:
                x, y = _drifted(pace, memory.centers[leg], frames.pivot[k, leg], x, y)
            memory.centers[leg, 0], memory.centers[leg, 1] = x, y
        for i in range(k, end):
            targets[i - frame, a] = x - frames.pivot[i, leg, 0]
            targets[i - frame, b] = y - frames.pivot[i, leg, 1]
        k = end


@uncounted
def _drifted(pace: Pace, center: Floats, pivot: Floats, x: float, y: float) -> tuple[float, float]:
    """Return the next frame's center of a contact, which follows the mean (x, y), faster beyond `drift_radius`."""
    # A foot that really slides would be pulled ever harder: let its center follow, faster if it is far away.
    square = ((center[0] - pivot[0]) ** 2 + (center[1] - pivot[1]) ** 2) / (pace.drift_radius * pace.drift_radius)
    share = min(pace.drift * (1.0 + 10.0 * square), 1.0)
    return center[0] + share * (x - center[0]), center[1] + share * (y - center[1])


@uncounted
def find_lifts(ground: Ground, pace: Pace, frames: Frames, frame: int) -> None:
    """Compute `lifts` of a frame with settled contacts: they keep feet above the floor, and on it during contacts."""
    for leg in range(frames.points.shape[1]):
        points = frames.points[frame, leg]
        heel = ground.soles[leg, 0, 0] - points[2, ground.up]
        frames.lifts[frame, leg, 0] = max(heel, ground.soles[leg, 1, 0] - points[3, ground.up])
        # Move down onto the floor only during a contact, by the part nearest to the floor.
        over = 1e300
        for point in range(2):
            if frames.contacts[frame, leg, point] == 1:
                over = min(over, points[2 + point, ground.up] - ground.soles[leg, point, 1])
        over = max(over, 0.0) if over < 1e300 else 0.0
        frames.lifts[frame, leg, 1] = -over * (1.0 - quintic(over / pace.step))


@uncounted
def _sunk(frames: Frames, leg: int, frame: int, firm: float) -> float:
    """Return the distance that a foot must rise to be nowhere below the floor, if it carries the body or is planted."""
    if firm == 0.0 and frames.over[frame, leg] == 0:
        return -1e300
    return float(frames.lifts[frame, leg, 0])


@uncounted
def _lift(frames: Frames, leg: int, frame: int, firm: float) -> tuple[float, float]:
    """Return the height by which the foot must rise, and the strength of this constraint."""
    sunk = _sunk(frames, leg, frame, firm)
    return (sunk, FLOOR) if sunk > 0.0 else (float(frames.lifts[frame, leg, 1]), firm)


@uncounted
def longest_reach(bones: Bones, leg: int, offsets: Floats, hip: Floats, ankle: Floats) -> float:
    """Return the longest distance from hip to ankle in the examples, or in this frame if it is longer."""
    full = straight_length(bones, leg, offsets)
    # A take that stretches a leg farther than the examples is not corrected.
    current = math.sqrt((ankle[0] - hip[0]) ** 2 + (ankle[1] - hip[1]) ** 2 + (ankle[2] - hip[2]) ** 2)
    return float(min(max(bones.reach[leg, 1] * full, current), FULL * full))


@uncounted
def plan_sink(scene: Scene, frame: int, last: int, scratch: PathScratch, plans: Floats, firm: Floats) -> float:
    """Return the sinking of the hips in a frame that lets legs reach their planted feet; `scratch` is a workspace."""
    ground, pace, frames, memory = scene
    count = last - frame
    if pace.sink == 0.0:
        return 0.0
    needed = memory.sinks[0, 0] != 0.0 or memory.sinks[1, 0] != 0.0 or memory.sinks[2, 0] != 0.0
    for k in range(count):
        target, weight = 0.0, pace.rise
        for leg in range(plans.shape[0]):
            if firm[leg, k] > 0.0:
                short = min(_short(ground, frames, leg, frame + k, plans[leg, k]), pace.sink)
                if short > target:
                    needed = True
                    target = short
                    weight = pace.rise + firm[leg, k] * pace.drop
        scratch.weights[k, 0] = weight
        scratch.targets[k, 0] = target * (weight - pace.rise) / weight
    if not needed:
        return 0.0
    for k in range(3):
        scratch.past[k, 0] = memory.sinks[k, 0]
    smooth_paths(scratch, count, memory.known[0])
    return float(scratch.path[EDGE, 0])


@uncounted
def _short(ground: Ground, frames: Frames, leg: int, frame: int, offset: Floats) -> float:
    """Return the sinking of the hip that lets the leg reach its goal without stretching too far."""
    hip, ankle = frames.points[frame, leg, 0], frames.points[frame, leg, 1]
    up = ground.up
    a, b = plane_of(up)
    longest = frames.longest[frame, leg]
    x, y = ankle[a] + offset[a] - hip[a], ankle[b] + offset[b] - hip[b]
    drop = hip[up] - ankle[up] - offset[up]
    square = longest * longest - x * x - y * y
    return float(max(drop - math.sqrt(square), 0.0) if square > 0.0 else max(drop, 0.0))


@uncounted
def slack_of(ground: Ground, plan: Floats, count: int) -> float:
    """Return the slack that keeps a knee bent (see bend_angle), from the foot's offsets in this and the next frames."""
    total = 0.0
    for k in range(count):
        total += plan[k, 0] * plan[k, 0] + plan[k, 1] * plan[k, 1] + plan[k, 2] * plan[k, 2]
    total /= count * (MOVED * ground.leg) ** 2
    return KEPT_BENT * KEPT_BENT * total / (total + 1.0)
