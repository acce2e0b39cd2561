"""Arrays in, arrays out: rotations and kinematics. Knows nothing of joints' names, files or screens."""
