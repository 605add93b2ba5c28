"""Each report against a site in which its faults, and no others, were planted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spiderd.audit.building import audit
from spiderd.audit.findings import Findings
from spiderd.audit.kinds import KINDS
from spiderd.audit.material import Limits
from tests.audit.planted import DEAD, LONG, SLOW, make, make_secure, trust
from tests.crawl.harness import pages_of
from tests.crawl.pages import page, site_of
from tests.crawl.visiting import DAY, Hands, revisiting, visited
from tests.web.server import serve

Rows = list[list[object]]
Report = Callable[[str], Rows]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    data = tmp_path_factory.mktemp("planted") / "data"
    return data, make(data)


@pytest.fixture(scope="module")
def findings(crawled: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Findings]:
    data, _ = crawled
    out = tmp_path_factory.mktemp("findings") / "findings"
    with audit(data, out, limits=Limits(slow=SLOW * 0.9)) as findings:
        yield findings


@pytest.fixture
def report(findings: Findings, crawled: tuple[Path, str]) -> Report:
    """The rows of a report, URLs without the origin of the site."""

    def rows(kind: str) -> Rows:
        return short(findings, kind, crawled[1])

    return rows


def short(findings: Findings, kind: str, origin: str) -> Rows:
    rows = [row.cells for row in findings.rows(kind)]
    assert all(len(row) == len(KINDS[kind].columns) for row in rows)
    return [[cell.removeprefix(origin) if isinstance(cell, str) else cell for cell in row] for row in rows]


def test_broken_links_have_the_pages_and_texts_that_lead_there(report: Report) -> None:
    assert sorted(report("broken"), key=str) == sorted(
        [
            ["/gone", 404, "http_error", "/", "a page that is gone", "a"],
            ["/gone", 404, "http_error", "/a", "the same gone page", "a"],
            ["/oops", 500, "server_error", "/", "a page that fails", "a"],
            ["/lost", 404, "http_error", "/sitemap.xml", "", "sitemap"],
            [DEAD, 0, "host_unreachable", "/", "a host that is not there", "a"],
        ],
        key=str,
    )


def test_redirects_are_followed_to_their_ends(report: Report) -> None:
    rows = report("redirects")
    assert sorted(rows, key=str) == sorted(
        [
            ["loop", "/loop1", 302, 2, "/loop1", 302, 1, "/"],
            ["loop", "/loop2", 302, 2, "/loop2", 302, 0, "/loop1"],
            ["no target", "/nowhere", 302, 0, "", 0, 1, "/"],
            ["ends in an error", "/dangling", 302, 1, "/gone", 404, 1, "/"],
            ["chain", "/chain1", 301, 3, "/b", 200, 1, "/"],
            ["chain", "/chain2", 302, 2, "/b", 200, 0, "/chain1"],
            ["", "/chain3", 301, 1, "/b", 200, 0, "/chain2"],
            ["", "/one", 301, 1, "/a", 200, 3, "/"],
        ],
        key=str,
    )
    assert [row[0] for row in rows] == [
        *["loop"] * 2,
        "no target",
        "ends in an error",
        *["chain"] * 2,
        "",
        "",
    ]


def test_a_copy_is_told_with_its_first_page(report: Report) -> None:
    ((url, of, size, canonical),) = report("duplicates")
    assert {url, of} == {"/copy", "/b"}  # whichever came first
    assert (size, canonical) == (118, "")


def test_near_copies_are_told_and_no_others(report: Report) -> None:
    found = {frozenset(row[:2]) for row in report("near-duplicates")}
    days = {frozenset({"/cal/1", f"/cal/{day}"}) for day in (2, 3, 4)}
    assert found == {frozenset({"/near1", "/near2"}), *days}
    assert all(row[2] <= 3 for row in report("near-duplicates"))


def test_titles(report: Report) -> None:
    rows = report("titles")
    assert rows[0] == ["missing", "", 0, "/untitled"]
    assert [row[3] for row in rows if row[1] == "calendar"] == ["/cal/1", "/cal/2", "/cal/3", "/cal/4"]
    assert {row[3] for row in rows if row[1] == "Same"} == {"/same1", "/same2"}
    assert rows[-1] == ["long", LONG, len(LONG), "/long"]
    assert [row[0] for row in rows] == ["missing", *["duplicate"] * 6, "long"]


def test_orphans_are_in_a_sitemap_and_not_linked(report: Report) -> None:
    assert sorted(report("orphans")) == [
        ["/lost", 404, "failed", "/sitemap.xml", ""],
        ["/orphan", 200, "stored", "/sitemap.xml", "Orphan"],
    ]


def test_a_dead_end_links_to_no_page(report: Report) -> None:
    assert [row[0] for row in report("dead-ends")] == ["/end"]


def test_depth_and_sizes_count_every_page_once(report: Report, crawled: tuple[Path, str]) -> None:
    pages = [page for page in pages_of(crawled[0]).values() if page.kind in ("stored", "duplicate")]
    assert {row[0]: row[1] for row in report("depth")} == {
        depth: sum(page.depth == depth for page in pages) for depth in {page.depth for page in pages}
    }
    assert sum(row[2] for row in report("depth")) == pytest.approx(1, abs=1e-3)
    sizes = {row[0]: row[1:] for row in report("sizes")}
    stored = [page for page in pages if page.kind == "stored"]
    assert sum(row[0] for row in sizes.values()) == len(stored)
    assert sum(row[2] for row in sizes.values()) == sum(page.size for page in stored)
    assert sizes["50.0 KiB to 100 KiB"][4] == "/deeper"


def test_slow_pages_are_those_that_took_longer(report: Report, crawled: tuple[Path, str]) -> None:
    data, origin = crawled
    slow = {url for url, page in pages_of(data).items() if page.status and page.elapsed >= SLOW * 0.9}
    rows = report("slow")
    assert {origin + row[1] for row in rows} == slow
    assert "/slow" in [row[1] for row in rows]
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)


def test_statuses_and_types(report: Report, crawled: tuple[Path, str]) -> None:
    counted = {row[0]: row[1] for row in report("statuses")}
    assert counted["404"] == 2
    assert (counted["301"], counted["302"], counted["500"]) == (3, 5, 1)
    assert (counted["robots_denied"], counted["host_unreachable"]) == (1, 1)
    assert sum(counted.values()) == len(pages_of(crawled[0]))
    types = {row[0]: row[1] for row in report("types")}
    assert types == {"text/html": counted["200"] - 2, "text/plain": 1, "application/xml": 1}


def test_robots_with_the_line_that_keeps_back(report: Report) -> None:
    assert report("robots") == [
        ["blocked", "/private/x", "line 2: Disallow: /private", "/"],
        ["noindex", "/hidden", "", "/"],
    ]


def test_an_encoding_that_lies(report: Report) -> None:
    assert report("encodings") == [["/liar", "windows-1252", "header", "utf-8", 1.0]]


def test_a_host_that_never_answered(report: Report) -> None:
    ((host, problem, silent, answered, waiting, why, example),) = report("unreachable")
    assert (host, problem, example) == ("127.0.0.99:9", "never answered", DEAD)
    assert (silent, answered, waiting) == (1, 0, 0)
    assert why == "host_unreachable"


def test_a_trap_with_what_it_keeps_back(report: Report, crawled: tuple[Path, str]) -> None:
    host = crawled[1].removeprefix("http://")
    shape, pages, waiting, example = report("traps")[0]
    assert shape == f"{host}/cal/#"
    assert pages >= 3
    assert waiting == 1
    assert example.startswith("/cal/")


def test_nothing_is_mixed_where_all_is_http(report: Report) -> None:
    assert report("mixed") == []


def test_http_within_https(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    secure, plain = make_secure(tmp_path / "data")
    with audit(tmp_path / "data", tmp_path / "findings", ["mixed"]) as findings:
        assert [row.cells for row in findings.rows("mixed")] == [
            ["active", f"{secure}/", f"{plain}/x.js", "script", ""],
            ["passive", f"{secure}/", f"{plain}/x.png", "img", ""],
            ["link", f"{secure}/", f"{plain}/page", "a", "plain"],
        ]


def test_changes_since_an_earlier_crawl(crawled: tuple[Path, str], tmp_path: Path) -> None:
    data, origin = crawled
    new = {"/new": "<title>New</title>", "/a": "<title>Page a</title><a href='/new'>news</a>"}
    assert make(tmp_path / "later", without=("/end", "/same1"), others=new) == origin
    with audit(tmp_path / "later", tmp_path / "findings", ["changes"], earlier=data) as findings:
        assert sorted(short(findings, "changes", origin)) == [
            ["added", "/new", 200, 0, "New"],
            ["changed", "/a", 200, 200, "Page a"],
            ["gone", "/deep", 0, 200, "Deep"],
            ["gone", "/deeper", 0, 200, "Deeper"],
            ["gone", "/end", 404, 200, ""],
            ["gone", "/same1", 404, 200, ""],
        ]


@pytest.mark.trio
async def test_changes_that_visits_have_found(tmp_path: Path) -> None:
    hands = Hands()
    routes = site_of({"/": page("/a", "/b", "/c", text="root"), "/a": "first", "/b": "b", "/c": "c"})
    async with serve(routes) as site:
        config = revisiting(site.url("/"), revisit={"gone_after": 1})
        async with visited(config, tmp_path / "data", hands) as daemon:
            await daemon.rest()
            began = time.time()
            site.routes |= {
                "/": page("/a", "/b", "/c", "/new", text="another root"),
                "/a": "second",
                "/new": "new",
            }
            del site.routes["/b"]
            await daemon.pass_time(DAY)
        limits = Limits(since=began)
        with audit(tmp_path / "data", tmp_path / "findings", ["changes"], limits=limits) as findings:
            assert sorted(row[:2] for row in short(findings, "changes", site.origin)) == [
                ["added", "/new"],
                ["changed", "/"],
                ["changed", "/a"],
                ["gone", "/b"],
            ]
