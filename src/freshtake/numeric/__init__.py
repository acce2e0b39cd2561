"""Functions from arrays to arrays: rotations, kinematics, statistics; independent of joint names, files and screens."""
