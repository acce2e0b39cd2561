"""Select takes that are similar enough to learn from (Lau 2009, §9)."""
