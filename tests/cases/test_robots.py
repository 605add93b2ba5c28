"""C30, C31, C33: what robots.txt says, in bytes as they come; seen on the wire and in the page table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import trio
import trio.testing

from spiderd.states import Failure, OutcomeKind
from tests.cases.playing import links, web
from tests.crawl.harness import configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.server import serve

pytestmark = pytest.mark.trio

H = "http://example.test"
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Jumps only after a while in which nothing came in from sockets and threads."""
    return trio.testing.MockClock(autojump_threshold=0.1)


Rules = tuple[bytes, Sequence[str]]  # a robots.txt and the paths that there are


async def allowed_each(tmp_path: Path, cases: Sequence[Rules], **changes) -> list[list[str]]:
    """Which of the paths are asked for, for each robots.txt, in the order of the paths.

    The others must be denied, and said to be; each robots.txt is asked for once.
    """
    numbers = iter(range(10_000))
    hosts_of = {
        f"example{case}.test": {"/robots.txt": (200, TEXT, rules), "*": lambda _: f"page {next(numbers)}"}
        for case, (rules, _) in enumerate(cases)
    }
    starts = {
        f"/{case}": start_of(f"http://example{case}.test", paths) for case, (_, paths) in enumerate(cases)
    }
    async with web({"start.test": {**starts, "*": (404, TEXT, b"")}, **hosts_of}) as hosts:
        seeds = [f"http://start.test/{case}" for case in range(len(cases))]
        crawled = await hosts.crawl(tmp_path, *seeds, **changes)
        wire = [request.target for request in hosts.site.requests]
        assert {wire.count(f"http://{name}/robots.txt") for name in ("start.test", *hosts_of)} == {1}
    denied = [url for url, row in crawled.pages.items() if row.failure is Failure.ROBOTS_DENIED]
    assert {crawled.pages[url].kind for url in denied} <= {OutcomeKind.SKIPPED}
    assert crawled.counters.failures == ({Failure.ROBOTS_DENIED: len(denied)} if denied else {})
    return [
        asked_in(f"http://example{case}.test", paths, wire, denied) for case, (_, paths) in enumerate(cases)
    ]


def asked_in(host: str, paths: Sequence[str], wire: list[str], denied: list[str]) -> list[str]:
    """The paths of one host that were asked for; all others were denied."""
    asked = [url.removeprefix(host) for url in wire if url.startswith(host) and url != f"{host}/robots.txt"]
    assert len(asked) + sum(url.startswith(f"{host}/") for url in denied) == len(set(paths))
    return sorted(asked, key=[*paths, *asked].index)


async def allowed(tmp_path: Path, robots: bytes, *paths: str, **changes) -> list[str]:
    """Which of the paths one robots.txt allows."""
    return (await allowed_each(tmp_path, [(robots, paths)], **changes))[0]


def start_of(host: str, paths: Sequence[str]) -> str:
    """A page that links to these paths of a host."""
    return links(*(host + path.replace("&", "&amp;") for path in paths), text=host)


CLOSED = [
    b"\xef\xbb\xbfUser-agent: *\nDisallow: /",
    b"User-agent: *\rDisallow: /\r",
    b"User-agent: *\r\nDisallow: /\r\n",
    b"\xff\xfe" + "User-agent: *\nDisallow: /\n".encode("utf-16le"),
    b"\x00User-agent: *\n\x00Disallow: /\x00",
    b"User-agent\t:\t*\x0b\nDisallow : /",
    b"useragent: *\nDISALLOW /",
    b"User-agent: *\n<html><p>\xff\xfe\x80: nothing\n:::\nDisallow: /",
    b"User-agent: *\n" + b"X" * 300_000 + b"\nDisallow: /",
    b"User-agent: * # everybody\nDisallow: / # everything",
    b"Sitemap: /s.xml\nUser-agent: *\nSitemap: /t.xml\nHost: example.test\nDisallow: /",
]


