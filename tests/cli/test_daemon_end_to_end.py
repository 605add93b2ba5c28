"""`spiderd start` as users run it: a process, a site, signals, and all that can be wrong at the start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from spiderd.client import Client, NotRunning
from spiderd.demo.server import serving
from spiderd.errors import Unavailable
from spiderd.states import CrawlState

QUICK = ("--delay", "0", "--processes", "0", "--threads", "4", "--set", "search.enabled=false")
PATIENCE = 30.0  # seconds until a test gives up; never waited for when all is well


@pytest.fixture(scope="module")
def site():
    with serving(0) as url:
        yield url


def start(*arguments, **options):
    """Run `spiderd start` to its end."""
    command = [sys.executable, "-m", "spiderd", "start", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, **options)


@contextmanager
def running(*arguments, data):
    """Keep a daemon running; killed at the end if it still is."""
    command = [sys.executable, "-m", "spiderd", "start", *map(str, arguments), "--data-dir", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(data, lambda snapshot: snapshot.hello.pid == process.pid, process)
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(data, condition, process=None):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with Client(data / "spiderd.sock") as client:
                snapshot = client.status()
                if condition(snapshot):
                    return snapshot
        except Unavailable:
            assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def complete(snapshot):
    return snapshot.state is CrawlState.COMPLETE


def finished(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def test_once_ends_with_0_and_a_summary_and_the_same_again_says_what_it_found(tmp_path, site):
    first = start(site, "--once", "--data-dir", tmp_path, *QUICK)
    assert first.returncode == 0, first.stderr
    assert "crawl complete" in first.stdout
    assert "continuing" not in first.stdout
    assert "\x1b" not in first.stdout + first.stderr
    second = start(site, "--once", "--data-dir", tmp_path, *QUICK)
    assert second.returncode == 0, second.stderr
    assert "continuing: 0 waiting, " in second.stdout
    pages = [line.split() for line in first.stdout.splitlines() if line.startswith("pages")]
    assert pages == [line.split() for line in second.stdout.splitlines() if line.startswith("pages")]
    assert int(pages[0][1]) > 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_with_0_and_says_what_is_left(tmp_path, site, number):
    with running(site, "--processes", "0", "--delay", "200ms", data=tmp_path) as process:
        wait_for(tmp_path, lambda snapshot: snapshot.counters.pages >= 1)
        process.send_signal(number)
        code, out, err = finished(process)
    assert (code, "Traceback" in err) == (0, False), err
    assert "stopped: " in out
    again = start("--data-dir", tmp_path, "--once", *QUICK)
    assert (again.returncode, again.stderr.count("Traceback")) == (0, 0), again.stderr
    assert again.stdout.startswith("continuing: ")
    assert "-" not in again.stdout.splitlines()[0]  # no queue has less than nothing


def test_the_commands_steer_a_daemon_that_runs(tmp_path, site, spiderd):
    where = ("--data-dir", str(tmp_path))
    with running(*QUICK, data=tmp_path) as process:
        assert spiderd("pause", *where)[1].startswith("paus")
        assert spiderd("add", site, *where) == (0, "1 new, 0 known, 0 refused\n", "")
        assert spiderd("resume", *where)[0] == 0
        wait_for(tmp_path, complete)
        assert "complete" in spiderd("status", *where)[1]
        assert site.split("/")[2] in spiderd("hosts", *where)[1]
        assert f"{tmp_path}/pages/" in spiderd("directories", *where)[1]
        for command in ("workers", "errors", "events"):
            assert spiderd(command, *where)[0] == 0
        assert "complete" in spiderd("why", site, *where)[1]
        code, _, err = spiderd("stop", *where)
        assert (code, err) == (0, "")
        code, _, err = finished(process)
        assert code == 0, err
    assert spiderd("status", *where)[0] == 3


def test_a_second_daemon_is_75_with_the_first_ones_pid_and_harms_nothing(tmp_path):
    with running(*QUICK, data=tmp_path) as process:
        second = start("--data-dir", tmp_path)
        assert second.returncode == 75
        assert second.stderr.startswith("spiderd: ")
        assert len(second.stderr.splitlines()) == 1
        assert str(process.pid) in second.stderr
        detached = start("--data-dir", tmp_path, "--detach")
        assert detached.returncode == 75
        assert str(process.pid) in detached.stderr
        elsewhere = start("--data-dir", tmp_path / "other", "--socket", tmp_path / "spiderd.sock")
        assert elsewhere.returncode == 75
        assert wait_for(tmp_path, lambda snapshot: True).hello.pid == process.pid


def test_after_kill_9_the_socket_is_stale_and_the_next_start_replaces_it(tmp_path, site):
    with running(site, *QUICK, data=tmp_path) as process:
        wait_for(tmp_path, complete)
        process.kill()
        process.wait()
        assert (tmp_path / "spiderd.sock").is_socket()
        with pytest.raises(NotRunning), Client(tmp_path / "spiderd.sock") as client:
            client.hello()
    again = start("--once", "--data-dir", tmp_path, *QUICK)
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("continuing: ")
    assert not (tmp_path / "spiderd.sock").exists()


def test_detach_answers_with_pid_and_socket_and_leaves_a_daemon_of_its_own_session(tmp_path, site, spiderd):
    detached = start(site, "--detach", "--data-dir", tmp_path, *QUICK)
    assert (detached.returncode, detached.stderr) == (0, "")
    pid = int(detached.stdout.split()[1].rstrip(","))
    try:
        assert detached.stdout == f"pid {pid}, socket {tmp_path / 'spiderd.sock'}\n"
        assert os.getsid(pid) == pid
        assert wait_for(tmp_path, complete).hello.pid == pid
        assert (tmp_path / "detached.log").exists()
    finally:
        assert spiderd("stop", "--data-dir", str(tmp_path))[0] == 0


def test_detach_that_fails_tells_the_last_lines_of_its_log_and_the_exit_code(tmp_path):
    (tmp_path / "spiderd.sock").write_text("mine")
    failed = start("--detach", "--data-dir", tmp_path)
    assert failed.returncode == 73
    first, *_, last = failed.stderr.splitlines()
    assert "is not a socket" in first
    assert last.endswith(f"exit status 73; its log is {tmp_path / 'detached.log'}")
    assert (tmp_path / "spiderd.sock").read_text() == "mine"


WRONG = [
    (["http://"], "", 2, 'crawl.seeds: "http://" is not a URL that can be crawled'),
    (["example.com"], "", 2, 'did you mean "https://example.com/"?'),
    (["--threads", "none"], "", 2, 'crawl.threads = "none": must be a whole number from 1 to 1024'),
    (["--thread", "1"], "", 2, "--threads"),
    ([], '[crawl]\nseeds = ["nonsense"]', 78, 'config.toml:2: crawl.seeds: "nonsense" is not a URL'),
    ([], "[crawl]\nthread = 1", 78, "config.toml:2: crawl.thread: unknown key; did you mean crawl.threads?"),
    ([], '[scope]\nexclude = ["("]', 78, "config.toml:2: scope.exclude: "),
    (["--socket", "/" + "s" * 110], "", 73, "has 111 bytes and the system allows"),
    (["--config", "/"], "", 78, "cannot read the configuration /: Is a directory"),
    (["--data-dir", "/proc/none"], "", 73, "/proc/none"),
    (["--data-dir", "/dev/null"], "", 73, "/dev/null"),
]


@pytest.mark.parametrize(("arguments", "text", "code", "said"), WRONG)
@pytest.mark.parametrize("how", [[], ["--detach"]])
def test_bad_input_is_one_sentence_and_its_exit_code_and_nothing_is_made(
    tmp_path, monkeypatch, spiderd, arguments, text, code, said, how
):
    file, data = tmp_path / "config.toml", tmp_path / "data"
    file.write_text(text)
    monkeypatch.setenv("SPIDERD_CONFIG", str(file))
    monkeypatch.setenv("SPIDERD_DATA_DIR", str(data))
    ended_with, out, err = spiderd("start", *arguments, *how)
    assert (ended_with, out) == (code, ""), err
    assert len(err.splitlines()) == 1
    assert err.startswith("spiderd: ")
    assert said in err
    assert not data.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_directory_that_cannot_be_written_is_73(tmp_path):
    tmp_path.chmod(0o500)
    result = start("--data-dir", tmp_path)
    assert result.returncode == 73
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
