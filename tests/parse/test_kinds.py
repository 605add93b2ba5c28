from __future__ import annotations

import pytest

from spiderd.config.declaration import Config, Fetch
from spiderd.parse import LinkKind
from tests.parse.pages import ANY, kinds, others, parse, record_of

SITE = "http://example.test"
K = LinkKind


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<a href=/x>", K.A),
        ("<map><area href=/x></map>", K.AREA),
        ("<frameset><frame src=/x></frameset>", K.FRAME),
        ("<iframe src=/x></iframe>", K.IFRAME),
        ("<meta http-equiv=refresh content='0;url=/x'>", K.REFRESH),
        ("<link rel=next href=/x>", K.REL),
        ("<link rel='shortcut prev' href=/x type=text/html>", K.REL),
        ("<link rel=alternate href=/x media=print>", K.REL),
        ("<link rel=Canonical href=/x>", K.CANONICAL),
        ("<link rel=alternate hreflang=de href=/x>", K.HREFLANG),
        ("<svg><a xlink:href=/x></a></svg>", K.A),
    ],
)
def test_page_links_are_followed(html: str, kind: LinkKind) -> None:
    page = parse(html)
    assert kinds(page) == {f"{SITE}/x": kind}
    assert others(page) == {}


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<img src=/x>", K.IMG),
        ("<image src=/x>", K.IMG),
        ("<img srcset='/x 1x'>", K.SRCSET),
        ("<picture><source srcset='/x, '></picture>", K.SRCSET),
        ("<video><source src=/x></video>", K.SOURCE),
        ("<video src=/x></video>", K.VIDEO),
        ("<video poster=/x></video>", K.POSTER),
        ("<audio src=/x></audio>", K.AUDIO),
        ("<video><track src=/x></video>", K.TRACK),
        ("<script src=/x></script>", K.SCRIPT),
        ("<link rel=stylesheet href=/x>", K.STYLESHEET),
        ("<link rel='alternate stylesheet' href=/x>", K.STYLESHEET),
        ("<link rel='shortcut icon' href=/x>", K.ICON),
        ("<link rel=apple-touch-icon href=/x>", K.ICON),
        ("<link rel=alternate type=application/rss+xml href=/x>", K.FEED),
        ("<link rel=alternate type='application/atom+xml; charset=utf-8' href=/x>", K.FEED),
        ("<link rel=preload as=font href=/x>", K.RESOURCE),
        ("<link rel=manifest href=/x>", K.RESOURCE),
        ("<link rel=search type=application/opensearchdescription+xml href=/x>", K.RESOURCE),
        ("<link rel=alternate type=application/json+oembed href=/x>", K.RESOURCE),
        ("<object data=/x></object>", K.OBJECT),
        ("<embed src=/x>", K.EMBED),
        ("<input type=image src=/x>", K.IMG),
        ("<svg><image xlink:href=/x /></svg>", K.SVG),
        ("<svg><image href=/x /></svg>", K.SVG),
        ("<svg><use href='/x#part'/></svg>", K.SVG),
        ("<svg><filter><feImage href=/x /></filter></svg>", K.SVG),
        ("<svg><script xlink:href=/x></script></svg>", K.SCRIPT),
        ("<body background=/x>", K.BACKGROUND),
        ("<table background=/x><tr><td>", K.BACKGROUND),
        ("<table><tr><td background=/x>", K.BACKGROUND),
        ("<style>p{background:url(/x)}</style>", K.CSS_URL),
        ("<style>@import '/x';</style>", K.STYLESHEET),
        ("<p style='background: url(&quot;/x&quot;)'>", K.CSS_URL),
        ("<form action=/x></form>", K.FORM),
        ("<form method=GET action=/x></form>", K.FORM),
    ],
)
def test_resources_are_recorded_and_not_followed(html: str, kind: LinkKind) -> None:
    page = parse(html)
    assert page.links.urls == []
    assert others(page) == {f"{SITE}/x": kind}


@pytest.mark.parametrize(
    "html",
    [
        "<form method=post action=/x></form>",
        "<input src=/x>",
        "<img src='data:image/png;base64,/x'>",
        "<img src=''>",
        "<img src='#x'>",
        "<svg><use href='#x'/></svg>",
        "<link href=/x>",
        "<link rel='' href=/x>",
        "<script>location = '/x'</script>",
        "<p data-href=/x>",
        "<div href=/x src=/x>",
    ],
)
def test_what_is_no_link_leaves_no_trace(html: str) -> None:
    page = parse(html)
    assert page.links.urls == []
    assert others(page) == {}
    assert page.links.refused == {}


def test_forms_are_a_switch() -> None:
    html = "<form action='/search?x=1#f'><input name=q></form>"
    assert parse(html).links.refused == {"form": 1}
    page = parse(html, config=Config(scope=ANY.scope, fetch=Fetch(forms=True)))
    assert kinds(page) == {f"{SITE}/search?x=1": K.FORM}


