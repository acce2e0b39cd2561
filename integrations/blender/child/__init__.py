"""The freshtake child: a process of its own that does all the work."""
