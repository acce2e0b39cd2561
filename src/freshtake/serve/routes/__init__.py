"""Routes by subject, all under /api; app.py lists their routers."""
