"""One router per subject, all below /api."""

from freshtake.serve.routes import curves, events, exports, items, jobs, live, networks, scenes

ROUTERS = (
    items.router,
    jobs.router,
    scenes.router,
    curves.router,
    networks.router,
    exports.router,
    live.router,
    events.router,
)
