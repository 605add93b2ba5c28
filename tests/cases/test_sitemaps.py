"""C35: a site's own lists of its pages, packed, broken, cyclic and hostile; which pages come of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from spiderd.states import Failure, OutcomeKind
from tests.cases.playing import Crawled, Web, html, web

pytestmark = pytest.mark.trio

H = "http://example.test"
NS = ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*locs: str, namespace: str = NS) -> bytes:
    """A sitemap of pages."""
    entries = "".join(f"<url><loc>{loc}</loc><lastmod>2026-01-02T03:04:05Z</lastmod></url>" for loc in locs)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset{namespace}>{entries}</urlset>'.encode()


def index(*locs: str) -> bytes:
    """A sitemap of sitemaps."""
    return (f"<sitemapindex{NS}>" + "".join(f"<sitemap><loc>{x}</loc></sitemap>" for x in locs)).encode() + (
        b"</sitemapindex>"
    )


def xml(body: bytes, content_type: str = "application/xml", **headers: str):
    """An answer that is a sitemap."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, {"Content-Type": content_type, **named}, body


async def crawl_maps(tmp_path: Path, maps: dict, **changes) -> tuple[Crawled, Web]:
    """Crawl a site whose robots.txt names `/index.xml`; pages that only sitemaps know are at /p/..."""
    robots = (200, {"Content-Type": "text/plain"}, f"Sitemap: {H}/index.xml\n")
    pages = {
        "*": lambda request: html(f"page {request.target}") if "/p/" in request.target else (404, {}, b"")
    }
    routes = {"/robots.txt": robots, "/": "home", **pages, **maps}
    async with web({"example.test": routes, "other.test": pages}) as hosts:
        changes.setdefault("scope", {"follow": "host"})
        changes.setdefault("fetch", {}).setdefault("sitemaps", True)
        return await hosts.crawl(tmp_path, f"{H}/", **changes), hosts


def found(crawled: Crawled) -> set[str]:
    """Pages that were stored beside the front page."""
    stored = {url for url, kind in crawled.kinds().items() if kind is OutcomeKind.STORED}
    return {url.removeprefix(f"{H}/p/") for url in stored - {f"{H}/"}}


async def test_c35_six_forms_are_read_and_the_broken_ones_are_told_apart(tmp_path: Path, capfd) -> None:
    text = f"{H}/p/text1\n{H}/p/text2\n".encode()
    maps = {
        "/a.xml.gz": xml(gzip.compress(urlset(f"{H}/p/gz")), "application/gzip"),
        "/b.xml.gz": xml(urlset(f"{H}/p/plain"), "application/x-gzip"),
        "/c.xml.gz": xml(
            gzip.compress(gzip.compress(urlset(f"{H}/p/coded"))), "text/xml", Content_Encoding="gzip"
        ),
        "/d.xml": xml(urlset(f"<![CDATA[{H}/p/cdata?a=1&b=2]]>", f"\n   {H}/p/padded \t")),
        "/e.xml": xml(urlset(f"{H}/p/bare", namespace="")),
        "/f.txt.gz": xml(gzip.compress(text), "application/octet-stream"),
        "/404.xml": (404, {"Content-Type": "text/html"}, b"<html>not found</html>"),
        "/html.xml": html("<html><body>sorry</body></html>"),
        "/bomb.xml": xml(b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + urlset(f"{H}/p/&b;")),
        "/cut.xml": xml(urlset(f"{H}/p/before-the-cut")[:-9] + b"<url><loc>http://exa"),
        "/index.xml": b"",
    }
    maps["/index.xml"] = xml(index(*(H + path for path in maps), f"{H}/index.xml"))
    crawled, hosts = await crawl_maps(tmp_path, maps, log={"level": "info"})
    good = {"gz", "plain", "coded", "cdata?a=1&b=2", "padded", "bare", "text1", "text2", "before-the-cut"}
    assert found(crawled) == good
    assert {hosts.asked.count(H + path) for path in maps} == {1}  # and the cycle is cut
    assert {row.lastmod for url, row in crawled.pages.items() if url.endswith("/p/gz")} == {
        "2026-01-02T03:04:05Z"
    }
    assert crawled.counters.failures == {Failure.HTTP_ERROR: 1}
    assert crawled.details[f"{H}/404.xml"] == "HTTP status 404"
    said = capfd.readouterr().err
    for path, words in (
        ("/html.xml", "HTML page"),
        ("/bomb.xml", "entities"),
        ("/cut.xml", "broken XML"),
        ("/index.xml", "names itself"),
    ):
        assert any(path in line and words in line for line in said.splitlines()), path


