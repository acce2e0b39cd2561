"""Motion for robots: clips retargeted to a URDF or MJCF model, within its joint limits (needs `freshtake[robot]`)."""
