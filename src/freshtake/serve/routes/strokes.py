"""Characters drawn on the page, and variants of them at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from freshtake.serve.drawing import MOST_VARIANTS
from freshtake.serve.items import Shape
from freshtake.serve.method_requests import Drawing, Drawings

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
def variants(body: VariantsOf) -> Written:
    """Variants of a character; the timing of each is its own."""
    from freshtake.serve.drawing import drawn_strokes, pens_of, stroke_variants

    made = stroke_variants(drawn_strokes(body.drawings), body.number, body.amount, body.seed)
    return Written(variants=[pens_of(one) for one in made])


@router.get("/example")
def example() -> Drawn:
    """Four handwritten letters, slow enough to be watched."""
    from freshtake.serve.drawing import example_drawings

    return Drawn(drawings=example_drawings())