async def test_c35_ten_levels_and_no_more(tmp_path: Path, capfd) -> None:
    maps = {f"/{n}.xml": xml(index(f"{H}/{n + 1}.xml")) for n in range(2, 13)}
    maps["/index.xml"] = xml(index(f"{H}/2.xml"))
    crawled, hosts = await crawl_maps(tmp_path, maps, log={"level": "warning"})
    levels = ["/index.xml", *(f"/{n}.xml" for n in range(2, 11))]
    assert [url for url in hosts.asked if url.endswith(".xml")] == [H + path for path in levels]
    assert crawled.counters.error == 0
    assert "10 sitemaps deep" in capfd.readouterr().err


async def test_c35_other_hosts_are_a_matter_of_scope_pages_and_sitemaps_alike(tmp_path: Path) -> None:
    maps = {
        "/index.xml": xml(index(f"{H}/a.xml", "http://other.test/p/map.xml")),
        "/a.xml": xml(urlset(f"{H}/p/1", "http://other.test/p/2")),
    }
    crawled, hosts = await crawl_maps(tmp_path / "host", maps)
    assert found(crawled) == {"1"}
    assert not any("other.test" in request.target for request in hosts.site.requests)
    assert crawled.counters.refused == {"scope": 2}
    crawled, hosts = await crawl_maps(tmp_path / "any", maps, scope={"follow": "any"})
    assert {url for url in hosts.asked if "other.test" in url} == {
        "http://other.test/p/2",
        "http://other.test/p/map.xml",
    }
    assert hosts.robots.count("http://other.test/robots.txt") == 1


async def test_c35_a_sitemap_of_another_host_in_robots_txt_is_a_matter_of_scope_too(tmp_path: Path) -> None:
    rules = f"Sitemap: http://other.test/p/map.xml\nSitemap: //other.test/x\nSitemap: {H}/index.xml"
    maps = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, rules),
        "/index.xml": xml(urlset(f"{H}/p/1")),
    }
    crawled, hosts = await crawl_maps(tmp_path / "host", maps)
    assert found(crawled) == {"1"}
    assert not any("other.test" in request.target for request in hosts.site.requests)
    _, hosts = await crawl_maps(tmp_path / "any", maps, scope={"follow": "any"})
    assert "http://other.test/p/map.xml" in hosts.asked


async def test_c35_one_entry_too_many_is_left_out_with_a_warning(tmp_path: Path, capfd) -> None:
    maps = {"/index.xml": xml(urlset(*(f"{H}/p/{n}" for n in range(50_001))))}
    crawled, _ = await crawl_maps(tmp_path, maps, crawl={"max_pages": 3}, log={"level": "warning"})
    assert crawled.counters.known == 1 + 1 + 50_000
    assert "more than 50,000 entries" in capfd.readouterr().err


async def test_c35_robots_txt_is_obeyed_for_sitemaps_and_for_what_they_name(tmp_path: Path) -> None:
    rules = f"User-agent: *\nDisallow: /p/no\nDisallow: /secret.xml\nSitemap: {H}/index.xml"
    maps = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, rules),
        "/index.xml": xml(index(f"{H}/a.xml", f"{H}/secret.xml")),
        "/a.xml": xml(urlset(f"{H}/p/yes", f"{H}/p/no")),
        "/secret.xml": xml(urlset(f"{H}/p/hidden")),
    }
    crawled, hosts = await crawl_maps(tmp_path, maps)
    assert found(crawled) == {"yes"}
    assert f"{H}/secret.xml" not in hosts.asked
    assert f"{H}/p/no" not in hosts.asked
    assert crawled.counters.failures == {Failure.ROBOTS_DENIED: 2}


