"""C09, C10, C11, C13, C14, C15: which spellings are one page, and which references are none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import trio

from spiderd.protocol import Counters
from spiderd.states import Failure, OutcomeKind
from tests.cases.playing import Crawled, html, key_of, links, play_each, web
from tests.crawl.controlled import controlled
from tests.web.server import Request, serve
from tests.web.tls import tls_for

pytestmark = pytest.mark.trio

H = "http://example.test"


def numbered(host: str = "") -> object:
    """A route that answers each request with another page."""
    numbers = iter(range(10_000))
    return lambda _: f"{host} page {next(numbers)}"


SPELLINGS = (
    "HTTP://EXAMPLE.TEST:80/%7euser/%c3%a9",
    "http://example.test/~user/%C3%A9",
    "http://example.test./~user/é",
    "http://exa%6Dple.test/~user/%C3%A9",
)


@pytest.mark.parametrize("first", range(4))
async def test_c09_four_spellings_are_one_page_one_queue_one_robots(tmp_path: Path, first: int) -> None:
    turned = SPELLINGS[first:] + SPELLINGS[:first]
    pages = {"example.test": {"*": numbered()}, "example.test.": {"*": numbered()}}
    async with web({"start.test": {"/": links(*turned)}, **pages}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://start.test/")
        assert len(hosts.asked) == 2
        assert hosts.robots == ["http://start.test/robots.txt", "http://example.test/robots.txt"]
    assert crawled.hosts == ["example.test", "start.test"]
    assert crawled.counters.known == 2
    assert crawled.keys_known() == {key_of(url) for url in ("http://start.test/", SPELLINGS[1])}


async def test_c09_another_port_is_another_origin(tmp_path: Path) -> None:
    pages = {"example.test": {"*": numbered("a")}, "example.test:443": {"*": numbered("b")}}
    spellings = (f"{H}/~user/%C3%A9", f"{H}:443/~user/%C3%A9", f"{H}:80/~user/%C3%A9")
    async with web({"start.test": {"/": links(*spellings)}, **pages}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://start.test/")
        assert sorted(hosts.asked[1:]) == [f"{H}/~user/%C3%A9", f"{H}:443/~user/%C3%A9"]
        assert sorted(hosts.robots[1:]) == [f"{H}/robots.txt", f"{H}:443/robots.txt"]
        assert "example.test:443" in hosts.host_headers
    assert crawled.hosts == ["example.test", "example.test:443", "start.test"]


async def test_c09_https_with_its_port_is_https_without(tmp_path: Path, monkeypatch) -> None:
    tls = tls_for("example.test")
    (tmp_path / "authority.pem").write_bytes(tls.authority_pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    page = links("https://example.test:443/", "https://EXAMPLE.test./", "https://example.test:0443/a")
    async with serve({"/": page, "/a": "a"}, tls=tls.server) as secure:

        async def tunnel(stream: trio.SocketStream, request: Request) -> None:
            assert (request.method, request.target) == ("CONNECT", "example.test:443")
            far = await trio.open_tcp_stream(secure.host, secure.port)
            await stream.send_all(b"HTTP/1.1 200 Connected\r\n\r\n")
            async with far, trio.open_nursery() as nursery:
                nursery.start_soon(pipe, stream, far)
                await pipe(far, stream)
                nursery.cancel_scope.cancel()

        async with web({}) as hosts, serve(tunnel) as proxy:
            config = {"proxy": proxy.origin}
            crawled = await hosts.crawl(tmp_path / "crawl", "https://example.test/", fetch=config)
            assert proxy.errors == []
        assert secure.targets == ["/robots.txt", "/", "/a"]
        assert {request.header("host") for request in secure.requests} == {"example.test"}
    assert crawled.hosts == ["example.test"]
    assert crawled.counters.pages == 2


async def pipe(one: trio.abc.Stream, other: trio.abc.Stream) -> None:
    """Carry bytes until one side closes."""
    while data := await one.receive_some():
        await other.send_all(data)


@pytest.mark.parametrize(
    ("spellings", "host"),
    [
        (("http://127.0.0.7/a", "http://127.7/a", "http://0x7f000007/a", "http://2130706439/a"), "127.0.0.7"),
        (("http://127.0.0.7/a", "http://0177.0.0.7./a", "http://127.0.0.7:80/a"), "127.0.0.7"),
        (("http://[::1]/a", "http://[0:0:0:0:0:0:0:1]:80/a", "http://[0::0001]/a"), "[::1]"),
        (("http://a.test:8080/a", "http://A.TEST:08080/a", "http://a.test.:8080/a"), "a.test:8080"),
        (("http://a.test/a", "http://a.test:/a", "http://a.test:00080/a", "http:\\\\a.test/a"), "a.test"),
        (("http://a\u3002test/a", "http://a.test/a", "http://\uff21.test/a"), "a.test"),  # wide forms
        (("http://a.test/a?", "http://A.test:80/a?"), "a.test"),
        (("http://a_b.test/a", "http://A_B.test/a"), "a_b.test"),
        (("http://a.test/?q=%61%2F%c3%a9", "http://a.test?q=a%2f%C3%A9", "http://a.test/?q=a%2Fé"), "a.test"),
    ],
)
async def test_c09_neighbours(tmp_path: Path, spellings: tuple[str, ...], host: str) -> None:
    one = {host: {"*": numbered()}, host.replace("test", "test."): {"*": numbered()}}
    async with web({"start.test": {"/": links(*spellings)}, **one}) as hosts:
        private = {"private_addresses": "always"}
        crawled = await hosts.crawl(tmp_path, "http://start.test/", scope=private)
        assert len(hosts.asked) == 2
        assert len(hosts.robots) == 2
    assert crawled.hosts == sorted([host, "start.test"])
    assert crawled.counters.pages == 2


SEVEN = ("/Docs/A", "/docs/a", "/docs/a/", "/docs/a?B=1", "/docs/a?b=1", "/docs/a?b=1&a=2", "/docs/a?a=2&b=1")


async def test_c10_seven_pages_and_six_with_sorted_queries(tmp_path: Path) -> None:
    markup = links(*(path.replace("&", "&amp;") for path in SEVEN))
    async with web({"example.test": {"/": markup, "*": numbered()}}) as hosts:
        await hosts.crawl(tmp_path / "as-it-is", f"{H}/")
        assert sorted(hosts.asked[1:]) == sorted(H + path for path in SEVEN)
        hosts.site.requests.clear()
        crawled = await hosts.crawl(tmp_path / "sorted", f"{H}/", urls={"sort_query": True})
        assert len(hosts.asked[1:]) == 6
        assert f"{H}/docs/a?b=1&a=2" in hosts.asked  # what is fetched is what was written
        assert crawled.counters.known == 7


@pytest.mark.parametrize(
    ("paths", "urls", "asked"),
    [
        (("/a", "/a?", "/a/", "/a//", "/a;", "/A"), {}, 6),
        (
            ("/a?x=1&amp;x=2", "/a?x=2&amp;x=1"),
            {"sort_query": True},
            2,
        ),  # the order of one key may mean something
        (("/a?x", "/a?x=", "/a?X"), {}, 3),
        (("/a?b&amp;a", "/a?a&amp;b", "/a?&amp;a&amp;b"), {"sort_query": True}, 2),
        (("/a?x=1&amp;utm_source=p", "/a?utm_medium=q&amp;x=1", "/a?x=1"), {"drop_parameters": ["utm_*"]}, 1),
        (("/a//b", "/a/b"), {"collapse_slashes": True}, 1),
        (("/a//b", "/a/b"), {}, 2),
        (("/a;jsessionid=0A1B", "/a;JSESSIONID=9", "/a?PHPSESSID=1a2b3c", "/a"), {}, 1),
        (("/a;jsessionid=0A1B", "/a"), {"drop_session_ids": False}, 2),
        (("/a?sid=1234", "/a?sid=1235"), {}, 2),  # sections of a newspaper
        (("/a?sid=deadbeef01&amp;x=1", "/a?x=1&amp;sid=0123456789abcdef"), {}, 1),
    ],
)
async def test_c10_neighbours(tmp_path: Path, paths: tuple[str, ...], urls: dict, asked: int) -> None:
    async with web({"example.test": {"/": links(*paths), "*": numbered()}}) as hosts:
        await hosts.crawl(tmp_path, f"{H}/", urls=urls, crawl={"threads": 1})
        assert len(hosts.asked[1:]) == asked
        assert hosts.asked[1] == H + paths[0].replace("&amp;", "&")


NAMES = (
    "http://bücher.example/",
    "http://xn--bcher-kva.example/",
    "http://B%C3%BCcher.example./",
    "http://faß.example/",
    "http://例え.test/",
)


async def test_c11_names_in_any_script_are_ascii_on_the_wire(tmp_path: Path) -> None:
    ascii_names = ("xn--bcher-kva.example", "xn--fa-hia.example", "xn--r8jz45g.test")
    pages = {name: {"/": f"here is {name}"} for name in ascii_names}
    async with web({"start.test": {"/": links(*NAMES)}, **pages}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://start.test/")
        assert sorted(hosts.asked[1:]) == [f"http://{name}/" for name in ascii_names]
        assert sorted(hosts.robots[1:]) == [f"http://{name}/robots.txt" for name in ascii_names]
        assert hosts.host_headers == {"start.test", *ascii_names}
    assert crawled.hosts == sorted(["start.test", *ascii_names])


async def test_c11_people_are_shown_what_people_write(tmp_path: Path) -> None:
    pages = {"xn--bcher-kva.example": {"/": "b"}, "xn--r8jz45g.test:8080": {"/": "c"}}
    seeds = ("http://bücher.example/", "http://例え.test:8080/", "http://plain.test/")
    async with (
        web({**pages, "plain.test": {"/": "p"}}) as hosts,
        controlled(hosts.config(*seeds), tmp_path) as running,
    ):
        await running.complete()
        rows = (await running.get("hosts"))["rows"]
    assert {row["host"]: row["name"] for row in rows} == {
        "xn--bcher-kva.example": "bücher.example",
        "xn--r8jz45g.test:8080": "例え.test:8080",
        "plain.test": "",
    }


@pytest.mark.parametrize(
    ("name", "ascii_name"),
    [
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("bu\u0308cher.example", "xn--bcher-kva.example"),  # composed by normalisation
        ("bü\u00adcher.example", "xn--bcher-kva.example"),  # a soft hyphen is nothing
        ("\uff45\uff58ample.test", "example.test"),  # wide letters
        ("βόλος.example", "xn--nxasmm1c.example"),  # final sigma stays one
        ("Ελλάδα.test", "xn--hxakic4aa.test"),
        ("☃.example", "xn--n3h.example"),
        ("例え\u3002テスト", "xn--r8jz45g.xn--zckzah"),  # an ideographic full stop
        (
            "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.example",
            "xn--mgba3gch31f060k.example",
        ),  # a joiner counts
    ],
)
async def test_c11_neighbours(tmp_path: Path, name: str, ascii_name: str) -> None:
    spellings = (f"http://{name}/", f"http://{ascii_name}/", f"http://{ascii_name.upper()}:80")
    async with web({"start.test": {"/": links(*spellings)}, ascii_name: {"/": "here"}}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://start.test/")
        assert hosts.asked[1:] == [f"http://{ascii_name}/"]
    assert crawled.counters.pages == 2


async def test_c11_names_that_are_none_cost_nothing_but_themselves(tmp_path: Path) -> None:
    bad = (
        "http://xn--\u2603.test/",
        "http://a b.test/",
        "http://a%00b.test/",
        "http://-.%25.test/",
        "http://%/",
    )
    async with web({"example.test": {"/": links(*bad, "/good"), "/good": "g"}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked == [f"{H}/", f"{H}/good"]
    assert crawled.counters.refused == {"bad url": 5}


async def test_c13_only_http_is_asked_for_and_the_rest_is_counted(tmp_path: Path) -> None:
    markup = (
        '<a href="mailto:a@example.test">m</a><a href="tel:+1">t</a>'
        "<a href='data:text/html,<a href=/z>'>d</a>"
        '<a href="JavaScript:void(0)">j</a><a href="ftp://example.test/f">f</a>'
        '<a href="example:8080/x">e</a><a href="www.other.test/x">w</a><a href="blob:x">b</a>'
    )
    async with web({"example.test": {"/": markup, "*": numbered()}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked == [f"{H}/", f"{H}/www.other.test/x"]
    schemes = ("mailto", "tel", "data", "javascript", "ftp", "example", "blob")
    assert crawled.counters.refused == dict.fromkeys(schemes, 1)
    assert crawled.counters.known == 2


NOT_HTTP = [
    ("java\nscript:x", "javascript"),
    (" \tjavascript:x", "javascript"),
    ("javascript&colon;x", "javascript"),
    ("&#1;javascript:x", "javascript"),
    ("about:blank", "about"),
    ("file:///etc/passwd", "file"),
    ("view-source:http://example.test/v", "view-source"),
    ("intent://x#Intent;scheme=http;end", "intent"),
    ("whatsapp://send?text=x", "whatsapp"),
    ("ws://example.test/", "ws"),
    ("filesystem:http://example.test/x", "filesystem"),
    ("http://", "bad url"),
    ("http://[::1/", "bad url"),
    ("http://example.test:99999/", "bad url"),
    ("https://exa<mple.test/", "bad url"),
    ("a" * 70_000, "length"),
    ("/" + "a" * 3000, "length"),
]


async def test_c13_neighbours(tmp_path: Path) -> None:
    pages = [(f"{H}/", links(reference, "/good")) for reference, _ in NOT_HTTP]
    each = await play_each(tmp_path, pages)
    assert [each.asked(case) for case in range(len(pages))] == [[f"{H}/good"]] * len(pages)
    assert each.crawled.counters.refused == Counter(counted for _, counted in NOT_HTTP)


NO_SCHEMES = [
    ("1http:x", "/d/1http:x"),  # a scheme begins with a letter
    (":80/x", "/d/:80/x"),
    ("./mailto:x", "/d/mailto:x"),
    ("http&amp;x", "/d/http&x"),
    ("//", None),
    ("mail to:x", "/d/mail%20to:x"),
]


async def test_c13_what_only_looks_like_a_scheme(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/d/", links(reference)) for reference, _ in NO_SCHEMES])
    found = {reference: each.asked(case) for case, (reference, _) in enumerate(NO_SCHEMES)}
    assert found == {reference: [H + path] if path else [] for reference, path in NO_SCHEMES}


# C14: credentials


def told(crawled: Crawled, hosts: object) -> str:
    """Everything that the crawl has sent, and everything that it has written down."""
    return repr(hosts.site.requests) + crawled.written().decode("latin-1")


async def test_c14_a_password_in_a_link_goes_nowhere(tmp_path: Path) -> None:
    link = "http://ann:secret@example.test/private"
    async with web({"example.test": {"/": links(link, f"{H}/private"), "/private": "p"}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked == [f"{H}/", f"{H}/private"]
        assert all(not request.header("authorization") for request in hosts.site.requests)
        assert all(not request.header("referer") for request in hosts.site.requests)
        assert "secret" not in told(crawled, hosts)
    assert crawled.pages.keys() == {f"{H}/", f"{H}/private"}


async def test_c14_what_a_seed_carries_goes_to_its_origin_and_into_the_store_of_secrets(
    tmp_path: Path,
) -> None:
    routes = {"/": links("/in", "http://other.test/out"), "/in": "i"}
    async with web({"example.test": routes, "other.test": {"/out": "o"}}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://bob:pw%21secret@example.test/")
        sent = {request.target: request.header("authorization") for request in hosts.site.requests}
        assert sent[f"{H}/"] == sent[f"{H}/in"] == sent[f"{H}/robots.txt"] == "Basic Ym9iOnB3IXNlY3JldA=="
        assert sent["http://other.test/out"] == sent["http://other.test/robots.txt"] == ""
        written = crawled.written().decode("latin-1")
        assert "pw%21secret" not in written
        assert "pw!secret" not in written
        assert written.count("Ym9iOnB3IXNlY3JldA==") >= 1  # so that the next run has it, too
        again = await hosts.crawl(tmp_path, f"{H}/more")
        assert hosts.site.requests[-1].header("authorization") == "Basic Ym9iOnB3IXNlY3JldA=="
    assert all("@" not in url for url in again.pages)


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/", (302, {"Location": "http://ann:secret@example.test/b"}, b"")),
        ("/", (302, {"Location": "ftp://ann:secret@example.test/b"}, b"")),
        ("/", (302, {"Location": "//ann:secret@[bad/b"}, b"")),
        ("/", (302, {"Location": "ftp://ann:sec/secret@example.test:x/b"}, b"")),
        ("/", html(links("ftp://ann:secret@example.test/", "//ann:secret@example.test/b"))),
        ("/", html(links("http://ann:secret@[bad/", "\\\\ann:secret@example.test/b"))),
        ("/", html('<base href="http://ann:secret@example.test/d/"><a href="b">')),
        ("/", html('<link rel=canonical href="http://ann:secret@example.test/b">')),
        ("/", html('<meta http-equiv=refresh content="0;url=http://ann:secret@example.test/b">')),
        (
            "/",
            html('<img src="http://ann:secret@example.test/b.png"><link rel=icon href="//a:secret@h.test/">'),
        ),
        ("/", html("p", Link='<http://ann:secret@example.test/b>; rel="next"')),
        ("/", html("p", Refresh="0; url=http://ann:secret@example.test/b")),
        ("/map.xml", "<urlset><url><loc>http://ann:secret@example.test/b</loc></url></urlset>"),
        ("/map.xml", "<urlset><url><loc>ftp://ann:secret@example.test/b</loc></url></urlset>"),
        ("/map.xml", "ftp://ann:secret@example.test/\n"),
    ],
)
async def test_c14_neighbours_secrets_in_all_places(tmp_path: Path, capfd, path: str, answer) -> None:
    routes = {"/robots.txt": f"Sitemap: {H}/map.xml", "/": "home", "/map.xml": "", path: answer, "/b": "b"}
    async with web({"example.test": routes}) as hosts:
        levels = {"log": {"level": "debug"}, "fetch": {"sitemaps": True}}
        crawled = await hosts.crawl(tmp_path, f"{H}/", **levels)
        said = capfd.readouterr()
        assert "secret" not in told(crawled, hosts)
        assert "secret" not in said.out + said.err
        assert all(not request.header("authorization") for request in hosts.site.requests)


# C15: entities


async def test_c15_entities_once_and_a_finite_site(tmp_path: Path) -> None:
    numbers = iter(range(1000))
    markup = '<a href="?&amp;p=2">a</a><a href="?a=1&copy=2">b</a><a href="?a=1&amp;copy;=3">c</a>'
    async with web({"example.test": {"/list": lambda _: f"{markup}{next(numbers)}"}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/list")
        wanted = {f"{H}/list", f"{H}/list?&p=2", f"{H}/list?a=1&copy=2", f"{H}/list?a=1&copy;=3"}
        assert set(hosts.asked) == wanted
        assert len(hosts.asked) == 4
    assert crawled.pages.keys() == wanted
    assert not any("amp%3B" in url or "amp;" in url for url in crawled.pages)


ENTITIES = [
    ("?a=1&lt=2", "?a=1&lt=2"),
    ("?a=1&ltx", "?a=1&ltx"),
    ("?a=1&lt;b", "?a=1%3Cb"),
    ("?a=1&lt", "?a=1%3C"),  # at the end it is a character reference, with or without its semicolon
    ("?a=1&lt&b=2", "?a=1%3C&b=2"),
    ("?a=1&notit;=2", "?a=1&notit;=2"),
    ("?a=1&section=2", "?a=1&section=2"),
    ("?a=1&hellip=2", "?a=1&hellip=2"),  # no name without a semicolon
    ("?a&#38;b", "?a&b"),
    ("?a&#x26;b", "?a&b"),
    ("?a&#38b", "?a&b"),
    ("?a&amp;amp;b", "?a&amp;b"),  # decoded once: this is what the page says
    ("?a&AMP;b", "?a&b"),
    ("?a&ampb", "?a&ampb"),
    ("?a&amp=b", "?a&amp=b"),
    ("?a&;b", "?a&;b"),
    ("?a&&b", "?a&&b"),
    ("?a&nosuchname;b", "?a&nosuchname;b"),
    ("?a&#xD800;&#0;&#x110000;", "?a%EF%BF%BD%EF%BF%BD%EF%BF%BD"),
    ("?a&#128;", "?a%E2%82%AC"),
]


async def test_c15_neighbours(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/l", links(reference)) for reference, _ in ENTITIES])
    found = {reference: each.asked(case) for case, (reference, _) in enumerate(ENTITIES)}
    assert found == {reference: [f"{H}/l{query}"] for reference, query in ENTITIES}


async def test_counters_add_up_whatever_the_links_are(tmp_path: Path) -> None:
    bad = ("mailto:x", "http://[", "ftp://x/", "//", "javascript:", "/" + "x" * 5000)
    gone = links(*bad, "/a", "/gone", "/a#b")
    async with web({"example.test": {"/": gone, "/a": links(*bad)}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
    counters: Counters = crawled.counters
    assert (counters.known, counters.complete, counters.error, counters.waiting) == (3, 2, 1, 0)
    assert counters.refused == {"mailto": 2, "bad url": 4, "ftp": 2, "javascript": 2, "length": 2}
    assert counters.failures == {Failure.HTTP_ERROR: 1}
    assert crawled.kinds()[f"{H}/gone"] is OutcomeKind.FAILED
