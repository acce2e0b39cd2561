"""freshtake for another program: requests and results as messages over the standard streams of a child process."""