def test_frames_may_hold_their_document_themselves() -> None:
    page = parse(
        "<iframe srcdoc='<title>no</title><base href=/no/><a href=x>in &amp;amp;</a><img src=/i>"
        "<iframe srcdoc=&quot;<a href=/deeper>&quot;></iframe>'></iframe><a href=y>"
    )
    assert page.links.urls == [f"{SITE}/dir/y", f"{SITE}/dir/x"]
    assert others(page) == {f"{SITE}/i": K.IMG}
    assert page.title == ""


def test_headers_link_too() -> None:
    page = parse(
        "<a href=/a>",
        headers=(
            ("Link", '</next>; rel="next"; title="a, b", <style.css>; rel=stylesheet'),
            ("link", "<https://other.test/c>; rel=canonical, </de>; rel=alternate; hreflang=de"),
            ("Refresh", "3; url=/r"),
            ("Server", "</no>; rel=next"),
        ),
    )
    assert kinds(page) == {
        f"{SITE}/a": K.A,
        f"{SITE}/next": K.REL,
        "https://other.test/c": K.CANONICAL,
        f"{SITE}/de": K.HREFLANG,
        f"{SITE}/r": K.REFRESH,
    }
    assert others(page) == {f"{SITE}/dir/style.css": K.STYLESHEET}
    assert page.canonical == "https://other.test/c"


def test_one_url_is_one_link_whatever_it_is_called() -> None:
    page = parse(
        "<a href='/x'></a><a href='/x#f'>text</a><a href='http://EXAMPLE.test:80/x'>later</a><a href=' /x'>"
    )
    assert page.links.urls == [f"{SITE}/x"]
    assert len(page.links.keys) == 8
    assert record_of(page).texts == ["text"]


def test_the_page_itself_is_no_link_of_its_own() -> None:
    page = parse(
        "<a href='page.html'><a href='#f'><a href='?'><a href='http://example.test/dir/page.html#x'>"
    )
    assert page.links.urls == [f"{SITE}/dir/page.html?"]


def test_links_come_in_the_order_of_the_page() -> None:
    names = [f"{number * 7919 % 1000}" for number in range(300)]
    page = parse("".join(f"<p><a href={name}>{name}</a>" for name in names))
    assert page.links.urls == [f"{SITE}/dir/{name}" for name in names]
    assert record_of(page).texts == names
    assert [key for key, _, _ in record_of(page).followed()] == [
        page.links.keys[place : place + 8] for place in range(0, 8 * 300, 8)
    ]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<a href=/x> a \n b </a>", "a b"),
        ("<a href=/x>a<b>b</b> <i>c</i></a>", "ab c"),
        ("<a href=/x>&lt;&amp;&eacute;</a>", "<&é"),
        ("<a href=/x>" + "word " * 100 + "</a>", ("word " * 16).strip()),
        ("<a href=/x><img src=i></a>", ""),
        ("<map><area href=/x alt=' the  region'></map>", "the region"),
        ("<a href=/x><!-- c -->t</a>", "t"),
    ],
)
def test_anchor_text_is_folded_and_cut(html: str, text: str) -> None:
    kept = record_of(parse(html)).texts[0]
    assert kept == text[:80]


def test_what_a_page_says_of_itself() -> None:
    page = parse(
        "<html lang=' de-AT '><head><title> a &amp;\n b </title><title>no</title>"
        "<link rel=canonical href=/c><link rel=canonical href=/d></head><svg><title>no</title></svg>"
    )
    assert (page.title, page.lang, page.canonical) == ("a & b", "de-AT", f"{SITE}/c")


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<svg><title>drawing</title></svg><p>x", ""),
        ("<svg><title>drawing</title></svg><title>page</title>", "page"),
        ("<svg><foreignObject><title>inside</title></foreignObject></svg>", "inside"),
        ("<body><p>x<title>late</title>", "late"),
        ("<title></title><title>second</title>", ""),
        ("<title>a <b>b</b></title>", "a <b>b</b>"),
        ("<title>" + "x" * 1000 + "</title>", "x" * 500),
    ],
)
def test_the_title_is_the_pages(html: str, title: str) -> None:
    assert parse(html).title == title


@pytest.mark.parametrize(
    ("html", "lang"),
    [
        ("<html xml:lang=fr>", "fr"),
        ("<meta http-equiv=Content-Language content=ru>", "ru"),
        ("<html lang=en><meta http-equiv=content-language content=ru>", "en"),
        ("<p lang=en>", ""),
    ],
)
def test_the_language_is_as_declared(html: str, lang: str) -> None:
    assert parse(html).lang == lang
