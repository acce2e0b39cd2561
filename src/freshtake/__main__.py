"""`python -m freshtake` is the same as the command `freshtake`."""

from freshtake.cli import program

if __name__ == "__main__":
    program()
