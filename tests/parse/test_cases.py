"""The cases from the field that HTML decides, by their numbers, and neighbours of each."""

from __future__ import annotations

import pytest

from spiderd.config.declaration import Config, Fetch, Politeness, Scope, Urls
from spiderd.parse import LinkFlag, LinkKind
from tests.parse.pages import ANY, kinds, others, parse, record_of, urls

SITE = "http://example.test"


# C01, C03: base


def test_c01_a_relative_base_is_itself_resolved() -> None:
    page = "https://example.test/forum/index.php/mv/1/0/"
    html = '<base href="/forum/"><a href="index.php/fa/9/0/">'
    assert urls(html, page) == ["https://example.test/forum/index.php/fa/9/0/"]


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("../", "https://example.test/forum/index.php/mv/1/x"),
        ("sub", "https://example.test/forum/index.php/mv/1/0/x"),
        ("sub/", "https://example.test/forum/index.php/mv/1/0/sub/x"),
        ("//cdn.test", "https://cdn.test/x"),
        ("?a=/b/", "https://example.test/forum/index.php/mv/1/0/x"),
        ("", "https://example.test/forum/index.php/mv/1/0/x"),
        ("#f", "https://example.test/forum/index.php/mv/1/0/x"),
        (" /forum/\n", "https://example.test/forum/x"),
        ("http://", "https://example.test/forum/index.php/mv/1/0/x"),
        ("https://user:pw@example.test/a/", "https://example.test/a/x"),
    ],
)
def test_c01_bases_of_all_forms(base: str, url: str) -> None:
    assert urls(f'<base href="{base}"><a href=x>', "https://example.test/forum/index.php/mv/1/0/") == [url]


def test_c01_a_base_counts_for_links_before_it() -> None:
    assert urls('<a href=x><body><base href="/b/"><a href=y>') == [f"{SITE}/b/x", f"{SITE}/b/y"]


def test_c02_queries_and_fragments_alone() -> None:
    assert urls('<base href="my.html"><a href="?param=v">', f"{SITE}/dir/my.html") == [
        f"{SITE}/dir/my.html?param=v"
    ]
    html = '<a href="?page=2"></a><a href="?"></a><a href="#f"></a><a href=""></a><a href></a><a>x</a>'
    assert urls(html, f"{SITE}/a/b?x=1") == [f"{SITE}/a/b?page=2", f"{SITE}/a/b?"]


def test_c03_the_first_base_with_an_href_counts() -> None:
    html = '<base target=_blank><base href="https://cdn.test/a/"><base href="/b/"><a href="x">'
    assert urls(html, "https://example.test/p/q") == ["https://cdn.test/a/x"]


def test_c03_another_host_of_the_base_is_a_matter_of_scope() -> None:
    page = parse('<base href="https://cdn.test/a/"><a href="x">', config=Config(scope=Scope(follow="host")))
    assert page.links.urls == []
    assert page.links.refused == {"scope": 1}
    assert others(page) == {"https://cdn.test/a/x": LinkKind.A}


@pytest.mark.parametrize("base", ["javascript:1", "data:text/html,x", "JavaScript:1", "http://a b/"])
def test_c03_a_base_that_is_no_base_is_ignored(base: str) -> None:
    html = f'<base href="{base}"><base href="/later/"><a href="x">'
    assert urls(html, "https://example.test/p/q") == ["https://example.test/p/x"]


def test_c03_bases_that_are_not_in_the_document_do_not_count() -> None:
    html = "<!-- <base href=/a/> --><template><base href=/b/></template><script>'<base href=/c/>'</script>"
    assert urls(html + "<a href=x>") == [f"{SITE}/dir/x"]


# C05, C06, C10, C13, C14, C15: references


def test_c05_other_hosts_in_all_slashes() -> None:
    hrefs = ["//other.test/p", r"\\other.test\p", r"/\other.test/p", r"sub\dir\p.html"]
    assert urls("".join(f'<a href="{href}">' for href in hrefs), "https://example.test/a/b") == [
        "https://other.test/p",
        "https://example.test/a/sub/dir/p.html",
    ]


