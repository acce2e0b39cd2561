"""One router per subject, all below /api."""

from freshtake.serve.routes import events, items, jobs, scenes

ROUTERS = (items.router, jobs.router, scenes.router, events.router)
