"""The command line: one file a group of commands, each imported only when it is asked for.

Standard output is data, standard error is narration. A `SpiderdError` becomes one sentence and its exit code.
"""

from spiderd.cli.entry import main

__all__ = ["main"]
