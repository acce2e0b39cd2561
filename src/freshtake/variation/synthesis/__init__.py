"""What synthesis reads and the compiled loops that it runs (Lau 2009, §6)."""
