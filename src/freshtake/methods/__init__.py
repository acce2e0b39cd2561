"""Code shared by the four methods: gathering takes, checks of settings, progress of long work."""
