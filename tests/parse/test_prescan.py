from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.parse.labels import NAMES, decode, encoding_name
from spiderd.parse.prescan import declared_in_page, declared_in_xml


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<meta charset=gb2312>", "gbk"),
        (b'<META CHARSET = " Big5 ">', "big5"),
        (b"<meta/charset='shift_jis'/>", "shift_jis"),
        (b"<meta name=x charset=koi8-r>", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">', "euc-kr"),
        (b"<meta content='text/html;charset=\"euc-jp\"' http-equiv=content-type>", "euc-jp"),
        (b"<meta http-equiv=content-type content=charset=utf-8;x>", "utf-8"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=none><meta charset=latin2>", "iso-8859-2"),
        (b"<meta charset=a charset=latin2>", ""),
        (b"<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
        (b"<!--><meta charset=gbk>", "gbk"),
        (b"<!doctype html><html lang='<meta charset=big5>'><meta charset=gbk>", "gbk"),
        (b"<?x <meta charset=big5><meta charset=gbk>", "gbk"),
        (b"</meta charset=big5><meta charset=gbk>", "gbk"),
        (b"<metax charset=big5><meta charset=gbk>", "gbk"),
        (b"<meta httpequiv=ContentType content='text/html; charset=gbk'>", ""),
        (b"<meta http-equiv=refresh content='text/html; charset=gbk'>", ""),
        (b"<meta name=content-type content='text/html; charset=gbk'>", ""),
        (b"<meta charset=gbk", ""),
        (b"<meta charset='gbk", ""),
        (b"x" * 1020 + b"<meta charset=gbk>", ""),
        (b"charset=gbk", ""),
        (b"<?xml version='1.0' encoding='koi8-r'?><html>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?><meta charset=gbk>", "gbk"),
        (b"<?xml version='1.0' encoding='utf-16'?>", "utf-8"),
        (b"", ""),
    ],
)
def test_what_a_page_declares(head: bytes, name: str) -> None:
    assert declared_in_page(head) == name


def test_what_an_xml_declaration_declares() -> None:
    assert declared_in_xml(b'<?xml version = "1.0" encoding = "EUC-JP" standalone="yes"?>') == "euc-jp"
    assert declared_in_xml(b'<?xml version="1.0"?><a encoding="EUC-JP">') == ""
    assert declared_in_xml(b' <?xml encoding="EUC-JP"?>') == ""


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (" UTF8\n", "utf-8"),
        ("gb2312", "gbk"),
        ("GB_2312-80", "gbk"),
        ("iso-8859-1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("iso-8859-9", "windows-1254"),
        ("tis-620", "windows-874"),
        ("ks_c_5601-1987", "euc-kr"),
        ("x-sjis", "shift_jis"),
        ("hz-gb-2312", "replacement"),
        ("utf-7", ""),
        ("utf_8", ""),
        ("latin-1", ""),
        ("", ""),
    ],
)
def test_labels_are_those_of_the_standard(label: str, name: str) -> None:
    assert encoding_name(label) == name


@pytest.mark.parametrize(
    ("data", "name", "text", "bad"),
    [
        (b"\x93\x81\x94", "windows-1252", "\u201c\x81\u201d", 0),
        (b"\x80", "gbk", "\u20ac", 0),
        (b"\x81\x30\x84\x36", "gbk", "\xa5", 0),  # GB 18030 has four bytes
        (b"\x87\x40", "shift_jis", "\u2460", 0),
        (b"\x5c\x7e", "shift_jis", "\\~", 0),
        (b"\xad\xa1\xa1\xc1\xb0\xa1", "euc-jp", "\u2460\uff5e\u4e9c", 0),
        (b"\x1b$B0!\x1b(B<", "iso-2022-jp", "\u4e9c<", 0),
        (b"\x81\x41", "euc-kr", "\uac02", 0),
        (b"\xa4\xa4", "big5", "\u4e2d", 0),
        (b"\xca", "windows-1255", "\u05ba", 0),
        (b"\xff", "windows-1253", "\ufffd", 1),
        (b"\xe9<a>", "gbk", "\ufffd<a>", 1),
        (b"\xc3<a>\xe4\xb8<", "utf-8", "\ufffd<a>\ufffd<", 2),
        (b"\xef\xbf\xbd\xff", "utf-8", "\ufffd\ufffd", 1),
        (b"abc", "replacement", "\ufffd", 1),
        (b"a\xff", "x-user-defined", "a\uf7ff", 0),
        (b"a\0", "utf-16le", "a", 0),
    ],
)
def test_decoders_are_those_of_the_standard(data: bytes, name: str, text: str, bad: int) -> None:
    assert decode(data, name) == (text, bad)


@given(st.binary(), st.sampled_from(sorted(NAMES)))
def test_no_bytes_break_a_decoder(data: bytes, name: str) -> None:
    text, bad = decode(data, name)
    text.encode()  # no lone surrogates
    assert bad >= 0


@given(st.binary())
def test_no_bytes_break_the_prescan(data: bytes) -> None:
    declared_in_page(b"<meta " + data + b"charset=" + data)
