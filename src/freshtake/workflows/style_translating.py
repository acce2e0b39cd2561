"""Learn styles from pairs of clips, or from clips of each style at each speed, and apply them to clips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import is_folder
from freshtake.formats.ftm import check_model_target, is_model, save
from freshtake.formats.registry import for_writing, take_files
from freshtake.formats.report_files import check_report_target, require_plots, write_report
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Report, Warn, each, part_of, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.edit import resample, take_frames, with_up
from freshtake.motion.features import decode
from freshtake.motion.gait import Gait, gait_of
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.motion.skeleton import compatible, require_compatible
from freshtake.motion.validation import same_rate
from freshtake.motion.verdict import AMBER, Remark, Verdict, check_result, gait_remarks
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.style import GaitsLearn, GaitsSample, StyleApply, StyleLearn, StyleLearning, Styling
from freshtake.style.columns import ALL
from freshtake.style.model import Settings, StyleModel, StyleTranslation
from freshtake.workflows.inputs import model_of, read_clips, requested_frames
from freshtake.workflows.outputs import Finish, chosen_character, targets_of

if TYPE_CHECKING:
    from freshtake.style.bilinear import GaitModel, Level, Weights

STYLING = Styling()
NEED = "style translation needs clips with a skeleton"


class PairRow(NamedTuple):
    """A line of the table of pairs: names, contents in words, and the difference between the contents."""

    source: str
    target: str
    source_content: str
    target_content: str
    apart: float


class StylePairs(NamedTuple):
    """Clips that correspond, and the table that explains why."""

    pairs: tuple[tuple[Clip, Clip], ...]
    table: tuple[PairRow, ...]
    by_content: bool
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()
    one_take: bool = False  # whether all pairs are stretches of one take per style


class StyleLearned(NamedTuple):
    """The model, its pairs, and the written files."""

    model: StyleModel
    pairs: StylePairs
    written: tuple[Path, ...]


class StyledClip(NamedTuple):
    """A clip in a style, at the rate and on the skeleton of the source clip, and remarks on it.

    `kept` is the mean share of the clip that each body part kept because the examples contain nothing like it.
    `arrived` is the share of the style that arrived, without parts that the style does not change.
    """

    clip: Clip
    fitted: Clip  # the translated clip, as the model sees it
    kept: dict[str, float]
    arrived: dict[str, float]
    gaits: tuple[Gait, Gait] | None  # before and after; None for bodies without two feet
    remarks: tuple[Remark, ...]  # differences from the clip or from the takes of the style
    translation: StyleTranslation | None  # on the model's skeleton; None if several styles were mixed


class StyleApplied(NamedTuple):
    """The clip before and after translation, all remarks, and the written files."""

    source: Clip
    styled: StyledClip
    verdict: Verdict
    written: tuple[Path, ...]


def style_pairs(
    sources: Sequence[Path], targets: Sequence[Path], *, reading: dict[str, Any] | None = None
) -> StylePairs:
    """Pair the clips of two folders by content, or of two lists by order; single takes are cut into stretches first."""
    folders = [len(paths) == 1 and is_folder(paths[0]) for paths in (sources, targets)]
    if folders[0] != folders[1]:
        raise UsageError("give two folders, to pair by content, or two lists of files, to pair by order")
    lists = [take_files(paths) for paths in (sources, targets)]
    clips = read_clips(lists, reading, NEED)
    if not folders[0] and len(clips[0]) != len(clips[1]):
        counts = f"there are {len(clips[0])} source clips and {len(clips[1])} target clips"
        raise UsageError(f"{counts}: lists pair by order, so give equally many of each, or two folders")
    return paired(*clips, by_content=folders[0])


def paired(sources: list[Clip], targets: list[Clip], *, by_content: bool) -> StylePairs:
    """Pair clips by content, or by order if there are equally many; single takes are cut and their pieces paired."""
    from freshtake.style.pairs import cut_and_paired
    from freshtake.style.warping.correspondence import content, content_distances, described, match

    contents: Sequence[tuple[Any, Any]]
    apart: Sequence[float]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    one_take = False
    if by_content:
        matches = match(sources, targets, every=True)
        pairs = tuple((sources[m.source], targets[m.target]) for m in matches)
        contents, apart = [m.contents for m in matches], [m.apart for m in matches]
        used = {id(clip) for pair in pairs for clip in pair}
        left_out = tuple(clip.name for clip in (*sources, *targets) if id(clip) not in used)
    else:
        for clip in (*sources, *targets):
            require_compatible(sources[0].skeleton, clip.skeleton, sources[0].name, clip.name)
        if len(sources) == 1:
            stretches = cut_and_paired(sources[0], targets[0])
            pairs, contents, apart = stretches.pairs, stretches.contents, stretches.apart
            notes, one_take = (stretches.what,), stretches.are_cut
        else:
            pairs = tuple(zip(sources, targets, strict=True))
            each_content = [[content(clip) for clip in clips] for clips in (sources, targets)]
            contents = list(zip(*each_content, strict=True))
            apart = np.diagonal(content_distances(*each_content)).tolist()
    table = tuple(
        PairRow(a.name, b.name, described(first), described(second), distance)
        for (a, b), (first, second), distance in zip(pairs, contents, apart, strict=True)
    )
    return StylePairs(pairs, table, by_content or len(sources) == 1, left_out, notes, one_take)


@one_blas_thread()
def style_learn(
    request: StyleLearn, report: Report = silent, warn: Warn = unheard, show: Callable[[StylePairs], None] | None = None
) -> StyleLearned:
    """Read pairs, learn, and write the model and, if requested, the report page.

    `show` is called with the pairs before anything is learned from them.
    """
    from freshtake.style.learning import learn

    check_model_target(request.out)
    if request.report is not None:
        check_report_target(request.report)
        require_plots()
    pairs = style_pairs(request.source, request.target, reading=request.reading(warn))
    if show is not None:
        show(pairs)
    share = 1.0 if request.report is None else 0.5
    model = learn(pairs.pairs, settings_of(request), one_take=pairs.one_take, report=part_of(report, 0.0, share))
    written = [request.out]
    if request.report is not None:
        from freshtake.workflows.style_reporting import learning_page

        page = learning_page(model, pairs, part_of(report, share, 1.0))
        written += write_report(request.report, *page)
    save(request.out, model, sources=[name for pair in model.pairs for name in pair])
    if model.held_out.hardly_differs:
        note = f"source and target hardly differ ({model.held_out.copy:.1f}°): two takes of one style?"
        pairs = pairs._replace(notes=(*pairs.notes, note))
    return StyleLearned(model, pairs, tuple(written))


def settings_of(request: StyleLearning) -> Settings:
    """Return the requested settings of a style."""
    return Settings(order=request.order)


@one_blas_thread()
def translated(
    styles: Sequence[tuple[StyleModel, float]], clip: Clip, request: Styling = STYLING, warn: Warn = unheard
) -> StyledClip:
    """Put a clip of any rate and skeleton into one style or a mixture of several, and compare both gaits.

    `styles` holds models and their weights; `warn` receives a sentence on how the clip was converted.
    """
    models = [model for model, _ in styles]
    fitted, back = fitted_clip(clip, models[0], warn)
    if len(styles) > 1:
        out, translation, share = _mixed(styles, fitted, request), None, None
    else:
        weight = request.strength * styles[0][1]
        strengths = {part: weight * value for part, value in (request.parts or {ALL: 1.0}).items()}
        translation = models[0].translation(
            fitted, time_warp=request.time_warp, generalize=request.generalize, plant=request.planting,
            strength={ALL: 0.0, **strengths}, speed=request.speed,
        )  # fmt: skip
        out = translation.clip
        share = weight if not request.parts and request.speed == "proportion" else None
    before, after = gait_of(fitted), gait_of(out)
    gaits = None if before is None or after is None else (before, after)
    remarks = [] if gaits is None else gait_remarks(gaits[1], gaits[0], _example_gaits(models), share)
    if not request.planting:  # without planting, sliding feet are reported, but not refused
        remarks = [one._replace(color=AMBER) if one.check == "feet" else one for one in remarks]
    if translation is not None and not request.parts and weight == 1.0:
        remarks += _lost_parts(translation.arrived)
    if fitted.skeleton.base is not None:
        out = out.changed(skeleton=replace(out.skeleton, base=fitted.skeleton.base))
    kept, arrived = {}, {}
    if translation is not None:
        kept = dict(zip(models[0].parts, translation.translated.blends.mean(axis=0).tolist(), strict=True))
        arrived = translation.arrived
    return StyledClip(with_up(back(out), clip.up), fitted, kept, arrived, gaits, tuple(remarks), translation)


def _mixed(styles: Sequence[tuple[StyleModel, float]], clip: Clip, request: Styling) -> Clip:
    from freshtake.style.style_mixing import blend

    if request.parts or request.speed != "proportion":
        raise UsageError("parts of the body and a speed need one style: leave them out, or apply one at a time")
    return blend(
        [model for model, _ in styles], clip, [request.strength * weight for _, weight in styles],
        time_warp=request.time_warp, generalize=request.generalize, plant=bool(request.planting),
    )  # fmt: skip


def _example_gaits(models: Sequence[StyleModel]) -> tuple[Gait, Gait] | None:
    """Return the mean gaits of the examples; for several styles, the largest figures, which a mixture may reach."""
    gaits = [model.teacher for model in models if model.teacher is not None]
    if not gaits:
        return None
    before, after = (Gait(*np.max([pair[side] for pair in gaits], axis=0).tolist()) for side in (0, 1))
    return before, after


def _lost_parts(arrived: Mapping[str, float]) -> list[Remark]:
    """Remark on the parts of the body in which most of the style was lost."""
    return [
        Remark(
            "style", AMBER, f"only {max(share, 0.0):.0%} of the style arrived in the {name}", None,
            "give more pairs, or pairs more similar to the clip",
        )
        for name, share in arrived.items()
        if share < 0.5  # less than half of the style arrived
    ]  # fmt: skip


def style_apply(request: StyleApply, report: Report = silent, warn: Warn = unheard) -> list[StyleApplied]:
    """Translate files into the style of a model, or into a mix of several; write them and a report page."""
    first, *others = request.paths
    if request.styles and is_model(first):
        raise UsageError(f"{first} is a model, and --style names models: leave one of them out")
    if not request.styles and not others:
        raise UsageError("style apply needs a model and a clip, or a clip and --style MODEL=WEIGHT")
    styles = [(Path(name), weight) for name, weight in request.styles.items()] or [(first, 1.0)]
    clips = take_files(request.paths if request.styles else others)
    if request.report is not None:
        check_report_target(request.report)
        require_plots()
        if len(clips) > 1 or len(styles) > 1:
            raise UsageError("a report needs one clip in one style: leave --report out, or name one of each")
    targets = targets_of(clips, request.out, request.format)
    for target in targets:
        for_writing(target)
    models: list[tuple[StyleModel, float]] = [(model_of(source, "style"), weight) for source, weight in styles]
    finish = Finish(onto=chosen_character(request, warn))
    steps = each(list(zip(clips, targets, strict=True)), report, lambda pair: pair[0].name)
    return [_apply(request, models, clip, target, finish, warn) for clip, target in steps]


def _apply(
    request: StyleApply, models: Sequence[tuple[StyleModel, float]], path: Path, target: Path, finish: Finish,
    warn: Warn,
) -> StyleApplied:  # fmt: skip
    taken = read_clips([[path]], request.reading(warn), NEED)[0][0]
    done = translated(models, taken, request, warn)
    done = done._replace(clip=done.clip.changed(name=target.stem))
    verdicts = check_result(
        done.clip, [taken], name=target.name, keep_going=request.keep_going, warn=warn, same_body=False,
        more=done.remarks,
    )  # fmt: skip
    finish._replace(unit_m=taken.unit_m).write(target, finish.ready(done.clip))
    written = [target]
    if request.report is not None:
        from freshtake.workflows.style_reporting import translation_page

        written += write_report(request.report, *translation_page(models[0][0], done))
    return StyleApplied(taken, done, verdicts[0], tuple(written))


def style_facts(model: StyleModel) -> dict[str, Any]:
    """Return the facts of a style model."""
    skeleton = model.recipe.skeleton
    return {
        "method": "style, n4sid",
        "held_out_error": {kind: f"{error:.2f}°" for kind, error in model.held_out._asdict().items()},
        "pairs": [f"{a} -> {b}" for a, b in model.pairs],
        "fps": round(1.0 / model.frame_time, 3),
        "joints": None if skeleton is None else len(skeleton),
        "dofs": len(model.dofs),
        "states": model.states,
        "spectral_radius": round(model.bank.radius, 4),
        "memory_s": round(model.memory, 2),
        "parts": list(model.parts),
        "annotations": [annotation.name for annotation in model.annotations],
        "dof_names": list(model.dofs),
    }


def fitted_clip(taken: Clip, model: StyleModel, say: Warn) -> tuple[Clip, Callable[[Clip], Clip]]:
    """Convert a clip to the model's rate and skeleton; return it with a function that converts the result back."""
    fps, name = 1.0 / model.frame_time, taken.name or "the clip"
    at_rate = taken
    if not same_rate(taken.frame_time, model.frame_time):
        at_rate = resample(taken, fps)
        say(f"{name} has {taken.fps:g} fps and the model {fps:g}: resampled, and the result resampled back")
    clip = fitted(at_rate, model.recipe)
    assert isinstance(clip, Clip)
    ours = model.recipe.skeleton
    if ours is None or compatible(ours, clip.skeleton) or len(model.poses) == 0:
        return clip, lambda out: _at_rate(out, taken)
    body = decode(model.recipe, model.poses, name="the model's skeleton")
    assert isinstance(body, Clip)
    rigs = make_rig(at_rate, who=name), make_rig(body, who="the model's skeleton")
    there, back = Retargeter(*rigs), Retargeter(*rigs[::-1])
    from freshtake.workflows.retargeting import retargeting_sentence

    say(f"{retargeting_sentence(there, 'the skeleton of the model')}; the result is converted back to its skeleton")
    return there.retarget(at_rate), lambda out: _at_rate(back.retarget(out), taken)


