"""The commands that ask a daemon, against the real API."""

from __future__ import annotations

import json
import os
import re

import msgspec
import pytest
from rich.cells import cell_len
from rich.text import Text

from spiderd.cli.settings import _value
from spiderd.protocol import DirectoryRow
from spiderd.states import CrawlState
from tests.api.sample import SHAPE, SampleCrawl
from tests.cli.serving import daemon, impostor

LISTS = ["workers", "hosts", "directories", "errors", "traps"]


def test_status_of_a_running_daemon(spiderd, crawl):
    code, out, err = spiderd("status")
    assert (code, err) == (0, "")
    facts = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in out.splitlines())
    assert facts["state"] == "running for 59s"
    assert facts["URLs"] == "100 known: 60 waiting, 2 processing, 35 complete, 3 error"
    assert facts["pages"] == "30 stored (121 KiB), 1.5/s, 2.00 KiB/s"
    assert facts["workers"] == "2: 1 idle, 1 receiving"
    assert facts["set live"] == "crawl.threads = 2"
    assert "pid 4711" in facts["daemon"]


def test_status_as_json_is_the_snapshot(spiderd, crawl):
    code, out, _ = spiderd("status", "--json")
    assert code == 0
    assert json.loads(out)["counters"]["statuses"] == {"200": 30, "404": 3}


def test_status_follows_the_lsb(spiderd, path, monkeypatch):
    assert spiderd("status")[0] == 3
    with impostor(path, [b"garbage\r\n"]):
        assert spiderd("status")[0] == 4
    path.unlink()
    monkeypatch.setenv("SPIDERD_SOCKET", "/" + "x" * 200)
    assert spiderd("status")[0] == 4
    monkeypatch.delenv("SPIDERD_SOCKET")
    code, out, err = spiderd("status", "--config", "/nowhere.toml")
    assert (code, out) == (4, "")
    assert err == "spiderd: cannot read the configuration /nowhere.toml: No such file or directory\n"


@pytest.mark.parametrize("command", [*LISTS, "pause", "resume", "stop", "retry", "reload", "events"])
def test_other_commands_say_that_nobody_is_there(spiderd, path, command):
    code, out, err = spiderd(command)
    assert (code, out) == (69, "")
    assert err == f"spiderd: no daemon is running: there is no socket at {path}\n"


def test_the_daemon_of_a_data_directory_is_found(spiderd, tmp_path):
    with daemon(tmp_path / "spiderd.sock"):
        assert spiderd("status", "--data-dir", str(tmp_path))[0] == 0
        assert spiderd("status", "--socket", str(tmp_path / "spiderd.sock"))[0] == 0
    assert spiderd("status", "--data-dir", str(tmp_path))[0] == 3


