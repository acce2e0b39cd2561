"""StyleModel: everything that was learned about a style, frozen. Use `translate` and `advance`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Features, Recipe, decode, encode
from freshtake.motion.gait import Gait
from freshtake.motion.planting import Planter
from freshtake.motion.planting.contacts import contact_mask
from freshtake.motion.validation import Changeable, between
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.body_coding import Coding, coded, coding_of, uncoded
from freshtake.style.columns import (
    FORWARD,
    RATES,
    SIDEWAYS,
    Normal,
    Strength,
    parts_of,
    pose_weights,
    reach_of,
    strengths_of,
)
from freshtake.style.footplants import Annotation
from freshtake.style.synthesize import (
    Translated,
    Translator,
    classifiers_of,
    latest,
    planted,
    resting,
    stream_planter,
    streamed,
    with_tempo,
)
from freshtake.style.systems.banks import Bank, HeldOut, past_of
from freshtake.style.translation_kernels import SWAY, Frames, TranslationState

SPEEDS = ("proportion", "source", "style")
FASTEST = 2.0  # largest factor by which playback is sped up or slowed down to reach a speed
LEAST_STYLE = 0.01  # leg lengths that a style must move a part of the body to affect it


@dataclass(frozen=True, kw_only=True)
class Settings(Changeable):
    """The settings for learning and using a translation. Times are in seconds at any frame rate."""

    order: int | None = None  # states per joint; 0 is a static map
    most_states: int = 10  # most states per joint, if the order is chosen automatically
    horizon: float = 0.4  # length of past and future in the subspace method; less if clips are short
    radius: float = 0.9  # largest spectral radius at 30 frames per second; other rates: the equivalent
    ridge: float | None = None  # ridge of the regressions, as a fraction of the frames
    # pull of the gain for constant input to zero, also as a fraction; None: 0 or 0.2 by joint, 1 for one take per style
    steadiness: float | None = None
    # seconds over which the source is smoothed before it drives anything; the jerk of translated walks is 1.1 times
    # that of real takes of the style, without smoothing 1.7 times, with 0.015 s 1.4 times
    calming: float = 0.03
    warp_smoothing: float = 0.08  # seconds over which the time warp is smoothed before its logarithm is taken
    slope: int = 3  # steepest slope of a time warp; the flattest is its inverse
    floor: float = 0.1  # smallest deviation of a DOF, as a fraction of the usual deviation for its unit
    generalize: bool = True  # blend in the input where it is unlike the examples (eq. 7-8)
    confidence: float | None = None  # k_c of eq. 8; None: by part, so that left-out takes are not unexpected
    preference: float = 30.0  # k_p of eq. 8
    reach: float = 0.012  # minimum leg lengths that one deviation moves the body, so thumbs do not count in eq. 7

    def __post_init__(self) -> None:
        between(self, "order", 0, 40)
        between(self, "most_states", 1, 40)
        between(self, "horizon", 0.02, 5.0)
        between(self, "radius", 0.05, 0.999)
        between(self, "ridge", 1e-12, 1e6)
        between(self, "steadiness", 0.0, 1e6)
        between(self, "calming", 0.0, 1.0)
        between(self, "warp_smoothing", 0.0, 5.0)
        between(self, "slope", 2, 8)
        between(self, "floor", 1e-6, 1.0)
        between(self, "confidence", 0.01, 1e6)
        between(self, "preference", 0.01, 1e6)
        between(self, "reach", 0.0, 1e6)


class StyleTranslation(NamedTuple):
    """A clip in the target style, its rows, and the contacts of its feet (frames, feet)."""

    clip: Clip
    translated: Translated
    contacts: Bools
    arrived: dict[str, float]  # fraction of the style achieved, by part of the body


def _travelling_speed(rates: Floats) -> float:
    """Return the mean speed of the frames (frames, 2) that travel at more than half the usual speed."""
    speeds = np.linalg.norm(rates, axis=1)
    return float(np.linalg.norm(rates[speeds >= 0.5 * np.percentile(speeds, 75.0)].mean(axis=0)))


def relative_build(recipe: Recipe, clip: Clip | Features) -> float:
    """Return the leg length of a clip relative to a recipe's skeleton."""
    assert recipe.skeleton is not None
    return leg_length(clip.skeleton or recipe.skeleton) / leg_length(recipe.skeleton)


