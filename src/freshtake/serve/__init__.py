"""The studio's server: a project folder, worker processes and routes, for the page and for other tools."""
