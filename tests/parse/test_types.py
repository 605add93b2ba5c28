"""Which bodies are read for links, by their type."""

from __future__ import annotations

import pytest

from tests.parse.pages import parse

LINK = "<html xmlns='http://www.w3.org/1999/xhtml'><a href='/x'/></html>"


@pytest.mark.parametrize(
    ("content_type", "links"),
    [
        ("text/html", 1),
        ("TEXT/HTML ; charset=utf-8", 1),
        ("application/xhtml+xml", 1),
        ("application/xml", 1),
        ("text/xml", 1),
        ("image/svg+xml", 1),
        ("", 1),
        ("text/plain", 0),
        ("application/pdf", 0),
        ("application/json", 0),
        ("image/png", 0),
        ("text/css", 0),
        ("nonsense", 0),
    ],
)
def test_only_markup_is_read_for_links(content_type: str, links: int) -> None:
    assert len(parse(LINK, content_type=content_type).links.urls) == links


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("\n <!DOCTYPE HTML><a href=/x>", 1),
        ("<!-- c --><a href=/x>", 1),
        ("<p><a href=/x>", 1),
        ("text <a href=/x>", 0),
        ("<abc><a href=/x>", 0),
        ("%PDF-1.4 <a href=/x>", 0),
        ("", 0),
    ],
)
def test_without_a_type_the_first_bytes_decide(body: str, links: int) -> None:
    assert len(parse(body, content_type="").links.urls) == links


def test_xml_of_other_kinds_is_not_read() -> None:
    assert parse("<rss><a href='/x'/></rss>", content_type="text/xml").links.urls == []


def test_xhtml_is_read_by_its_own_rules() -> None:
    body = """<?xml version="1.0" encoding="iso-8859-1"?>
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>\xe9<![CDATA[ <b> & ]]></title>
    <script src="/s.js"/><style/><title/></head><body><a id="top"/><textarea rows="2"/><iframe src="/f"/>
    <a href="/x">x</a><![CDATA[ <a href="/no"> ]]></body></html>"""
    page = parse(body.encode("latin-1"), content_type="application/xhtml+xml")
    assert page.title == "\xe9 <b> &"
    assert page.links.urls == ["http://example.test/f", "http://example.test/x"]
    assert (page.charset, page.charset_source) == ("windows-1252", "meta")


def test_html_that_looks_like_xhtml_is_html() -> None:
    page = parse('<?xml version="1.0"?><script src="/s.js"/><a href="/no">x</a>')
    assert page.links.urls == []


def test_text_has_an_encoding_and_nothing_else() -> None:
    page = parse("naïve façade, déjà vu".encode("cp1252"), content_type="text/plain")
    assert (page.charset, page.links.urls, page.title) == ("windows-1252", [], "")
    assert parse(b"%PDF \xff", content_type="application/pdf").charset == ""