def _at_rate(clip: Clip, taken: Clip) -> Clip:
    return clip if same_rate(clip.frame_time, taken.frame_time) else resample(clip, taken.fps)


CELL = "write STYLE@SPEED=CLIP, as in crouch@1.3=crouch_fast.bvh"


@one_blas_thread()
def gaits_learn(request: GaitsLearn, report: Report = silent, warn: Warn = unheard) -> GaitModel:
    """Read one clip for each style at each speed, learn, and write the model; the first clip is the reference."""
    check_model_target(request.out)
    paths = named_cells(request.cells)
    read = read_clips([list(paths.values())], request.reading(warn), "gaits need clips with a skeleton")[0]
    from freshtake.style.bilinear import fit

    model = fit(dict(zip(paths, read, strict=True)), ranks=request.ranks, report=report)
    save(request.out, model, sources=[path.name for path in paths.values()])
    return model


def named_cells(arguments: Sequence[str]) -> dict[tuple[Level, Level], Path]:
    """Parse `normal@0.9=a.bvh crouch@0.9=b.bvh` by style and speed; numeric speeds become numbers."""
    out: dict[tuple[Level, Level], Path] = {}
    for argument in arguments:
        cell, equals, path = argument.partition("=")
        style, at, speed = (part.strip() for part in cell.rpartition("@"))
        if not (equals and at and style and speed and path):
            raise UsageError(f"{argument!r} does not name a style and speed: {CELL}")
        key = (style, level(speed))
        if key in out:
            raise UsageError(f"{style} at {speed} is given twice: give one clip for each style at each speed")
        out[key] = Path(path)
    return out


