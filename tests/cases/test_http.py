"""C23, C26, C27, C29: what servers do to an exchange, and what the crawl makes of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import trio
import trio.testing

from spiderd.states import Failure, OutcomeKind
from tests.cases.playing import Crawled, html, links, web
from tests.crawl.harness import archived, configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.faults import CHUNKED, OK, chunks, endless, hang, raw, redirect, reset, stay
from tests.web.server import Request, Site, serve

pytestmark = pytest.mark.trio

H = "http://example.test"


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Jumps only after a while in which nothing came in from sockets and threads."""
    return trio.testing.MockClock(autojump_threshold=0.1)


# C23: redirects that set cookies


def gate(cookie: str, otherwise: tuple, inside: str = "welcome") -> object:
    """A page for those who bring a cookie."""

    def answer(request: Request):
        return html(inside) if cookie in request.header("cookie") else otherwise

    return answer


def hops(crawled: Crawled) -> dict[str, str]:
    """Redirects that were kept: URL to location."""
    return {url: row.location for url, row in crawled.pages.items() if row.kind is OutcomeKind.REDIRECT}


async def test_c23_both_variants_end_in_the_page_stored_once_with_their_hops(tmp_path: Path) -> None:
    plain = {"/": gate("in=1", redirect("/", Set_Cookie="in=1"))}
    detour = {
        "/": gate("in=1", redirect("/sso")),
        "/sso": redirect("/", Set_Cookie="in=1; Path=/"),
    }
    async with web({"one.test": plain, "two.test": detour}) as hosts:
        crawled = await hosts.crawl(tmp_path, "http://one.test/", "http://two.test/")
        assert hosts.asked.count("http://one.test/") == 2
        assert hosts.asked.count("http://two.test/") == 2
        assert hosts.asked.count("http://two.test/sso") == 1
    kinds = crawled.kinds()
    assert {kinds["http://one.test/"], kinds["http://two.test/"]} == {
        OutcomeKind.STORED,
        OutcomeKind.DUPLICATE,
    }
    assert hops(crawled) == {"http://two.test/sso": "http://two.test/"}
    counters = crawled.counters
    assert (counters.known, counters.complete, counters.error, counters.failures) == (3, 3, 0, {})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_c23_neighbours_any_status(tmp_path: Path, status: int) -> None:
    answer = (status, {"Location": "?", "Set-Cookie": "in=1"}, b"")
    async with web(
        {"example.test": {"/": gate("in=1", answer), "/?": gate("in=1", answer, "other")}}
    ) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked == [f"{H}/", f"{H}/?"]
    assert crawled.kinds() == {f"{H}/": OutcomeKind.REDIRECT, f"{H}/?": OutcomeKind.STORED}


