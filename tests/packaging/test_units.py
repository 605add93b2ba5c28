"""The units, judged by systemd's own tools where these are, and run under what they forbid."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from spiderd import errors
from spiderd.cli.unit_files import PROGRAM, SYSTEM, USER, rendered
from spiderd.client import Client
from spiderd.daemon.settings import RESTART
from spiderd.demo.server import serving
from spiderd.states import CrawlState
from tests.crawl.harness import wait_until

PACKAGING = Path(__file__).parents[2] / "packaging"
UNITS = sorted((PACKAGING / "systemd").rglob("spiderd.service"))
MOST_EXPOSED = 2.0

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed (CI installs it)"
)


def analyze(*arguments):
    command = ["systemd-analyze", *map(str, arguments)]
    environ = {**os.environ, "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "/run"), "PAGER": ""}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environ)


def put_in_place(scope, root):
    files = rendered(scope, f"{sys.executable} -m spiderd", {"XDG_CONFIG_HOME": "/config"}, root)
    for file in files:
        file.write()
    return [file.path for file in files if file.path.suffix in {".service", ".socket"}]


@needs_systemd
@pytest.mark.parametrize("scope", [USER, SYSTEM], ids=lambda scope: scope.name)
def test_systemd_finds_nothing_wrong(tmp_path, scope):
    done = analyze("verify", "--man=no", f"--{scope.name}", *put_in_place(scope, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_systemd
def test_a_mistake_in_a_unit_would_be_found(tmp_path):
    """So that the test above can fail."""
    service, _ = put_in_place(SYSTEM, tmp_path)
    service.write_text(service.read_text().replace("WatchdogSec=180", "WatchdogSec=soon\nProtectHomme=yes"))
    done = analyze("verify", "--man=no", "--system", service)
    assert re.search(r"spiderd\.service:\d+: Failed to parse", done.stderr)
    assert "ProtectHomme" in done.stderr


@needs_systemd
def test_the_system_unit_is_little_exposed(tmp_path):
    service, _ = put_in_place(SYSTEM, tmp_path)
    done = analyze(
        "security", "--offline=true", "--no-pager", f"--threshold={round(MOST_EXPOSED * 10)}", service
    )
    found = re.search(r"Overall exposure level for spiderd\.service: ([\d.]+)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= MOST_EXPOSED
    assert done.returncode == 0


@pytest.mark.skipif(
    shutil.which("systemd-sysusers") is None, reason="systemd is not installed (CI installs it)"
)
def test_the_user_and_the_folder_are_made(tmp_path):
    (tmp_path / "etc").mkdir()
    for tool, file in (("systemd-sysusers", "sysusers.d"), ("systemd-tmpfiles", "tmpfiles.d")):
        command = [tool, f"--root={tmp_path}", str(PACKAGING / file / "spiderd.conf")]
        if tool == "systemd-tmpfiles":
            command.insert(1, "--create")
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
    assert re.search(r"^spiderd:.*:/var/lib/spiderd:", (tmp_path / "etc/passwd").read_text(), re.MULTILINE)
    assert (tmp_path / "run/spiderd").stat().st_mode & 0o777 == 0o750


def directives(unit):
    parser = configparser.RawConfigParser(strict=False)  # SystemCallFilter= comes several times
    parser.optionxform = str
    parser.read(unit)
    return parser["Service"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.parent.name)
def test_what_does_not_get_better_by_itself_is_not_tried_again(unit):
    kinds = [errors.UsageError, errors.AlreadyRunning, errors.ConfigError]
    codes = {kind.exit_code for kind in kinds}
    assert set(map(int, directives(unit)["RestartPreventExitStatus"].split())) == codes
    assert directives(unit)["Restart"] == "on-failure"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.parent.name)
def test_the_unit_speaks_the_protocol_that_the_daemon_speaks(unit):
    found = directives(unit)
    assert found["Type"] == "notify"
    assert found["ExecStart"] == f"{PROGRAM} start"
    assert found["ExecReload"] == f"{PROGRAM} reload"
    assert int(found["WatchdogSec"]) > 0
    assert "api.socket" in RESTART, "the unit's directory decides where it is"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.parent.name)
def test_every_option_of_the_unit_is_under_a_sentence(unit):
    """A reader learns why; blocks of options may share a comment."""
    for block in unit.read_text().split("\n\n"):
        assert "#" in block or "[Install]" in block, block


def test_it_runs_with_no_memory_that_is_writable_and_executable(tmp_path):
    """As the unit's MemoryDenyWriteExecute= demands: crawl, index, search; PDFs are read by pdfium."""
    script = (
        "import ctypes, os, sys\n"
        "if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)\n"  # PR_SET_MDWE: Linux 6.3
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n"
    )
    denied = [sys.executable, "-c", script]

    def run(*arguments):
        command = [*denied, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    refused = run("-c", "import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)")
    if refused.returncode == 77:
        pytest.skip("this kernel cannot deny it (Linux before 6.3)")
    assert "PermissionError" in refused.stderr
    with serving(0) as site:
        where = ("--data-dir", str(tmp_path))
        done = run("-m", "spiderd", "start", site, "--once", "--delay", "0", "--processes", "1", *where)
    assert done.returncode == 0, done.stderr
    found = run("-m", "spiderd", "search", "silk", *where)
    assert (found.returncode, "silk" in found.stdout.lower()) == (0, True), found.stderr
    pdf = run("-c", "import pypdfium2; pypdfium2.PdfDocument.new().new_page(9, 9).get_textpage()")
    assert pdf.returncode == 0, pdf.stderr


def listens(path: Path) -> bool:
    """Whether a connection is taken: between bind and listen the socket is there, and refuses."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


@pytest.mark.skipif(
    shutil.which("systemd-socket-activate") is None, reason="systemd is not installed (CI installs it)"
)
def test_systemds_own_activator_hands_the_socket_over(tmp_path):
    """The first client starts the daemon, is answered, and the socket outlives the daemon."""
    path = tmp_path / "api.sock"
    command = [shutil.which("systemd-socket-activate"), "-l", str(path)]
    command += [sys.executable, "-m", "spiderd", "start", "--data-dir", str(tmp_path / "data")]
    command += ["--processes", "0", "--set", "search.enabled=false"]
    environ = {**os.environ, "PYTHONPATH": str(PACKAGING.parent)}
    command[1:1] = [f"--setenv={name}" for name in ("PYTHONPATH", "PATH", "HOME") if name in environ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
    try:
        wait_until(lambda: listens(path), process)
        with Client(path, timeout=30) as client:  # queued by the kernel until the daemon is there
            assert client.hello().pid == process.pid
            assert client.status().state in {CrawlState.IDLE, CrawlState.RUNNING}
            client.stop()
        assert process.wait(30) == 0
        assert path.is_socket()
    finally:
        process.kill()
        process.communicate()
