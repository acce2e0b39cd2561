"""Settings of the texture method, validated when constructed; None means chosen from the data."""

from dataclasses import dataclass

from freshtake.errors import UsageError
from freshtake.motion.validation import Changeable, between, one_of

METHODS = ("default", "paper")
BLENDS = ("inertial", "constant", "variable", "printed", "none")
ROOTS = ("heading", "absolute")
NORMALS = ("joint", "own")
BITS = (0, 8, 16)
COMPONENTS = 10
COUNTS = {"components": 1, "velocity_components": 1, "parts": 1, "candidates": 1, "recent": 0, "blend_frames": 0}
AMOUNTS = ("error", "attribute_weight", "largest_jump", "sigma", "velocity_sigma", "band")
SHARES = ("energy", "velocity_weight", "q", "velocity_q", "anticipation")


@dataclass(frozen=True, kw_only=True)
class Settings(Changeable):
    """Settings of compression, jumps and blending.

    Sattler 2004 writes c for `components`, c* for `velocity_components`, sigma and sigma* for the two sigmas, q and q*
    for the two emphases, m for `recent` and b for `blend_frames`. Times are in seconds.
    """

    method: str = "default"  # paper: jumps by eq. 2-8 as printed
    root: str | None = None  # heading: travel and heading are removed first; None: heading, for strokes absolute

    components: int | None = None  # modes of a mesh; None: 10, or fewer if there are fewer frames
    energy: float | None = None  # instead of components: fraction of the variance
    error: float | None = None  # instead of components: root mean square error, in the unit of the vertices
    velocity_components: int | None = None  # None: 5
    normals: str = "joint"  # joint: in one vector with the positions; own: with separate modes (§2.3)
    attribute_weight: float = 0.5  # spread of joint normals relative to that of the positions
    parts: int = 1  # parts of the mesh with separate modes (local principal components, §4.1)
    bits: int = 16  # bits per number of a stored mode; 0: float32, twice the size with no smaller error

    velocity_weight: float = 0.5  # fraction of velocity in the cost of a jump
    jump_time: float = 1.5  # mean time between jumps
    largest_jump: float | None = None  # in mean frame steps; None: from the data
    sigma: float | None = None  # instead of jump_time: raw, in mean frame steps (paper: in units of D)
    velocity_sigma: float | None = None  # paper: None means sigma
    q: float = 0.0  # paper: eq. 8
    velocity_q: float = 0.0
    recent: int = 4  # frames shown last, to which there is no jump (§2.1)
    band: float = 0.1  # jumps over less than this are excluded
    anticipation: float = 0.995  # weight of future costs; 0: none
    candidates: int = 32  # jumps kept per frame

    blend: str = "inertial"  # or constant, variable (eq. 9-11), printed (eq. 10 to the letter), none
    blend_frames: int | None = None  # None: 1/6 s, constant and printed: 3
    lookahead: float = 0.3  # time within which steering searches a path into a cell

    @property
    def compared(self) -> tuple[int, int]:
        """The numbers of modes of positions and of velocities by which frames are compared."""
        return self.components or COMPONENTS, self.velocity_components or 5

    def __post_init__(self) -> None:
        choices = {"method": METHODS, "blend": BLENDS, "normals": NORMALS, "bits": BITS, "root": (None, *ROOTS)}
        for name, words in choices.items():
            one_of(self, name, words)
        for name, low in COUNTS.items():
            between(self, name, low, 100_000)
        for name in AMOUNTS:
            between(self, name, 0.0, 1e9)
        for name in SHARES:
            between(self, name, 0.0, 1.0)
        for name in ("jump_time", "lookahead"):
            between(self, name, 1e-3, 1e6)
        for name in ("sigma", "velocity_sigma"):
            if getattr(self, name) == 0:
                raise UsageError(f"{name} must be above 0")
