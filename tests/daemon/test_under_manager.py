"""`spiderd start` under a service manager: a process, a notify socket, signals, and what is told when."""

from __future__ import annotations

import signal

import pytest

from spiderd.client import Client
from spiderd.demo.server import serving
from spiderd.states import CrawlState
from tests.crawl.harness import daemon_process, wait_until
from tests.daemon.managing import manager

QUICK = ("--delay", "0", "--processes", "0", "--set", "search.enabled=false")


@pytest.fixture
def systemd(tmp_path):
    with manager(tmp_path) as found:
        yield found


def asked(data):
    with Client(data / "spiderd.sock") as client:
        return client.status()


def test_a_run_under_a_manager_from_ready_to_stopping(tmp_path, systemd):
    data, file = tmp_path / "data", tmp_path / "config.toml"
    file.write_text('[politeness]\ndelay = "0s"\n')
    environment = {"NOTIFY_SOCKET": systemd.address, "WATCHDOG_USEC": "2000000", "SPIDERD_CONFIG": str(file)}
    with (
        serving(0) as site,
        daemon_process(data, site, *QUICK[2:], "--threads", "2", environment=environment) as process,
    ):
        systemd.until("READY")
        assert asked(data).hello.pid == process.pid, "whoever is told READY may connect at once"
        wait_until(lambda: asked(data).state is CrawlState.COMPLETE, process)
        while not systemd.until("STATUS")["STATUS"].startswith("complete"):
            pass
        assert any("WATCHDOG" in told for told in systemd.heard) or systemd.until("WATCHDOG")

        process.send_signal(signal.SIGHUP)
        assert int(systemd.until("RELOADING")["MONOTONIC_USEC"]) > 0
        systemd.until("READY")
        file.write_text("[politeness]\ndelay = 7\n")  # a bad file is refused as a whole, and told as over
        process.send_signal(signal.SIGHUP)
        systemd.until("RELOADING")
        systemd.until("READY")
        assert asked(data).state is CrawlState.COMPLETE

        process.send_signal(signal.SIGTERM)
        systemd.until("STOPPING")
        assert process.wait(30) == 0
        rest = systemd.pending()
    assert not [told for told in rest if "READY" in told or "RELOADING" in told]


def test_a_start_that_fails_tells_why(tmp_path, systemd):
    (tmp_path / "data" / "store").mkdir(parents=True)
    (tmp_path / "data" / "store" / "data.mdb").write_bytes(b"not a store" * 1000)
    environment = {"NOTIFY_SOCKET": systemd.address}
    with daemon_process(tmp_path / "data", *QUICK, environment=environment) as process:
        assert process.wait(30) == 74
    heard = systemd.pending()
    assert not [told for told in heard if "READY" in told]
    assert heard[-1]["STATUS"].startswith("The store in ")
