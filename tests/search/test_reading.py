"""Pages by their types and encodings, and what becomes of those that cannot be read."""

from __future__ import annotations

import logging
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.attempts import PATIENCE, Attempts
from spiderd.search.engine import Engine
from spiderd.search.pdf import read_pdf
from spiderd.search.reading import readable
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import PageRecord
from tests.search.crawled import Crawled, html, index

TEXT = "The zeppelin was built in the town on the lake."


def pdf(text: str, title: str = "") -> bytes:
    """A PDF of one page, written by hand."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Title(%s)>>" % title.encode(),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%s endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size %d/Root 1 0 R/Info 6 0 R>>startxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        len(body),
    )
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) + trailer


def page(content_type: str, charset: str = "") -> PageRecord:
    return PageRecord(
        "http://t.test/",
        OutcomeKind.STORED,
        200,
        Failure.NONE,
        0.0,
        number=1,
        content_type=content_type,
        charset=charset,
    )


@pytest.mark.parametrize(
    ("content_type", "charset", "body", "expected"),
    [
        ("text/html; charset=x", "utf-8", "<p>Häuser".encode(), "Häuser"),
        ("text/html", "gbk", "<p>软件包".encode("gbk"), "软件包"),
        ("text/html", "utf-8", b"\xef\xbb\xbf<p>marked", "marked"),
        ("text/html", "", "<meta charset=big5><p>軟體".encode("big5"), "軟體"),
        ("application/xhtml+xml", "utf-8", b"<html><body><p>x</p></body></html>", "x"),
        ("text/plain", "utf-8", b"<p>as it stands", "<p>as it stands"),
        ("application/octet-stream", "", b"<!DOCTYPE html><p>a page all the same", "a page all the same"),
        ("application/octet-stream", "", b"\x00\x01\x02", ""),
        ("image/png", "", b"\x89PNG", ""),
        ("text/css", "utf-8", b"p { color: red }", ""),
        ("application/pdf", "", pdf(TEXT), TEXT),
        ("text/html", "utf-8", pdf(TEXT), TEXT),
    ],
)
def test_bodies_are_read_by_their_type(content_type, charset, body, expected):
    assert readable(page(content_type, charset), body).body == expected


def test_a_pdf_has_a_title():
    assert read_pdf(pdf(TEXT, "On airships")).title == "On airships"
    assert read_pdf(pdf(TEXT)).title == TEXT


def test_a_pdf_that_takes_long_is_left_at_that():
    ticks = iter([0.0, 99.0])
    assert read_pdf(pdf(TEXT), lambda: next(ticks)).body == ""


@given(st.binary(max_size=300), st.integers(0, 700))
def test_a_pdf_that_is_damaged_is_read_as_far_as_it_goes(junk, place):
    whole = pdf(TEXT)
    assert isinstance(read_pdf(whole[:place] + junk + whole[place + len(junk) :]).body, str)


@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)  # the child only dies
def test_a_page_that_kills_its_reader_is_found_by_its_title(tmp_path, caplog):
    with Crawled(tmp_path) as crawled:
        crawled.store("http://t.test/1", html("Harmless", TEXT))
        deadly = crawled.store("http://t.test/2", html("Deadly", "It holds a balloon."))
    (tmp_path / "index").mkdir()
    for _ in range(PATIENCE):
        child = os.fork()
        if not child:
            with Attempts(tmp_path / "index" / "attempt").at(deadly):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
    with caplog.at_level(logging.WARNING):
        index(tmp_path)
    assert "the indexer died of it 3 times" in caplog.text
    engine = Engine(tmp_path)
    assert engine.search("title:deadly").total == 1
    assert engine.search("balloon").total == 0
    assert engine.search("zeppelin").total == 1


def test_a_reader_that_raises_does_not_stop_the_others(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("spiderd.search.reading.read_html", lambda _: 1 / 0)
    with Crawled(tmp_path) as crawled:
        crawled.store("http://t.test/1", html("First", TEXT))
        crawled.store("http://t.test/2", "Second\nzeppelin", "text/plain")
    with caplog.at_level(logging.WARNING):
        index(tmp_path)
    assert "http://t.test/1 cannot be read for the index: ZeroDivisionError" in caplog.text
    assert Engine(tmp_path).search("first").total == 1
    assert Engine(tmp_path).search("zeppelin").total == 1


def test_halves_of_characters_do_no_harm(tmp_path):
    with Crawled(tmp_path) as crawled:
        crawled.store("http://t.test/1", html("First", TEXT))
        crawled.store("http://t.test/2", "<title>half \ud800</title>".encode("utf-8", "surrogatepass"))
        crawled.store("http://t.test/3", "<title>&#xd800;</title>&#xdfff;&#0; zeppelin")
    index(tmp_path)
    assert Engine(tmp_path).search("zeppelin").total == 2
