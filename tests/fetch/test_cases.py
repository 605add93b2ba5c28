"""The cases from the field that are about HTTP, by their numbers, each with its neighbours.

Where a case goes on in another part (C22: which encoding; C23: the frontier; C25: politeness) only what that
part learns from HTTP is looked at here.
"""

from __future__ import annotations

import gzip
from urllib.parse import urljoin

import pytest
import trio

from spiderd.config import Config
from spiderd.config.declaration import Fetch
from spiderd.fetch import Client, Exchange, Headers
from spiderd.fetch.resolver import Resolver
from spiderd.states import Failure
from tests.fetch.fetching import Fetching, fetching
from tests.web.faults import CHUNKED, OK, chunks, cookie_gate, endless, raw, redirect, stay
from tests.web.names import serve_names
from tests.web.server import Request, serve


async def follow(site: Fetching, target: str, hops: int = 10) -> list[Exchange]:
    """Go where redirects lead, as the frontier does, hop by hop."""
    url = site.site.url(target)
    answers: list[Exchange] = []
    while len(answers) <= hops:
        answers.append(await site.client.get(url))
        if not 300 <= answers[-1].status < 400:
            break
        url = urljoin(url, answers[-1].headers.get("location"))
    return answers


@pytest.mark.trio
async def test_c07_a_target_goes_out_byte_for_byte():
    targets = [
        "/p/foo%20%2376%2C%2Fx/Dia%25",
        "/100%/a%zz%2",
        "/~user/%c3%A9",
        "/a//b/?a=1&&b=%2B+",
        "/a;b=c?d",
    ]
    async with fetching({"*": b""}) as site:
        for target in targets:
            await site.get(target + "#top")
    assert site.site.targets == targets


@pytest.mark.trio
@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://xn--bcher-kva.example:{port}/", "xn--bcher-kva.example:{port}"),
        ("http://xn--fa-hia.example:{port}/", "xn--fa-hia.example:{port}"),
        ("http://under_score.example:{port}/", "under_score.example:{port}"),
    ],
)
async def test_c11_the_host_header_is_ascii(url, host):
    name = host.partition(":")[0]
    async with (
        serve_names({name: ["127.0.0.7"]}) as names,
        serve({"/": b""}) as site,
        Client(Config(), seeds=[site.url()], resolver=Resolver(names.zone)) as client,
    ):
        await client.get(url.format(port=site.port))
    assert site.requests[0].header("host") == host.format(port=site.port)


@pytest.mark.trio
async def test_c14_user_names_and_passwords_stay_here():
    async with fetching({"/": b""}) as site:
        await site.client.get(site.site.url("/").replace("http://", "http://ann:secret@"))
    seen = repr(site.site.requests)
    assert "secret" not in seen
    assert "authorization" not in seen.lower()


@pytest.mark.trio
async def test_c14_what_a_seed_entrusts_to_us_goes_to_its_origin_alone():
    async with fetching({"*": b""}) as site, serve({"*": b""}, host="127.0.0.8") as other:
        site.client.authorize({site.site.origin: "Basic Ym9iOnB3"})
        for url in (site.site.url("/a"), other.url("/"), other.url("/").replace("127", "bob:pw@127")):
            await site.client.get(url)
    assert site.site.requests[0].header("authorization") == "Basic Ym9iOnB3"
    assert [request.header("authorization") for request in other.requests] == ["", ""]


@pytest.mark.trio
async def test_c22_types_and_marks_come_through_unchanged():
    routes = {
        f"/{number}": (200, [("Content-Type", value)], body)
        for number, (value, body) in enumerate(
            [
                ("text/html; charset=iso-8859-1", b"\xef\xbb\xbf<p>\xc3\xa9"),
                ("text/html; charset=utf-8", b"\xff\xfe<\0p\0"),
                ('text/html; charset="utf-8;"', b"\x93x\x94"),
                ("text/html;charset=none", b""),
            ]
        )
    }
    async with fetching(routes) as site:
        for target, (_, headers, body) in routes.items():
            answer = await site.get(target)
            assert answer.headers.get("content-type") == headers[0][1]
            assert answer.body == body


@pytest.mark.trio
async def test_c23_a_redirect_to_itself_with_a_cookie_ends_in_its_page():
    async with fetching({"/": cookie_gate("seen", b"<p>in")}) as site:
        answers = await follow(site, "/")
        assert [answer.status for answer in answers] == [302, 200]
        assert answers[-1].body == b"<p>in"
        assert answers[-1].url == site.site.url("/")