def test_c06_dot_segments_end() -> None:
    html = (
        "<a href='./'><a href='./search?k=1'><a href='%2e%2e/b'><a href='../../../../g'><a href='.%2E/h/./'>"
    )
    assert urls(html, f"{SITE}/a") == [
        f"{SITE}/",
        f"{SITE}/search?k=1",
        f"{SITE}/b",
        f"{SITE}/g",
        f"{SITE}/h/",
    ]


def test_c10_letter_case_and_order_keep_pages_apart() -> None:
    paths = [
        "/Docs/A",
        "/docs/a",
        "/docs/a/",
        "/docs/a?B=1",
        "/docs/a?b=1",
        "/docs/a?b=1&a=2",
        "/docs/a?a=2&b=1",
    ]
    html = "".join(f'<a href="{path}">' for path in paths)
    assert len(urls(html)) == 7
    sorted_query = Config(scope=ANY.scope, urls=Urls(sort_query=True))
    assert len(parse(html, config=sorted_query).links.urls) == 6


def test_c13_what_is_not_http_is_counted_by_scheme() -> None:
    hrefs = ["mailto:a@example.test", "tel:+1", "data:text/html,<a href=/z>", "JavaScript:void(0)",
             "ftp://example.test/f", "example:8080/x", "www.other.test/x", "blob:x", "java\tscript:1",
             " mailto:b@example.test", "http://a b/", "urn:x", "#", "MAILTO:c@example.test"]  # fmt: skip
    page = parse("".join(f'<a href="{href}">' for href in hrefs), f"{SITE}/")
    assert page.links.urls == [f"{SITE}/www.other.test/x"]
    assert page.links.refused == {
        "mailto": 3, "tel": 1, "data": 1, "javascript": 2, "ftp": 1, "example": 1, "blob": 1, "urn": 1,
        "bad url": 1,
    }  # fmt: skip


def test_c13_made_up_schemes_do_not_fill_the_counters() -> None:
    page = parse("".join(f'<a href="s{number}:x">' for number in range(500)))
    assert len(page.links.refused) <= 33
    assert sum(page.links.refused.values()) == 500


def test_c14_secrets_in_links_are_gone() -> None:
    page = parse('<a href="http://ann:secret@example.test/private"><img src="http://bob:secret@x.test/i">')
    assert page.links.urls == [f"{SITE}/private"]
    assert b"secret" not in page.links.record


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("?&amp;p=2", "?&p=2"),
        ("?a=1&copy=2", "?a=1&copy=2"),
        ("?a=1&amp;copy;=3", "?a=1&copy;=3"),
        ("?a=1&amp;amp;b=2", "?a=1&amp;b=2"),
        ("?a=1&copy", "?a=1%C2%A9"),
        ("?a=1&copyx", "?a=1&copyx"),
        ("?a=1&#38;b=2", "?a=1&b=2"),
        ("?a=1&#x26b=2", "?a=1%C9%AB=2"),  # the digits run on: U+026B
        ("?lt=1&lt=2", "?lt=1&lt=2"),
        ("?a=&quot;b", "?a=%22b"),
        ("?a&notin;b", "?a%E2%88%89b"),
        ("?a=1&unknown;b", "?a=1&unknown;b"),
    ],
)
def test_c15_entities_are_decoded_once(href: str, url: str) -> None:
    assert urls(f'<a href="{href}">', f"{SITE}/list") == [f"{SITE}/list{url}"]


def test_c15_links_to_itself_do_not_grow() -> None:
    html = '<a href="?&amp;p=2"><a href="?a=1&copy=2"><a href="?a=1&amp;copy;=3">'
    seen = {f"{SITE}/list"}
    level = set(seen)
    for _ in range(3):
        level = {link for url in level for link in urls(html, url)}
        seen |= level
    assert len(seen) == 4
    assert not any("amp%3B" in url or "amp;" in url for url in seen)


# C17: what is markup and what is not


