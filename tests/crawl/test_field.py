"""What the field does to crawls: cookies, credentials, sitemaps, directives, traps, forbidden addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from spiderd.states import Failure, OutcomeKind
from tests.crawl.harness import archived, configured, crawl, pages_of
from tests.crawl.pages import page, site_of
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio


@pytest.mark.parametrize("processes", [0, 2])
async def test_c23_a_redirect_to_itself_with_a_cookie_ends_in_its_page(
    tmp_path: Path, processes: int
) -> None:
    def home(request: Request):
        if "pass=1" in request.header("cookie"):
            return "welcome"
        return (302, {"Location": "/", "Set-Cookie": "pass=1"}, b"")

    async with serve(site_of({"/": home})) as site:
        await crawl(configured(site.url("/"), crawl={"processes": processes}), tmp_path)
        assert site.count("/") == 2
    assert archived(tmp_path) == {site.url("/"): b"welcome"}


@pytest.mark.parametrize("processes", [0, 2])
async def test_c23_a_detour_that_sets_a_cookie_ends_in_the_page(tmp_path: Path, processes: int) -> None:
    def home(request: Request):
        return page("/more") if "sso=yes" in request.header("cookie") else (302, {"Location": "/sso"}, b"")

    routes = {"/": home, "/sso": (302, {"Location": "/", "Set-Cookie": "sso=yes; Path=/"}, b""), "/more": "m"}
    async with serve(site_of(routes)) as site:
        report = await crawl(configured(site.url("/"), crawl={"processes": processes}), tmp_path)
        assert site.count("/") == 2
    assert set(archived(tmp_path)) == {site.url("/"), site.url("/more")}
    assert report.last is not None
    counters = report.last.counters
    assert (counters.known, counters.complete, counters.redirects, counters.error) == (3, 3, 1, 0)


async def test_a_cookie_that_never_helps_ends_as_too_many_redirects(tmp_path: Path) -> None:
    answers = iter(range(1000))
    routes = {"/": lambda _: (302, {"Location": "/", "Set-Cookie": f"n={next(answers)}"}, b"")}
    async with serve(site_of(routes)) as site:
        report = await crawl(configured(site.url("/"), fetch={"max_redirects": 4}), tmp_path)
        assert site.count("/") == 5
    assert report.last is not None
    assert report.last.counters.failures == {"too_many_redirects": 1}


async def test_c14_credentials_go_to_the_seed_s_origin_and_nowhere_else(tmp_path: Path) -> None:
    async with serve(site_of({"/x": "other"}), host="127.0.0.8") as other:
        link = other.url("/x").replace("http://", "http://ann:secret@")
        async with serve(site_of({"/": page("/private", link), "/private": "p"})) as site:
            seed = site.url("/").replace("http://", "http://bob:p%40w@")
            await crawl(configured(seed, scope={"follow": "any"}), tmp_path)
            sent = {request.path: request.header("authorization") for request in site.requests}
            assert sent["/"] == sent["/private"] == "Basic Ym9iOnBAdw=="
        assert {request.header("authorization") for request in other.requests} == {""}
        assert other.count("/x") == 1
    files = list((tmp_path / "pages").rglob("index.txt"))
    assert all("p%40w" not in path.read_text() and "bob" not in path.read_text() for path in files)
    assert all("@" not in url for url in pages_of(tmp_path))


async def test_sitemaps_of_robots_txt_are_read_with_their_children(tmp_path: Path) -> None:
    async with serve({}) as site:
        index = f"<sitemapindex><sitemap><loc>{site.url('/s1.xml')}</loc></sitemap></sitemapindex>"
        entry = f"<url><loc>{site.url('/hidden')}</loc><lastmod>2026-01-02</lastmod></url>"
        foreign = "<url><loc>http://elsewhere.test/</loc></url>"
        site.routes.update(
            {
                "/robots.txt": (200, {"Content-Type": "text/plain"}, f"Sitemap: {site.url('/index.xml')}\n"),
                "/index.xml": (200, {"Content-Type": "application/xml"}, index),
                "/s1.xml": (200, {"Content-Type": "application/xml"}, f"<urlset>{entry}{foreign}</urlset>"),
                "/": "root",
                "/hidden": page("/deeper"),
                "/deeper": "d",
            }
        )
        report = await crawl(configured(site.url("/")), tmp_path)
    assert set(archived(tmp_path)) == {site.url("/"), site.url("/hidden"), site.url("/deeper")}
    assert pages_of(tmp_path)[site.url("/hidden")].lastmod == "2026-01-02"
    assert report.last is not None
    counters = report.last.counters
    assert (counters.pages, counters.complete, counters.skipped) == (3, 5, 0)
    assert counters.refused == {"scope": 1}


async def test_sitemaps_off_reads_none(tmp_path: Path) -> None:
    async with serve({"/": "root"}) as site:
        site.routes["/robots.txt"] = f"Sitemap: {site.url('/s.xml')}\n"
        await crawl(configured(site.url("/"), fetch={"sitemaps": False}), tmp_path)
        assert "/s.xml" not in site.targets


async def test_c34_directives_of_headers_and_pages(tmp_path: Path) -> None:
    html = {"Content-Type": "text/html"}
    routes = {
        "/": page("/one", "/two", "/three"),
        "/one": (
            200,
            [*html.items(), ("X-Robots-Tag", "otherbot: noindex"), ("X-Robots-Tag", "SpiderD: nofollow")],
            page("/a"),
        ),
        "/two": '<meta name="ROBOTS" content="None">' + page("/b"),
        "/three": '<meta name=robots content="noodp"><a rel="UGC NoFollow" href=/u>u</a>' + page("/c"),
        "/c": "c",
    }
    async with serve(site_of(routes)) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
        assert set(site.targets) == {"/robots.txt", "/", "/one", "/two", "/three", "/c"}
    pages = pages_of(tmp_path)
    assert [pages[site.url(path)].noindex for path in ("/one", "/two", "/three")] == [False, True, False]
    assert report.last is not None
    assert report.last.counters.refused == {"nofollow": 3}


async def test_archivists_may_switch_directives_off(tmp_path: Path) -> None:
    routes = {"/": '<meta name="robots" content="none"><a rel=nofollow href=/u>u</a>', "/u": "u"}
    async with serve(site_of(routes)) as site:
        config = configured(site.url("/"), politeness={"meta_robots": False, "nofollow": False})
        await crawl(config, tmp_path)
    assert set(archived(tmp_path)) == {site.url("/"), site.url("/u")}
    assert not pages_of(tmp_path)[site.url("/")].noindex


async def test_an_endless_calendar_is_parked_and_the_crawl_ends(tmp_path: Path) -> None:
    def calendar(request: Request) -> str:
        month = int(request.query.partition("=")[2] or 0)
        return page(f"/cal?month={month + 1}", "/a", text="no events in this month")

    routes = {"/": page("/cal?month=0", "/a"), "/a": "a", "/cal": calendar}
    async with serve(site_of(routes)) as site:
        config = configured(site.url("/"), traps={"shape_window": 10})
        report = await crawl(config, tmp_path)
        asked = sum(request.path == "/cal" for request in site.requests)
        assert 10 <= asked <= 60
        assert report.last is not None
        assert report.last.counters.parked >= 1
        again = await crawl(config, tmp_path)  # it stays parked, across restarts
        assert sum(request.path == "/cal" for request in site.requests) == asked
        assert again.last is not None
        assert again.last.counters.parked == report.last.counters.parked


async def test_the_same_page_below_itself_ends(tmp_path: Path) -> None:
    async with serve(
        lambda request: page("sub/", text="x") if request.path != "/robots.txt" else (404, {}, b"")
    ) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
        assert len(site.requests) < 60
    assert len(archived(tmp_path)) == 1
    assert report.last is not None
    assert report.last.counters.duplicates >= 2


@pytest.mark.parametrize(
    "link",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://2886729729/",
        "http://[::ffff:192.168.0.1]/",
        "http://0xa.1/",
    ],
)
async def test_links_lead_to_no_private_address(tmp_path: Path, link: str) -> None:
    async with serve(site_of({"/": page(link)})) as site:
        with trio.fail_after(20):
            report = await crawl(configured(site.url("/"), scope={"follow": "any"}), tmp_path)
    assert report.last is not None
    assert report.last.counters.pages == 1
    failed = [row for row in pages_of(tmp_path).values() if row.kind is OutcomeKind.FAILED]
    assert [row.failure for row in failed] in ([Failure.HOST_UNREACHABLE], [Failure.ADDRESS_FORBIDDEN])


async def test_titles_and_encodings_are_kept(tmp_path: Path) -> None:
    gbk = "<meta charset=gb2312><title>爬虫的礼貌</title>你好世界。".encode("gbk")
    routes = {
        "/": page("/gbk", "/sjis"),
        "/gbk": (200, {"Content-Type": "text/html"}, gbk),
        "/sjis": (
            200,
            {"Content-Type": "text/html; charset=Shift_JIS"},
            "<title>日本語</title>".encode("cp932"),
        ),
    }
    async with serve(site_of(routes)) as site:
        await crawl(configured(site.url("/")), tmp_path)
    pages = pages_of(tmp_path)
    assert pages[site.url("/gbk")].title == "爬虫的礼貌"
    assert pages[site.url("/gbk")].charset.lower() in ("gbk", "gb18030")
    assert (pages[site.url("/sjis")].title, pages[site.url("/sjis")].charset_source) == ("日本語", "header")


async def test_a_host_bound_by_a_cookie_to_a_full_fetcher_holds_up_nobody(tmp_path: Path) -> None:
    async def slow(stream: trio.abc.Stream, _: Request) -> None:
        await released.wait()
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nslow")

    def quick(request: Request) -> str:
        asked.add(request.path)
        if len(asked) == 20:
            finished.set()
        return f"other {request.path}"

    released, finished = trio.Event(), trio.Event()
    asked: set[str] = set()
    pages = {f"/{n}": quick for n in range(20)}
    slow_pages = {f"/slow{n}": slow for n in range(12)}
    entry = (200, {"Content-Type": "text/html", "Set-Cookie": "a=b"}, page(*slow_pages))
    async with (
        serve(site_of({"/": entry, **slow_pages}), host="127.0.0.9") as bound,
        serve(site_of({"/": page(*pages), **pages})) as other,
        trio.open_nursery() as nursery,
    ):
        config = configured(
            bound.url("/"), other.url("/"), crawl={"processes": 2, "threads": 4}, politeness={"per_host": 9}
        )
        nursery.start_soon(crawl, config, tmp_path)
        with trio.fail_after(60):
            await finished.wait()  # all of the other host, while this one is stuck
        released.set()
    assert len(archived(tmp_path)) == 2 + 20 + 1  # the slow pages are one content
