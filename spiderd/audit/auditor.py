"""The auditor: a process that makes all reports of a data directory once, for the daemon to answer from.

    python -m spiderd.audit.auditor DATA_DIR < configuration as JSON

A process of its own, because an audit keeps a processor busy for as long as it takes, and the crawl's loop
has only that one; it takes what nobody else wants. The findings get their name when they are whole, so
whoever reads has the old ones until then.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from spiderd.audit.building import audit
from spiderd.config import Config
from spiderd.errors import SpiderdError

FOLDER, FILE = "reports", "findings"


def findings_of(data_dir: Path) -> Path:
    """Where the findings of a data directory are kept."""
    return data_dir / FOLDER / FILE


def make(data_dir: Path, config: Config) -> None:
    """Make all reports, and let them take the place of those that there were.

    Raises:
        StorageError: the store cannot be read, or the findings cannot be written.
    """
    file = findings_of(data_dir)
    file.parent.mkdir(exist_ok=True)
    part = file.with_name(f"{FILE}.part")
    audit(data_dir, part, config=config).close()
    part.replace(file)


def main() -> int:
    """Run as a process; the exit code, with a sentence on standard error where it is not 0."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)
    try:
        make(Path(sys.argv[1]), msgspec.json.decode(sys.stdin.buffer.read(), type=Config))
    except (SpiderdError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