@pytest.mark.trio
async def test_c23_a_detour_over_a_sign_on_page_ends_in_its_page():
    def gate(request: Request):
        return b"<p>in" if "sso=1" in request.header("cookie") else redirect("/sso")

    sso = redirect(
        "/", Set_Cookie="sso=1; Path=/; HttpOnly; SameSite=Lax; Expires=Fri, 01 Jan 2100 00:00:00 GMT"
    )
    async with fetching({"/": gate, "/sso": sso}) as site:
        answers = await follow(site, "/")
    assert [answer.status for answer in answers] == [302, 302, 200]
    assert site.site.targets == ["/", "/sso", "/"]


@pytest.mark.trio
async def test_c23_a_cookie_that_is_taken_away_again_and_one_for_another_path():
    def gate(request: Request):
        cookie = request.header("cookie")
        if "step=2" in cookie:
            return b"in" if "other" not in cookie else b"wrong"
        if "step=1" in cookie:
            return (
                302,
                [("Location", "/"), ("Set-Cookie", "step=2"), ("Set-Cookie", "other=; Max-Age=0")],
                b"",
            )
        return (302, [("Location", "/"), ("Set-Cookie", "step=1"), ("Set-Cookie", "other=x")], b"")

    async with fetching({"/": gate}) as site:
        assert (await follow(site, "/"))[-1].body == b"in"


@pytest.mark.trio
async def test_c23_without_a_cookie_a_loop_stays_a_loop():
    async with fetching({"/": redirect("/"), "/a": redirect("/b"), "/b": redirect("/a")}) as site:
        assert len(await follow(site, "/", hops=5)) == 6
        assert len(await follow(site, "/a", hops=5)) == 6


@pytest.mark.trio
async def test_c23_cookies_of_one_host_are_not_told_to_another():
    async with (
        serve({"/": (200, {"Set-Cookie": "a=1; Domain=127.0.0.8; Path=/"}, b"")}) as site,
        serve({"/": b""}, host="127.0.0.8") as other,
        Client(Config(), seeds=[site.url()]) as client,
    ):
        for url in (site.url(), other.url(), site.url()):
            await client.get(url)
    assert other.requests[0].header("cookie") == ""
    assert site.requests[1].header("cookie") == "a=1"


@pytest.mark.trio
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("value", ["7", "2592000", "soon", "Fri, 01 Jan 2100 00:00:00 GMT", ""])
async def test_c25_a_throttled_answer_keeps_what_it_says(status, value):
    async with fetching({"/": (status, {"Retry-After": value}, b"slow down")}) as site:
        answer = await site.get()
        assert (answer.status, answer.headers.get("retry-after")) == (status, value)


def sized(length: int, body: bytes) -> bytes:
    return OK + b"Content-Length: %d\r\n\r\n" % length + body


