"""C35: sitemaps that break, and sitemaps that are weapons."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from spiderd.sitemaps import parse
from spiderd.sitemaps.unpacking import MAX_BYTES, unpacked

URL = "https://a.test/sitemap.xml"

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(
        f'<!ENTITY lol{n} "{f"&lol{n - 1 or chr(0)};".replace(chr(0), "") * 10}">' for n in range(1, 10)
    )
    + "]><urlset><url><loc>https://a.test/&lol9;</loc></url></urlset>"
).encode()
QUADRATIC = (
    f'<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'
    f"<urlset><url><loc>https://a.test/{'&a;' * 50_000}</loc></url></urlset>"
).encode()
EXTERNAL = (
    b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&f;</loc></url></urlset>'
)
PARAMETER = (
    b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://b.test/x">%p;]><urlset><url><loc>/1</loc></url></urlset>'
)
DEFAULTS = b'<!DOCTYPE x [<!ATTLIST url a CDATA "aaaa">]><urlset><url><loc>/1</loc></url></urlset>'


@pytest.mark.parametrize(
    "body",
    [LAUGHS, QUADRATIC, EXTERNAL, PARAMETER, DEFAULTS],
    ids=["laughs", "quadratic", "external", "parameter", "defaults"],
)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_c35_no_entity_is_ever_expanded(body, codec):
    body = body.decode().encode(codec)
    tracemalloc.start()
    sitemap = parse(body, URL)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sitemap.entries == []
    assert sitemap.problems == ["declares a document type of its own (entities?): not read further"]
    assert peak < 4 * len(body) + 1_000_000


def test_c35_an_external_document_type_is_not_asked_for():
    body = b'<!DOCTYPE urlset SYSTEM "http://b.test/x.dtd"><urlset><url><loc>/1</loc></url></urlset>'
    assert [entry.url for entry in parse(body, URL).entries] == ["https://a.test/1"]


def test_nesting_is_bounded():
    sitemap = parse(b"<urlset>" + b"<a>" * 1_000_000, URL)
    assert sitemap.problems == ["nested too deep"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"<urlset>" + b"<a/>" * 1_000_001, "more than a million elements: not read further"),
        (
            b"<urlset><url " + b"a='" + b"x" * 3_000_000,
            "a tag or comment of more than 1 MiB: not read further",
        ),
        (b"<urlset><!--" + b"x" * 3_000_000, "a tag or comment of more than 1 MiB: not read further"),
        (b"<urlset>" + b"<url><loc>x</loc></url>" * 60_000, "50000 entries are no http(s) URLs, such as 'x'"),
        (b"x\n" * 60_000, "50000 entries are no http(s) URLs, such as 'x'"),
    ],
    ids=["elements", "tag", "comment", "entries", "lines"],
)
def test_the_work_is_bounded(body, problem):
    assert problem in parse(body, URL).problems


def test_a_long_comment_with_an_end_is_harmless():
    body = b"<urlset><!--" + b"x" * 500_000 + b"--><url><loc>/1</loc></url></urlset>"
    assert len(parse(body, URL).entries) == 1


@pytest.mark.parametrize(
    ("broken", "locs"),
    [
        (b"<urlset><url><loc>/1</loc></url><url><loc>/2</lo", ["/1"]),
        (b"<urlset><url><loc>/1</loc></url><url><loc>/2?a=1&b=2</loc></url></urlset>", ["/1", "/2?a=1&b=2"]),
        (
            b"<urlset><url><loc>/1</loc></url><url><loc>/caf&eacute;</loc></url></urlset>",
            ["/1", "/caf&eacute;"],
        ),
        (b"<urlset><url><loc>/\x01\x021</loc></url><url><loc>/2</loc></url></urlset>", ["/1", "/2"]),
        (b"<urlset><url><loc>/1</loc></url></urlset>trailing<junk>", ["/1"]),
        (b"<urlset><url><loc>/1</loc></url></urlset><urlset><url><loc>/2</loc></url></urlset>", ["/1"]),
        (
            b"<br />\n<b>Warning</b>: x<?xml version='1.0'?><urlset><url><loc>/1</loc></url></urlset>",
            ["/1"],
        ),
        (b"\n\n <?xml version='1.0'?><urlset><url><loc>/1</loc></url></urlset>", ["/1"]),
        (
            b"<?xml version='1.0' encoding='utf-8'?><urlset><url><loc>/\xe9</loc></url></urlset>",
            ["/%EF%BF%BD"],
        ),
        (
            b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>/\xe9</loc></url></urlset>",
            ["/%C3%A9"],
        ),
        (
            b"<?xml version='1.0' encoding='windows-1251'?><urlset><url><loc>/\xe9</loc></url></urlset>",
            ["/%D0%B9"],
        ),
        (
            b"<?xml version='1.0' encoding='gb2312'?><urlset><url><loc>/\xc4\xe3</loc></url></urlset>",
            ["/%E4%BD%A0"],
        ),
        (b"<?xml version='1.0' encoding='klingon'?><urlset><url><loc>/1</loc></url></urlset>", ["/1"]),
        (b"<?xml version='1.1'?><urlset><url><loc>/1</loc></url></urlset>", ["/1"]),
    ],
)
def test_c35_what_breaks_is_mended_or_gives_what_came_before(broken, locs):
    found = [entry.url.removeprefix("https://a.test") for entry in parse(broken, URL).entries]
    assert found == locs


def test_c35_utf_16_documents():
    text = '<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>/\u00e9?a&amp;b</loc></url></urlset>'
    for body in (text.encode("utf-16"), text.replace("&amp;", "&").encode("utf-16")):
        assert [entry.url for entry in parse(body, URL).entries] == ["https://a.test/%C3%A9?a&b"]


def test_what_was_mended_is_said():
    sitemap = parse(b"<urlset><url><loc>/?a&b</loc></url></urlset>", URL)
    (problem,) = sitemap.problems
    assert problem.startswith("broken XML (")
    assert problem.endswith("; mended")


# gzip


def test_c35_a_bomb_is_cut_at_50_mib():
    bomb = gzip.compress(b" " * (MAX_BYTES + 1), 1)
    body, problems = unpacked(bomb)
    assert len(body) == MAX_BYTES
    assert problems == ["bigger than 50 MiB: the rest is left out"]


def test_c35_a_bomb_in_a_bomb_is_cut_at_each_layer():
    inner = gzip.compress(b" " * (MAX_BYTES + 50_000_000), 1)
    tracemalloc.start()
    _, problems = unpacked(gzip.compress(inner))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problems == ["bigger than 50 MiB: the rest is left out"]
    assert peak < 4 * MAX_BYTES


def test_a_file_that_breaks_off_gives_what_came_before():
    entries = "".join(f"<url><loc>/{n}-{zlib.crc32(b'%d' % n)}</loc></url>" for n in range(5000))
    packed = gzip.compress(f"<urlset>{entries}</urlset>".encode())
    sitemap = parse(packed[: len(packed) // 2], URL)
    assert 1000 < len(sitemap.entries) < 4000
    assert sitemap.problems[0] == "the gzip data break off"


@pytest.mark.parametrize("place", [0.5, 0.99])
def test_a_damaged_file_gives_what_came_before(place):
    entries = "".join(f"<url><loc>/{n}-{zlib.crc32(b'%d' % n)}</loc></url>" for n in range(5000))
    packed = bytearray(gzip.compress(f"<urlset>{entries}</urlset>".encode()))
    at = int(len(packed) * place)
    packed[at : at + 8] = b"\xff" * 8
    sitemap = parse(bytes(packed), URL)
    assert len(sitemap.entries) > 1000


def test_members_are_joined_and_padding_is_dropped():
    halves = gzip.compress(b"<urlset><url><loc>/1</loc></url>") + gzip.compress(b"</urlset>")
    assert unpacked(halves + b"\0" * 100) == (b"<urlset><url><loc>/1</loc></url></urlset>", [])


def test_many_empty_members_cost_no_more_than_one():
    member = gzip.compress(b"")
    assert unpacked(member * 20_000 + gzip.compress(b"x")) == (b"x", [])


def test_magic_alone_is_not_enough():
    assert unpacked(b"\x1f\x8b\x08") == (b"", ["the gzip data break off"])
    assert unpacked(b"\x1f\x8b\x08\xff\xff\xff\xff\xff") == (b"", ["the gzip data are damaged"])
    assert unpacked(b"\x1f\x8b") == (b"\x1f\x8b", [])
