"""C35: sitemaps of every kind, and what only looks like one."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.sitemaps import MAX_DEPTH, Entry, parse
from spiderd.sitemaps.reading import MAX_ENTRIES

URL = "https://a.test/maps/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str, namespace: str = NAMESPACE) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {namespace}>{"".join(entries)}</urlset>'.encode()


def url(loc: str, lastmod: str = "") -> str:
    return f"<url><loc>{loc}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}</url>"


PLAIN = urlset(url("https://a.test/1", "2026-08-14"), url("https://a.test/2?x=1&amp;y=2"))
ENTRIES = [Entry("https://a.test/1", "2026-08-14"), Entry("https://a.test/2?x=1&y=2", "")]


def test_c35_a_urlset():
    sitemap = parse(PLAIN, URL)
    assert (sitemap.entries, sitemap.children, sitemap.problems) == (ENTRIES, [], [])


def test_c35_an_index():
    body = (
        f"<sitemapindex {NAMESPACE}><sitemap><loc>https://a.test/s1.xml.gz</loc><lastmod>2026-01-01</lastmod>"
        "</sitemap><sitemap><loc>https://b.test/s2.xml</loc></sitemap></sitemapindex>"
    ).encode()
    sitemap = parse(body, URL)
    assert sitemap.children == [
        Entry("https://a.test/s1.xml.gz", "2026-01-01"),
        Entry("https://b.test/s2.xml", ""),  # another host is the scope's business
    ]
    assert (sitemap.entries, sitemap.problems) == ([], [])


@pytest.mark.parametrize(
    "content_type", ["application/gzip", "application/x-gzip", "text/xml", "text/html", ""]
)
@pytest.mark.parametrize("layers", [0, 1, 2, 3])
@pytest.mark.parametrize("name", [URL, "https://a.test/sitemap.xml.gz"])
def test_c35_packed_and_not_whatever_name_and_type_say(layers, name, content_type):
    body = PLAIN
    for _ in range(layers):
        body = gzip.compress(body)
    sitemap = parse(body, name, content_type)
    assert (sitemap.entries, sitemap.problems) == (ENTRIES, [])


@pytest.mark.parametrize(
    "loc",
    [
        "<![CDATA[https://a.test/p?a=1&b=2]]>",
        "  \n https://a.test/p?a=1&amp;b=2 \t",
        "\n<![CDATA[  https://a.test/p?a=1&b=2 ]]>\n",
        "https://a.test/p<![CDATA[?a=1&b=2]]>",
        "https://a.test/p?a=1&#38;b=2",
        "https://a.test/p?a=1&#x26;b=2",
        "HTTPS://A.test/p?a=1&amp;b=2",
        "/p?a=1&amp;b=2",
        "//a.test/p?a=1&amp;b=2",
        "<!-- here -->https://a.test/p?a=1&amp;b=2",
        "https://a.test/p?a=1&b=2",  # not XML; mended
    ],
)
def test_c35_locs_as_people_write_them(loc):
    assert [entry.url for entry in parse(urlset(url(loc)), URL).entries] == ["https://a.test/p?a=1&b=2"]


@pytest.mark.parametrize(
    "namespace",
    [
        "",
        'xmlns="http://www.google.com/schemas/sitemap/0.84"',
        'xmlns="https://www.sitemaps.org/schemas/sitemap/0.9/"',
    ],
)
def test_c35_namespaces_do_not_matter(namespace):
    assert parse(urlset(url("https://a.test/1"), namespace=namespace), URL).entries == [
        Entry("https://a.test/1", "")
    ]


def test_c35_prefixes_do_not_matter():
    body = b"<s:urlset xmlns:s='x'><s:url><s:loc>https://a.test/1</s:loc></s:url></s:urlset>"
    assert parse(body, URL).entries == [Entry("https://a.test/1", "")]
    undeclared = b"<s:urlset><s:url><s:loc>https://a.test/1</s:loc></s:url></s:urlset>"
    assert parse(undeclared, URL).entries == [Entry("https://a.test/1", "")]


def test_c35_extensions_are_no_pages():
    body = urlset(
        "<url><loc>https://a.test/1</loc><image:image><image:loc>https://a.test/i.png</image:loc></image:image>"
        "<video:video><video:content_loc>https://a.test/v</video:content_loc></video:video>"
        "<news:news><news:publication_date>2020-01-01</news:publication_date></news:news></url>"
    )
    assert parse(body, URL).entries == [Entry("https://a.test/1", "")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_c35_a_text_list(mark, end, pack):
    body = mark + end.join(["https://a.test/1", "", "  https://a.test/2?x=1&y=2  ", "# note"]).encode()
    sitemap = parse(pack(body), "https://a.test/sitemap.txt", "text/plain")
    assert [entry.url for entry in sitemap.entries] == ["https://a.test/1", "https://a.test/2?x=1&y=2"]
    assert sitemap.problems == []


def test_c35_a_text_list_in_utf_16():
    body = "\ufeffhttps://a.test/1\nhttps://a.test/\u00e9\n".encode("utf-16-le")
    assert [entry.url for entry in parse(body, URL).entries] == ["https://a.test/1", "https://a.test/%C3%A9"]


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><html><body>404 https://a.test/x</body></html>",
        b"<!doctype html>\n<title>Not found</title>",
        b"\n\n<html lang=en><head><link rel=x></head>",
        b"<!-- x --><!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><HTML>",
        b"<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0//EN' 'x'><html/>",
        b"<!DOCTYPE html><html><pre>&lt;urlset> <urlset><url><loc>https://a.test/</loc></url></urlset></html>",
    ],
)
def test_c35_a_404_page_is_no_sitemap(page):
    sitemap = parse(page, URL, "text/html")
    assert (sitemap.entries, sitemap.problems) == ([], ["an HTML page, not a sitemap"])


@pytest.mark.parametrize(
    "body",
    [b"Not found", b"404\nhttp:/x", b"\x89PNG\r\n\x1a\n\0\0", b"{}", pytest.param(b"a" * 100_000, id="a")],
)
def test_c35_other_things_are_no_sitemaps(body):
    sitemap = parse(body, URL, "text/plain")
    assert sitemap.entries == []
    assert "neither XML nor a list of URLs" in sitemap.problems


@pytest.mark.parametrize("body", [b"", b" \n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_c35_empty(body):
    assert parse(body, URL).problems == ["empty"]


def test_c35_a_sitemap_that_names_itself():
    children = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in (URL, "/s2.xml"))
    sitemap = parse(f"<sitemapindex>{children}</sitemapindex>".encode(), URL)
    assert [child.url for child in sitemap.children] == ["https://a.test/s2.xml"]
    assert sitemap.problems == ["it names itself as its child"]


def test_c35_levels_are_bounded():
    assert MAX_DEPTH == 10


@pytest.mark.parametrize("kind", ["xml", "text"])
def test_c35_one_entry_too_many(kind):
    locs = [f"https://a.test/{number}" for number in range(MAX_ENTRIES + 1)]
    body = urlset(*map(url, locs)) if kind == "xml" else "\n".join(locs).encode()
    sitemap = parse(body, URL)
    assert len(sitemap.entries) == MAX_ENTRIES
    assert sitemap.problems == ["more than 50,000 entries: the rest is left out"]
    exact = parse(urlset(*map(url, locs[1:])), URL)
    assert (len(exact.entries), exact.problems) == (MAX_ENTRIES, [])


def test_c35_bad_locs_cost_nobody_else():
    body = urlset(
        *map(
            url,
            ["", "ftp://a.test/x", "javascript:alert(1)", "some words", "https://[", "https://a.test/good"],
        ),
        "<url><lastmod>2026-01-01</lastmod></url>",
        f"<url><loc>https://a.test/{'x' * 9000}</loc></url>",
    )
    sitemap = parse(body, URL)
    assert [entry.url for entry in sitemap.entries] == ["https://a.test/good"]
    assert sitemap.problems == ["5 entries are no http(s) URLs, such as 'ftp://a.test/x'"]


def test_the_lastmod_is_of_its_own_record():
    body = urlset(url("https://a.test/1", "2020-01-01"), url("https://a.test/2"))
    assert [entry.lastmod for entry in parse(body, URL).entries] == ["2020-01-01", ""]


def test_the_first_loc_of_a_record_counts():
    body = urlset("<url><loc>https://a.test/1</loc><loc>https://a.test/2</loc></url>")
    assert [entry.url for entry in parse(body, URL).entries] == ["https://a.test/1"]


# feeds


def test_c35_rss():
    body = b"""<rss version="2.0" xmlns:atom="x"><channel><link>https://a.test/</link>
      <atom:link href="https://a.test/feed" rel="self"/>
      <item><title>t</title><atom:link href="https://a.test/self"/><link> https://a.test/1 </link>
        <pubDate>Fri, 14 Aug 2026 10:00:00 GMT</pubDate></item>
      <item><link><![CDATA[https://a.test/2]]></link></item></channel></rss>"""
    assert parse(body, "https://a.test/feed").entries == [
        Entry("https://a.test/1", "Fri, 14 Aug 2026 10:00:00 GMT"),
        Entry("https://a.test/2", ""),
    ]


def test_c35_rss_1():
    body = b"""<rdf:RDF xmlns:rdf="r"><channel rdf:about="x"><link>https://a.test/</link></channel>
      <item rdf:about="https://a.test/1"><link>https://a.test/1</link><dc:date>2026-08-14</dc:date></item></rdf:RDF>"""
    assert parse(body, "https://a.test/feed").entries == [Entry("https://a.test/1", "2026-08-14")]


def test_c35_atom():
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/>
      <entry><link rel="self" href="/api/1"/><link rel="alternate" href="https://a.test/1"/>
        <updated>2026-08-14T10:00:00Z</updated></entry>
      <entry><link href="/2"/><content type="xhtml"><div><link href="/3"/></div></content></entry></feed>"""
    assert parse(body, "https://a.test/feed").entries == [
        Entry("https://a.test/1", "2026-08-14T10:00:00Z"),
        Entry("https://a.test/2", ""),
    ]


# laws


@given(st.binary(max_size=300))
def test_any_bytes_can_be_read(body):
    for some in (body, b"<urlset>" + body, b"\x1f\x8b\x08" + body, gzip.compress(body)):
        sitemap = parse(some, URL, "application/xml")
        assert len(sitemap.problems) <= 4


LOCS = st.text("abc/?&=<>\"'é\u30c4 %;", max_size=12).map(lambda text: "https://a.test/" + text.strip())


@given(st.lists(LOCS, max_size=8), st.booleans())
def test_what_is_escaped_comes_back(locs, cdata):
    def escaped(loc: str) -> str:
        if cdata:
            return f"<![CDATA[{loc}]]>"
        return loc.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    wanted = [entry.url for entry in parse("\n".join(locs).encode(), URL).entries]
    got = [entry.url for entry in parse(urlset(*(url(escaped(loc)) for loc in locs)), URL).entries]
    assert got == wanted
    assert len(got) == len(locs)
