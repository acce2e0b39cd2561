"""Motion to be looked at: scenes, the page that plays them, and pictures made without a browser."""