def test_c17_only_markup_links() -> None:
    html = """<!-- <a href=/old> --><script>a.src=g;m.x="<a href=/fake>"</script><script src=/app.js></script>
    <a href=/real>x</a><A HREF = '/q'>y</A><textarea><a href=/no></textarea>
    <noscript><a href=/ns></a></noscript><template><a href=/t></template>"""
    page = parse(html)
    assert page.links.urls == [f"{SITE}/real", f"{SITE}/q", f"{SITE}/ns"]
    assert others(page) == {f"{SITE}/app.js": LinkKind.SCRIPT}
    assert record_of(page).texts == ["x", "y", ""]


NOT_MARKUP = [
    "<!-- <a href=/no> --!>",
    "<!--><!-- <a href=/no> -->",
    "<!-- a -- b <a href=/no> -->",
    "<style>a{}<a href=/no></style>",
    "<title><a href=/no></title>",
    "<xmp><a href=/no></xmp>",
    "<iframe><a href=/no></iframe>",
    "<noembed><a href=/no></noembed>",
    "<template><div><template><a href=/no></template><a href=/no2></div></template>",
    "<script><!-- <script> </script> <a href=/no> --></script>",
    '<div title="<a href=/no>">',
    "<div title='>\"<a href=/no>'>",
    "<?php <a href=/no",
    "<a name=/no>",
    "< a href=/no>",
    "<ahref=/no>",
    "&lt;a href=/no&gt;",
]


@pytest.mark.parametrize("html", NOT_MARKUP)
def test_c17_what_is_not_markup_gives_no_links(html: str) -> None:
    page = parse(html + "<a href=/yes>")
    assert f"{SITE}/no" not in page.links.urls
    assert not any(url.startswith(f"{SITE}/no") for url in page.links.urls)


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/yes>",
        "<A\nHREF\t=\n/yes>",
        "<a href='/yes'class=x>",
        '<a/href="/yes"/>',
        '<a title="a>b" href=/yes>',
        "<a href=/yes href=/no>",
        "<a href=' /yes\n'>",
        "<a href='/y\nes'>",
        "<a HREF=&#x2f;yes>",
        "<table><a href=/yes></table>",
        "<p><a href=/yes></p",
        "<select><a href=/yes></select>",
        "<svg><a xlink:href=/yes><text>t</text></a></svg>",
        "<svg><a href=/yes></a></svg>",
        "<!-- c --><a href=/yes>",
        "<!-- c --!><a href=/yes>",
        "<!--><a href=/yes>",
        "<!x><a href=/yes>",
        "</ x><a href=/yes>",
        "<![CDATA[x]]><a href=/yes>",
        "<textarea></textarea><a href=/yes>",
        "<script></script ><a href=/yes>",
        "<plaintex><a href=/yes>",
        "<noscript><img src=x><a href=/yes></noscript>",
        "<map><area href=/yes></map>",
        "\x00<a href=/yes>",
    ],
)
def test_c17_markup_of_all_sorts_gives_its_link(html: str) -> None:
    assert f"{SITE}/yes" in urls(html)


# C18: refresh


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; URL=/n1/", "/n1/"),
        ("1;url='n2'", "/dir/n2"),
        ('1;url="n2" trailing', "/dir/n2"),
        ("0 url = n3", "/dir/n3"),
        ("0,url=n3", "/dir/n3"),
        ("0;n4", "/dir/n4"),
        ("0.5; url=n5", "/dir/n5"),
        (".5; url=n5", "/dir/n5"),
        (" 0 ;\n url=n6 ", "/dir/n6"),
        ("0;url=urlx", "/dir/urlx"),
        ("0;urlx", "/dir/urlx"),
        ("100;url=n7", "/dir/n7"),
        ("101;url=n8", None),
        ("99999999999999999999;url=n8", None),
        (" 5 ", None),
        ("5;", None),
        ("5; url=", None),
        ("0;URL=javascript:x", None),
        ("url=n9", None),
        ("x;url=n9", None),
        ("5x;url=n9", None),
        ("", None),
        ("0;url=page.html", None),
        ("0;url=#f", None),
    ],
)
def test_c18_refresh_is_a_link(content: str, target: str | None) -> None:
    quoted = content.replace('"', "&quot;")
    page = parse(f'<META HTTP-EQUIV=REFRESH CONTENT="{quoted}">')
    expected = {f"{SITE}{target}": LinkKind.REFRESH} if target else {}
    assert kinds(page) == expected
    by_header = parse("", headers=(("refresh", content),))
    assert kinds(by_header) == expected


