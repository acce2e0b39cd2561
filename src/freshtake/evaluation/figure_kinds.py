"""Kinds of figures: their names, their units, and which values are good."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of figure. `unit` is how it is printed; `wanted` says when it is good.

    `like`: within the range of real takes; `low`: not above it; `most`: above neither it nor the inputs' value; `high`:
    not below it; `zero`: 0, unless real takes share frames too; `alike`: hard to tell apart (see `results`); `tied`: as
    strong as in the inputs, if they are clear about it (see `results`); `shown`: not classified.
    `pooled` is how a set's figure is computed from its clips' figures: the weighted mean, or the largest.
    """

    key: str
    group: str
    title: str
    unit: str
    wanted: str
    about: str
    pooled: str = "mean"
    main: bool = False


MANNER, NOVELTY, COPIES, LIKENESS = "How the body moves", "Novelty and its price", "Copies", "Likeness"
TOGETHER, FEET, RANGES, TIMING = "Coordination", "Feet", "Ranges", "Timing"
ACTIONS, COVER = "Actions", "Coverage of the inputs"
GROUPS = (MANNER, NOVELTY, COPIES, LIKENESS, TOGETHER, FEET, RANGES, TIMING, ACTIONS, COVER)

KINDS = (
    Kind(
        "hip_jerk", MANNER, "how smoothly the hips move (jerk ÷ inputs')", "x", "like",
        "Mean third derivative of the hip position in world space, at each clip's own rate. Above real takes the hips "
        "shake, below them they glide.", main=True,
    ),
    Kind(
        "static", MANNER, "posture that never changes (static share)", "share", "like",
        "Fraction of a clip's difference from the inputs' mean that stays the same throughout. Above real takes, "
        "variants are one movement in different postures.", main=True,
    ),
    Kind(
        "peak", MANNER, "hardest jolt of any joint (peak acceleration ÷ inputs')", "x", "most",
        "Largest acceleration of a joint (the second largest of twenty variants), divided by the inputs' largest. "
        "Far above real takes, something pops.", main=True,
    ),
    Kind(
        "foot_path", MANNER, "how far the feet move (path ÷ inputs')", "x", "like",
        "Total path of the toes in the world. Below real takes feet are glued to the floor, above them they slide or "
        "tremble.", main=True,
    ),
    Kind(
        "depth", MANNER, "feet below the floor", "%", "low",
        "How much lower the lowest foot of any variant is than that of any input, in % of a leg.", "max",
        main=True,
    ),
    Kind(
        "travel", MANNER, "how far the body goes (travel ÷ inputs')", "x", "like",
        "Distance on the ground from the hips' first position to their last.", main=True,
    ),
    Kind(
        "swing_hands", MANNER, "left and right hand swing alike (correlation)", "", "tied",
        "Someone who swings one hand farther than usual swings the other one farther too: correlation over clips. "
        "Classified only if the inputs are clear about it (0.8 or more).", main=True,
    ),
    Kind(
        "swing_feet", MANNER, "left and right foot swing alike (correlation)", "", "tied", "The same for the feet.",
        main=True,
    ),
    Kind(
        "energy", MANNER, "how well variants represent further takes (energy score)", "x", "shown",
        "Energy score of the extra takes given the variants, divided by that given the inputs: 1 is what real takes "
        "reach; noise, copies and averages are above it.", main=True,
    ),
    Kind(
        "variogram", MANNER, "… joints and moments that vary together (variogram score)", "x", "shown",
        "Variogram score of order 1/2, as above. It falls with the number of clips: four inputs against many perfect "
        "variants give about 0.8.",
    ),
    Kind(
        "diversity", NOVELTY, "diversity of variants ÷ of inputs", "x", "like",
        "Mean time-warped distance between two variants, divided by that between two inputs. White jitter raises it "
        "too: read it with the jerk and the speed of planted feet below.", main=True,
    ),
    Kind(
        "jerk_limbs", NOVELTY, "jerk of hands and feet ÷ inputs'", "x", "like",
        "Mean third derivative of the positions of hands and feet, at 30 frames per second. Above 1 is shaky, "
        "below 1 is over-smooth.", main=True,
    ),
    Kind("jerk", NOVELTY, "jerk overall ÷ inputs'", "x", "like", "The same for all joints, or a stroke.", main=True),
    Kind(
        "planted_speed", NOVELTY, "speed of planted feet", "%/s", "low",
        "Mean horizontal speed, in % of the leg length per second, while the nearest input pose stands.", main=True,
    ),
    Kind(
        "nearest", NOVELTY, "distance to the nearest input pose", "%", "like",
        "Mean joint distance to the most similar frame of any input, with heading and travel removed, in % of the leg "
        "length (or of a stroke's diagonal).", main=True,
    ),
    Kind(
        "from_inputs", NOVELTY, "time-warped distance to the nearest input", "%", "like",
        "Dynamic time warping on DOFs weighted by how far they move the joints; mean per frame.",
    ),
    Kind("between", NOVELTY, "time-warped distance between variants", "%", "like", "Mean over pairs of variants."),
    Kind(
        "outside_span", NOVELTY, "variance outside the inputs' span", "share", "like",
        "Fraction of a clip's deviation from the mean input that no interpolation with constant weights can produce, "
        "after alignment in time. An interpolation of the inputs has 0.", main=True,
    ),
    Kind(
        "copied", COPIES, "frames that equal an input frame", "share", "zero",
        "All joint rotations within 1e-6 rad, ignoring heading and travel.", main=True,
    ),
    Kind("copied_others", COPIES, "frames that equal another variant's", "share", "zero", "Within 1e-6 rad."),
    Kind(
        "longest_run", COPIES, "longest run that copies one input", "frames", "zero",
        "Successive frames that equal successive frames of one input within 1e-6 rad.", "max",
    ),
    Kind(
        "auc", LIKENESS, "AUC, real takes against variants", "", "alike",
        "How well a classifier tells variants from real takes that were not learned from, by windows of half a "
        "second, tested on clips it has not seen: 0.5 is guessing, 1 is never wrong. Next to it: inputs against extra "
        "takes.", main=True,
    ),
    Kind("auc_p", LIKENESS, "… p value", "", "shown", "Fraction of shuffled labels that do as well."),
    Kind("auc_inputs", LIKENESS, "AUC, inputs against variants", "", "alike", "The same with inputs as real takes."),
    Kind(
        "dof_distance", LIKENESS, "distribution distance per DOF", "σ", "like",
        "Wasserstein-1 distance of each DOF's values to the inputs', in their standard deviations; mean over DOFs "
        "weighted by how far they move the joints.",
    ),
    Kind(
        "coordination", TOGETHER, "correlations of joints, off the inputs'", "", "low",
        "Root mean square difference of the correlations of all pairs of DOFs' speeds from the inputs', weighted by "
        "how far both move the body. Noise that ignores the other joints loses them.", main=True,
    ),
    Kind("coordination_sides", TOGETHER, "… of left with right", "", "low", "The same for left against right joints."),
    Kind(
        "planted_lost", FEET, "planted frames that slide", "share", "low",
        "Fraction of frames that should stand, but whose foot moves faster than 20 % of the leg length per second.",
    ),
    Kind(
        "kimodo_skate", FEET, "skating as Kimodo measures it", "share", "shown",
        "Fraction of toe frames within 5 cm of the floor and faster than 0.2 m/s. Real takes have some: feet roll.",
        main=True,
    ),
    Kind(
        "kimodo_speed", FEET, "… mean speed at contacts", "m/s", "shown",
        "Mean speed of toes below 3 % of the leg length, in metres per second.", main=True,
    ),
    Kind(
        "overshoot", RANGES, "DOFs beyond the inputs' range", "share", "low",
        "Fraction of frames × DOFs beyond the inputs' range widened by 5 % to either side.", main=True,
    ),
    Kind("duration", TIMING, "duration", "s", "like", "Mean over the clips."),
    Kind("duration_ratio", TIMING, "duration ÷ inputs'", "x", "like", "Mean over the clips.", main=True),
    Kind("duration_spread", TIMING, "spread of durations", "share", "shown", "Standard deviation divided by the mean."),
    Kind(
        "tempo_share", TIMING, "windows at another tempo", "share", "shown",
        "Fraction of one-second windows that fit the inputs 5 % better when those are played slower or faster.",
    ),
    Kind("tempo_off", TIMING, "how far off the tempo", "|ln|", "shown", "Mean |ln speed| of the best fit."),
    Kind(
        "action", ACTIONS, "action as often as in the inputs", "share", "high",
        "Peaks of a quantity that stands out and peaks equally often in all inputs.", main=True,
    ),
    Kind("coverage", COVER, "windows covered by one clip", "share", "like", "GANimator's coverage, mean over clips."),
    Kind("set_coverage", COVER, "windows covered by any clip", "share", "high", "The same for all clips together."),
)  # fmt: skip

BY_KEY = {kind.key: kind for kind in KINDS}
