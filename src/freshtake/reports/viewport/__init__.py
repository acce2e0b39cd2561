"""Show motion: scenes, the page that plays them, and pictures made without a browser."""
