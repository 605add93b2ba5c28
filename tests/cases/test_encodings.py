"""C21, C22: in which encoding a page is read, seen in its title, its links and what is kept with it."""
# ruff: noqa: RUF001  # the texts are in the languages that the tests are about

from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.store.records import PageRecord
from tests.cases.playing import Each, play_each

pytestmark = pytest.mark.trio

H = "http://example.test"
CHINESE = (
    "我们在学习如何使用这个系统，"
    "它可以帮助用户快速地找到需要的信息。中国的互联网发展得非常快，很多人每天都要上网。"
)
TAIWANESE = (
    "我們在學習如何使用這個系統，"
    "它可以幫助使用者快速地找到需要的資訊。台灣的網際網路發展得非常快，很多人每天上網。"
)
JAPANESE = (
    "このシステムの使い方を学びます。"
    "利用者が必要な情報をすばやく見つけるのに役立ちます。毎日多くの人が使っています。"
)
RUSSIAN = "Мы изучаем, как пользоваться этой системой. Она помогает быстро находить нужную информацию в сети."


def text_page(text: str, codec: str, head: str = "") -> bytes:
    """A page of a text, with a link that has it in path and query."""
    link = f'<a href="/{text[:4]}?q={text[:4]}">x</a>'
    return f"<html><head>{head}<title>{text[:12]}</title></head><body>{text * 5}{link}".encode(codec)


def typed(body: bytes, content_type: str = "text/html"):
    """An answer with this Content-Type."""
    return 200, {"Content-Type": content_type}, body


def record(each: Each, case: int) -> PageRecord:
    """What was kept of the page of a case."""
    return each.crawled.pages[each.url(case)]


GBK_META = '<meta httpequiv="ContentType" content="text/html; charset=gbk">'
PRAGMA = "<meta content='text/html;charset=koi8-r' http-equiv=content-type>"
XML = '<?xml version="1.0" encoding="iso-8859-2"?><html>'


def titled(title: str, codec: str, head: str = "", mark: bytes = b"") -> bytes:
    """A page that has a title and nothing else."""
    return mark + f"{head}<title>{title}</title>".encode(codec)


UNDECLARED = [
    (text_page(CHINESE, "gbk", GBK_META), {"gbk", "gb18030"}, CHINESE),
    (text_page("①②" + JAPANESE, "cp932"), {"shift_jis"}, "①②" + JAPANESE),
    (text_page(TAIWANESE, "big5hkscs"), {"big5"}, TAIWANESE),
    # neighbours
    (text_page(CHINESE, "gb18030", "<meta name=charset content=utf-8>"), {"gbk", "gb18030"}, CHINESE),
    (text_page(JAPANESE, "euc_jp"), {"euc-jp"}, JAPANESE),
    (text_page(RUSSIAN, "koi8_r"), {"koi8-r", "koi8-u"}, RUSSIAN),
    (text_page(RUSSIAN, "cp1251", "<!-- <meta charset=utf-8> -->"), {"windows-1251"}, RUSSIAN),
    (text_page(RUSSIAN, "cp1251", "x" * 2000 + "<meta charset=utf-8>"), {"windows-1251"}, RUSSIAN),
    (text_page("\ue5e5" + CHINESE, "gb18030"), {"gbk", "gb18030"}, "\ue5e5" + CHINESE),
]