@pytest.mark.trio
@pytest.mark.parametrize(
    "route",
    [
        raw(CHUNKED + b"5\r\nhello\r\n"),  # (a)
        raw(CHUNKED + b"5\r\nhello"),
        raw(CHUNKED + b"5\r\nhel"),
        raw(CHUNKED + b"5\r"),
        raw(CHUNKED),
        raw(sized(100, b"x" * 60)),  # (b)
        raw(sized(100, b"")),
        raw(OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"page" * 99)[:-15]),
        raw(b"HTTP/1.1 200 OK\r\nContent-Ty"),
        raw(b"HTTP/1.1 20"),
        raw(b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
async def test_c26_an_incomplete_answer_is_no_page(route):
    async with fetching({"/": route}) as site:
        assert (await site.failure()).failure is Failure.TRUNCATED
        assert len(site.client.pool) == 0


@pytest.mark.trio
@pytest.mark.parametrize(
    ("route", "body", "kept"),
    [
        (stay(CHUNKED + chunks(b"hello", end=b"0\r\nX-Trailer: 1\r\nB: c\r\n\r\n")), b"hello", 1),  # (c)
        (raw(OK + b"\r\nhello"), b"hello", 0),  # (d)
        (raw(b"HTTP/1.0 200 OK\r\n\r\nhello"), b"hello", 0),
        (raw(OK + b"Connection: keep-alive\r\n\r\nhello"), b"hello", 0),
        (raw(OK + b"\r\n"), b"", 0),
        (stay(sized(5, b"hello and more")), b"hello", 0),  # (e)
        (stay(sized(0, b"more")), b"", 0),
        (stay(sized(5, b"hello") + sized(4, b"evil")), b"hello", 0),
        (stay(CHUNKED + chunks(b"hello") + b"more"), b"hello", 0),
        (stay(CHUNKED + chunks(b"hello", end=b"0\r\n")), b"hello", 0),
        (stay(CHUNKED + chunks(b"hel", b"lo")), b"hello", 1),
        (stay(b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello"), b"", 0),
        (stay(b"HTTP/1.1 103 Early Hints\r\nLink: </s>\r\n\r\n" + sized(5, b"hello")), b"hello", 1),
        (stay(b"HTTP/1.1 100 Go on\r\n\r\n" * 3 + sized(5, b"hello")), b"hello", 1),
    ],
)
async def test_c26_a_complete_answer_is_a_page_and_its_connection_is_judged(route, body, kept):
    async with fetching({"/": route}) as site:
        answer = await site.get()
        assert (answer.body, answer.truncated) == (body, False)
        assert len(site.client.pool) == kept


@pytest.mark.trio
async def test_c26_what_comes_late_on_a_kept_connection_is_no_answer_to_the_next_request():
    async def smuggle(stream: trio.SocketStream, request: Request):
        await stream.send_all(sized(5, b"first"))
        await stream.send_all(sized(4, b"evil"))
        while await stream.receive_some(65536):
            pass

    async with fetching({"/a": smuggle, "/b": b"second"}) as site:
        assert (await site.get("/a")).body == b"first"
        await trio.testing.wait_all_tasks_blocked()
        assert (await site.get("/b")).body == b"second"


FIVE = b"Content-Length: 5\r\n"


@pytest.mark.trio
@pytest.mark.parametrize(
    "head",
    [
        OK + FIVE + FIVE,
        OK + b"Content-Length: 5, 5\r\n",
        OK + FIVE + b"content-length:5\r\n",
        OK + FIVE + b"Server:\r\nX-Empty:   \r\n",
        OK + FIVE + b"a.php: userdata not support\r\n",
        OK + FIVE + b"a.php userdata not support\r\n",
        OK + FIVE + b": no name\r\n",
        OK + FIVE + b"no colon\r\n",
        OK + FIVE + b"a b: c\r\n",
        OK + FIVE + "ключ: значение\r\n".encode(),
        OK + FIVE + b"X-Control: a\x01b\x7f\r\n",
        OK + FIVE + b"X-Null: a\0b\r\n",
        OK + FIVE + b"X-Folded: a\r\n\tb\r\n",
        OK + b" lost\r\n" + FIVE,
        OK + b"Content-Length : 5\r\n",
        OK + FIVE + b"Transfer-Encoding: identity\r\n",
        OK.replace(b"\r\n", b"\n") + b"Content-Length: 5\n",
        b"\r\n" + OK + FIVE,
        b"HTTP/1.1 200\r\n" + FIVE,
        b"HTTP/1.1  200  OK\r\n" + FIVE,
        b"HTTP/1.1 200 \xc3\x9cbel\r\n" + FIVE,
        b"HTTP/2 200\r\n" + FIVE,
        b"HTTP/1.2 200 OK\r\n" + FIVE,
        b"http/1.0 200 ok\r\n" + FIVE,
        b"ICY 200 OK\r\n" + FIVE,
    ],
)
async def test_c27_what_browsers_read_is_read(head):
    async with fetching({"/": stay(head + b"\r\nhello")}) as site:
        answer = await site.get()
        assert (answer.status, answer.body) == (200, b"hello")


@pytest.mark.trio
@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize(
    "size", [b"1A  ", b"1a", b" 1A", b"1A\t", b"01A;a=b", b"1A ; x y", b"000000000000000001A"]
)
async def test_c27_chunk_sizes_may_be_padded(size, end):
    body = size + end + b"x" * 26 + end + b"0  " + end + end
    async with fetching({"/": stay(CHUNKED + body)}) as site:
        assert (await site.get()).body == b"x" * 26


@pytest.mark.trio
@pytest.mark.parametrize("status", [600, 700, 999])
async def test_c27_a_status_beyond_5xx_is_an_answer(status):
    async with fetching({"/": stay(b"HTTP/1.1 %d X\r\n" % status + FIVE + b"\r\nhello")}) as site:
        answer = await site.get()
        assert (answer.status, answer.body) == (status, b"hello")


@pytest.mark.trio
@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", Failure.PROTOCOL_ERROR),
        (OK + b"Content-Length: 5, 6\r\n\r\nhello!", Failure.PROTOCOL_ERROR),
        (b"<html>an answer of HTTP/0.9</html>", Failure.PROTOCOL_ERROR),
        (b"hi", Failure.PROTOCOL_ERROR),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Failure.PROTOCOL_ERROR),
        (b"\x15\x03\x01\x00\x02\x02\x46", Failure.PROTOCOL_ERROR),
        (b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0", Failure.PROTOCOL_ERROR),
        (b"HTTP/1.1 two hundred\r\n\r\n", Failure.PROTOCOL_ERROR),
        (b"HTTP/1.1 20 OK\r\n\r\n", Failure.PROTOCOL_ERROR),
        (b"HTTP/1.1 099 OK\r\n\r\n", Failure.PROTOCOL_ERROR),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n", Failure.PROTOCOL_ERROR),
        (CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n", Failure.PROTOCOL_ERROR),
        (CHUNKED + b"hello", Failure.TRUNCATED),
        (CHUNKED + b"hello\r\n", Failure.PROTOCOL_ERROR),
        (CHUNKED + b"5\r\nhello, too long\r\n0\r\n\r\n", Failure.PROTOCOL_ERROR),
        (CHUNKED + b"f" * 33 + b"\r\n", Failure.PROTOCOL_ERROR),
        (OK + b"X: " + b"x" * 80_000 + b"\r\n\r\n", Failure.HEADERS_TOO_BIG),
        (OK + b"X: y\r\n" * 20_000 + b"\r\n", Failure.HEADERS_TOO_BIG),
    ],
)
async def test_c27_what_no_browser_reads_is_a_failure_with_a_name(data, failure):
    async with fetching({"/": raw(data), "/page": b"page"}) as site:
        assert (await site.failure()).failure is failure
        assert len(site.client.pool) == 0
        assert (await site.get("/page")).body == b"page"


@pytest.mark.trio
async def test_c27_a_server_that_greets_first_is_recognised_at_once(autojump_clock):
    async with fetching({"/": stay(b"220 mail.test ESMTP\r\n")}) as site:
        assert (await site.failure()).failure is Failure.PROTOCOL_ERROR
        assert trio.current_time() == 0


def pages_only(status: int, headers: Headers) -> Failure:
    kind = headers.get("content-type").partition(";")[0]
    return Failure.NONE if kind in Fetch().types else Failure.TYPE_NOT_WANTED


@pytest.mark.trio
@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: radio\r\n\r\n",  # (a)
        b"ICY 200 OK\r\nContent-Type: audio/mpeg\r\nicy-metaint: 8192\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n",  # (e)
        b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
async def test_c29_streams_are_dropped_after_their_headers(head, autojump_clock):
    async with fetching({"/": endless(head, b"3e8\r\n" + b"x" * 1000 + b"\r\n")}) as site:
        error = await site.failure(wanted=pages_only)
        assert (error.failure, error.status) == (Failure.TYPE_NOT_WANTED, 200)
        assert trio.current_time() == 0
        assert len(site.client.pool) == 0
    assert site.site.open_connections == 0


@pytest.mark.trio
@pytest.mark.parametrize(
    ("route", "failure"),
    [
        (endless(OK + b"\r\n", b"x", every=5.0), Failure.TOO_SLOW),  # (b)
        (endless(OK + b"Content-Length: 9999\r\n\r\n", b"x", every=5.0), Failure.TOO_SLOW),
        (endless(CHUNKED, b"1\r\nx\r\n", every=5.0), Failure.TOO_SLOW),
        (endless(OK, b"X: y\r\n", every=5.0), Failure.TOO_SLOW),  # (c)
        (endless(OK, b"X: " + b"y" * 100 + b"\r\n", every=1.0), Failure.TOTAL_TIMEOUT),
        (stay(OK), Failure.IDLE_TIMEOUT),
        (endless(OK + b"\r\n", b"x" * 100, every=1.0), Failure.TOTAL_TIMEOUT),
    ],
)
async def test_c29_what_drips_is_cut_and_frees_its_worker(route, failure, autojump_clock):
    async with fetching({"/": route}) as site:
        assert (await site.failure()).failure is failure
        assert trio.current_time() <= 121
        assert len(site.client.pool) == 0
    assert site.site.open_connections == 0
