"""One router per subject, all below /api."""

from freshtake.serve.routes import compare, events, items, jobs, scenes, strokes, study, style, texture

ROUTERS = (
    items.router, jobs.router, scenes.router, events.router, strokes.router, style.router, texture.router,
    compare.router, study.router,
)  # fmt: skip