def test_c18_a_refresh_to_a_script_is_counted() -> None:
    assert parse('<meta http-equiv=refresh content="0;URL=javascript:x">').links.refused == {"javascript": 1}


# C19: srcset and stylesheets


def test_c19_srcset_is_split_where_it_should_be() -> None:
    page = parse('<img srcset="/a,b.png 1x, /c.png 2x,/d.png 3x" src=/e.png>')
    assert set(others(page)) == {f"{SITE}{path}" for path in ("/a,b.png", "/c.png", "/d.png", "/e.png")}


def test_c19_stylesheets_are_their_own_base() -> None:
    css = """@import url(x.css) screen; @import "y.css"; .k{background:url( "b c.png" )}
    .l{background:url(d\\)e.png)} /* url(no.png) */"""
    page = parse(css, f"{SITE}/css/s.css", "text/css")
    assert page.links.urls == []
    assert others(page) == {
        f"{SITE}/css/x.css": LinkKind.STYLESHEET,
        f"{SITE}/css/y.css": LinkKind.STYLESHEET,
        f"{SITE}/css/b%20c.png": LinkKind.CSS_URL,
        f"{SITE}/css/d)e.png": LinkKind.CSS_URL,
    }


# C34: nofollow


def test_c34_robots_meta_in_any_case() -> None:
    page = parse('<meta name="ROBOTS" content="None"><a href=/a>')
    assert (page.noindex, page.nofollow, page.links.urls) == (True, True, [])
    assert page.links.refused == {"nofollow": 1}
    assert [link.flags for link in record_of(page).others] == [LinkFlag.NOFOLLOW]


@pytest.mark.parametrize(
    ("meta", "noindex", "nofollow"),
    [
        ("<meta name=robots content=noodp>", False, False),
        ("<meta name=SpiderD content='noindex, nofollow'>", True, True),
        ("<meta name=otherbot content='noindex, nofollow'>", False, False),
        ("<meta name=robots content=' NOINDEX ,follow'>", True, False),
        ("<meta name=robots content=index><meta name=robots content=nofollow>", False, True),
        ("<meta name=robots>", False, False),
        ("<meta property=robots content=noindex>", False, False),
    ],
)  # fmt: skip
def test_c34_what_robots_metas_say(meta: str, *, noindex: bool, nofollow: bool) -> None:
    page = parse(meta + "<a href=/a>")
    assert (page.noindex, page.nofollow) == (noindex, nofollow)
    assert bool(page.links.urls) != nofollow


def test_c34_a_nofollow_link_is_recorded_and_not_followed() -> None:
    page = parse(
        '<meta name=robots content="noodp"><a rel="UGC NoFollow" href=/u>t</a><a rel=nofollower href=/v>'
    )
    assert page.links.urls == [f"{SITE}/v"]
    assert page.links.refused == {"nofollow": 1}
    (other,) = record_of(page).others
    assert (other.url, other.flags, other.text) == (f"{SITE}/u", LinkFlag.NOFOLLOW, "t")


def test_c34_a_link_that_is_followed_elsewhere_on_the_page_is_followed() -> None:
    assert urls("<a rel=nofollow href=/u></a><a href=/u></a>") == [f"{SITE}/u"]


def test_c34_archivists_follow_all() -> None:
    config = Config(scope=Scope(follow="any"), politeness=Politeness(meta_robots=False, nofollow=False))
    page = parse("<meta name=robots content=none><a rel=nofollow href=/u>", config=config)
    assert page.links.urls == [f"{SITE}/u"]
    assert page.noindex  # it is said all the same


def test_assets_are_a_switch() -> None:
    html = "<img src=/i><script src=/s></script><a href=/a>"
    assert parse(html).links.urls == [f"{SITE}/a"]
    config = Config(scope=ANY.scope, fetch=Fetch(assets=True))
    assert kinds(parse(html, config=config)) == {
        f"{SITE}/a": LinkKind.A,
        f"{SITE}/i": LinkKind.IMG,
        f"{SITE}/s": LinkKind.SCRIPT,
    }
