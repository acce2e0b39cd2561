"""What the four methods share: takes brought together, checks of settings, progress of long work."""
