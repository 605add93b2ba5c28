"""The unit, run for real: systemd --user starts, reloads, watches and stops the daemon, and opens its socket.

It takes root and namespaces; where these are not to be had, the test says so and is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_HERE = {
    90: "no control group can be made here",
    91: "no mounts can be made here",
    92: "the host could not be protected",
    93: "control groups cannot be mounted here",
    94: "there is no /run",
    95: "systemd --user does not start here",
    1: "namespaces are not allowed here",
}


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/lib/systemd/systemd").exists() or not shutil.which("unshare"),
    reason="needs root, systemd and unshare (CI has them)",
)
def test_the_unit_does_what_it_says(tmp_path):
    script = Path(__file__).with_name("under_systemd.sh")
    command = ["sh", str(script), sys.executable, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180, cwd=tmp_path)
    if done.returncode in NOT_HERE and not done.stdout:
        pytest.skip(f"{NOT_HERE[done.returncode]}: {done.stderr[-300:]}")
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    status = said.pop("status")
    assert said == {
        "start": "0",
        "answers when it is ready": "0",
        "state": "active",
        "reload": "0",
        "reload of a bad file": "1",
        "state after it": "active",
        "stop": "0",
        "result": "success 0",
        "start with a bad file": "1",
        "result of it": "78, started again 0 times",
        "alive after two times of the watchdog": "yes",
        "stalled": "started again 1 time, active",
        "socket": "0",
        "the first client starts it": "0",
        "triggered by": "spiderd.socket",
    }, done.stderr
    assert "0 pages (0.0/s)" in status