def test_a_socket_that_the_configuration_names_is_found(spiderd, tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(f'[api]\nsocket = "{tmp_path}/named"\n')
    with daemon(tmp_path / "named"):
        assert spiderd("status", "--config", str(file))[0] == 0
        assert spiderd("status", "--config", str(file), "--socket", str(tmp_path / "other"))[0] == 3
    file.write_text("[api]\nsock = 1")
    code, _, err = spiderd("pause", "--config", str(file))
    assert (code, err) == (78, f"spiderd: {file}:2: api.sock: unknown key; did you mean api.socket?\n")


@pytest.mark.parametrize("command", LISTS)
def test_lists_are_aligned_text_in_a_pipe_and_json_on_demand(spiderd, crawl, command):
    code, out, _ = spiderd(command)
    assert code == 0
    rows = json.loads(spiderd(command, "--json")[1])["rows"]
    assert len(out.splitlines()) == len(rows) + 1
    assert "\x1b" not in out
    assert not {line for line in out.splitlines() if line != line.rstrip()}


def test_a_list_is_cut_with_a_word_about_the_rest(spiderd, crawl):
    code, out, err = spiderd("directories", "--limit", "3", "--offset", "2")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["3", "4", "5"]
    assert err == "spiderd: 3 of 10 rows (see --limit, --offset)\n"
    (asked,) = crawl.asked
    assert (asked.limit, asked.offset) == (3, 2)


@pytest.mark.parametrize(("limit", "rows"), [("0", 1234), ("501", 501), ("500", 500)])
def test_a_long_list_is_fetched_in_pieces_that_the_daemon_gives(spiderd, crawl, limit, rows):
    crawl.directory_rows[:] = [
        DirectoryRow(directory=n, worker=0, count=1, max_count=1, bytes=1, open=False, path=f"pages/{n}")
        for n in range(1234)
    ]
    code, out, _ = spiderd("directories", "--limit", limit, "--json")
    assert code == 0
    assert [row["directory"] for row in json.loads(out)["rows"]] == list(range(rows))


def test_a_list_takes_sort_and_filter_and_refuses_what_is_no_field(spiderd, crawl):
    assert spiderd("errors", "--sort", "at", "--desc", "--filter", "x")[0] == 0
    (asked,) = crawl.asked
    assert (asked.sort, asked.desc, asked.filter) == ("at", True, "x")
    code, _, err = spiderd("errors", "--sort", "size")
    assert code == 2
    assert err.startswith("spiderd: sort: no such field")


def test_hostile_text_is_shown_harmless(crawl, on_terminal):
    path = "[red]\x1b[2J\u202egnp.exe\n漢字"
    crawl.directory_rows[:] = [
        DirectoryRow(directory=1, worker=0, count=1, max_count=2, bytes=1, open=True, path=path)
    ]
    shown = on_terminal("directories")
    assert "[red][2Jgnp.exe 漢字" in shown
    assert "\x1b[2J" not in shown


@pytest.mark.parametrize("command", [*LISTS, "status"])
def test_a_terminal_gets_a_table_that_fits(crawl, on_terminal, monkeypatch, command):
    shown = on_terminal(command)
    assert "\x1b[1m" in shown
    assert max(cell_len(Text.from_ansi(line).plain) for line in shown.splitlines()) <= 80
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", on_terminal(command))


def test_pause_resume_retry(spiderd, crawl):
    assert spiderd("pause") == (0, "paused (user)\n", "")
    assert crawl.state is CrawlState.PAUSED
    assert spiderd("pause")[0] == 0
    assert spiderd("resume")[1].startswith("running")
    assert json.loads(spiderd("retry", "--json")[1])["state"] == "running"


def test_add_says_what_became_of_each(spiderd, crawl, tmp_path):
    assert spiderd("add", "http://new.test/", "http://example.test/") == (
        0,
        "1 new, 1 known, 0 refused\n",
        "",
    )
    code, out, err = spiderd("add", "ftp://x/")
    assert (code, out) == (1, "0 new, 0 known, 1 refused\n")
    assert err.startswith("spiderd: ftp://x/ is refused: ")
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xef\xbb\xbf# seeds\n\n  http://a.test/\r\nhttp://b.test/#c\n\xff\n")
    code, out, _ = spiderd("add", "--file", str(file), "http://c.test/", "--json")
    assert code == 0
    assert [row["url"] for row in json.loads(out)["results"]] == [
        "http://c.test/", "http://a.test/", "http://b.test/#c", "\ufffd"
    ]  # fmt: skip


def test_add_cuts_a_long_file_into_requests_that_the_daemon_takes(spiderd, crawl, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text("".join(f"http://host-{number}.test/{'x' * 100}\n" for number in range(20_000)))
    code, out, _ = spiderd("add", "--file", str(file))
    assert (code, out) == (0, "20,000 new, 0 known, 0 refused\n")


def test_add_without_anything_or_without_its_file_is_a_usage_error(spiderd, crawl, tmp_path):
    assert spiderd("add") == (
        2,
        "",
        "spiderd: add wants a URL, --file or --visited (see spiderd add --help)\n",
    )
    code, _, err = spiderd("add", "--file", str(tmp_path / "none"))
    assert code == 2
    assert "No such file" in err


def test_stop_waits_until_the_process_has_ended(path, spiderd):
    class Here(SampleCrawl):
        def hello(self):
            return msgspec.structs.replace(super().hello(), pid=os.getpid())

    with daemon(path, Here()) as crawl:
        code, out, err = spiderd("stop", "--timeout", "0.1")
        assert (code, out) == (69, "stopping (user)\n")
        assert "still busy after 0.1 s" in err
        assert crawl.state is CrawlState.STOPPING
        assert spiderd("stop", "--timeout", "0")[0] == 0


def test_visited_urls_are_sent_before_the_seeds_in_pieces(spiderd, crawl, tmp_path):
    visited, seeds = tmp_path / "visited.txt", tmp_path / "seeds.txt"
    visited.write_text(
        "".join(f"http://host-{number}.test/{'x' * 100}\n" for number in range(5_000)) + "ftp://x\n"
    )
    seeds.write_text("http://host-1.test/" + "x" * 100 + "\nhttp://new.test/\n")
    code, out, err = spiderd("add", "--visited", str(visited), "--file", str(seeds))
    assert (code, out) == (0, "5,001 new, 1 known, 1 refused\n")
    assert err.startswith("spiderd: ftp://x is refused: ")


def test_a_thousand_refusals_do_not_flood_the_terminal(spiderd, crawl, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text("".join(f"ftp://{number}\n" for number in range(1000)))
    code, out, err = spiderd("add", "--file", str(file))
    assert (code, out) == (1, "0 new, 0 known, 1,000 refused\n")
    assert len(err.splitlines()) == 101
    assert err.endswith("spiderd: and 900 more are refused\n")


def test_retry_of_what_has_not_failed_says_so(spiderd, crawl):
    assert spiderd("retry", "--all") == (0, "3 URLs put back\n", "")
    code, _, err = spiderd("retry", "http://example.test/gone", "http://ann:pw@b.test/")
    assert (code, err) == (0, "spiderd: http://***@b.test/ is not among the failed URLs (see spiderd why)\n")
    assert [(asked.all, asked.urls) for asked in crawl.retried] == [
        (True, []), (False, ["http://example.test/gone", "http://ann:pw@b.test/"])
    ]  # fmt: skip
    assert spiderd("retry", "--all", "http://b.test/")[0] == 2


def test_pages_are_visited_again_on_request(spiderd, crawl):
    url = next(iter(crawl.urls))
    assert spiderd("revisit", url) == (0, "1 page to be visited again\n", "")
    code, out, _ = spiderd("revisit", "example", "--json")
    assert (code, json.loads(out)["kind"], json.loads(out)["pages"]) == (0, "pattern", len(crawl.urls))
    code, out, err = spiderd("revisit", "http://elsewhere.test/")
    assert (code, out) == (1, "")
    assert err == "spiderd: no page that was fetched is or matches http://elsewhere.test/\n"
    assert crawl.calls[-3:] == [f"revisit {url}", "revisit example", "revisit http://elsewhere.test/"]


def test_traps_are_listed_and_released(spiderd, crawl):
    code, out, err = spiderd("traps")
    assert (code, err) == (0, "spiderd: 3 URLs set aside because the scope holds them no longer\n")
    assert out.splitlines()[1].split() == [SHAPE, "62", "7", "http://example.test/cal?month=50"]
    assert spiderd("release", SHAPE) == (0, f"{SHAPE} goes on: 7 URLs\n", "")
    assert spiderd("release", "example.test") == (
        0,
        "example.test was backoff: 503, as it asked; 60 URLs waiting\n",
        "",
    )
    code, _, err = spiderd("release", "elsewhere.test")
    assert (code, err) == (
        2,
        "spiderd: elsewhere.test is neither a parked shape nor a host of this crawl\n",
    )


def test_a_setting_is_set_live_and_unset(spiderd, crawl):
    assert spiderd("set", "crawl.threads", "16") == (0, "crawl.threads = 16  (was 2)\n", "")
    assert crawl.set_live == {"crawl.threads": 16}
    assert spiderd("set", "crawl.threads", "--unset")[0] == 0
    assert crawl.set_live == {"crawl.threads": None}
    code, _, err = spiderd("set", "crawl.thread", "16")
    assert (code, err) == (2, "spiderd: crawl.thread: unknown key; did you mean crawl.threads?\n")
    for wrong in (("crawl.threads",), ("crawl.threads", "1", "--unset"), ("crawl.threads", "{a=1}")):
        assert spiderd("set", *wrong)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("crawl.threads", "16"), 16),
        (("politeness.delay", "500ms"), "500ms"),
        (("politeness.robots", "false"), False),
        (("scope.exclude", r"\.pdf$"), [r"\.pdf$"]),
        (("scope.exclude", "404"), ["404"]),
        (("scope.exclude", r"\.pdf$", "[0-9]+"), [r"\.pdf$", "[0-9]+"]),
        (("scope.exclude", '["a", "b"]'), ["a", "b"]),
        (("scope.exclude", "[]"), []),
        (("no.such", "[0-9]+"), "[0-9]+"),
    ],
)
def test_a_value_is_written_as_in_the_file_or_for_short(arguments, value):
    assert _value(arguments[0], arguments[1:]) == value


