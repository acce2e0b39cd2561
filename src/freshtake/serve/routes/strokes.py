"""Characters drawn on the page, and variants of them at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from freshtake.serve.drawing import MOST_VARIANTS
from freshtake.serve.items import Shape
from freshtake.serve.method_requests import Drawing, Drawings
from freshtake.serve.routes.access import TheModels

router = APIRouter(prefix="/strokes", tags=["strokes"])


class Drawn(Shape):
    """Drawings of one character: strokes of the pen, each a list of points x, y, seconds."""

    drawings: Drawings


class VariantsOf(Drawn):
    """How many variants are wanted, and how different."""

    number: Annotated[int, Field(ge=1, le=MOST_VARIANTS)] = 15
    amount: Annotated[float, Field(ge=0.0, le=4.0)] = 1.0
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class Written(Shape):
    """Variants in the same form."""

    variants: list[Drawing]


@router.post("/variants")
def variants(body: VariantsOf, models: TheModels) -> Written:
    """Variants of a character; the timing of each is its own."""
    return Written(variants=models.call(drawn_variants, body.drawings, body.number, body.amount, body.seed))


def drawn_variants(drawings: Drawings, number: int, amount: float, seed: int) -> list[Drawing]:
    """Variants of drawings, as drawings."""
    from freshtake.serve.drawing import drawn_strokes, pens_of, stroke_variants

    return [pens_of(one) for one in stroke_variants(drawn_strokes(drawings), number, amount, seed)]


@router.get("/example")
def example() -> Drawn:
    """Four handwritten letters, slow enough to be watched."""
    from freshtake.serve.drawing import example_drawings

    return Drawn(drawings=example_drawings())