def level(text: str) -> Level:
    """Return a number if the text is one, else the name."""
    try:
        number = float(text)
    except ValueError:
        return text
    return number if np.isfinite(number) else text


def mixture(text: str, levels: Sequence[Level]) -> Weights:
    """Parse `crouch`, `1.3`, or weights such as `normal=0.5,crouch=0.5`."""
    if text in levels or "=" not in text:
        return text if text in levels else level(text)
    out: dict[Level, float] = {}
    for part in text.split(","):
        name, equals, weight = part.rpartition("=")
        number = level(weight)
        if not equals or isinstance(number, str):
            raise UsageError(f"{part!r} is not a weight: write NAME=NUMBER, as in normal=0.5,crouch=0.5")
        key = name.strip() if name.strip() in levels else level(name.strip())
        out[key] = out.get(key, 0.0) + number
    return out


@one_blas_thread()
def gaits_sample(request: GaitsSample, report: Report = silent, warn: Warn = unheard) -> Clip:
    """Write a walk of some cycles, or of a length, in a mixture of styles and speeds."""
    for_writing(request.out)
    model: GaitModel = model_of(request.model, "gaits")
    mixed = mixture(request.style, model.styles), mixture(request.speed, model.speeds)
    cycles, frames = request.cycles, 0
    if request.frames is not None or request.seconds is not None:
        frames = requested_frames(request, model.code.recipe.frame_time)
        cycles = -(-frames // max(len(model.synthesize(*mixed, cycles=1)) - 1, 1))
    clip = model.synthesize(*mixed, cycles=cycles, name=request.out.stem)
    clip = (take_frames(clip, 0, frames) if frames else clip).changed(provenance="made by freshtake: style")
    finish = Finish(onto=chosen_character(request, warn), unit_m=request.unit)
    finish.write(request.out, finish.ready(clip))
    return clip


def gaits_facts(model: GaitModel) -> dict[str, Any]:
    """Return the facts of a gaits model."""
    recipe = model.code.recipe
    return {
        "method": "style, gaits",
        "styles": [str(style) for style in model.styles],
        "speeds": [str(speed) for speed in model.speeds],
        "ranks": [int(size) for size in model.factors.core.shape[:2]],
        "cycle_frames": model.code.frames,
        "fps": round(1.0 / recipe.frame_time, 3),
        "joints": None if recipe.skeleton is None else len(recipe.skeleton),
        "dofs": len(recipe.names),
    }
