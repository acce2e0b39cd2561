"""Our own fuzzer: good files of every format are damaged at random, and only a FreshtakeError may be raised.

`python -m tests.fuzz --seconds 3600` runs all targets in turn; inputs that fail are kept in a folder.
"""
