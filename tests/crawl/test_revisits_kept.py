"""What later visits leave: after a kill, in WARC files, in exports and in the search index."""

from __future__ import annotations

import io
import signal
import time
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from spiderd.cli.entry import run
from spiderd.client import Client
from spiderd.states import OutcomeKind
from spiderd.store.opening import open_ledger
from spiderd.store.records import number_key
from spiderd.verify import verify
from tests.crawl.harness import daemon_process, pages_of, wait_until
from tests.crawl.pages import page, site_of
from tests.crawl.visiting import DAY, Hands, newest, revisiting, visited
from tests.web.server import serve, threaded_site

PAGES = 120
OPTIONS = (
    *("--delay", "0", "--threads", "4", "--follow", "host"),
    *("--set", "search.enabled=false", "--set", "revisit.enabled=true"),
)


def make_due(data_dir: Path) -> int:
    """Let the next visit of every page be in the past, as if days had gone by; how many there are."""
    env, ledger = open_ledger(data_dir / "store", "breadth")
    with env:
        numbers = range(1, ledger.state.next_page)
        for number in numbers:
            visit = ledger.visits.get(number_key(number))
            assert visit is not None
            ledger.visits.bring_forward(number_key(number), visit, time.time() - number)
        ledger.commit()
    return len(numbers)


@pytest.mark.parametrize(("kills", "processes"), [(4, "0"), (2, "2")])
def test_visits_that_are_due_survive_kill_nine(tmp_path: Path, kills: int, processes: str) -> None:
    options = (*OPTIONS, "--processes", processes)
    routes = {f"/{n}": f"text {n}" for n in range(PAGES)}
    with threaded_site(site_of({"/": page(*routes), **routes})) as site:
        with daemon_process(tmp_path, *options, "--once", site.url("/")) as process:
            process.communicate(timeout=60)
            assert process.returncode == 0
        due = make_due(tmp_path)
        assert due == PAGES + 1
        asked = len(site.requests)
        site.routes |= {path: f"{text} anew" for path, text in routes.items()}
        for kill in range(kills):
            until = asked + (kill + 1) * due // (kills + 1)
            with daemon_process(tmp_path, *options, site.url("/")) as process:
                wait_until(lambda until=until: len(site.requests) >= until, process)
                process.send_signal(signal.SIGKILL)
        with daemon_process(tmp_path, *options, site.url("/")) as process:
            wait_until((tmp_path / "spiderd.sock").exists, process)
            with Client(tmp_path / "spiderd.sock") as client:
                wait_until(lambda: _visits(client) == due, process)
                assert client.status().counters.changes == PAGES
                client.stop()
            process.communicate(timeout=60)
        again = [request for request in site.requests[asked:] if request.path != "/robots.txt"]
        assert due <= len(again) <= due + 4 * (kills + 1)
        assert newest(tmp_path)[site.url("/7")] == b"text 7 anew"
    report = verify(tmp_path)
    assert report.sound, report.problems


def _visits(client: Client) -> int:
    try:
        return client.status().counters.revisits
    except Exception:  # noqa: BLE001  # it is not there yet
        return -1


@pytest.mark.trio
async def test_warc_keeps_every_version_and_a_revisit_of_each_answer_without_news(tmp_path: Path) -> None:
    hands = Hands()
    tag = {"ETag": '"1"'}
    words = " ".join(f"word{chr(97 + n)}" for n in range(26))
    routes = {
        "/": page("/kept", "/same", "/ticks", "/changes"),
        "/kept": lambda request: (304, tag, b"") if request.header("if-none-match") else (200, tag, "kept"),
        "/same": "same",
        "/ticks": f"{words} 1 visitor",
        "/changes": "first",
    }
    async with serve(site_of(routes)) as site:
        config = revisiting(site.url("/"), archive={"format": "warc"}, crawl={"threads": 2})
        async with visited(config, tmp_path, hands) as daemon:
            await daemon.rest()
            site.routes["/ticks"] = f"{words} 2 visitor"
            site.routes["/changes"] = "second"
            await daemon.pass_time(DAY)
    kept: dict[str, list[tuple[str, str, bytes, str]]] = {}
    for file in sorted((tmp_path / "pages").glob("*/records.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                head = record.rec_headers
                if record.rec_type in ("response", "revisit"):
                    profile = (head["WARC-Profile"] or "").rpartition("/")[2]
                    refers = head["WARC-Refers-To-Target-URI"] or ""
                    entry = (record.rec_type, profile, record.content_stream().read(), refers)
                    kept.setdefault(head["WARC-Target-URI"], []).append(entry)
                    if profile == "server-not-modified":
                        assert record.http_headers.get_statuscode() == "304"
                        assert head["WARC-Refers-To-Date"]

    def of(path: str) -> list[tuple[str, str, bytes, str]]:
        return sorted(kept[site.url(path)])

    url = site.url
    assert of("/kept") == [
        ("response", "", b"kept", ""),
        ("revisit", "server-not-modified", b"", url("/kept")),
    ]
    assert of("/same") == [
        ("response", "", b"same", ""),
        ("revisit", "identical-payload-digest", b"", url("/same")),
    ]
    bodies = [f"{words} {n} visitor".encode() for n in (1, 2)]
    assert of("/ticks") == [("response", "", body, "") for body in bodies]
    assert of("/changes") == [("response", "", b"first", ""), ("response", "", b"second", "")]
    rows = pages_of(tmp_path)
    assert {row.kind for row in rows.values()} == {OutcomeKind.STORED}
    assert newest(tmp_path)[url("/changes")] == b"second"
    report = verify(tmp_path)
    assert report.sound, report.problems


@pytest.mark.trio
async def test_an_export_has_all_versions(tmp_path: Path) -> None:
    hands = Hands()
    async with (
        serve(site_of({"/": "first"})) as site,
        visited(revisiting(site.url("/")), tmp_path, hands) as daemon,
    ):
        await daemon.rest()
        site.routes["/"] = "second"
        await daemon.pass_time(DAY)
    out = tmp_path / "out.warc.gz"
    assert run(["export", "warc", "--data-dir", str(tmp_path), "-o", str(out)]) == 0
    records = ArchiveIterator(io.BytesIO(out.read_bytes()))
    bodies = [record.content_stream().read() for record in records if record.rec_type == "response"]
    assert sorted(bodies) == [b"first", b"second"]


@pytest.mark.trio
async def test_search_finds_the_newest_version_alone(tmp_path: Path) -> None:
    hands = Hands()
    async with serve(site_of({"/": page("/a"), "/a": "an aardvark"})) as site:
        config = revisiting(site.url("/"), search={"enabled": True})
        async with visited(config, tmp_path, hands) as daemon:
            await daemon.until(lambda now: (now["index"] or {}).get("documents") == 2)
            site.routes["/a"] = "a buffalo"
            last = (await daemon.pass_time(DAY))["last_event"]
            while not (found := await daemon.get("search", q="buffalo"))["total"]:
                await daemon.get("events", since=last, wait=0.05)
            assert [hit["url"] for hit in found["hits"]] == [site.url("/a")]
            assert (await daemon.get("search", q="aardvark"))["total"] == 0
