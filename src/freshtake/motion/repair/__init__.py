"""Named repairs for what the checks find; nothing is repaired by default."""

from freshtake.motion.repair.frame_repairs import drop_frozen, drop_tpose, fill_frozen, fix_spikes, relabel_fps
from freshtake.motion.repair.repairing import (
    REPAIRS,
    Repair,
    drop_unseen,
    even_times,
    reorder_root,
    repair,
    smooth,
    unwrap,
)

__all__ = [
    "REPAIRS",
    "Repair",
    "drop_frozen",
    "drop_tpose",
    "drop_unseen",
    "even_times",
    "fill_frozen",
    "fix_spikes",
    "relabel_fps",
    "reorder_root",
    "repair",
    "smooth",
    "unwrap",
]
