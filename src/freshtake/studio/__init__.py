"""The studio's page."""
