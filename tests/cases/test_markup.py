"""C17, C18, C19, C34: what in a page is a link, of which kind, and whether it may be followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.parse.links import LinkKind
from spiderd.states import OutcomeKind
from tests.cases.playing import html, key_of, links, play_each, web

pytestmark = pytest.mark.trio

H = "http://example.test"
SOUP = (
    '<!-- <a href=/old> --><script>a.src=g;m.x="<a href=/fake>"</script><script src=/app.js></script>'
    "<a href=/real>x</a><A HREF = '/q'>y</A><textarea><a href=/no></textarea>"
    "<noscript><a href=/ns></a></noscript><template><a href=/t></template>"
)


def numbered() -> object:
    """A route that answers each request with another page."""
    numbers = iter(range(10_000))
    return lambda _: f"page {next(numbers)}"


async def test_c17_only_markup_is_followed_and_resources_are_recorded(tmp_path: Path) -> None:
    async with web({"example.test": {"/": SOUP, "*": numbered()}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert sorted(hosts.asked) == [f"{H}/", f"{H}/ns", f"{H}/q", f"{H}/real"]
    assert crawled.others(f"{H}/") == {f"{H}/app.js": (LinkKind.SCRIPT, False)}
    assert crawled.followed(f"{H}/").keys() == {key_of(H + path) for path in ("/real", "/q", "/ns")}


MARKUP = [
    ("<!-- > --><a href=/a></a><!----><a href=/b></a><!--><a href=/c></a>", ["/a", "/b", "/c"]),
    ("<!-- <!-- --><a href=/a></a> -->", ["/a"]),
    ("<!--><a href=/a></a><!-- --!><a href=/b></a>", ["/a", "/b"]),
    ("<script><!-- <a href=/no></a> </script><a href=/a></a>", ["/a"]),
    ("<script><!--<script></script><a href=/no></a>--></script><a href=/a></a>", ["/a"]),
    ("<style>a::before{content:'<a href=/no>'}</style><a href=/a></a>", ["/a"]),
    ("<title><a href=/no></title><a href=/a></a>", ["/a"]),
    (
        "<xmp><a href=/no></xmp><iframe><a href=/no></iframe><noembed><a href=/no></noembed><a href=/a>",
        ["/a"],
    ),
    ("<plaintext><a href=/no>", []),
    ("<svg><a xlink:href=/a></a><a href=/b></a></svg>", ["/a", "/b"]),
    ("<a href=/a><a href=/b></a></a><p><a href=/c", ["/a", "/b"]),
    ("<a\nhref\n=\n/a\n></a><a/href=/b></a><a href=/c/></a>", ["/a", "/b", "/c/"]),
    ("<a href=/a href=/no></a>", ["/a"]),
    ("<a title='>' href=/a></a><a title=\"<a href='/no'>\" href=/b></a>", ["/a", "/b"]),
    ("<area href=/a><frame src=/no-frameset><iframe src=/b></iframe>", ["/a", "/b"]),
    ("<frameset><frame src=/a><frame src=/b></frameset>", ["/a", "/b"]),
    (
        "<select><option><a href=/in-select></a></select><table><a href=/a></a></table>",
        ["/a", "/in-select"],
    ),
    ("<form action=/form method=post></form><form action=/get></form><a href=/a></a>", ["/a"]),
    ("<link rel=next href=/a><link rel=stylesheet href=/no.css><link rel=prev href=/b>", ["/a", "/b"]),
    ("<![CDATA[<a href=/a></a>]]><?php <a href=/b></a> ?>", []),  # in HTML both are comments
    ("<a href=/a>\0</a>\x1b<a href=/b\0>", ["/a", "/b%EF%BF%BD"]),
    ("<a onclick=\"location='/no'\" data-href=/no href=/a></a>", ["/a"]),
]


async def test_c17_neighbours(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/", markup) for markup, _ in MARKUP])
    found = {markup: sorted(each.asked(case)) for case, (markup, _) in enumerate(MARKUP)}
    assert found == {markup: [H + path for path in paths] for markup, paths in MARKUP}


REFRESHES = [
    ('<META HTTP-EQUIV=REFRESH CONTENT="0; URL=/n1/">', {}, "/n1/"),
    ("<meta http-equiv=refresh content=\"1;url='n2'\">", {}, "/d/n2"),
    ('<meta http-equiv=refresh content="0 url = n3">', {}, "/d/n3"),
    ('<meta http-equiv=refresh content=" 5 ">', {}, None),
    ('<meta http-equiv=refresh content="0;URL=javascript:x">', {}, None),
    ("header", {"Refresh": "3; url=/n4"}, "/n4"),
    ('<meta http-equiv=refresh content="100;url=n5">', {}, "/d/n5"),
    ('<meta http-equiv=refresh content="101;url=n6">', {}, None),
    ("slow header", {"Refresh": "86400; url=/n7"}, None),
    # neighbours
    ('<meta http-equiv=refresh content="0,n8">', {}, "/d/n8"),
    ('<meta http-equiv=refresh content="0;\n\turl\n=\nn9">', {}, "/d/n9"),
    ('<meta http-equiv=refresh content="0.9;url=n10">', {}, "/d/n10"),
    ('<meta http-equiv=refresh content=";url=no">', {}, None),
    ('<meta http-equiv=refresh content="x;url=no">', {}, None),
    ('<meta http-equiv=refresh content="0;url=&quot;n11&quot;junk">', {}, "/d/n11"),
    ('<meta http-equiv=refresh content="0; urls=n12">', {}, "/d/urls=n12"),
    ('<meta http-equiv=refresh content="0;url=?&amp;x=1">', {}, "/d/p?&x=1"),
    ("<noscript><meta http-equiv=refresh content='0;url=n13'></noscript>", {}, "/d/n13"),
    ('<meta http-equiv=refresh content="0;url=">', {}, None),
    ('<meta http-equiv=refresh content="0;url=#top">', {}, None),
    ('<base href=/b/><meta http-equiv=refresh content="0;url=n14">', {}, "/b/n14"),
    ("empty header", {"Refresh": ""}, None),
    ("bare header", {"Refresh": "0;n15"}, "/d/n15"),
]


async def test_c18_refreshes(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/d/p", html(markup, **told)) for markup, told, _ in REFRESHES])
    found = {markup: each.asked(case) for case, (markup, _, _) in enumerate(REFRESHES)}
    assert found == {markup: [] if path is None else [H + path] for markup, _, path in REFRESHES}
    for case, (_, _, path) in enumerate(REFRESHES):
        wanted = {} if path is None else {each.key(case, H + path): LinkKind.REFRESH}
        assert each.crawled.followed(each.url(case)) == wanted
    kept = {each.crawled.kinds()[each.url(case)] for case in range(len(REFRESHES))}
    assert kept <= {OutcomeKind.STORED, OutcomeKind.DUPLICATE}


async def test_c18_pages_that_refresh_to_each_other_end(tmp_path: Path) -> None:
    to = '<meta http-equiv=refresh content="0;url={}">'
    routes = {"/a": to.format("/b"), "/b": to.format("/a"), "/c": to.format("/c") + "c"}
    async with web({"example.test": routes}) as hosts:
        await hosts.crawl(tmp_path, f"{H}/a", f"{H}/c")
        assert sorted(hosts.asked) == [f"{H}/a", f"{H}/b", f"{H}/c"]


IMAGES = '<img srcset="/a,b.png 1x, /c.png 2x,/d.png 3x" src=/e.png><link rel=stylesheet href=/css/s.css>'
SHEET = (
    '@import url(x.css) screen; @import "y.css"; .k{background:url( "b c.png" )} '
    ".l{background:url(d\\)e.png)} /* url(no.png) */"
)
PNG = (200, {"Content-Type": "image/png"}, b"\x89PNG")


async def test_c19_images_are_recorded_and_not_fetched(tmp_path: Path) -> None:
    async with web({"example.test": {"/": IMAGES}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/")
        assert hosts.asked == [f"{H}/"]
    assert crawled.others(f"{H}/") == {
        f"{H}/e.png": (LinkKind.IMG, False),
        f"{H}/a,b.png": (LinkKind.SRCSET, False),
        f"{H}/c.png": (LinkKind.SRCSET, False),
        f"{H}/d.png": (LinkKind.SRCSET, False),
        f"{H}/css/s.css": (LinkKind.STYLESHEET, False),
    }


async def test_c19_with_the_switch_they_are_fetched_and_stylesheets_are_their_own_base(
    tmp_path: Path,
) -> None:
    numbers = iter(range(1000))
    sheet = (200, {"Content-Type": "text/css"}, SHEET)
    other = lambda _: (200, {"Content-Type": "image/png"}, f"png {next(numbers)}")  # noqa: E731  # a route
    async with web({"example.test": {"/": IMAGES, "/css/s.css": sheet, "*": other}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", fetch={"assets": True})
        page = {f"{H}{path}" for path in ("/", "/a,b.png", "/c.png", "/d.png", "/e.png", "/css/s.css")}
        inside = {f"{H}/css/{name}" for name in ("x.css", "y.css", "b%20c.png", "d)e.png")}
        assert set(hosts.asked) == page | inside
    assert set(crawled.kinds().values()) == {OutcomeKind.STORED}


RESOURCES = [
    ('<img srcset="a.png, b.png 2x">', ["a.png", "b.png"]),
    ('<img srcset="a.png 100w,b.png 200w">', ["a.png", "b.png"]),
    ('<img srcset=", ,a.png 1x,,b.png">', ["a.png", "b.png"]),
    ('<img srcset="data:image/png;base64,AAAA 1x, b.png 2x">', ["b.png"]),
    ('<img srcset="a.png (1x, 2x), b.png">', ["a.png", "b.png"]),
    ('<img srcset="a,b,c.png">', ["a,b,c.png"]),
    ('<picture><source srcset="a.webp 1x"><img src=b.png></picture>', ["a.webp", "b.png"]),
    ("<style>@import 'a.css' layer(x); b{background:URL(c.png)}</style>", ["a.css", "c.png"]),
    ('<p style="background:url(&quot;a b.png&quot;)">', ["a%20b.png"]),
    ("<style>a{background:url(a.png)} b{c:'url(no.png)'}</style>", ["a.png"]),
    ("<style>a{background:url(a.png),url(\n'b.png'\n)}/*url(no.png)*/</style>", ["a.png", "b.png"]),
    ("<style>a{background:url(x y.png);b:url(c.png)}</style>", ["c.png"]),  # a bad url token is none
    ("<style>@font-face{src:url(a.woff2) format('woff2'),local(no)}</style>", ["a.woff2"]),
    ("<video src=a.mp4 poster=b.jpg><track src=c.vtt></video>", ["a.mp4", "b.jpg", "c.vtt"]),
    ("<audio src=d.ogg>", ["d.ogg"]),
    ("<object data=a.swf></object><embed src=b.swf>", ["a.swf", "b.swf"]),
    ("<input type=image src=c.png>", ["c.png"]),
    ("<svg><image href=a.png /><use xlink:href='b.svg#x'/></svg>", ["a.png", "b.svg"]),
    ("<body background=c.gif>", ["c.gif"]),
    ("<link rel=icon href=a.ico><link rel=manifest href=b.json>", ["a.ico", "b.json"]),
]


async def test_c19_neighbours(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/d/", markup) for markup, _ in RESOURCES])
    cases = range(len(RESOURCES))
    assert [each.asked(case) for case in cases] == [[] for case in cases]
    found = {RESOURCES[case][0]: sorted(each.others(case)) for case in cases}
    assert found == {markup: sorted(f"{H}/d/{url}" for url in urls) for markup, urls in RESOURCES}


# C34: directives


DATE = "unavailable_after: 25 Jun 2030 15:00:00 GMT"
TAGS = ("otherbot: noindex, nofollow", DATE, "SpiderD: nofollow")


def tagged(body: str, *values: str, content_type: str = "text/html"):
    """A page with these X-Robots-Tag headers."""
    return 200, [("Content-Type", content_type), *(("X-Robots-Tag", value) for value in values)], body


async def test_c34_as_written(tmp_path: Path) -> None:
    pages = {
        "/": links("/1", "/2", "/3", "/doc.pdf"),
        "/1": tagged(links("/from1"), *TAGS),
        "/2": '<meta name="ROBOTS" content="None">' + links("/from2"),
        "/3": '<meta name=robots content="noodp"><a rel="UGC NoFollow" href=/u>u</a>' + links("/from3"),
        "/doc.pdf": tagged("%PDF-1.4", "noindex", content_type="application/pdf"),
        "/from3": "three",
    }
    async with web({"example.test": pages}) as hosts:
        crawled = await hosts.crawl(tmp_path / "obeyed", f"{H}/")
        paths = ("/", "/1", "/2", "/3", "/doc.pdf", "/from3")
        assert sorted(hosts.asked) == [H + path for path in paths]
        noindex = {path: crawled.pages[H + path].noindex for path in paths}
        assert noindex == {
            "/": False,
            "/1": False,
            "/2": True,
            "/3": False,
            "/doc.pdf": True,
            "/from3": False,
        }
        assert set(crawled.kinds().values()) == {OutcomeKind.STORED}
        assert crawled.others(f"{H}/3") == {f"{H}/u": (LinkKind.A, True)}
        assert crawled.others(f"{H}/1") == {f"{H}/from1": (LinkKind.A, True)}
        assert crawled.counters.refused == {"nofollow": 3}
        hosts.site.requests.clear()
        archivist = {"meta_robots": False, "nofollow": False}
        everything = await hosts.crawl(tmp_path / "archivist", f"{H}/", politeness=archivist)
        assert {f"{H}/u", f"{H}/from1", f"{H}/from2"} < set(hosts.asked)
        assert not any(row.noindex for row in everything.pages.values())


DIRECTIVES = [
    (tagged(links("/x"), "none"), False, True),
    (tagged(links("/x"), "NOINDEX"), True, True),
    (tagged(links("/x"), "noindex,nofollow"), False, True),
    (tagged(links("/x"), "index, nofollow, noarchive"), False, False),
    (tagged(links("/x"), "spiderdog: none"), True, False),
    (tagged(links("/x"), "SPIDERD: noindex"), True, True),
    (tagged(links("/x"), "googlebot: noindex, spiderd: nofollow"), False, False),
    (tagged(links("/x"), "max-snippet: 20, max-image-preview: none, unavailable_after: x"), True, False),
    (tagged(links("/x"), "unavailable_after: 25 Jun 2010 15:00:00 GMT"), True, True),
    (tagged(links("/x"), ""), True, False),
    (
        html("<meta name=robots content=noindex><meta name=robots content=nofollow>" + links("/x")),
        False,
        True,
    ),
    (html("<meta name=spiderd content=nofollow>" + links("/x")), False, False),
    (html("<meta name=googlebot content=none>" + links("/x")), True, False),
    (html("<meta name=robots content='all, follow'>" + links("/x")), True, False),
    (html("<!-- <meta name=robots content=none> -->" + links("/x")), True, False),
    (html("<meta name='description' content='noindex nofollow'>" + links("/x")), True, False),
    (html("<a rel='nofollow noopener' href=/x></a><a href=/x></a>"), True, False),
    (html("<a rel=external href=/x></a>"), True, False),
    (html("<a rel=nofollow href=/x></a>"), False, False),
    (html("<area rel=NOFOLLOW href=/x>"), False, False),
    (html("<link rel='next nofollow' href=/x>"), False, False),
]


async def test_c34_neighbours(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/", answer) for answer, _, _ in DIRECTIVES])
    for case, (answer, followed, noindex) in enumerate(DIRECTIVES):
        assert each.asked(case) == ([f"{H}/x"] if followed else []), answer
        assert each.crawled.pages[each.url(case)].noindex is noindex, answer
        recorded = {url: nofollow for url, (_, nofollow) in each.others(case).items()}
        assert recorded == ({} if followed else {f"{H}/x": True}), answer
    refused = sum(not followed for _, followed, _ in DIRECTIVES)
    assert each.crawled.counters.refused == {"nofollow": refused}
