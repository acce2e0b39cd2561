"""The networks: nodes, regression, propagation, scores, searches for edges (Lau 2009, §4-5)."""
