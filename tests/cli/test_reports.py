"""What a foreground start shows: summary, restored counts, what is left, the live line."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout

import msgspec
import pytest
from rich.console import Console

from spiderd.cli.reports import Milestones, Screen, live_view, reporting
from spiderd.cli.summary import left, restored, summary
from spiderd.protocol import Counters
from spiderd.report import Report
from spiderd.states import CrawlState, Reason
from tests.api.sample import SampleCrawl
from tests.cli.conftest import Terminal


@pytest.fixture
def snapshot():
    complete = SampleCrawl().snapshot()
    complete.state, complete.reason = CrawlState.COMPLETE, Reason.DRAINED
    complete.pages_this_run = complete.counters.pages
    return complete


def shown(renderable, width=100):
    console = Console(file=io.StringIO(), width=width, legacy_windows=False)
    console.print(renderable)
    return console.file.getvalue()


def test_the_summary_has_pages_bytes_statuses_errors_time_and_rate(snapshot):
    text = shown(summary(snapshot, 60.0))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "crawl complete"
    for line in (
        "pages 30 121 KiB stored",
        "errors 3 after 0 retries",
        "time 1m 00s",
        "rate 0.5/s",
        "status 200 30",
        "status 404 3",
        "error http_error 2",
        "error connect_timeout 1",
        "refused scope 40",
    ):
        assert line in lines


def test_what_earlier_runs_stored_does_not_count_for_the_rate(snapshot):
    snapshot.pages_this_run = 5
    lines = [" ".join(line.split()) for line in shown(summary(snapshot, 10.0)).splitlines()]
    assert "pages 30 121 KiB stored" in lines
    assert "time 10s this run, 5 pages" in lines
    assert "rate 0.5/s" in lines


def test_the_most_frequent_stand_first(snapshot):
    text = shown(summary(snapshot, 60.0))
    assert text.index("status 200") < text.index("status 404") < text.index("error http_error")
    assert text.index("error http_error") < text.index("error connect_timeout")


def test_a_crawl_at_its_limit_says_so(snapshot):
    snapshot.reason, snapshot.max_pages = Reason.PAGE_LIMIT, 1234
    assert "crawl complete: the limit of 1,234 pages is reached" in shown(summary(snapshot, 0.0))


def test_a_summary_of_nothing_divides_by_nothing(snapshot):
    snapshot.counters = Counters()
    assert "0.0/s" in shown(summary(snapshot, 0.0))


def test_restored_and_left_name_all_four_queues():
    counters = Counters(known=1110, waiting=1000, complete=100, processing=8, error=2, pages=90)
    assert restored(counters) == "continuing: 1,000 waiting, 100 done, 8 leased (given out again), 2 failed"
    assert left(counters).startswith(
        "stopped: 1,000 waiting, 8 processing, 100 complete, 2 error, 90 pages stored"
    )


@pytest.mark.parametrize("width", [80, 40, 12])
def test_the_live_view_has_two_lines_whatever_the_width(snapshot, width):
    snapshot.state = CrawlState.RUNNING
    text = shown(live_view(snapshot), width)
    assert len(text.splitlines()) == 2
    if width == 80:
        assert "38 of 100 URLs" in text
        assert "30 pages · 121 KiB · 1.5/s · 3 errors" in text


def test_the_live_view_says_why_nothing_happens(snapshot):
    snapshot.state, snapshot.message = CrawlState.PAUSED, "the disk is full\x1b[2J"
    assert "the disk is full[2J" in shown(live_view(snapshot))


def test_reports_keep_the_protocol(snapshot):
    for report in (Milestones(), Screen()):
        kept: Report = report
        kept.progress(snapshot)


def test_in_a_pipe_there_are_milestones_only(snapshot, capsys):
    with reporting() as report:
        report.restored(Counters(waiting=1))
        report.progress(snapshot)
        report.complete(snapshot, 1.0)
        report.stopped(snapshot, 1.0)
    out, err = capsys.readouterr()
    assert err == ""
    assert "\x1b" not in out
    assert out.index("continuing: 1 waiting") < out.index("crawl complete") < out.index("stopped: 60 waiting")


def test_a_finished_crawl_leaves_nothing_to_say_at_the_end(snapshot, capsys):
    snapshot.counters = msgspec.structs.replace(snapshot.counters, waiting=0, processing=0)
    Milestones().stopped(snapshot, 1.0)
    assert capsys.readouterr().out == ""


def test_a_reader_that_has_gone_does_not_end_the_crawl(snapshot):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone, redirect_stdout(gone):
        Milestones().complete(snapshot, 1.0)
        Milestones().restored(snapshot.counters)


def test_on_a_terminal_the_log_scrolls_above_a_line_that_goes_away(snapshot, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    with redirect_stderr(Terminal()) as stderr, redirect_stdout(io.StringIO()) as stdout:
        with reporting() as report:
            report.progress(snapshot)
            sys.stderr.write("12:00:00 info a log line [bold]\n")
            report.complete(snapshot, 1.0)
        assert sys.stderr is stderr
    assert "12:00:00 info a log line [bold]" in stderr.getvalue()
    assert "38 of 100 URLs" in stderr.getvalue()
    assert stderr.getvalue().endswith("\x1b[2K")  # the line is gone
    assert stdout.getvalue().startswith("crawl complete")


def test_where_both_are_one_terminal_the_summary_does_not_meet_the_line(snapshot, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    with redirect_stderr(Terminal()) as both, redirect_stdout(both), reporting() as report:
        report.progress(snapshot)
        report.complete(snapshot, 1.0)
    before = both.getvalue().partition("crawl complete")[0]
    assert re.search(r"38 of 100 URLs.*\x1b\[2K(\x1b\[[0-9;]*m)*$", before, re.DOTALL)