async def test_c23_neighbours_a_sign_on_at_another_host(tmp_path: Path) -> None:
    """The cookie that opens the page is set by the third hop, which differs from the first in its query."""

    def home(request: Request):
        if "in=1" in request.header("cookie"):
            return html(links("/more"))
        if "ticket" in request.target:
            return redirect("/", Set_Cookie="in=1; Path=/")
        return redirect("http://sso.test/login?back=/")

    routes = {"/": home, "/more": gate("in=1", (403, {}, b""), "more")}
    sso = {"/login": redirect(f"{H}/?ticket=7", Set_Cookie="sso=1; Path=/")}
    async with web({"example.test": routes, "sso.test": sso}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked[:4] == [f"{H}/", "http://sso.test/login?back=/", f"{H}/?ticket=7", f"{H}/"]
    assert crawled.kinds()[f"{H}/"] is OutcomeKind.STORED
    assert crawled.kinds()[f"{H}/more"] is OutcomeKind.STORED


async def test_c23_neighbours_the_way_there_and_back_over_several_pages_with_links_to_each(
    tmp_path: Path,
) -> None:
    """Every page of a site asks for consent first, and all of them end as pages."""
    names = [f"/p{n}" for n in range(12)]
    routes = {
        name: gate("ok=1", redirect(f"/consent?to={name}"), inside=f"{name} {links(*names)}")
        for name in names
    }
    consent = {
        "/consent": lambda request: redirect(request.target.rpartition("=")[2], Set_Cookie="ok=1; Path=/")
    }
    async with web({"example.test": {**routes, **consent}}) as hosts:
        crawled = await hosts.crawl(tmp_path, *(H + name for name in names))
        assert max(hosts.asked.count(H + name) for name in names) <= 3
    assert {crawled.kinds()[H + name] for name in names} == {OutcomeKind.STORED}


async def test_c23_neighbours_a_cookie_that_changes_nothing_ends(tmp_path: Path) -> None:
    numbers = iter(range(10_000))
    routes = {
        "/": lambda _: redirect("/b", Set_Cookie=f"n={next(numbers)}"),
        "/b": lambda _: redirect("/", Set_Cookie=f"n={next(numbers)}"),
    }
    async with web({"example.test": routes}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", fetch={"max_redirects": 8})
        assert len(hosts.asked) <= 18
    assert crawled.counters.failures == {Failure.TOO_MANY_REDIRECTS: 1}


async def test_c23_neighbours_without_a_cookie_a_loop_is_a_loop(tmp_path: Path) -> None:
    routes = {"/": redirect("/"), "/a": redirect("/b"), "/b": redirect("/a")}
    async with web({"example.test": routes}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", f"{H}/a")
        assert sorted(hosts.asked) == [f"{H}/", f"{H}/a", f"{H}/b"]
    assert crawled.counters.pages == 0
    assert set(crawled.kinds().values()) == {OutcomeKind.REDIRECT}


async def test_c23_neighbours_a_link_to_where_a_cookie_redirect_led_is_not_lost(tmp_path: Path) -> None:
    """A page that was seen as a redirect before its cookie was known is asked for again only once."""
    routes = {
        "/": links("/members", "/login"),
        "/members": gate("m=1", redirect("/login"), "members"),
        "/login": redirect("/members", Set_Cookie="m=1; Path=/"),
    }
    async with web({"example.test": routes}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", crawl={"threads": 1})
        assert hosts.asked.count(f"{H}/members") == 2
    assert crawled.kinds()[f"{H}/members"] is OutcomeKind.STORED


# C26: bodies that end too early


BODY = b"<p>" + b"sixty bytes of a page that goes on, and on, and on, and on".ljust(57) + b"x" * 40


def cut_short() -> dict[str, object]:
    """Answers that break off."""
    return {
        "/chunks": raw(CHUNKED + chunks(BODY, end=b"")),
        "/length": raw(OK + b"Content-Length: 100\r\n\r\n" + BODY[:60]),
        "/in-chunk": raw(CHUNKED + b"64\r\n" + BODY[:60]),
        "/gzip": raw(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(BODY)[:-12]),
        "/reset": reset(OK + b"Content-Length: 100\r\n\r\n" + BODY[:60]),
        "/chunk-then-reset": reset(CHUNKED + chunks(BODY, end=b"")),
    }


async def test_c26_what_breaks_off_is_tried_again_and_is_no_page(tmp_path: Path, autojump_clock) -> None:
    bad = cut_short()
    async with serve(site_of({"/": page(*bad), **bad})) as site:
        report = await crawl(
            configured(site.url("/"), crawl={"retries": 2}), tmp_path, clock=trio.current_time
        )
        assert {path: site.count(path) for path in bad} == dict.fromkeys(bad, 3)
    crawled = Crawled(tmp_path, report)
    for path in bad:
        record = crawled.pages[site.url(path)]
        assert (record.kind, record.digest, record.number) == (OutcomeKind.FAILED, b"", 0), path
        assert record.failure in (Failure.TRUNCATED, Failure.CONNECTION_LOST), path
    assert archived(tmp_path).keys() == {site.url("/")}
    assert (crawled.counters.pages, crawled.counters.error, crawled.counters.retries) == (1, 6, 12)


async def test_c26_a_page_that_broke_off_once_is_whole_the_second_time_and_no_duplicate(
    tmp_path: Path, autojump_clock
) -> None:
    first = iter([raw(OK + b"Content-Length: 97\r\n\r\n" + BODY[:60])])

    async def flaky(stream, request: Request):
        broken = next(first, None)
        return await broken(stream, request) if broken else html(BODY)

    # another page has just the bytes that came before the break
    async with serve(
        site_of({"/": page("/flaky", "/part"), "/flaky": flaky, "/part": html(BODY[:60])})
    ) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=trio.current_time)
        assert archived(tmp_path)[site.url("/flaky")] == BODY
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.duplicates) == (3, 0)


async def test_c26_what_ends_in_another_way_is_whole(tmp_path: Path) -> None:
    good = {
        "/trailers": raw(CHUNKED + chunks(BODY, end=b"0\r\nX-Digest: y\r\nX-More: z\r\n\r\n")),
        "/no-trailers": raw(CHUNKED + chunks(BODY[:-4], end=b"0\r\n")),  # RFC 9112 8: the last chunk is there
        "/close": raw(OK + b"\r\n" + BODY[:-1]),
        "/http10": raw(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY[:-2]),
        "/more": raw(OK + b"Content-Length: 60\r\n\r\n" + BODY),
        "/gzip": raw(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(BODY[:-3])),
        "/empty": raw(OK + b"Content-Length: 0\r\n\r\n"),
        "/extensions": raw(CHUNKED + b"5;x=y\r\n<p>ab\r\n 1 ; z\r\nc\r\n0\r\n\r\n"),
    }
    async with serve(site_of({"/": page(*good, "/after"), "/after": "after", **good})) as site:
        one = {"threads": 1}
        report = await crawl(configured(site.url("/"), crawl=one, politeness={"per_host": 1}), tmp_path)
        stored = {url.removeprefix(site.origin): body for url, body in archived(tmp_path).items()}
        after_more = site.requests[site.targets.index("/more") + 1]
        assert after_more.number == 1  # a connection on which something came late is not used again
    assert stored["/trailers"] == BODY
    assert stored["/close"] == BODY[:-1]
    assert stored["/http10"] == BODY[:-2]
    assert stored["/more"] == BODY[:60]
    assert stored["/gzip"] == BODY[:-3]
    assert stored["/empty"] == b""
    assert stored["/extensions"] == b"<p>abc"
    assert report.last is not None
    assert report.last.counters.error == 0


# C27: heads


def head(*lines: bytes, status: bytes = b"HTTP/1.1 200 OK", body: bytes = b"") -> object:
    """An answer with these header lines, byte for byte."""
    fields = b"".join(line + b"\r\n" for line in (b"Content-Type: text/html", *lines))
    return raw(status + b"\r\n" + fields + b"\r\n" + body)


HEADS = {
    "/same-lengths": (head(b"Content-Length: 3", b"Content-Length: 3", body=b"one"), "stored"),
    "/list-of-lengths": (head(b"Content-Length: 4, 4", body=b"list"), "stored"),
    "/two-lengths": (head(b"Content-Length: 2", b"Content-Length: 3", body=b"abc"), Failure.PROTOCOL_ERROR),
    "/600": (head(status=b"HTTP/1.1 600 X", body=b"600"), Failure.SERVER_ERROR),
    "/999": (head(status=b"HTTP/1.1 999 Denied", body=b"999"), Failure.SERVER_ERROR),
    "/empty-value": (head(b"Server:", b"X-Nothing: ", body=b"empty value"), "stored"),
    "/padded-chunks": (raw(CHUNKED + b"1A  \r\n" + b"p" * 26 + b"\r\n0  \r\n\r\n"), "stored"),
    "/bad-line": (head(b"a.php: userdata not support", body=b"bad line"), "stored"),
    "/worse-line": (head(b"this is no header at all", b": no name", body=b"worse line"), "stored"),
    "/bomb": (endless(OK, b"X-Filler: " + b"x" * 1000 + b"\r\n"), Failure.HEADERS_TOO_BIG),
    "/80-kib": (head(b"X-Big: " + b"x" * 80_000, body=b"big"), Failure.HEADERS_TOO_BIG),
    "/http-0.9": (raw(b"<html>no head at all</html>"), Failure.PROTOCOL_ERROR),
    "/no-reason": (head(status=b"HTTP/1.1 200", body=b"no reason"), "stored"),
    "/lf-only": (raw(b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 2\n\nlf"), "stored"),
    "/folded": (head(b"X-Long: a", b"  b", body=b"folded"), "stored"),
    "/negative": (head(b"Content-Length: -5", body=b"negative"), "stored"),  # no length, as browsers read it
    "/chunked-and-length": (
        raw(OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(b"both")),
        "stored",
    ),
    "/100-first": (
        raw(b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 8\r\n\r\ncontinue"),
        "stored",
    ),
    "/103-first": (
        raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhints"),
        "stored",
    ),
    "/icy": (raw(b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nnoise"), None),
    "/tls": (raw(b"\x15\x03\x01\x00\x02\x02\x46"), None),
    "/nothing": (raw(), Failure.CONNECTION_LOST),
}


async def test_c27_every_head_ends_in_a_page_or_in_a_word_and_nobody_else_notices(
    tmp_path: Path, autojump_clock
) -> None:
    good = {f"/good{n}": f"good {n}" for n in range(len(HEADS))}
    mixed = [path for pair in zip(HEADS, good, strict=True) for path in pair]
    routes = {path: route for path, (route, _) in HEADS.items()}
    async with serve(site_of({"/": page(*mixed), **routes, **good})) as site:
        config = configured(site.url("/"), crawl={"retries": 1, "threads": 3})
        report = await crawl(config, tmp_path, clock=trio.current_time)
        assert {site.count(path) for path in good} == {1}
        assert site.errors == []
    crawled = Crawled(tmp_path, report)
    for path, (_, wanted) in HEADS.items():
        record = crawled.pages[site.url(path)]
        if wanted == "stored":
            assert (record.kind, record.failure) == (OutcomeKind.STORED, Failure.NONE), path
        elif wanted is None:
            assert record.kind in (OutcomeKind.FAILED, OutcomeKind.SKIPPED), path
        else:
            assert (record.kind, record.failure) == (OutcomeKind.FAILED, wanted), path
    assert {crawled.kinds()[site.url(path)] for path in good} == {OutcomeKind.STORED}
    assert crawled.details.keys() == {
        url for url, kind in crawled.kinds().items() if kind is OutcomeKind.FAILED
    }
    assert all(crawled.details.values())  # each with a sentence


# C29: what never ends


async def steady(site: Site, count: int) -> bool:
    """Whether a host was asked all along without a pause of note."""
    times = [request.time for request in site.requests]
    return len(times) == count and max(times) - min(times) < 1.0


async def test_c29_streams_and_drips_end_with_their_reason_and_no_other_host_waits(
    tmp_path: Path, autojump_clock
) -> None:
    audio = b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: r\r\n\r\n"
    camera = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n"
    traps = {
        "/radio": (endless(audio, b"x" * 1000, every=0.1), Failure.TYPE_NOT_WANTED),
        "/drip": (endless(OK + b"\r\n", b"x", every=5.0), Failure.TOO_SLOW),
        "/slow-head": (endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", every=5.0), Failure.TOO_SLOW),
        "/half-head": (stay(b"HTTP/1.1 200 OK\r\nContent-Ty"), Failure.IDLE_TIMEOUT),
        "/silent": (hang(), Failure.FIRST_BYTE_TIMEOUT),
        "/stops": (stay(OK + b"Content-Length: 1000\r\n\r\n" + b"x" * 500), Failure.IDLE_TIMEOUT),
        "/camera": (endless(camera, b"--b\r\n" + b"x" * 500, every=0.1), Failure.TYPE_NOT_WANTED),
        "/just-above": (endless(OK + b"\r\n", b"x" * 300, every=5.0), Failure.TOTAL_TIMEOUT),
        "/slow-chunks": (endless(CHUNKED, b"1\r\nx\r\n", every=4.0), Failure.TOO_SLOW),
    }
    well = {f"/{n}": f"well {n}" for n in range(50)}
    async with (
        serve(site_of({"/": page(*traps), **{path: route for path, (route, _) in traps.items()}})) as site,
        serve(site_of({"/": page(*well), **well}), host="127.0.0.9") as other,
    ):
        threads = {"threads": len(traps) + 1, "retries": 0}
        polite = {"delay": 0.0, "per_host": len(traps), "per_ip": 50}
        config = configured(site.url("/"), other.url("/"), crawl=threads, politeness=polite)
        report = await crawl(config, tmp_path, clock=trio.current_time)
        assert await steady(other, 52)
        took = trio.current_time()
        await trio.sleep(60)  # the servers notice that their client has gone
        assert (site.open_connections, other.open_connections) == (0, 0)
    crawled = Crawled(tmp_path, report)
    found = {path: crawled.pages[site.url(path)].failure for path in traps}
    assert found == {path: failure for path, (_, failure) in traps.items()}
    assert took < 200  # nothing takes longer than fetch.total_timeout
    assert report.last is not None
    assert {row.step for row in report.last.workers} == {"idle"}
    assert crawled.counters.pages == 2 + 50


async def test_c29_an_endless_page_is_cut_and_says_so(tmp_path: Path) -> None:
    numbers = links("/found", text="endless").encode()
    async with serve(site_of({"/": endless(OK + b"\r\n" + numbers, b"x" * 65536), "/found": "f"})) as site:
        report = await crawl(configured(site.url("/"), fetch={"max_body": 1024 * 1024}), tmp_path)
    crawled = Crawled(tmp_path, report)
    record = crawled.pages[site.url("/")]
    assert (record.kind, record.size, record.truncated) == (OutcomeKind.STORED, 1024 * 1024, True)
    assert crawled.kinds()[site.url("/found")] is OutcomeKind.STORED


async def test_c29_tls_that_never_answers_is_a_phase_of_its_own(tmp_path: Path, autojump_clock) -> None:
    async with (
        serve(stay()) as silent,
        serve(site_of({"/": page(f"https://127.0.0.7:{silent.port}/x")})) as site,
    ):
        config = configured(site.url("/"), scope={"follow": "any"}, crawl={"retries": 0})
        report = await crawl(config, tmp_path, clock=trio.current_time)
        assert trio.current_time() < 60
    crawled = Crawled(tmp_path, report)
    row = crawled.pages[f"https://127.0.0.7:{silent.port}/x"]
    assert (row.kind, row.failure) == (OutcomeKind.FAILED, Failure.HOST_UNREACHABLE)
    assert "connect_timeout" in crawled.details[row.url]


@pytest.mark.parametrize("way", ["radio as a page", "page of zeros", "bomb"])
async def test_c29_neighbours_what_decodes_without_end(tmp_path: Path, way: str) -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    answers = {
        "radio as a page": endless(OK + b"icy-name: r\r\n\r\n", b"x" * 65536),
        "page of zeros": endless(OK + b"\r\n", bytes(65536)),
        "bomb": html(bomb, Content_Encoding="gzip"),
    }
    async with serve(site_of({"/": page("/x", "/y"), "/x": answers[way], "/y": "y"})) as site:
        most = {} if way == "bomb" else {"max_body": 256 * 1024}
        config = configured(site.url("/"), fetch=most, crawl={"retries": 0})
        report = await crawl(config, tmp_path)
    crawled = Crawled(tmp_path, report)
    record = crawled.pages[site.url("/x")]
    if way == "bomb":
        assert record.failure is Failure.DECODED_TOO_BIG
    else:
        assert (record.truncated, record.size) == (True, 256 * 1024)
    assert crawled.kinds()[site.url("/y")] is OutcomeKind.STORED
