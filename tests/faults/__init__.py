"""Faults: commands and servers that are killed, small disks, wrong clocks, first compilations at the same time."""
