"""Long runs of every method's stream, and of live sending."""
