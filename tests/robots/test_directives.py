"""C34: what a page asks of us by header and meta element."""

from __future__ import annotations

import pytest

from spiderd.robots.directives import Directives, of_headers, of_meta, speaks_to_us, together

NOTHING = Directives()
NOINDEX = Directives(noindex=True)
NOFOLLOW = Directives(nofollow=True)
NONE = Directives(noindex=True, nofollow=True)
NOW = 1_900_000_000.0  # March 2030


def test_c34_page_1():
    headers = [
        "otherbot: noindex, nofollow",
        "unavailable_after: 25 Jun 2030 15:00:00 GMT",
        "SpiderD: nofollow",
    ]
    assert of_headers(headers) == NOFOLLOW
    assert of_headers(headers, now=NOW) == NOFOLLOW
    assert of_headers(headers, agent="otherbot") == NONE


@pytest.mark.parametrize(
    ("content", "right"),
    [
        ("None", NONE),
        ("noodp", NOTHING),
        ("NOINDEX,NOFOLLOW", NONE),
        (" noindex ", NOINDEX),
        ("noindex,follow", NOINDEX),
        ("index, nofollow", NOFOLLOW),
        ("all", NOTHING),
        ("", NOTHING),
        ("noindexed", NOTHING),
        ("no index", NOTHING),
        ("max-snippet:-1, max-image-preview:large", NOTHING),
        ("noarchive, nosnippet", NOTHING),
        ("index,follow,noindex", NOINDEX),
        ("noindex\n,\tnofollow", NONE),
    ],
)
def test_c34_meta(content, right):
    assert of_meta(content) == right
    assert of_headers([content]) == right


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("noindex", NOINDEX),
        ("spiderd: noindex", NOINDEX),
        ("SPIDERD : none", NONE),
        ("spiderd/2.0: noindex", NOINDEX),
        ("googlebot: noindex", NOTHING),
        ("robots: noindex", NOINDEX),
        ("*: nofollow", NOFOLLOW),
        ("spider: noindex", NOTHING),
        ("max-snippet: 20, noindex", NOINDEX),
        ("otherbot: noindex, spiderd: nofollow", NOFOLLOW),
        ("noindex, otherbot: nofollow", NOINDEX),
        ("otherbot: noindex, nofollow, noarchive", NOTHING),
        ("unavailable_after: Wednesday, 25-Jun-30 15:00:00 GMT, nofollow", NOFOLLOW),
        ("unavailable_after: 2030-06-25T15:00:00+00:00, noindex", NOINDEX),
    ],
)
def test_c34_names_in_headers(value, right):
    assert of_headers([value]) == right


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ("unavailable_after: 25 Jun 2029 15:00:00 GMT", True),
        ("unavailable_after: 25 Jun 2031 15:00:00 GMT", False),
        ("Unavailable_After: Monday, 25-Jun-29 15:00:00 GMT", True),
        ("unavailable_after: 2029-06-25", True),
        ("unavailable_after: 2031-06-25T00:00:00Z", False),
        ("unavailable_after: some day", False),
        ("otherbot: unavailable_after: 25 Jun 2029 15:00:00 GMT", False),
        ("spiderd: unavailable_after: 25 Jun 2029 15:00:00 GMT", True),
    ],
)
def test_c34_a_page_past_its_date_is_not_indexed(value, gone):
    assert of_headers([value], now=NOW) == Directives(noindex=gone)
    assert of_headers([value]) == NOTHING


def test_c34_all_that_speak_hold_together():
    assert of_headers(["noindex", "nofollow"]) == NONE
    assert of_headers(["index", "spiderd: noindex", "all"]) == NOINDEX
    assert of_headers([]) == NOTHING
    assert together([of_meta("noindex"), of_headers(["nofollow"])]) == NONE


@pytest.mark.parametrize(
    ("name", "ours"),
    [("ROBOTS", True), (" robots", True), ("SpiderD", True), ("googlebot", False), ("", False)],
)
def test_c34_meta_names(name, ours):
    assert speaks_to_us(name) is ours
