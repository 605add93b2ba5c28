"""What clients are told of, the log is told of, too."""

from __future__ import annotations

import io

from spiderd.api.events import BURST
from spiderd.config.declaration import Log as LogRules
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.log import Log


def lines_of(log: io.StringIO) -> list[str]:
    return [line.split(maxsplit=1)[1].strip() for line in log.getvalue().splitlines()]


def test_what_was_left_out_is_told_in_ring_and_log_without_another_event():
    now = [0.0]
    stream = io.StringIO()
    happenings = Happenings(Log("info", stream), ticks=lambda: now[0])
    for number in range(BURST + 7):
        happenings.add("warning", "failed", f"no route {number}", host="a.test")
    assert len(lines_of(stream)) == BURST
    now[0] = 60.0
    happenings.sweep()
    last = happenings.ring.since(0).rows[-1]
    assert last.message == '7 more "failed" events in 10 s were left out'
    assert lines_of(stream)[BURST:] == [f"warning failed: {last.message}"]
    happenings.sweep()
    assert len(lines_of(stream)) == BURST + 1


def test_the_level_of_the_log_may_change_while_it_runs():
    stream = io.StringIO()
    happenings = Happenings(Log("error", stream))
    happenings.add("info", "state", "one")
    happenings.log_by(LogRules(level="info"))
    happenings.add("info", "state", "two")
    assert lines_of(stream) == ["info    state: two"]
    assert len(happenings.ring.since(0).rows) == 2
