"""Checks that run inside Blender's own process: `python -m tests.clients.blender_checks.run OUT.json MODULE...`."""