@pytest.mark.parametrize(
    ("answer", "pages"),
    [
        ((301, {"Location": "/moved.xml"}, b""), {"moved"}),
        (xml(b"\xef\xbb\xbf\n " + urlset(f"{H}/p/x")), {"x"}),
        (xml(urlset(f"{H}/p/x").decode().replace("UTF-8", "UTF-16").encode("utf-16")), {"x"}),
        (xml(urlset("/p/relative", f"{H}/p/x#frag", f"{H}/p/x", "mailto:a@b", "")), {"relative", "x"}),
        (xml(urlset(f"{H}/p/a&b", f"{H}/p/c")), {"a&b", "c"}),
        (xml(urlset(f"{H}/p/é", f"{H}/p/%c3%a9")), {"%C3%A9"}),
        (xml(urlset("HTTP://EXAMPLE.TEST:80/p/x", f"{H}./p/x")), {"x"}),
        (xml(f"<rss><channel><item><link>{H}/p/rss</link></item></channel></rss>".encode()), {"rss"}),
        (xml(b"<feed><entry><link href='" + f"{H}/p/atom".encode() + b"'/></entry></feed>"), {"atom"}),
        (xml(f"{H}/p/1\r\n\r\n  {H}/p/2\n# no\nnonsense\n".encode(), "text/plain"), {"1", "2"}),
        (xml(gzip.compress(urlset(f"{H}/p/x") + b" " * 200_000)[:-9]), {"x"}),
        (xml(b"", "text/html"), set()),
        ((500, {}, b""), set()),
        ((204, {}, b""), set()),
        (xml(index(f"{H}/index.xml", f"{H}/index.xml#a")), set()),
        (xml(b"<urlset>" + b"<url>" * 100_000), set()),
        (xml(b"\x00" * 1000), set()),
    ],
)
async def test_c35_neighbours(tmp_path: Path, answer, pages: set[str]) -> None:
    maps = {"/index.xml": answer, "/moved.xml": xml(urlset(f"{H}/p/moved"))}
    crawled, hosts = await crawl_maps(tmp_path, maps, crawl={"retries": 0})
    assert found(crawled) == pages
    assert hosts.asked.count(f"{H}/index.xml") == 1
    assert crawled.kinds()[f"{H}/"] is OutcomeKind.STORED


async def test_c35_a_sitemap_that_is_linked_to_as_a_page_is_both(tmp_path: Path) -> None:
    maps = {
        "/": '<a href="/index.xml">map</a>',
        "/index.xml": xml(urlset(f"{H}/p/x", f"{H}/index.xml")),
    }
    crawled, hosts = await crawl_maps(tmp_path, maps)
    assert found(crawled) == {"x"}
    assert (
        hosts.asked.count(f"{H}/index.xml") == 2
    )  # once read as a sitemap, once as a page of an unwanted type
    assert crawled.counters.failures == {Failure.TYPE_NOT_WANTED: 1}


async def test_c35_pages_of_a_deep_sitemap_may_be_redirected_as_often_as_others(tmp_path: Path) -> None:
    maps = {f"/{n}.xml": xml(index(f"{H}/{n + 1}.xml")) for n in range(2, 6)}
    maps |= {"/index.xml": xml(index(f"{H}/2.xml")), "/6.xml": xml(urlset(f"{H}/r0"))}
    maps |= {f"/r{n}": (302, {"Location": f"/r{n + 1}"}, b"") for n in range(5)}
    maps["/r5"] = "arrived"
    crawled, _ = await crawl_maps(tmp_path, maps, fetch={"max_redirects": 5}, crawl={"max_depth": 1})
    assert crawled.kinds()[f"{H}/r5"] is OutcomeKind.STORED
    assert crawled.pages[f"{H}/r5"].depth == 1


async def test_c35_pages_of_a_sitemap_that_are_gone_are_errors_with_a_referrer(tmp_path: Path) -> None:
    maps = {"/index.xml": xml(urlset(f"{H}/gone", f"{H}/p/x"))}
    crawled, _ = await crawl_maps(tmp_path, maps)
    gone = crawled.pages[f"{H}/gone"]
    assert (gone.kind, gone.status, gone.depth) == (OutcomeKind.FAILED, 404, 1)
    assert gone.referrer > 0