async def test_c21_what_declares_nothing_is_detected_and_said_to_be(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/", typed(body)) for body, _, _ in UNDECLARED])
    for case, (_, charsets, text) in enumerate(UNDECLARED):
        row = record(each, case)
        assert row.charset in charsets, text
        assert (row.title, row.charset_source, row.charset_lie) == (text[:12].strip(), "detected", False)
        assert 0.0 < row.charset_confidence <= 1.0
    assert record(each, 0).charset_confidence > 0.5


DECLARED = [
    # content type, body, title, encoding, source
    ("text/html; charset=iso-8859-1", b"\xef\xbb\xbf<title>\xc3\xa9a</title>", "éa", "utf-8", "bom"),
    ("text/html; charset=utf-8", titled("éb", "utf-16le", mark=b"\xff\xfe"), "éb", "utf-16le", "bom"),
    ("text/html; charset=iso-8859-1", b"<title>\x93c\x94</title>", "“c”", "windows-1252", "header"),
    ('text/html; charset="utf-8;"', "<title>éd</title>".encode(), "éd", "utf-8", "header"),
    ("text/html; charset=utf8", "<title>ée</title>".encode(), "ée", "utf-8", "header"),
    ("text/html; charset=none", "<meta charset=utf-8><title>éf</title>".encode(), "éf", "utf-8", "meta"),
    # neighbours
    ("text/html; charset=gb2312", "<title>镕基g</title>".encode("gb18030"), "镕基g", "gbk", "header"),
    ("text/html; CHARSET = 'Shift-JIS'", "<title>髙h</title>".encode("cp932"), "髙h", "shift_jis", "header"),
    ("text/html;charset=us-ascii", b"<title>\x80i</title>", "€i", "windows-1252", "header"),
    ("text/html", b"<meta charset=utf-16><title>j</title>", "j", "utf-8", "meta"),
    ("text/html", titled("як", "koi8_r", PRAGMA), "як", "koi8-r", "meta"),
    ("text/html; charset=x-unknown", "<title>él</title>".encode(), "él", "utf-8", "utf-8"),
    ("application/xhtml+xml", titled("łm", "iso8859_2", XML), "łm", "iso-8859-2", "meta"),
    ("text/html; charset=iso-2022-jp", titled("日本n", "iso2022_jp"), "日本n", "iso-2022-jp", "header"),
    ("text/html; charset=big5", "<title>台灣o</title>".encode("big5"), "台灣o", "big5", "header"),
    ("text/html; charset=euc-kr", "<title>뷁p</title>".encode("cp949"), "뷁p", "euc-kr", "header"),
]


async def test_c22_marks_headers_and_metas_in_their_order(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/", typed(body, kind)) for kind, body, *_ in DECLARED])
    found = [
        (row.title, row.charset, row.charset_source)
        for row in (record(each, case) for case in range(len(DECLARED)))
    ]
    assert found == [tuple(wanted) for _, _, *wanted in DECLARED]
    assert not any(record(each, case).charset_lie for case in range(len(DECLARED)))


LIES = [
    ("text/html; charset=utf-8", text_page(CHINESE, "gbk", "<meta charset=gbk>"), "gbk", CHINESE),
    ("text/html; charset=utf-8", text_page(RUSSIAN, "cp1251"), "windows-1251", RUSSIAN),
    ("text/html; charset=gbk", text_page(CHINESE, "utf-8"), "utf-8", CHINESE),
    ("text/html; charset=shift_jis", text_page(JAPANESE, "utf-8"), "utf-8", JAPANESE),
    ("text/html; charset=iso-8859-1", text_page(RUSSIAN, "utf-8"), "utf-8", RUSSIAN),
]


async def test_c22_a_declaration_that_is_found_lying_is_overruled_and_flagged(tmp_path: Path) -> None:
    each = await play_each(tmp_path, [(f"{H}/", typed(body, kind)) for kind, body, *_ in LIES])
    for case, (kind, _, charset, text) in enumerate(LIES):
        row = record(each, case)
        assert (row.title, row.charset, row.charset_lie) == (text[:12].strip(), charset, True), kind


async def test_a_query_is_asked_for_in_the_page_s_own_encoding_and_a_path_in_utf8(tmp_path: Path) -> None:
    pages = [
        typed(text_page("日本語の", "cp932"), "text/html; charset=shift_jis"),
        typed(text_page("日本語の", "euc_jp"), "text/html; charset=euc-jp"),
        typed(text_page("日本語の", "utf-8"), "text/html; charset=utf-8"),
        typed(text_page("日本語の", "utf-16-le"), "text/html; charset=utf-16le"),
    ]
    each = await play_each(tmp_path, [(f"{H}/", page) for page in pages])
    path = f"{H}/%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE?q="
    assert [each.asked(case) for case in range(4)] == [
        [path + "%93%FA%96{%8C%EA%82%CC"],
        [path + "%C6%FC%CB%DC%B8%EC%A4%CE"],
        [path + "%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE"],
        [path + "%E6%97%A5%E6%9C%AC%E8%AA%9E%E3%81%AE"],
    ]
