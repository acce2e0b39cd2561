"""`python -m freshtake` is the same as the command `freshtake`."""

from freshtake.cli import main

if __name__ == "__main__":
    main()
