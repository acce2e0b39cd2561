"""Routes by subject, all below /api; app.py lists their routers."""
