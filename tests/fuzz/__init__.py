"""A fuzzer of our own: good files of every format are damaged at random, and only a FreshtakeError may come back.

`python -m tests.fuzz --seconds 3600` runs all targets in turn; inputs that fail are kept in a folder.
"""
