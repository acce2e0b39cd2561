"""All pages and all drawing: what the figures of `evaluation` and the models look like on paper."""
