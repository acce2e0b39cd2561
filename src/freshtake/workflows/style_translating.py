"""Pairs of files to a style model, a style model and a file to the file in that style."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import is_folder
from freshtake.formats.ftm import check_model_target, save
from freshtake.formats.registry import for_writing
from freshtake.formats.report_files import check_report_target, write_report
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.edit import with_up
from freshtake.motion.verdict import check_result
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.model import StyleModel
from freshtake.style.parts import ALL
from freshtake.style.settings import Settings
from freshtake.style.verdict import Gait, Remark, gait_of, remarks_on
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto
from freshtake.workflows.style_fitting import fitted_clip
from freshtake.workflows.takes_reading import read_clips

MISSED = 0.5  # share of the style of a part of the body: less is said
NEED = "style translation needs clips with a skeleton"


class PairRow(NamedTuple):
    """A line of the table of pairs: names, contents in words, and how far those are apart."""

    source: str
    target: str
    source_content: str
    target_content: str
    apart: float


class StylePairs(NamedTuple):
    """Clips that belong together, and the table that says why."""

    pairs: tuple[tuple[Clip, Clip], ...]
    table: tuple[PairRow, ...]
    by_content: bool
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()
    one_take: bool = False  # all pairs are stretches of one take of each style


class StyleLearned(NamedTuple):
    """The model, its pairs, and what was written."""

    model: StyleModel
    pairs: StylePairs
    written: tuple[Path, ...]


class StyleApplied(NamedTuple):
    """The clip before and after, how much of it was kept on average, part by part of the body, and what was written.

    `arrived` is the share of the style that arrived, by part; `remarks` say what is not as in the takes of the style.
    """

    source: Clip
    clip: Clip
    kept: dict[str, float]
    written: tuple[Path, ...]
    arrived: dict[str, float]
    remarks: tuple[Remark, ...]
    gaits: tuple[Gait, Gait] | None  # before and after


def style_pairs(
    sources: Sequence[Path], targets: Sequence[Path], *, reading: dict[str, Any] | None = None
) -> StylePairs:
    """Two folders are paired by content, every clip with every one of the same speed and turn; lists by their order.

    One take of each style is cut into stretches, which are paired by content.
    """
    folders = [len(paths) == 1 and is_folder(paths[0]) for paths in (sources, targets)]
    if folders[0] != folders[1]:
        raise UsageError("give two folders, which are paired by content, or two lists of files, which pair by order")
    lists = [take_files(paths) for paths in (sources, targets)]
    clips = read_clips(lists, reading, NEED)
    if not folders[0] and len(clips[0]) != len(clips[1]):
        raise UsageError(
            f"there are {len(clips[0])} source clips and {len(clips[1])} target clips: lists pair by order, so give as "
            "many of each, or two folders"
        )
    return paired(*clips, by_content=folders[0])


def paired(sources: list[Clip], targets: list[Clip], *, by_content: bool) -> StylePairs:
    """Clips in pairs: by content, or by order, of which there must be as many of each; single takes are cut."""
    if by_content:
        return _by_content(sources, targets)
    return _by_stretches(sources[0], targets[0]) if len(sources) == 1 else _by_order(sources, targets)


def _by_content(sources: list[Clip], targets: list[Clip]) -> StylePairs:
    from freshtake.style.warping.correspondence import described, match

    matches = match(sources, targets, every=True)
    pairs = tuple((sources[m.source], targets[m.target]) for m in matches)
    table = tuple(
        PairRow(a.name, b.name, described(m.contents[0]), described(m.contents[1]), m.apart)
        for (a, b), m in zip(pairs, matches, strict=True)
    )
    used = {id(clip) for pair in pairs for clip in pair}
    return StylePairs(pairs, table, True, tuple(clip.name for clip in (*sources, *targets) if id(clip) not in used))


def _by_stretches(source: Clip, target: Clip) -> StylePairs:
    from freshtake.motion.skeleton import require_compatible
    from freshtake.style.long_takes import cut_and_paired
    from freshtake.style.warping.correspondence import described

    require_compatible(source.skeleton, target.skeleton, source.name, target.name)
    stretches = cut_and_paired(source, target)
    table = tuple(
        PairRow(a.name, b.name, described(first), described(second), distance)
        for (a, b), (first, second), distance in zip(stretches.pairs, stretches.contents, stretches.apart, strict=True)
    )
    return StylePairs(stretches.pairs, table, True, (), (stretches.what,), stretches.are_cut)


def _by_order(sources: list[Clip], targets: list[Clip]) -> StylePairs:
    from freshtake.motion.skeleton import require_compatible
    from freshtake.style.warping.correspondence import content, content_distances, described

    pairs = tuple(zip(sources, targets, strict=True))
    for clip in (*sources, *targets):
        require_compatible(sources[0].skeleton, clip.skeleton, sources[0].name, clip.name)
    contents = [[content(clip) for clip in clips] for clips in (sources, targets)]
    distances = content_distances(*contents)
    table = tuple(
        PairRow(a.name, b.name, described(contents[0][k]), described(contents[1][k]), float(distances[k, k]))
        for k, (a, b) in enumerate(pairs)
    )
    return StylePairs(pairs, table, False, ())


@one_blas_thread()
def style_learn(
    sources: Sequence[Path],
    targets: Sequence[Path],
    target: Path,
    settings: Settings | None = None,
    *,
    page: Path | None = None,
    reading: dict[str, Any] | None = None,
    show: Callable[[StylePairs], None] | None = None,
    report: Report = silent,
) -> StyleLearned:
    """Read pairs, show their table, learn, and write the model and, with `page`, the report page."""
    from freshtake.style.learning import learn

    check_model_target(target)
    if page is not None:
        check_report_target(page)
    learned_pairs = style_pairs(sources, targets, reading=reading)
    if show is not None:
        show(learned_pairs)
    share = 0.5 if page is not None else 1.0
    model = learn(
        learned_pairs.pairs,
        settings,
        one_take=learned_pairs.one_take,
        report=lambda p: report(Progress(share * p.share, p.what)),
    )
    written = [target]
    if page is not None:
        from freshtake.workflows.style_reporting import learning_page

        text, figures, pictures = learning_page(
            model, learned_pairs, lambda p: report(Progress(share + (1.0 - share) * p.share, p.what))
        )
        written += write_report(page, text, figures, pictures)
    save(target, model, sources=[name for pair in model.pairs for name in pair])
    if model.choice.hardly_differs:
        difference = f"{model.choice.errors['copy']:.1f}°"
        learned_pairs = learned_pairs._replace(
            notes=(*learned_pairs.notes, f"source and target hardly differ ({difference}): two takes of one style?")
        )
    return StyleLearned(model, learned_pairs, tuple(written))


class StyleOptions(NamedTuple):
    """How much of the style is put on which parts, and how."""

    strength: float = 1.0
    parts: Mapping[str, float] | None = None
    time_warp: bool = True
    keep_going: bool = False
    generalize: bool | None = None
    plant: bool | str = True
    speed: str = "proportion"


STYLE_OPTIONS = StyleOptions()


@one_blas_thread()
def style_apply(
    styles: Sequence[tuple[Path, float]],
    path: Path,
    target: Path,
    *,
    options: StyleOptions = STYLE_OPTIONS,
    page: Path | None = None,
    onto: Onto | None = None,
    reading: dict[str, Any] | None = None,
) -> StyleApplied:
    """Translate a file into the style of a model, or into several mixed by weights, and write it and its report page.

    `strength` multiplies all weights; `parts` are strengths of parts of the body, for one model only.
    """
    for_writing(target)
    if page is not None:
        check_report_target(page)
    models: list[StyleModel] = [model_of(source, "style") for source, _ in styles]
    model = models[0]
    taken = read_clips([[path]], reading, NEED)[0][0]
    clip, back = fitted_clip(taken, model, (reading or {}).get("warn") or (lambda _: None))
    if len(models) > 1:
        if options.parts or page is not None or options.speed != "proportion":
            raise UsageError(
                "parts of the body, a speed and a report are for one style: leave them out, or apply one at a time"
            )
        from freshtake.style.style_blending import blend

        weights = [options.strength * weight for _, weight in styles]
        out = blend(
            models, clip, weights, time_warp=options.time_warp, generalize=options.generalize, plant=bool(options.plant)
        )
        done, strength = None, None
    else:
        whole = options.strength * styles[0][1]
        strengths = {
            ALL: 0.0 if options.parts else whole,
            **{name: whole * value for name, value in (options.parts or {}).items()},
        }
        done = model.translation(
            clip, time_warp=options.time_warp, generalize=options.generalize, plant=options.plant, strength=strengths,
            speed=options.speed,
        )  # fmt: skip
        out, strength = done.clip, whole if not options.parts and options.speed == "proportion" else None
    remarks, gaits = remarks_of(models, clip, out, strength)
    if done is not None and not options.parts and whole == 1.0:
        remarks += lost_parts(done.arrived)
    if clip.skeleton.base is not None:
        out = out.changed(skeleton=replace(out.skeleton, base=clip.skeleton.base))
    delivered = with_up(back(out), taken.up).changed(name=target.stem)
    check_result(
        delivered, [taken], name=target.name, keep_going=options.keep_going, warn=(reading or {}).get("warn"),
        same_body=False,
    )  # fmt: skip
    write_onto(target, put_onto(onto, delivered), taken.unit_m, onto)
    written = [target]
    if page is not None and done is not None:
        from freshtake.workflows.style_reporting import translation_page

        written += write_report(page, *translation_page(model, clip, out, done.made, remarks))
    input_shares = {} if done is None else dict(zip(model.parts, done.made.blends.mean(axis=0).tolist(), strict=True))
    arrived = {} if done is None else done.arrived
    return StyleApplied(taken, delivered, input_shares, tuple(written), arrived, remarks, gaits)


def lost_parts(arrived: Mapping[str, float]) -> tuple[Remark, ...]:
    """Say of which parts of the body most of the style was lost."""
    return tuple(
        Remark("amber", f"only {max(share, 0.0):.0%} of the style arrived in the {name}")
        for name, share in arrived.items()
        if share < MISSED
    )


def remarks_of(
    models: Sequence[StyleModel], clip: Clip, out: Clip, strength: float | None
) -> tuple[tuple[Remark, ...], tuple[Gait, Gait] | None]:
    """Compare a translation with its source and with the takes of the style; of several styles, with the liveliest."""
    source, made = gait_of(clip), gait_of(out)
    if source is None or made is None:
        return (), None
    taught = [model.teacher for model in models if model.teacher is not None]
    teacher = None
    if taught:
        most = [Gait(*np.max([pair[side] for pair in taught], axis=0).tolist()) for side in (0, 1)]
        teacher = most[0], most[1]
    return tuple(remarks_on(made, source, teacher, strength)), (source, made)


def style_facts(model: StyleModel) -> dict[str, Any]:
    """The facts of a style model."""
    skeleton = model.recipe.skeleton
    return {
        "method": f"style, {model.bank.kind}",
        "chosen": model.choice.why,
        "held_out_error": {kind: f"{error:.2f}°" for kind, error in model.choice.errors.items()},
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
