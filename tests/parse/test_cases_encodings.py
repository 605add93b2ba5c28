"""The cases from the field that encodings decide, by their numbers, and neighbours of each."""
# ruff: noqa: RUF001  # the texts are in the languages that the tests are about

from __future__ import annotations

import pytest

from tests.parse.pages import parse

SITE = "http://example.test"

CHINESE = (
    "我们在学习如何使用这个系统，它可以帮助用户快速地找到需"
    "要的信息。中国的互联网发展得非常快，很多人每天都要上网。"
)
TAIWANESE = (
    "我們在學習如何使用這個系統，它可以幫助使用者快速地找到需"
    "要的資訊。台灣的網際網路發展得非常快，很多人每天都要上網。"
)
JAPANESE = (
    "このシステムの使い方を学びます。利用者が必要な情報をすば"
    "やく見つけるのに役立ちます。毎日多くの人が使っています。"
)
KOREAN = (
    "이 시스템을 사용하는 방법을 배우고 있습니다. 사용자가 필요한 정"
    "보를 빨리 찾는 데 도움이 됩니다. 매일 많은 사람이 사용합니다."
)
RUSSIAN = "Мы изучаем, как пользоваться этой системой. Она помогает быстро находить нужную информацию."
GREEK = "Μαθαίνουμε πώς να χρησιμοποιούμε αυτό το σύστημα. Βοηθά τους χρήστες να βρίσκουν πληροφορίες."


def undeclared(text: str, codec: str) -> bytes:
    return f"<html><head><title>{text[:12]}</title></head><body><p>{text * 4}</p>".encode(codec)


def test_c21_a_malformed_meta_declares_nothing() -> None:
    meta = b'<meta httpequiv="ContentType" content="text/html; charset=gbk">'
    page = parse(meta + undeclared(CHINESE, "gbk"), content_type="text/html")
    assert (page.charset, page.charset_source) == ("gbk", "detected")
    assert page.title == CHINESE[:12]
    assert page.charset_confidence > 0.8
    other = parse(meta + undeclared(JAPANESE, "cp932"), content_type="text/html")
    assert other.charset == "shift_jis"


def test_c21_undeclared_shift_jis_with_vendor_characters() -> None:
    page = parse(undeclared("①②" + JAPANESE, "cp932"), content_type="text/html")
    assert (page.charset, page.charset_source) == ("shift_jis", "detected")
    assert page.title.startswith("①②")


def test_c21_undeclared_big5() -> None:
    page = parse(undeclared(TAIWANESE, "big5hkscs"), content_type="text/html")
    assert (page.charset, page.title) == ("big5", TAIWANESE[:12])


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (CHINESE, "gb18030", "gbk"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (KOREAN, "cp949", "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r"),
        (RUSSIAN, "cp866", "ibm866"),
        (RUSSIAN, "iso8859_5", "iso-8859-5"),
        (GREEK, "cp1253", "windows-1253"),
        ("Žluťoučký kůň příliš úpěl ďábelské ódy, řekl ještě jednou.", "cp1250", "windows-1250"),
        ("Žluťoučký kůň příliš úpěl ďábelské ódy, řekl ještě jednou.", "iso8859_2", "iso-8859-2"),
        ("Zażółć gęślą jaźń, powiedział ktoś później łagodnie.", "iso8859_2", "iso-8859-2"),
        ("Fahrvergnügen heißt: die Straße gehört den Füßen; öfter üben!", "cp1252", "windows-1252"),
        ("L’été dernier, à Orléans, nous avons goûté des pâtés très salés.", "cp1252", "windows-1252"),
        ("Kullanıcılar için bilgi bulmayı kolaylaştırır, çok hızlı çalışır.", "cp1254", "windows-1254"),
        ("המערכת עוזרת למשתמשים למצוא מידע במהירות רבה מאוד", "cp1255", "windows-1255"),
        ("يساعد هذا النظام المستخدمين على العثور على المعلومات بسرعة كبيرة", "cp1256", "windows-1256"),
        ("ระบบนี้ช่วยให้ผู้ใช้ค้นหาข้อมูลได้อย่างรวดเร็วและใช้งานได้ทุกวัน", "cp874", "windows-874"),
        (RUSSIAN, "utf-16-le", "utf-16le"),
        (RUSSIAN, "utf-16-be", "utf-16be"),
        (KOREAN, "utf-8", "utf-8"),
    ],
)  # fmt: skip
def test_c21_undeclared_encodings_are_guessed(text: str, codec: str, name: str) -> None:
    page = parse(undeclared(text, codec), content_type="text/html")
    assert (page.charset, page.title) == (name, text[:12].strip())
    assert page.charset_source == ("utf-8" if name == "utf-8" else "detected")
    assert not page.charset_lie


def test_c22a_a_byte_order_mark_beats_the_header() -> None:
    page = parse(b"\xef\xbb\xbf<title>\xc3\xa9</title>", content_type="text/html; charset=iso-8859-1")
    assert (page.title, page.charset, page.charset_source) == ("é", "utf-8", "bom")


