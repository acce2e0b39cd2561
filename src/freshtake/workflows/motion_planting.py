"""A clip in, the same clip with planted feet and met pins out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from freshtake.errors import FormatError, UsageError
from freshtake.formats.pin_files import read_contacts, read_mapping, read_pins
from freshtake.formats.registry import for_writing
from freshtake.motion import Clip
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto
from freshtake.workflows.takes_reading import read_clips


class PlantOptions(NamedTuple):
    """What is known: files of contacts, pins and limbs, clips that stand well, the floor; how still feet stand."""

    contacts: Path | None = None
    pins: Path | None = None
    mapping: Path | None = None
    examples: Sequence[Path] = ()
    floor: float | None = None
    lock: str = "soft"


PLANT_OPTIONS = PlantOptions()


@one_blas_thread()
def motion_plant(
    source: Path,
    target: Path,
    *,
    options: PlantOptions = PLANT_OPTIONS,
    onto: Onto | None = None,
    reading: dict[str, Any] | None = None,
) -> Any:
    """Read a clip, hold its feet where they stand, meet its pins, write it; returns what `motion.planting` reports.

    Without a file of contacts they are found: in the poses of the examples that are nearest, else in the clip itself.
    """
    from freshtake.motion.planting import PlantSettings
    from freshtake.motion.planting import plant as plant_clip
    from freshtake.motion.planting.planting_model import learn_planting, own_planting_model

    for_writing(target)
    (clip,), likes = read_clips([[source], options.examples], reading, "only clips with a skeleton have feet to plant")
    limbs = read_mapping(options.mapping) if options.mapping is not None else None
    given = read_pins(options.pins) if options.pins is not None else []
    if likes:
        base = learn_planting(likes, floor=options.floor, mapping=limbs)
        base.check(clip)
    else:
        base = own_planting_model(clip, floor=options.floor, mapping=limbs)
    if not base.feet and (options.contacts is not None or not given):
        raise UsageError(f"{source}: no legs can be recognized in the skeleton: name their joints with --mapping")
    labels: npt.ArrayLike | None = None if options.contacts is None else _labels(options.contacts, clip, base.feet)
    planted = plant_clip(clip, labels, pins=given, examples=base, settings=PlantSettings(lock=options.lock))
    hints = given or likes or options.contacts is not None or options.floor is not None
    if not hints and not planted.report.contacts:
        raise UsageError(
            f"{source}: no foot stands anywhere, so the floor cannot be found: give its height with --floor, or "
            "--contacts, or clips whose feet stand with --like"
        )
    write_onto(target, put_onto(onto, planted.clip), (reading or {}).get("unit_m"), onto)
    return planted.report


def _labels(path: Path, clip: Clip, feet: Any) -> npt.ArrayLike:
    from freshtake.motion.planting.contact_labels import named_labels

    try:
        return named_labels(read_contacts(path), len(clip), feet, clip.skeleton.names)
    except UsageError as error:
        raise FormatError(path, str(error)) from None
