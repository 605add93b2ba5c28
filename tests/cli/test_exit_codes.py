"""The table of exit codes, each made to happen: what service managers and scripts decide by."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spiderd import errors
from spiderd.client import Client
from spiderd.daemon.steering import STOP_GRACE
from spiderd.states import CrawlState
from tests.crawl.harness import daemon_process, wait_until
from tests.web.server import threaded_site

QUICK = ("--delay", "0", "--processes", "0", "--threads", "2", "--set", "search.enabled=false")
PATIENCE = 30.0


def spiderd(*arguments, code=None, environ=None):
    command = [sys.executable, *(["-c", code] if code else ["-m", "spiderd"]), *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(environ or {})}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=env)


def test_the_table_is_the_one_of_the_errors():
    kinds = {
        errors.SpiderdError: 1,
        errors.UsageError: 2,
        errors.Unavailable: 69,
        errors.CannotCreate: 73,
        errors.StorageError: 74,
        errors.DiskFull: 74,
        errors.AlreadyRunning: 75,
        errors.ConfigError: 78,
    }
    assert {kind: kind.exit_code for kind in kinds} == kinds
    assert 3 not in kinds.values(), "which is `status` for: it does not run"


def test_a_bug_is_1_with_its_traceback(tmp_path):
    code = (
        "import spiderd.daemon.running as running\n"
        "async def broken(self): raise RuntimeError('a bug of ours')\n"
        "running.Daemon._crawl = lambda self, *_: broken(self)\n"
        "from spiderd.cli import main\n"
        "main()\n"
    )
    done = spiderd("start", "--data-dir", tmp_path, *QUICK, code=code)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "a bug of ours" in done.stderr
    assert not (tmp_path / "spiderd.sock").exists()
    assert spiderd("start", "--data-dir", tmp_path, "--once", *QUICK).returncode == 2, (
        "the lock is free again"
    )


def test_wrong_usage_is_2(tmp_path):
    assert spiderd("start", "--no-such-option").returncode == 2
    assert spiderd("start", "--once", "--data-dir", tmp_path).returncode == 2


def test_no_daemon_is_69_and_3_for_status(tmp_path):
    assert spiderd("pause", "--data-dir", tmp_path).returncode == 69
    assert spiderd("status", "--data-dir", tmp_path).returncode == 3


def test_a_socket_that_says_nothing_is_4_for_status(tmp_path):
    path = tmp_path / "spiderd.sock"
    path.write_text("no socket")
    assert spiderd("status", "--data-dir", tmp_path).returncode in {3, 4}


def test_a_file_in_the_way_is_73(tmp_path):
    (tmp_path / "data").write_text("mine")
    assert spiderd("start", "--data-dir", tmp_path / "data").returncode == 73


def test_a_store_that_cannot_be_read_is_74(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "data.mdb").write_bytes(b"\xff" * 8192)
    done = spiderd("start", "--data-dir", tmp_path, *QUICK)
    assert done.returncode == 74
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_configuration_is_78(tmp_path):
    (tmp_path / "config.toml").write_text("[crawl]\nthreads = 0\n")
    done = spiderd("start", "--config", tmp_path / "config.toml", "--data-dir", tmp_path / "data")
    assert done.returncode == 78
    assert "config.toml:2: crawl.threads" in done.stderr


def hanging(_stream, _request):
    """An answer that does not come before the client has gone."""
    return never()


async def never():
    import trio

    await trio.sleep_forever()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_skips_the_grace_and_is_0_all_the_same(tmp_path, number):
    with (
        threaded_site({"/robots.txt": (404, {}, b""), "*": hanging}) as site,
        daemon_process(tmp_path, site.url("/"), *QUICK) as process,
    ):
        wait_until((tmp_path / "spiderd.sock").is_socket, process)

        def now():
            with Client(tmp_path / "spiderd.sock") as client:
                return client.status()

        wait_until(lambda: any(worker.step == "waiting" for worker in now().workers), process)
        began = time.monotonic()
        process.send_signal(number)
        wait_until(lambda: now().state is CrawlState.STOPPING, process)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert time.monotonic() - began < STOP_GRACE
    assert not (tmp_path / "spiderd.sock").exists()
