"""One router per subject, all below /api."""

from freshtake.serve.routes import (
    compare,
    curves,
    events,
    exports,
    items,
    jobs,
    live,
    networks,
    scenes,
    strokes,
    study,
    style,
    texture,
)

ROUTERS = (
    items.router,
    jobs.router,
    scenes.router,
    curves.router,
    networks.router,
    exports.router,
    live.router,
    events.router,
    strokes.router,
    style.router,
    texture.router,
    compare.router,
    study.router,
)
