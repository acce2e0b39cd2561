"""Faults: commands that are killed, that meet a full disk or a folder they may not write to."""