def test_reload_tells_what_changed_what_waits_and_what_is_hidden(spiderd, crawl):
    code, out, err = spiderd("reload")
    assert (code, out) == (
        0,
        'politeness.delay = "2s"  (was "1s")\narchive.format = "warc"  (needs a restart; now "files")\n',
    )
    assert err.splitlines()[0] == "spiderd: crawl.threads stays 2, which was set live; the file has 8"
    crawl.broken = True
    code, out, err = spiderd("reload")
    assert (code, out) == (78, "")
    assert (
        err == "spiderd: /etc/spiderd/config.toml:3: crawl.thread: unknown key; did you mean crawl.threads?\n"
    )


def test_the_live_configuration_is_a_file_with_remarks(spiderd, crawl):
    code, out, _ = spiderd("config", "--live")
    assert (code, out.splitlines()) == (
        0,
        [
            "# /etc/spiderd/config.toml",
            "",
            "[crawl]",
            "threads = 2  # set live; else 8",
            "",
            "[politeness]",
            'delay = "1s"',
            "",
            "[archive]",
            'format = "files"  # "warc" after a restart',
        ],
    )
    assert json.loads(spiderd("config", "--live", "--json")[1])["rows"][0]["override"]
    assert spiderd("config", "--json")[0] == 2
    assert spiderd("config", "--live", "--set", "crawl.threads=1")[0] == 2


def test_why_tells_all_that_is_known(spiderd, crawl):
    code, out, _ = spiderd("why", "http://example.test/")
    assert code == 0
    facts = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in out.splitlines())
    assert facts["in short"] == "It was not fetched: robots.txt forbade it when its turn came."
    assert (facts["may be fetched"], facts["depth"]) == ("no", "2")
    assert facts["tries"] == "1, the last ended with robots_denied"
    assert facts["settled"].endswith("ago: skipped (robots_denied)")
    assert "file" not in facts
    assert json.loads(spiderd("why", "http://example.test/", "--json")[1])["url"]


def test_events_from_a_level_on_and_only_the_last(spiderd, crawl):
    for number in range(5):
        crawl.log.add("info", f"name{number}", f"message\x1b {number}", url="http://h/")
    crawl.log.add("debug", "quiet", "unheard")
    code, out, _ = spiderd("events", "-n", "2")
    assert code == 0
    assert [line.split(maxsplit=1)[1] for line in out.splitlines()] == [
        "info    name3  message 3  http://h/",
        "info    name4  message 4  http://h/",
    ]
    lines = spiderd("events", "--json", "--level", "debug")[1].splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3, 4, 5, 6]
