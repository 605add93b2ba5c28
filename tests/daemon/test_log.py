"""The log: one line an event, for journald or for people, and nothing in it that steers a terminal."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.daemon.log import LEVELS, PRIORITY, QUIET, Log


def written(level: str, *events: tuple[str, str, str, str], least: str = "debug") -> list[str]:
    stream = io.StringIO()
    log = Log(least, stream)
    for event in events or [(level, "state", "the crawl is running", "")]:
        log.write(*event)
    return stream.getvalue().splitlines()


def test_a_line_for_people_has_time_and_level() -> None:
    (line,) = written("warning", ("warning", "failed", "refused", "http://h.test/"))
    assert re.fullmatch(r"\d\d:\d\d:\d\d warning failed: refused http://h\.test/", line)


@pytest.mark.parametrize("least", LEVELS)
def test_what_is_less_than_asked_for_is_left_out(least: str) -> None:
    lines = written("", *((level, "state", level, "") for level in LEVELS), least=least)
    assert [line.rpartition(" ")[2] for line in lines] == list(LEVELS[LEVELS.index(least) :])


@pytest.mark.parametrize("name", sorted(QUIET))
def test_what_comes_once_a_page_is_for_debugging(name: str) -> None:
    assert written("", ("info", name, "", ""), least="info") == []
    assert "debug" in written("", ("info", name, "", ""), least="debug")[0]


@pytest.mark.parametrize("level", LEVELS)
def test_under_journald_a_line_begins_with_its_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    with (tmp_path / "journal").open("w") as stream:
        found = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        Log("debug", stream).write(level, "state", "up", "")
    assert (tmp_path / "journal").read_text() == f"<{PRIORITY[level]}>state: up\n"


@pytest.mark.parametrize("named", ["", "1:2", "no numbers"])
def test_a_stream_that_is_not_the_journal_is_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """JOURNAL_STREAM is inherited by whatever a service starts, with other streams."""
    monkeypatch.setenv("JOURNAL_STREAM", named)
    with (tmp_path / "log").open("w") as stream:
        Log("debug", stream).write("info", "state", "up", "")
    assert re.match(r"\d\d:", (tmp_path / "log").read_text())


@given(st.text(), st.text())
def test_an_event_is_one_line_that_steers_nothing(message, url) -> None:
    (line,) = written("", ("error", "failed", message, url))
    assert all(character.isprintable() or character in "\u200c\u200d" for character in line)


def test_escape_sequences_and_line_ends_of_a_page_do_not_reach_the_log() -> None:
    (line,) = written("", ("error", "failed", "a\x1b[2J\nb\r<0>c\u202e", "http://h.test/\u2066"))
    assert line.endswith("failed: a[2J b <0>c http://h.test/")


def test_a_terminal_that_has_gone_does_not_stop_a_crawl() -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    Log("debug", Gone()).write("error", "state", "up", "")


def test_the_level_may_change() -> None:
    stream = io.StringIO()
    log = Log("error", stream)
    log.write("info", "state", "one", "")
    log.least("info")
    log.write("info", "state", "two", "")
    assert [line[9:] for line in stream.getvalue().splitlines()] == ["info    state: two"]
