"""The few takes from which the others can be made again (Lau 2009, §10)."""
