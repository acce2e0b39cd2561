"""Style and speed of gaits as two sliders (Hsu 2005, §5.1)."""
