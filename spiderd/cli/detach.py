"""`spiderd start --detach`: the same program again in a session of its own, and a wait until it answers.

The child's standard error goes to `DIR/detached.log` (that of the run before is kept as `detached.log.1`); a
unit of systemd, which is made for this, has its journal.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import click

from spiderd.cli.narration import note
from spiderd.client import Client
from spiderd.errors import CannotCreate, Unavailable
from spiderd.protocol import Hello

PATIENCE = 60.0  # seconds; opening a store takes well under one, but a disk may be asleep
LOOK_EVERY = 0.05
LAST_LINES = 20


def start_detached(data_dir: Path, socket: Path) -> int:
    """Start the daemon in the background; returns the exit code of the command.

    Raises:
        CannotCreate: the log cannot be written in the data directory.
        Unavailable: the daemon lives but has not answered in time.
    """
    log = data_dir / "detached.log"
    child = _spawn(log)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if (code := child.poll()) is not None:
            return _tell_failure(log, code)
        hello = _greeting(socket)
        if hello is not None and hello.pid == child.pid:
            click.echo(f"pid {child.pid}, socket {socket}")
            return 0
        time.sleep(LOOK_EVERY)
    raise Unavailable(f"the daemon (pid {child.pid}) does not answer after {PATIENCE:g} s; its log is {log}")


def _spawn(log: Path) -> subprocess.Popen[bytes]:
    # The very arguments of this process, so that no option can be forgotten here.
    command = [sys.executable, *(word for word in sys.orig_argv[1:] if word != "--detach")]
    try:
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if log.exists():
            log.replace(log.with_name(f"{log.name}.1"))
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except OSError as error:
        raise CannotCreate(f"the log {log} cannot be written: {error.strerror}") from error
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


def _greeting(socket: Path) -> Hello | None:
    try:
        with Client(socket, timeout=1.0) as client:
            return client.hello()
    except Unavailable:
        return None


def _tell_failure(log: Path, code: int) -> int:
    with log.open(encoding="utf-8", errors="replace") as lines:
        last = [line.rstrip("\n") for line in deque(lines, LAST_LINES)]
    for line in last:
        note(line.removeprefix("spiderd: "))
    if code < 0:
        note(f"the daemon was killed by signal {-code}")
        return 128 - code
    note(f"the daemon ended at once with exit status {code}; its log is {log}")
    return code
