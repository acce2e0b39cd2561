"""Motion for robots: clips put onto a URDF or MJCF model, within its joint limits (needs `freshtake[robot]`)."""
