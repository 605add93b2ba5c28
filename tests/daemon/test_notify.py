"""The protocol of sd_notify(3), on a real datagram socket."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

import pytest

from spiderd.daemon.notify import STATUS_MAX, Notifier
from tests.daemon.managing import manager


@pytest.mark.parametrize("abstract", [False, True])
def test_a_notification_is_one_datagram_of_lines(tmp_path, abstract):
    with manager(tmp_path, abstract=abstract) as systemd:
        systemd.notifier().send(READY=1, STATUS="running")
        assert systemd.pending() == [{"READY": "1", "STATUS": "running"}]


def test_the_variables_are_taken_out_of_the_environment(tmp_path):
    with manager(tmp_path) as systemd:
        environ = {"NOTIFY_SOCKET": systemd.address, "WATCHDOG_USEC": "60000000", "HOME": "/"}
        environ["WATCHDOG_PID"] = str(os.getpid())
        notifier = Notifier.from_environment(environ)
        assert environ == {"HOME": "/"}
        assert (notifier.is_there, notifier.watchdog) == (True, 60.0)
        notifier.close()


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"},  # meant for somebody else
        {"NOTIFY_SOCKET": "vsock:2:1", "WATCHDOG_USEC": "soon"},
    ],
)
def test_without_a_manager_nothing_happens(environ):
    notifier = Notifier.from_environment(environ)
    assert (notifier.is_there, notifier.watchdog) == (False, 0.0)
    notifier.send(READY=1)


def test_a_manager_that_has_gone_does_no_harm(tmp_path):
    with manager(tmp_path) as systemd:
        notifier = systemd.notifier()
    notifier.send(READY=1)
    notifier.close()
    notifier.send(STOPPING=1)


def fill(address):
    """Send until that would block; how much could be sent."""
    sent = 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other, suppress(BlockingIOError):
        other.setblocking(False)
        while True:
            sent += other.sendto(b"X=1", address)
    return sent


def test_a_full_queue_delays_what_matters_and_drops_what_is_outdated(tmp_path):
    with manager(tmp_path) as systemd:
        notifier = systemd.notifier()
        while fill(systemd.address):  # each socket has a bound of its own, which may come first
            pass
        notifier.send(READY=1, STATUS="one")
        notifier.send(WATCHDOG=1)
        while systemd.pending():
            pass
        notifier.send(STATUS="two")
        assert systemd.pending() == [{"READY": "1", "STATUS": "two"}]
        notifier.close()


def test_a_status_is_one_line_without_secrets(tmp_path):
    with manager(tmp_path) as systemd:
        systemd.notifier().send(STATUS="a\nREADY=1\x1b[2J http://ann:secret@h.test/" + "x" * 1000)
        (told,) = systemd.pending()
    assert set(told) == {"STATUS"}
    assert told["STATUS"].startswith("a READY=1[2J http://***@h.test/x")
    assert len(told["STATUS"]) == STATUS_MAX
