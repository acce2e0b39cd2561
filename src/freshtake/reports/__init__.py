"""Pages and drawings of the figures of `evaluation` and of models."""