@dataclass(frozen=True, eq=False, repr=False)
class StyleModel:
    """A translation from a source style into a target style (Hsu 2005)."""

    recipe: Recipe
    settings: Settings
    source: Normal
    target: Normal
    bank: Bank
    annotations: tuple[Annotation, ...]  # footplants, one per foot, and any other labels
    feet: tuple[str, ...]  # names of the annotations that are footplants
    floor: Floats  # (foot joints,): heights while planted in the target style
    effects: Floats  # (DOFs,): leg lengths by which one unit of a DOF moves the body
    later: float  # added to log w so that durations are right on average
    widest: float  # bound on the sway of the heading
    slowest: float  # source speed below which the style's travel and timing fade: the lowest in the examples
    speeds: Floats  # (2, 3): range of forward speed, sideways speed and turn rate of the source in the examples
    held_out: HeldOut
    pairs: tuple[tuple[str, str], ...]  # names of the clips it was learned from
    confidence: Floats  # (DOFs,): k_c of eq. 8
    poses: Floats  # (poses, DOFs): some poses of the target style, for a planter to learn the legs' limits
    teacher: tuple[Gait, Gait] | None = None  # mean gaits of both styles in the examples; None if they have no gait

    def __repr__(self) -> str:
        return f"StyleModel({self.states} states, {len(self.dofs)} DOFs, {len(self.pairs)} pairs)"

    @property
    def dofs(self) -> tuple[str, ...]:
        """The names of the DOFs."""
        return self.recipe.names

    @property
    def frame_time(self) -> float:
        """The seconds per frame."""
        return self.recipe.frame_time

    @property
    def states(self) -> int:
        """The number of values carried over from frame to frame."""
        return self.bank.size

    @property
    def memory(self) -> float:
        """The seconds after which less than a hundredth of a deviation remains."""
        return self.bank.memory() * self.frame_time

    @cached_property
    def _parts(self) -> tuple[tuple[str, ...], Ints]:
        return parts_of(self.recipe)

    @property
    def parts(self) -> tuple[str, ...]:
        """The body parts that independently take the style or keep the input; the first includes the root."""
        return self._parts[0]

    @cached_property
    def coding(self) -> Coding:
        """The coding of trunk and legs for the systems."""
        return coding_of(self.recipe, self.poses)

    @cached_property
    def rests(self) -> float:
        """The speed limit below which feet are planted even if classified otherwise (relative to the usual limits)."""
        return resting(self.recipe, self.target)

    @cached_property
    def planter(self) -> Planter:
        """The planter for streams; it delays them by `latency` frames."""
        return stream_planter(self.recipe, self.poses, self.floor, self.rests)

    @cached_property
    def _translators(self) -> dict[tuple[bool, bool], Translator]:
        return {}

    def translator(
        self, *, time_warp: bool = True, generalize: bool | None = None, strength: Strength = 1.0
    ) -> Translator:
        """Return the streaming translator that `advance` uses; it is built once per combination of arguments.

        Args:
            time_warp: Whether to change the timing too.
            generalize: Whether to keep input that is unlike the examples (eq. 7-8); None: as in the settings.
            strength: How much of the style to apply: one number, or one by body part (see `translate`).

        Returns:
            The translator, which takes and yields rows (frames, DOFs).
        """
        key = (time_warp, self.settings.generalize if generalize is None else generalize)
        if key not in self._translators:
            s = self.settings
            reach = reach_of(self.recipe, self.effects, self.source, s.reach) / self.confidence
            frames = Frames(
                self.source.mean, self.source.deviation, self.target.mean, self.target.deviation, reach,
                np.arange(RATES, dtype=np.intp), self._parts[1], self.speeds, np.ones(len(self.parts)),
                self.frame_time, float(s.preference), *key, self.later, self.widest,
                float(s.calming), self.slowest,
            )  # fmt: skip
            by_name = {annotation.name: annotation for annotation in self.annotations}
            classifiers = classifiers_of([by_name[name] for name in self.feet])
            self._translators[key] = Translator(self.bank, frames, self.dofs, self.coding, classifiers)
        tool = self._translators[key]
        return tool if strength == 1.0 else tool.with_strength(strengths_of(self.parts, strength))

    def encode(self, clip: Clip) -> Features:
        """Encode a clip as rows of this model's DOFs, with lengths scaled to the build of the examples.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples. If its build differs,
                its mean pose is moved to the examples', because people stand differently.

        Returns:
            Rows (frames, DOFs) in radians, the examples' unit of length and rates per second, and the clip's position.
        """
        features = encode(self.recipe, clip, strict=False)
        rows = features.values / self._lengths(clip)
        if features.skeleton is not None:
            pose = np.isin(self.recipe.units, ("angle", "length"))
            # The model's means and deviations are of coded rows, so code the clip before comparing them.
            rows = coded(rows, self.coding)
            rows = rows + np.where(pose, self.source.mean - rows.mean(axis=0), 0.0)
            rows = uncoded(rows, self.coding)
        return Features(self.recipe, rows, features.start, features.name, False, features.skeleton)

    def decode(self, rows: Floats, features: Features) -> Clip:
        """Decode rows to a clip with the build and position of the encoded clip.

        Args:
            rows: Rows (frames, DOFs) as returned by `encode`.
            features: The encoded clip whose build, position and name the result gets.

        Returns:
            The clip, at the model's rate.
        """
        scaled = rows * self._lengths(features)
        clip = decode(self.recipe, scaled, start=features.start, skeleton=features.skeleton, name=features.name)
        assert isinstance(clip, Clip)
        return require_unflung(clip).changed(provenance="made by freshtake: style")

    def _lengths(self, clip: Clip | Features) -> Floats:
        """Return the factor (DOFs,) from the examples' build to a clip's."""
        return np.where(np.isin(self.recipe.units, ("length", "speed")), relative_build(self.recipe, clip), 1.0)

    @property
    def past_frames(self) -> int:
        """The number of earlier frames that systems and smoothing remember."""
        # Simulate at most four seconds of past.
        frames = min(self.bank.memory(1e-3), round(4.0 / self.frame_time))
        # The low-pass filter in front of the systems settles after ten times its time constant.
        return max(frames, 1 + round(10.0 * self.settings.calming / self.frame_time))

    def past(self, rows: Floats, frames: int | None = None) -> Floats:
        """Extrapolate the rows that lead up to the first row (Hsu 2005, §4.4).

        Args:
            rows: Rows (frames, DOFs) of the source.
            frames: The number of rows; None: as many as the systems remember.

        Returns:
            Rows (past frames, DOFs), to run before the first row.
        """
        count = self.past_frames if frames is None else frames
        return past_of(rows, count, 1.0 / self.frame_time, pose_weights(self.recipe, self.effects))

    @one_blas_thread()
    def translate_rows(self, rows: Floats, tool: Translator | None = None) -> tuple[Translated, float]:
        """Translate the rows of a complete motion, extrapolating a past for the first rows.

        Args:
            rows: Rows (frames, DOFs) of the source, as returned by `encode`.
            tool: The translator; None: the default one.

        Returns:
            The rows of the target style, with the source frame of each and the contacts (source rows, feet); and
            the sway of the heading in the first row, in radians.
        """
        # The first row is translated separately: its sway gives the rotation of the complete clip when it is placed.
        tool = tool or self.translator()
        rows = tool.checked(rows)
        state, first = tool.advance(tool.start(self.past(rows)), rows[:1])
        sway = float(state.walk[SWAY])
        _, rest = tool.advance(state, rows[1:])
        rest = rest._replace(origins=rest.origins + 1.0)
        return Translated(*(np.concatenate(both) for both in zip(first, rest, strict=True))), sway

    @one_blas_thread()
    def translate(
        self,
        clip: Clip,
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        plant: bool | str = True,
        strength: Strength = 1.0,
        speed: str = "proportion",
    ) -> Clip:
        """Translate a clip into the target style.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples.
            time_warp: Whether to change the timing too.
            generalize: Whether to keep input that is unlike the examples (eq. 7-8); None: as in the settings.
            plant: Whether to clean up sliding feet with the classifier's footplants; "hard" locks them.
            strength: 0 is the clip itself, 1 the style, more exaggerates; {"arms": 1.0} styles only the arms,
                {"all": 1.0, "head": 0.0} all but the head (see `parts`).
            speed: "proportion" (the ratio of the styles' speeds in the examples); "source" or "style" plays the
                translation faster or slower to reach its speed, with unchanged step lengths.

        Returns:
            The translation, with the clip's build and starting position.
        """
        return self.translation(
            clip, time_warp=time_warp, generalize=generalize, plant=plant, strength=strength, speed=speed
        ).clip  # fmt: skip

    @one_blas_thread()
    def translation(
        self, clip: Clip, *, time_warp: bool = True, generalize: bool | None = None, plant: bool | str = True,
        strength: Strength = 1.0, speed: str = "proportion",
    ) -> StyleTranslation:  # fmt: skip
        """Translate a clip as `translate` does, and also return its rows and footplants.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples.
            time_warp: As for `translate`.
            generalize: As for `translate`.
            plant: As for `translate`.
            strength: As for `translate`.
            speed: As for `translate`.

        Returns:
            The clip, its rows (frames, DOFs), the contacts (frames, feet), and the fraction of the style achieved, by
            part of the body.
        """
        features = self.encode(clip)
        rows = features.values
        tool = self.translator(time_warp=time_warp, generalize=generalize, strength=strength)
        translated, sway = self.translate_rows(rows, tool)
        translated = with_tempo(translated, self._tempo(rows, translated.rows, speed))
        # Feet are classified on the source's clock; each output frame takes the label of its source frame.
        origins = np.clip(np.round(translated.origins).astype(np.intp), 0, len(rows) - 1)
        contacts = translated.contacts[origins] if self.feet else np.zeros((len(origins), 0), dtype=np.bool_)
        # At strength 0, return the clip itself: encoding and decoding would change it by rounding and calibration.
        if not strengths_of(self.parts, strength).any():
            return StyleTranslation(clip, translated, contact_mask(clip), self._arrived(rows, rows))
        start = features.start._replace(heading=features.start.heading + sway)
        placed = Features(self.recipe, translated.rows, start, features.name, False, features.skeleton)
        out = self.decode(translated.rows, placed)
        if plant and self.feet:
            out = planted(out, contacts, self.floor * relative_build(self.recipe, clip), self.rests, plant)
        return StyleTranslation(out, translated, contacts, self._arrived(rows, translated.rows))

    def _tempo(self, rows: Floats, translated: Floats, speed: str) -> float:
        """Return the factor by which to speed up a translation."""
        if speed not in SPEEDS:
            raise UsageError(f"speed must be one of {', '.join(SPEEDS)}, not {speed!r}")
        columns = [FORWARD, SIDEWAYS]
        now = _travelling_speed(translated[:, columns])
        if speed == "proportion" or now <= 0.0:
            return 1.0
        styled = float(np.linalg.norm(self.target.mean[columns]))
        goal = styled if speed == "style" else _travelling_speed(rows[:, columns])
        return float(np.clip(goal / now, 1.0 / FASTEST, FASTEST))

    def _arrived(self, rows: Floats, translated: Floats) -> dict[str, float]:
        """Return the fraction of the style achieved, by part of the body, without parts that the style does not change.

        The style is the difference between source and target in the examples, in mean pose and in the amplitude of the
        joints, weighted by its effect on the body. The fraction compares `translated` with `rows`.
        """
        weights = pose_weights(self.recipe, self.effects)
        ours, theirs = (coded(np.ascontiguousarray(each), self.coding) for each in (rows, translated))
        styled = self.target.mean[:-1] - self.source.mean, self.target.deviation[:-1] - self.source.deviation
        changed = theirs.mean(axis=0) - ours.mean(axis=0), theirs.std(axis=0) - ours.std(axis=0)
        # The last DOF of the target, log w, has no counterpart in the source and is left out above. Mean poses and
        # deviations are concatenated, so one inner product measures both.
        style, change = (np.concatenate([weights * each for each in both]) for both in (styled, changed))
        shares = {}
        for number, name in enumerate(self.parts):
            mine = np.tile(self._parts[1] == number, 2)
            size = float(style[mine] @ style[mine])
            # In a part that the style hardly moves, or that has less than a twentieth of it, the ratio is only noise.
            if size > max(LEAST_STYLE**2, 0.05 * float(style @ style)):
                shares[name] = float(change[mine] @ style[mine]) / size
        return shares

    @one_blas_thread()
    def labels(self, rows: Floats) -> dict[str, Bools]:
        """Predict each annotation for each row of the source, from the states alone.

        Args:
            rows: Rows (frames, DOFs) of the source.

        Returns:
            By name of the annotation, whether it applies (frames,).
        """
        tool = self.translator()
        state = tool.start(self.past(rows))
        states = self.bank.features(state.systems, tool.inputs(state, rows))
        return {annotation.name: annotation.label(states) for annotation in self.annotations}

    def start(self, past: Floats | None = None) -> TranslationState:
        """Return the state before the first frame of a stream.

        Args:
            past: Rows (frames, DOFs) that lead up to it; None: the first pose, repeated.

        Returns:
            The state, for `advance`.
        """
        return self.translator().start(past)

    def advance(
        self,
        state: TranslationState,
        rows: Floats,
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        strength: Strength = 1.0,
    ) -> tuple[TranslationState, Floats]:
        """Translate the next row of a stream, or several.

        Args:
            state: The memory of the previous rows; it is not changed.
            rows: One row (DOFs,) or several (rows, DOFs) of the source.
            time_warp: Whether to change the timing too.
            generalize: Whether to keep input that is unlike the examples (eq. 7-8); None: as in the settings.
            strength: As for `translate`; a new value is reached in about a third of a second.

        Returns:
            The next state, and the rows (frames out, DOFs) of the target style: 0, 1 or more for each row in.
        """
        tool = self.translator(time_warp=time_warp, generalize=generalize, strength=strength)
        after, translated = tool.advance(state, rows)
        return after, translated.rows

    def stream(
        self,
        rows: Iterable[Floats],
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        decode: bool = False,
        plant: bool = False,
        strength: Strength | Callable[[], Strength] = 1.0,
    ) -> Iterator[Any]:
        """Translate an endless stream without lag.

        Args:
            rows: Rows (DOFs,) of the source or blocks (rows, DOFs), which give the same result several times faster.
            time_warp: Whether to change the timing; without it the stream keeps in step with a live source.
            generalize: As for `translate`.
            decode: Whether to yield one-frame clips, each placed after the previous one, instead of rows.
            plant: Whether to keep planted feet in place; clips are then `planter.latency` frames late.
            strength: As for `translate`, or a function such as a slider, called for every item.

        Returns:
            An iterator over rows (frames, DOFs) or clips.
        """
        if plant and not decode:
            raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
        live = latest(strength, lambda now: self.translator(time_warp=time_warp, generalize=generalize, strength=now))
        planter = (lambda: self.planter) if plant and self.feet else None
        return streamed(self.recipe, live, rows, decode=decode, planter=planter)
