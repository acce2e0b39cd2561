"""One router per subject, all below /api."""

from freshtake.serve.routes import curves, events, items, jobs, live, previews, scenes, study

ROUTERS = tuple(subject.router for subject in (items, jobs, scenes, curves, live, events, previews, study))
