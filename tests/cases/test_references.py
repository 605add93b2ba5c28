"""C01, C02, C03, C05, C06, C07: from what a page says to what is asked for, seen on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from spiderd.states import OutcomeKind
from tests.cases.playing import key_of, links, play_each, web

pytestmark = pytest.mark.trio

H = "http://example.test"


async def asked_for(tmp_path: Path, page_url: str, *pages: str, **changes) -> list[list[str]]:
    """What is asked for beyond the page itself, for each of these pages, in the order of its links."""
    each = await play_each(tmp_path, [(page_url, markup) for markup in pages], **changes)
    return [each.asked(case) for case in range(len(pages))]


async def check(tmp_path: Path, page_url: str, rows: Mapping[str, str | list[str] | None]) -> None:
    """Hold each page against the URLs (or paths) that it must lead to."""
    found = dict(zip(rows, await asked_for(tmp_path, page_url, *rows), strict=True))
    assert found == {page: urls(wanted) for page, wanted in rows.items()}


def urls(wanted: str | list[str] | None) -> list[str]:
    """One or several paths or URLs as a list of URLs."""
    several = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
    return [url if url.startswith("http") else H + url for url in several]


async def test_c01_a_relative_base_is_resolved_against_the_page_and_nothing_grows(tmp_path: Path) -> None:
    answers = iter(range(1000))
    again = '<base href="/forum/"><a href="index.php/fa/9/0/">{}</a>'
    routes = {"*": lambda _: again.format(next(answers))}
    async with web({"example.test": routes}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/forum/index.php/mv/1/0/")
        assert hosts.asked == [f"{H}/forum/index.php/mv/1/0/", f"{H}/forum/index.php/fa/9/0/"]
    assert crawled.counters.known == 2


BASES = [
    ('<base href="../"><a href="x">', "/a/b/x"),
    ('<base href="."><a href="x">', "/a/b/c/x"),
    ('<base href=" \n/forum/\t"><a href="x">', "/forum/x"),
    ('<base href="?q=1"><a href="x">', "/a/b/c/x"),
    ('<base href="sub"><a href="./x">', "/a/b/c/x"),
    ('<a href="x"><body><base href="/late/">', "/late/x"),
    ('<base href="/fo%72um/&amp;/"><a href="x">', "/fo%72um/&/x"),
    ("<BASE HREF=/q/><A HREF=x>", "/q/x"),
    ('<base href="#top"><a href="x">', "/a/b/c/x"),
    ('<base href="/b\\c/"><a href="x">', "/b/c/x"),
    ('<base href="//example.test/n/"><a href="x">', "/n/x"),
    ('<svg><base href="/svg/"></base></svg><a href="x">', "/a/b/c/x"),
]


async def test_c01_bases_as_pages_write_them(tmp_path: Path) -> None:
    await check(tmp_path, f"{H}/a/b/c/d", dict(BASES))


async def test_c02_a_query_alone_goes_to_the_base(tmp_path: Path) -> None:
    markup = '<base href="my.html"><a href="?param=v">'
    await check(tmp_path, f"{H}/dir/my.html", {markup: "/dir/my.html?param=v"})


async def test_c02_without_a_base_to_the_page(tmp_path: Path) -> None:
    markup = links("?page=2", "?", "#f", "")
    await check(tmp_path, f"{H}/a/b?x=1", {markup: ["/a/b?page=2", "/a/b?"]})


EMPTY = [
    (links(" ", "\t#f", "  ?y#z  "), ["/a/b?y"]),
    (links("?x=1", "?x=1#f", "b?x=1", "./b?x=1"), []),  # all of them the page itself
    (links("??", "?#", "?a#b?c"), ["/a/b??", "/a/b?", "/a/b?a"]),
    # the page is at another place than its links start from: then these are links
    ('<base href="/c/d?y=2"><a href="">', ["/c/d?y=2"]),
    ('<base href="/c/d?y=2"><a href="#f">', ["/c/d?y=2"]),
    ('<base href="/c/d?y=2"><a href="?">', ["/c/d?"]),
    ('<base href="/c/d?y=2"><a href="?z">', ["/c/d?z"]),
    ('<base href="/c/d?y=2#h"><a href="e">', ["/c/e"]),
    ('<base href=""><a href="?z">', ["/a/b?z"]),
]


async def test_c02_empty_references_of_all_sorts(tmp_path: Path) -> None:
    await check(tmp_path, f"{H}/a/b?x=1", dict(EMPTY))


async def test_c02_pages_of_one_folder_do_not_get_each_others_queries(tmp_path: Path) -> None:
    """What a reference came to on one page is remembered for its neighbours, where it means the same."""
    odd = (
        " ?a",
        "\n?b",
        "http:?c",
        "ht\ntp:?d",
        "?e",
        " ",
        "http:",
        "\x01?f",
        "f",
        " g",
        "http:h",
        "HTTP:?i",
    )
    pages = {f"/d/{name}": links(*odd, text=name) for name in "xyz"}
    numbers = iter(range(1000))
    async with web({"example.test": {**pages, "*": lambda _: f"page {next(numbers)}"}}) as hosts:
        await hosts.crawl(tmp_path, *(H + path for path in pages))
        asked = sorted(hosts.asked)
    queries = [f"{H}{path}?{letter}" for path in pages for letter in "abcdefi"]
    assert asked == sorted([*(H + path for path in pages), *queries, *(f"{H}/d/{name}" for name in "fgh")])


SEVERAL_BASES = '<base target=_blank><base href="{cdn}/a/"><base href="/b/"><a href="x">'


async def test_c03_the_first_base_with_an_href_and_then_the_scope(tmp_path: Path) -> None:
    markup = SEVERAL_BASES.format(cdn="http://cdn.test")
    async with web({"example.test": {"/p/q": markup}, "cdn.test": {"/a/x": "x"}}) as hosts:
        crawled = await hosts.crawl(tmp_path / "any", f"{H}/p/q")
        assert hosts.asked == [f"{H}/p/q", "http://cdn.test/a/x"]
        assert hosts.robots == [f"{H}/robots.txt", "http://cdn.test/robots.txt"]
        assert crawled.hosts == ["cdn.test", "example.test"]
        near = await hosts.crawl(tmp_path / "host", f"{H}/p/q", scope={"follow": "host"})
        assert hosts.asked[2:] == [f"{H}/p/q"]
        assert near.counters.refused == {"scope": 1}
        assert near.others(f"{H}/p/q").keys() == {"http://cdn.test/a/x"}


NO_PLACES = [
    ("javascript:1", ["/p/x"]),
    ("data:text/html,<p>", ["/p/x"]),
    ("JavaScript:void(0)", ["/p/x"]),
    ("http://[bad/", ["/p/x"]),
    ("http://a b/", ["/p/x"]),
    ("//", ["/p/x"]),
    # bases that nothing can be relative to: the link is no URL, as in a browser
    ("mailto:a@example.test", []),
    ("about:blank", []),
    ("ftp://cdn.test/", []),
]


async def test_c03_a_base_that_is_no_place(tmp_path: Path) -> None:
    markup = '<base href="{}"><a href="x">'
    await check(tmp_path, f"{H}/p/q", {markup.format(base): wanted for base, wanted in NO_PLACES})


NETWORK_PATHS = ("//other.test/p", "\\\\other.test\\p", "/\\other.test/p", "sub\\dir\\p.html")


async def test_c05_slashes_of_both_kinds_lead_to_another_host_with_its_own_rules(tmp_path: Path) -> None:
    rules = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /no")
    pages = {"example.test": {"/a/b": links(*NETWORK_PATHS, "//other.test/no"), "/a/sub/dir/p.html": "s"}}
    async with web({**pages, "other.test": {"/robots.txt": rules, "/p": "p"}}) as hosts:
        crawled = await hosts.crawl(tmp_path / "any", f"{H}/a/b")
        assert sorted(hosts.asked) == [f"{H}/a/b", f"{H}/a/sub/dir/p.html", "http://other.test/p"]
        assert hosts.robots.count("http://other.test/robots.txt") == 1
        assert crawled.hosts == ["example.test", "other.test"]
        assert crawled.counters.failures == {"robots_denied": 1}
        near = await hosts.crawl(tmp_path / "host", f"{H}/a/b", scope={"follow": "host"})
        assert near.counters.refused == {"scope": 4}  # spellings are counted, pages are not asked for
        assert hosts.asked.count("http://other.test/p") == 1


SLASHES = [
    ("///other.test/p", "http://other.test/p"),
    ("\\/other.test/p", "http://other.test/p"),
    ("/\t/other.test/p", "http://other.test/p"),
    ("\n//other.test/p ", "http://other.test/p"),
    ("http:\\\\other.test\\p", "http://other.test/p"),
    ("http:///other.test/p", "http://other.test/p"),
    ("http:/other.test/p", f"{H}/other.test/p"),  # the page's own scheme: relative, as browsers read it
    ("http:p", f"{H}/a/p"),
    ("//other.test\\@example.test/p", "http://other.test/@example.test/p"),
    ("//other.test?p", "http://other.test/?p"),
    ("\\p", f"{H}/p"),
    ("..\\..\\p?a\\b", f"{H}/p?a\\b"),  # in a query a backslash is one
    ("./\\p", f"{H}/a//p"),
    ("//OTHER.test:80/p", "http://other.test/p"),
]


async def test_c05_neighbours(tmp_path: Path) -> None:
    await check(tmp_path, f"{H}/a/b", {links(reference): wanted for reference, wanted in SLASHES})


async def test_c06_dots_end_and_nothing_else_is_asked_for(tmp_path: Path) -> None:
    page = links("./", "./search?k=1", "%2e%2e/b", "../../../../g", text="{0}")
    numbers = iter(range(1000))
    async with web({"example.test": {"*": lambda _: page.format(next(numbers))}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/a")
        wanted = {f"{H}{path}" for path in ("/a", "/", "/search?k=1", "/b", "/g")}
        assert set(hosts.asked) == wanted
        assert len(hosts.asked) == 5
    assert crawled.keys_known() == {key_of(url) for url in wanted}
    assert crawled.counters.known == 5


DOTS = [
    (".%2E/b", "/d/b"),
    ("%2E./b", "/d/b"),
    ("%2e/%2E/b", "/d/e/b"),
    ("/x/%2e%2e", "/"),
    ("/x/y/..", "/x/"),
    ("/x/.", "/x/"),
    ("a/./b/.././c", "/d/e/a/c"),
    ("..%2fb", "/d/e/..%2fb"),  # an escaped slash is none
    ("/x/...", "/x/..."),
    ("/x/..;/b", "/x/..;/b"),
    ("/x//../b", "/x/b"),
    ("/x/%2e%2e%2e/b", "/x/%2e%2e%2e/b"),
    ("?../b", "/d/e/f?../b"),
]


async def test_c06_neighbours(tmp_path: Path) -> None:
    await check(tmp_path, f"{H}/d/e/f", {links(reference): wanted for reference, wanted in DOTS})


async def test_c07_escapes_go_out_as_they_came(tmp_path: Path) -> None:
    references = ("/p/foo%20%2376%2C%2Fx/Dia%25#top", "/100%/a%zz%2")
    wanted: str | list[str] | None = ["/p/foo%20%2376%2C%2Fx/Dia%25", "/100%/a%zz%2"]
    await check(tmp_path, f"{H}/", {links(*references): wanted})


ESCAPES = [
    # one page in several spellings: the first is fetched, as it is written
    (("/a%2fb", "/a%2Fb"), ["/a%2fb"]),
    (("/%7euser", "/~user", "/%7Euser"), ["/%7euser"]),
    (("/%41%2d%5F", "/A-_"), ["/%41%2d%5F"]),
    (("/é", "/%c3%a9", "/%C3%A9"), ["/%C3%A9"]),
    # different pages
    (("/a%2Fb", "/a/b"), ["/a%2Fb", "/a/b"]),
    (("/a%252Fb", "/a%2Fb"), ["/a%252Fb", "/a%2Fb"]),
    (("/?a%26b", "/?a&amp;b"), ["/?a%26b", "/?a&b"]),
    (("/?a+b", "/?a%20b", "/?a%2Bb"), ["/?a+b", "/?a%20b", "/?a%2Bb"]),
    (("/a;b", "/a%3Bb"), ["/a;b", "/a%3Bb"]),
    # what may not stand in a URL is escaped, what is escaped wrongly is left
    (("/a b|c^d`{e}",), ["/a%20b|c%5Ed%60%7Be%7D"]),
    (("/%u00e9", "/%", "/%e9", "/a%c3"), ["/%u00e9", "/%", "/%e9", "/a%c3"]),
    (("/?q=%zz&amp;r=%", "/?<>"), ["/?q=%zz&r=%", "/?%3C%3E"]),
    (("/x%00y",), ["/x%00y"]),
]


async def test_c07_neighbours(tmp_path: Path) -> None:
    await check(tmp_path, f"{H}/start", {links(*references): wanted for references, wanted in ESCAPES})


async def test_c07_a_page_that_links_to_its_own_spellings_is_fetched_once(tmp_path: Path) -> None:
    """Escapes that multiply from page to page are what an endless crawl is made of."""
    numbers = iter(range(1000))
    page = links("%7Ea", "~a", "/x%2fy/", "./%2e/", "%41", text="{0}")
    async with web({"example.test": {"*": lambda _: page.format(next(numbers))}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/x%2Fy/")
        assert len(hosts.asked) == 3
    assert set(crawled.kinds().values()) == {OutcomeKind.STORED}
