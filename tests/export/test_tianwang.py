"""The Tianwang format: written, read back, and read where others have written it."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.export import export
from spiderd.export.tianwang import BadTianwang, read_tianwang, tianwang_record
from tests.crawl.harness import archived
from tests.verify.crawled import make

HEAD = b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data)
    return data


@pytest.mark.parametrize("kind", ["tianwang", "tianwang-zip"])
def test_a_crawl_comes_back_byte_for_byte(data: Path, kind: str) -> None:
    out = io.BytesIO()
    export(data, kind, out)
    records = list(read_tianwang(io.BytesIO(out.getvalue())))
    assert {record.properties["url"]: record.body for record in records} == archived(data)
    names = ["version", "url", "date", "ip", *(["unzip-length"] if kind == "tianwang-zip" else []), "length"]
    assert {tuple(record.properties) for record in records} == {tuple(names)}
    assert records[0].head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/html")


@given(st.lists(st.tuples(st.binary(), st.booleans()), max_size=4))
def test_any_bodies_come_back(bodies: list[tuple[bytes, bool]]) -> None:
    data = b"".join(
        tianwang_record("http://h.test/", 0.0, "192.0.2.1", HEAD + body, packed=packed)
        for body, packed in bodies
    )
    assert [record.body for record in read_tianwang(io.BytesIO(data))] == [body for body, _ in bodies]


def test_a_record_is_laid_out_as_the_format_says() -> None:
    assert tianwang_record("http://h.test/", 1063721600.0, "192.0.2.1", HEAD + b"<p>") == (
        b"version: 1.0\nurl: http://h.test/\ndate: Tue, 16 Sep 2003 14:13:20 GMT\n"
        b"ip: 192.0.2.1\nlength: 33\n\n"
        b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n<p>\n"
    )


def test_what_others_have_written_is_read() -> None:
    page = b"HTTP/1.1 200 OK\nServer: Apache\n\n<html>\n\n</html>"
    packed = zlib.compress(page)
    data = (
        b"version: 1.0\nurl: http://a.cn/\norigin: http://a.cn\ndate: x\nlength: %d\n\n%b\n\n"
        % (len(page), page)
    ) + (
        b"version: 1.0\r\nurl: http://b.cn/\r\ndate: x\r\nip: 1.2.3.4\r\n"
        b"unzip-length: %d\r\nlength: %d\r\n\r\n%b\n" % (len(page), len(packed), packed)
    )
    one, two = read_tianwang(io.BytesIO(data))
    assert (one.properties["origin"], one.body) == ("http://a.cn", b"<html>\n\n</html>")
    assert (two.properties["ip"], two.head, two.body) == (
        "1.2.3.4",
        b"HTTP/1.1 200 OK\nServer: Apache",
        one.body,
    )


@pytest.mark.parametrize(
    "data",
    [
        b"\x1f\x8b\x08\n",
        b"url: http://h.test/\nlength: 1\n\nx\n",
        b"version: 1.0\nlength: 5\n\nabc",
        b"version: 1.0\nlength: 3\n\nabcd",
        b"version: 1.0\nlength: -1\n\n",
        b"version: 1.0\nlength: 99999999999\n\n",
        b"version: 1.0\nurl: x\n\n",
        b"version: 1.0\n",
        b"version: 1.0",
        b"version: 1.0\nunzip-length: 3\nlength: 3\n\nabc\n",
        b"version: 1.0\nunzip-length: 3\nlength: 12\n\n" + zlib.compress(b"abcd") + b"\n",
        b"version: 1.0\n" + b"a: b\n" * 200,
    ],
)
def test_what_is_damaged_is_refused(data: bytes) -> None:
    with pytest.raises(BadTianwang):
        list(read_tianwang(io.BytesIO(data)))