async def test_c30_whatever_the_bytes_a_host_that_forbids_all_is_asked_for_nothing(tmp_path: Path) -> None:
    found = await allowed_each(tmp_path, [(robots, ["/", "/a", "/b?c=d"]) for robots in CLOSED])
    assert {robots[:60]: asked for robots, asked in zip(CLOSED, found, strict=True) if asked} == {}


def padded(rule: bytes, at: int) -> bytes:
    """A robots.txt for everybody whose only rule begins at this byte."""
    head = b"User-agent: *\nAllow: /x\n"
    filler = b"# " + b"f" * 76 + b"\n"
    lines, rest = divmod(at - len(head), len(filler))
    return head + filler * lines + b"#" * (rest - 1) + b"\n" + rule + b"\n"


async def test_c30_a_rule_within_the_first_500_kib_counts(tmp_path: Path) -> None:
    places = {510 * 1000: [], 500 * 1024 - 30: [], 560 * 1024: ["/no/1"]}
    long = [padded(b"Disallow: /no", at) + b"# end\n" * ((600 * 1024 - at) // 6) for at in places]
    assert await allowed_each(tmp_path, [(robots, ["/no/1"]) for robots in long]) == list(places.values())


async def test_c30_a_rule_across_the_limit_is_never_cut_to_another_one(tmp_path: Path) -> None:
    """`Allow: /` cut from `Allow: /public/` would open the whole host."""
    rules = b"Disallow: /\nAllow: /public/"
    cut = [padded(rules, 500 * 1024 - 20 - extra) + b"# end\n" * 20_000 for extra in (0, 1, 7, 12)]
    for asked in await allowed_each(tmp_path, [(robots, ["/private", "/public/1"]) for robots in cut]):
        assert "/private" not in asked


ODD_BYTES = [
    (b"/" + b"a" * 3000, ["/" + "a" * 1900, "/b"], ["/" + "a" * 1900, "/b"]),
    (b"/a\xe9b", ["/a%E9b", "/a%C3%A9b", "/a"], ["/a"]),
    ("/aéb".encode(), ["/aéb", "/ab"], ["/ab"]),
    (b"/a\x00b", ["/ab", "/a"], ["/a"]),
    (b"/%61b", ["/ab", "/aB"], ["/aB"]),
    (b"/a%2fb", ["/a%2Fb", "/a/b"], ["/a/b"]),
]


async def test_c30_rules_of_odd_bytes(tmp_path: Path) -> None:
    cases = [(b"User-agent: *\nDisallow: " + rule, paths) for rule, paths, _ in ODD_BYTES]
    found = await allowed_each(tmp_path, cases)
    assert found == [[path.replace("é", "%C3%A9") for path in asked] for _, _, asked in ODD_BYTES]


C31 = b"""User-agent: *
Disallow:
Disallow: /
Allow: /public/
Disallow: /public/*.pdf$
Allow: /eq
Disallow: /eq
Disallow: /caf%C3%A9
"""


async def test_c31_the_longest_match_decides(tmp_path: Path) -> None:
    paths = (
        "/x",
        "/public/",
        "/public/a.pdf",
        "/public/a.pdf?v=1",
        "/PUBLIC/",
        "/eq",
        "/café",
        "/robots.txt?",
    )
    asked = await allowed(tmp_path, C31, *paths)
    assert asked == ["/public/", "/public/a.pdf?v=1", "/eq", "/robots.txt?"]


async def test_c31_a_hostile_pattern_costs_nothing(tmp_path: Path) -> None:
    robots = b"User-agent: *\nDisallow: /*a*a*a*a*a*a*a*b$\n" + b"Disallow: /*a*a*a*a*a*a*a*a*b*c$\n" * 500
    paths = ["/" + "a" * length for length in range(1800, 1900)]
    with trio.fail_after(20):
        assert await allowed(tmp_path, robots, *paths) == paths


MATCHES = [
    ("Disallow: /a$", ["/a", "/a?", "/ab"], ["/a?", "/ab"]),
    ("Disallow: /*?", ["/a?b", "/a"], ["/a"]),
    ("Disallow: /a*", ["/a", "/ab", "/b"], ["/b"]),
    ("Disallow: *.php", ["/x.php5", "/x"], ["/x"]),
    ("Disallow: /\nAllow: /$", ["/", "/a"], ["/"]),
    ("Disallow: /a\nAllow: /a/b/\nDisallow: /a/b/c", ["/a/b/c", "/a/b/d"], ["/a/b/d"]),
    ("Disallow: /a%7Eb", ["/a~b", "/a~c"], ["/a~c"]),
    ("Disallow: /?q=%61", ["/?q=a", "/?q=b"], ["/?q=b"]),
    ("Disallow: /%2A", ["/*", "/a"], ["/a"]),  # an escaped star is a star, not a pattern
    ("Allow: /", ["/a"], ["/a"]),
    ("Disallow: a", ["/a", "/ba"], ["/a", "/ba"]),  # a rule begins with a slash or a star
    ("Disallow: /folder/", ["/folder", "/folder/"], ["/folder"]),
]


async def test_c31_neighbours(tmp_path: Path) -> None:
    cases = [(b"User-agent: *\n" + rules.encode(), paths) for rules, paths, _ in MATCHES]
    found = dict(zip((rules for rules, _, _ in MATCHES), await allowed_each(tmp_path, cases), strict=True))
    assert found == {rules: asked for rules, _, asked in MATCHES}


C33 = b"""User-agent: SpiderD

Disallow: /a
Crawl-delay: abc
User-agent: other
Disallow: /
User-agent: *
Disallow: /c
User-agent: someone
user-AGENT: spiderd/2.0 extra
Sitemap: http://example.test/sitemap.xml
Crawl-delay: -1
Disallow: /b
"""


async def test_c33_our_groups_are_merged_and_replace_everybodys(tmp_path: Path) -> None:
    assert await allowed(tmp_path, C33, "/a", "/b", "/c", "/d") == ["/c", "/d"]


GROUPS = [
    ("User-agent: spider\nDisallow: /", ["/a", "/b"]),  # another crawler, whose name ours begins with
    ("User-agent: spiderdog\nDisallow: /", ["/a", "/b"]),
    ("User-agent: spiderd-news\nDisallow: /", ["/a", "/b"]),
    ("User-agent: *\nDisallow: /\n\nUser-agent: SPIDERD\nAllow: /", ["/a", "/b"]),
    ("User-agent: *\nDisallow: /\n\nUser-agent: spiderd", ["/a", "/b"]),
    ("Disallow: /\nUser-agent: *\nDisallow: /a", ["/b"]),
    ("User-agent: x\nUser-agent: *\nUser-agent: y\nDisallow: /a", ["/b"]),
    ("User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b", []),
    ("User-agent: spiderd\nCrawl-delay: 0\n\n\nDisallow: /a\nFoo: bar\nDisallow: /b", []),
    ("User-agent: Mozilla/5.0 (compatible; spiderd/1.0)\nDisallow: /", ["/a", "/b"]),
]


async def test_c33_neighbours(tmp_path: Path) -> None:
    cases = [(rules.encode(), ["/a", "/b"]) for rules, _ in GROUPS]
    found = dict(zip((rules for rules, _ in GROUPS), await allowed_each(tmp_path, cases), strict=True))
    assert found == dict(GROUPS)


async def test_c33_an_agent_of_the_users_own_is_known_by_its_own_name(tmp_path: Path) -> None:
    robots = b"User-agent: spiderd\nDisallow: /a\nUser-agent: MyBot\nDisallow: /b"
    agent = {"user_agent": "mybot/1.0 (+http://me.test/)"}
    assert await allowed(tmp_path, robots, "/a", "/b", politeness=agent) == ["/a"]


@pytest.mark.parametrize(("asks", "gap"), [("0.5", 1.0), ("3", 3.0), ("abc", 1.0), ("-1", 1.0), ("1e3", 1.0)])
async def test_c33_a_crawl_delay_is_at_least_ours(
    tmp_path: Path, autojump_clock, asks: str, gap: float
) -> None:
    robots = (200, TEXT, f"User-agent: *\nDisallow: /no\nCrawl-delay: {asks}\nDisallow: /never")
    pages = {f"/{n}": str(n) for n in range(4)}
    async with serve({"/robots.txt": robots, "/": page(*pages, "/never"), **pages}) as site:
        config = configured(site.url("/"), politeness={"delay": 1.0, "per_host": 1, "latency_factor": 0.0})
        await crawl(config, tmp_path, clock=trio.current_time)
        times = [request.time for request in site.requests][1:]
        assert all(gap - 0.02 <= b - a < gap + 1.5 for a, b in pairwise(times))
        assert "/never" not in site.targets


async def test_c33_a_crawl_delay_of_minutes_is_obeyed_and_shown(
    tmp_path: Path, autojump_clock, capfd
) -> None:
    robots = (200, TEXT, "User-agent: *\nCrawl-delay: 301\n")
    pages = {f"/{n}": str(n) for n in range(3)}
    async with serve({"/robots.txt": robots, "/": page(*pages), **pages}) as site:
        config = configured(site.url("/"), politeness={"delay": 1.0}, log={"level": "warning"})
        report = await crawl(config, tmp_path, clock=trio.current_time)
        assert all(b.time - a.time >= 300.9 for a, b in pairwise(site.requests[1:]))
    assert report.last is not None
    assert report.last.counters.pages == 4
    assert "asks for 5m 01s between requests (robots.txt); parked in between" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ((404, {}, b"User-agent: *\nDisallow: /"), ["/a"]),
        ((403, {}, b"User-agent: *\nDisallow: /"), ["/a"]),
        ((401, {}, b""), ["/a"]),
        ((410, {}, b""), ["/a"]),
        ((204, {}, b""), ["/a"]),
        ((200, {"Content-Type": "text/html"}, b"<html>User-agent: *<br>Disallow: /</html>"), ["/a"]),
        ((200, {"Content-Type": "image/png"}, b"User-agent: *\nDisallow: /"), []),
        ((200, {}, b""), ["/a"]),
        ((301, {"Location": "/rules"}, b""), []),
        ((301, {"Location": "http://other.test/rules"}, b""), []),
        ((301, {"Location": "/robots.txt"}, b""), ["/a"]),  # more than five: as if there were none
        ((302, {}, b""), ["/a"]),
        ((300, {}, b"User-agent: *\nDisallow: /"), ["/a"]),
    ],
)
async def test_c30_answers_of_other_kinds(tmp_path: Path, answer, asked: list[str]) -> None:
    rules = (200, TEXT, b"User-agent: *\nDisallow: /a")
    routes = {"/robots.txt": answer, "/rules": rules, "/a": "a"}
    async with web({"example.test": routes, "other.test": {"/rules": rules}}) as hosts:
        await hosts.crawl(tmp_path, f"{H}/a")
        assert [url for url in hosts.asked if not url.endswith("/rules")] == [H + path for path in asked]


async def test_c30_rules_hold_for_their_own_origin_alone(tmp_path: Path) -> None:
    rules = (200, TEXT, b"User-agent: *\nDisallow: /a")
    async with (
        serve({"/robots.txt": rules, "/a": "no"}) as strict,
        serve(site_of({"/a": "yes"})) as open_,
    ):
        assert strict.host == open_.host
        await crawl(configured(strict.url("/a"), open_.url("/a")), tmp_path)
        assert strict.targets == ["/robots.txt"]
        assert open_.targets == ["/robots.txt", "/a"]
