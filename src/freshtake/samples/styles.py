"""Styles of walking, each as differences from the normal walk."""

from __future__ import annotations

from dataclasses import dataclass

from freshtake.errors import UsageError


@dataclass(frozen=True)
class Style:
    """Factors (1: as in a normal walk) and additions (degrees, centimetres, shares of the cycle)."""

    name: str
    cadence: float = 1.0
    stance_left: float = 0.0  # added to the share of the cycle that the foot stands
    stance_right: float = 0.0
    late_left: float = 0.0  # cycles by which the left foot lands after the middle of the cycle
    stiff_left: float = 0.0  # 0..1: how little the left knee yields in stance and bends in swing
    knee_bend: float = 0.0
    loading: float = 1.0  # of the knee's yielding after heel strike
    heel_strike: float = 1.0  # of the foot's pitch at landing
    push_off: float = 1.0  # of the foot's pitch at leaving
    lift: float = 1.0
    width: float = 1.0
    toe_out: float = 0.0
    lean: float = 0.0
    pelvis_tilt: float = 0.0
    pelvis_yaw: float = 1.0
    sway: float = 1.0
    lurch: float = 0.0
    head_pitch: float = 2.0
    arm_swing: float = 1.0
    arm_flexion: float = -3.0
    arm_abduction: float = 7.0
    elbow: float = 0.0


STYLES = {
    style.name: style
    for style in (
        Style("normal"),
        Style(
            "limp",
            cadence=1.12,
            stance_left=-0.14,
            stance_right=0.03,
            late_left=0.10,
            stiff_left=0.9,
            knee_bend=2.0,
            heel_strike=0.7,
            push_off=0.9,
            lurch=20.0,
            sway=1.4,
            head_pitch=6.0,
            lean=4.0,
            arm_swing=0.6,
            elbow=8.0,
        ),
        Style(
            "crouch",
            cadence=1.05,
            knee_bend=45.0,
            loading=0.8,
            heel_strike=0.5,
            push_off=0.75,
            width=1.5,
            lean=30.0,
            pelvis_tilt=14.0,
            head_pitch=8.0,
            arm_swing=0.6,
            arm_flexion=10.0,
            arm_abduction=13.0,
            elbow=30.0,
        ),
        Style(
            "proud",
            cadence=0.96,
            heel_strike=1.15,
            lift=1.2,
            lean=-8.0,
            pelvis_tilt=1.0,
            pelvis_yaw=1.25,
            head_pitch=-7.0,
            arm_swing=1.5,
            arm_flexion=-6.0,
            arm_abduction=11.0,
            toe_out=3.0,
        ),
        Style(
            "sad",
            cadence=0.92,
            knee_bend=5.0,
            heel_strike=0.6,
            push_off=0.85,
            lift=0.7,
            lean=12.0,
            pelvis_tilt=-2.0,
            head_pitch=30.0,
            arm_swing=0.4,
            arm_flexion=4.0,
            arm_abduction=5.0,
            elbow=-6.0,
        ),
    )
}


def style_named(style: str | Style) -> Style:
    """A style by name, or as it is."""
    if isinstance(style, Style):
        return style
    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}; the styles are {', '.join(STYLES)}")
    return STYLES[style]
