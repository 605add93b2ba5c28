"""The log: one line an event, for journald or for people, and nothing in it that steers a terminal."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.daemon.happenings import Happenings
from spiderd.daemon.log import LEVELS, PRIORITY, QUIET, Log, capturing
from spiderd.lines import FORMAT
from spiderd.protocol import Event


def event(level: str, name: str, message: str, url: str = "", **rest) -> Event:
    return Event(id=7, at=0.0, level=level, name=name, message=message, url=url, **rest)


def written(*events: Event, least: str = "debug", form: str = "text") -> list[str]:
    stream = io.StringIO()
    log = Log(least, stream, form=form)
    for one in events:
        log.write(one)
    return stream.getvalue().splitlines()


def in_journal(folder: Path, monkeypatch: pytest.MonkeyPatch, one: Event, form: str = "text") -> str:
    with (folder / "journal").open("w") as stream:
        found = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        Log("debug", stream, form=form).write(one)
    return (folder / "journal").read_text()


def test_a_line_for_people_has_time_and_level() -> None:
    (line,) = written(event("warning", "failed", "refused", "http://h.test/"))
    assert re.fullmatch(r"\d\d:\d\d:\d\d warning failed: refused http://h\.test/", line)


@pytest.mark.parametrize("least", LEVELS)
def test_what_is_less_than_asked_for_is_left_out(least: str) -> None:
    lines = written(*(event(level, "state", level) for level in LEVELS), least=least)
    assert [line.rpartition(" ")[2] for line in lines] == list(LEVELS[LEVELS.index(least) :])


@pytest.mark.parametrize("name", sorted(QUIET))
def test_what_comes_once_a_page_is_for_debugging(name: str) -> None:
    assert written(event("info", name, ""), least="info") == []
    assert "debug" in written(event("info", name, ""), least="debug")[0]


@pytest.mark.parametrize("level", LEVELS)
def test_under_journald_a_line_begins_with_its_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    assert (
        in_journal(tmp_path, monkeypatch, event(level, "state", "up"))
        == f"<{PRIORITY[level]}>state: up seq=7\n"
    )


def test_under_journald_the_fields_of_an_event_can_be_searched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = event("warning", "failed", "refused", "http://h.test/a", host="h.test", worker=3)
    line = in_journal(tmp_path, monkeypatch, one)
    assert line == "<4>failed: refused http://h.test/a host=h.test worker=3 seq=7\n"


def test_json_has_every_field_and_under_journald_the_priority_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = event("error", "failed", "a\nb\x1b[2J", "http://h.test/a", host="h.test", worker=3)
    (line,) = written(one, form="json")
    told = {"level": "error", "name": "failed", "message": "a b[2J", "url": "http://h.test/a"}
    assert json.loads(line) == {"at": 0.0, **told, "host": "h.test", "worker": 3, "seq": 7}
    assert in_journal(tmp_path, monkeypatch, one, "json") == f"<3>{line}\n"


@pytest.mark.parametrize("named", ["", "1:2", "no numbers"])
def test_a_stream_that_is_not_the_journal_is_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """JOURNAL_STREAM is inherited by whatever a service starts, with other streams."""
    monkeypatch.setenv("JOURNAL_STREAM", named)
    with (tmp_path / "log").open("w") as stream:
        Log("debug", stream).write(event("info", "state", "up"))
    assert re.match(r"\d\d:", (tmp_path / "log").read_text())


@given(st.text(), st.text(), st.sampled_from(["text", "json"]))
def test_an_event_is_one_line_that_steers_nothing(message, url, form) -> None:
    (line,) = written(event("error", "failed", message, url), form=form)
    assert all(character.isprintable() or character in "\u200c\u200d" for character in line)


def test_escape_sequences_and_line_ends_of_a_page_do_not_reach_the_log() -> None:
    (line,) = written(event("error", "failed", "a\x1b[2J\nb\r<0>c\u202e", "http://h.test/\u2066"))
    assert line.endswith("failed: a[2J b <0>c http://h.test/")


def test_a_terminal_that_has_gone_does_not_stop_a_crawl() -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    Log("debug", Gone()).write(event("error", "state", "up"))


def test_the_level_may_change() -> None:
    stream = io.StringIO()
    log = Log("error", stream)
    log.write(event("info", "state", "one"))
    log.go_by("info")
    log.write(event("info", "state", "two"))
    assert [line[9:] for line in stream.getvalue().splitlines()] == ["info    state: two"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_process_of_the_search_logs_as_the_daemon_does(form: str) -> None:
    code = (
        "import logging; from spiderd.search.log import log_to_stderr; log_to_stderr('index')\n"
        "try: int('http://ann:secret@h.test/')\n"
        "except ValueError: logging.exception('a page\\x1b[2J is strange')\n"
    )
    environ = {
        **os.environ,
        FORMAT: form,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "JOURNAL_STREAM": "1:2",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ
    )
    first, *_, last = done.stderr.splitlines()
    if form == "json":
        assert {json.loads(line)["name"] for line in done.stderr.splitlines()} == {"index"}
        assert json.loads(first)["message"] == "a page[2J is strange"
    else:
        assert re.fullmatch(r"\d\d:\d\d:\d\d error   index: a page\[2J is strange", first)
    assert "http://***@h.test/" in last


def test_a_reader_that_has_stopped_does_not_stop_the_crawl_and_is_told_what_it_missed() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as reader, os.fdopen(writing, "w", encoding="utf-8") as stream:
        log = Log("info", stream)
        for _ in range(1000):  # a pipe holds 64 KiB; nothing here may wait for its reader
            log.write(event("info", "state", "x" * 1000))
        missed = log._left_out
        assert 900 < missed < 1000
        read = sum(1 for _ in range(1000 - missed) if reader.readline())
        log.write(event("info", "state", "again"))
        stream.close()
        told, again = reader.read().splitlines()
    assert read + missed == 1000
    assert told.endswith(f"warning log: {missed} lines left out: whoever reads this log had stopped")
    assert again.endswith("state: again")


def test_no_line_is_longer_than_what_a_pipe_takes_at_once() -> None:
    (line,) = written(event("info", "state", "\u00e9" * 10_000))
    assert len(line.encode()) < select.PIPE_BUF
    assert line.endswith("...")


def test_what_libraries_log_comes_out_in_the_same_form_with_its_traceback() -> None:
    stream = io.StringIO()
    log = Log("info", stream, form="json")
    with capturing(log):
        try:
            int("http://ann:secret@h.test/")
        except ValueError:
            logging.getLogger("some.library").exception("it failed for %s", "http://bob:hidden@h.test/")
        logging.getLogger("some.library").info("chatter")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert lines[0]["message"] == "it failed for http://***@h.test/"
    assert lines[-1]["message"].startswith("ValueError: invalid literal")
    assert "http://***@h.test/" in lines[-1]["message"]
    assert {line["name"] for line in lines} == {"internal"}
    assert "secret@" not in stream.getvalue()


@given(
    st.text(alphabet=st.characters(exclude_characters="@/?#\\", exclude_categories=["C", "Z"]), min_size=8)
)
def test_no_password_of_a_url_reaches_log_or_clients(password) -> None:
    stream = io.StringIO()
    happenings = Happenings(Log("debug", stream))
    url = f"http://user:{password}@h.test/x"
    happenings.add("error", "failed", f"redirect to {url} and {url}", url=url)
    (told,) = happenings.ring.since(0).rows
    assert told.url == "http://***@h.test/x"
    assert password not in told.message
    assert f":{password}@" not in stream.getvalue()
