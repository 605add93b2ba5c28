"""python -m spiderd.demo [--port N] [COMMAND ...] serves the site for a command, or until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from spiderd.demo.server import PORT, serving

CANNOT_CREATE = 73  # as spiderd.errors.CannotCreate; the demonstration leans on nothing of the crawler
NOT_FOUND = 127  # what a shell says of a command that is not there


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the site; the exit code is that of the command, which is given the URL as its last argument."""
    parser = argparse.ArgumentParser(
        prog="python -m spiderd.demo", description="Serve a small site on loopback."
    )
    parser.add_argument("--port", type=_port, help=f"default: {PORT}, or any free one; 0: any free one")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="run this with the site's URL, then stop")
    options = parser.parse_args(arguments)
    stop = None if options.command else stop_signal()
    try:
        with serving(options.port) as url:
            _say(f"The demonstration site is at {url}")
            if stop is None:
                return run(options.command, url)
            stop.wait()
            return 0
    except OSError as error:
        _say(f"Cannot serve the demonstration site on port {options.port}: {error.strerror}.")
        return CANNOT_CREATE


def run(command: Sequence[str], url: str) -> int:
    """Run a command to its end. Ctrl-C reaches it by itself; SIGTERM is passed on."""
    children: list[subprocess.Popen[bytes]] = []
    asked = threading.Event()

    def pass_on(*_: object) -> None:
        asked.set()
        for child in children:
            child.terminate()

    signal.signal(signal.SIGINT, lambda *_: None)  # the command decides when it ends
    signal.signal(signal.SIGTERM, pass_on)
    try:
        children.append(subprocess.Popen([*command, url]))
    except OSError as error:
        _say(f"Cannot run {command[0]}: {error.strerror}.")
        return NOT_FOUND
    if asked.is_set():  # perhaps before the child was in the list
        pass_on()
    code = children[0].wait()
    return code if code >= 0 else 128 - code


def stop_signal() -> threading.Event:
    """Return what is set by Ctrl-C or SIGTERM, from now on."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