def test_c22b_utf16_by_its_mark() -> None:
    for mark, codec, name in ((b"\xff\xfe", "utf-16-le", "utf-16le"), (b"\xfe\xff", "utf-16-be", "utf-16be")):
        page = parse(
            mark + "<title>é</title><a href=/ü>".encode(codec), content_type="text/html; charset=utf-8"
        )
        assert (page.title, page.charset, page.charset_source) == ("é", name, "bom")
        assert page.links.urls == [f"{SITE}/%C3%BC"]


def test_c22c_latin_1_is_windows_1252() -> None:
    for label in ("iso-8859-1", "latin1", "us-ascii", "ISO_8859-1:1987", "cp1252"):
        page = parse(b"<title>\x93x\x94</title>", content_type=f"text/html; charset={label}")
        assert (page.title, page.charset, page.charset_source) == ("“x”", "windows-1252", "header")


def test_c22d_the_header_wins_until_it_is_found_lying() -> None:
    body = b"<meta charset=gbk>" + undeclared(CHINESE, "gbk")
    page = parse(body, content_type="text/html; charset=utf-8")
    assert (page.charset, page.charset_source, page.charset_lie) == ("gbk", "detected", True)
    assert page.title == CHINESE[:12]
    slip = parse("<title>é</title>ééé".encode() + b"\xe9", content_type="text/html; charset=utf-8")
    assert (slip.charset, slip.charset_source, slip.charset_lie) == ("utf-8", "header", False)


@pytest.mark.parametrize(
    ("body", "declared", "charset"),
    [
        (undeclared(RUSSIAN, "cp1251"), "utf-8", "windows-1251"),
        (undeclared(JAPANESE, "cp932"), "euc-jp", "shift_jis"),
        (undeclared(KOREAN, "utf-8"), "euc-kr", "utf-8"),
        (undeclared(KOREAN, "utf-8"), "iso-8859-1", "utf-8"),
        (undeclared(CHINESE, "utf-8"), "gb2312", "utf-8"),
        (undeclared(JAPANESE, "utf-8"), "shift_jis", "utf-8"),
        (b"<title>nothing but ASCII</title>", "utf-16", "utf-8"),
        (undeclared("Fahrvergnügen heißt", "cp1252"), "utf-8", "windows-1252"),
    ],
)
def test_c22d_lies_of_other_kinds(body: bytes, declared: str, charset: str) -> None:
    page = parse(body, content_type=f"text/html; charset={declared}")
    assert (page.charset, page.charset_lie) == (charset, True)


@pytest.mark.parametrize(
    ("content_type", "charset", "source"),
    [
        ('text/html; charset="utf-8;"', "utf-8", "header"),
        ("text/html; charset=utf8", "utf-8", "header"),
        ("text/html; charset=none", "windows-1252", "meta"),
        ("text/html; charset=", "windows-1252", "meta"),
        ("text/html; Charset = 'UTF-8'", "utf-8", "header"),
        ("text/html;charset=utf-8, text/html", "utf-8", "header"),
        ("text/html; x=charset", "windows-1252", "meta"),
        ("", "windows-1252", "meta"),
    ],
)
def test_c22e_labels_as_they_come(content_type: str, charset: str, source: str) -> None:
    page = parse("<!doctype html><meta charset=latin1><title>x</title>", content_type=content_type)
    assert (page.charset, page.charset_source) == (charset, source)


def test_c22d_a_few_characters_do_not_make_a_lie() -> None:
    for body, declared in (
        (b"<title>\xc3\xa9</title>", "iso-8859-1"),
        (b"<title>\xe9</title>", "utf-8"),
        (b"<title>x</title>", "gbk"),
        ("<title>x</title>".encode("utf-16-le"), "utf-16"),
    ):
        page = parse(body, content_type=f"text/html; charset={declared}")
        assert (page.charset_source, page.charset_lie) == ("header", False)


def test_a_page_cut_in_the_middle_of_a_character_is_what_it_was() -> None:
    page = parse(("<title>é</title>" + KOREAN).encode()[:-2], content_type="text/html")
    assert (page.charset, page.charset_source, page.title) == ("utf-8", "utf-8", "é")
    assert parse(b"<title>x</title> caf\xe9", content_type="text/html").charset == "windows-1252"


@pytest.mark.parametrize(
    ("charset", "href", "url"),
    [
        ("gbk", "/中?q=中", "/%E4%B8%AD?q=%D6%D0"),
        ("shift_jis", "?q=日本", "/dir/page.html?q=%93%FA%96{"),
        ("euc-kr", "?q=한", "/dir/page.html?q=%C7%D1"),
        ("windows-1251", "?q=я", "/dir/page.html?q=%FF"),
        ("iso-8859-1", "?q=é&amp;r=中", "/dir/page.html?q=%E9&r=%26%2320013%3B"),
        ("utf-8", "?q=é", "/dir/page.html?q=%C3%A9"),
    ],
)
def test_queries_are_written_in_the_encoding_of_the_page(charset: str, href: str, url: str) -> None:
    body = f"<a href='{href}'>".encode(charset, "xmlcharrefreplace")
    page = parse(body, content_type=f"text/html; charset={charset}")
    assert page.links.urls == [SITE + url]
