"""The archive as WARC: written in crawls and alone, read back by warcio and by fastwarc."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from spiderd.archive.directory import Directory, cut_back
from spiderd.archive.reading import place_of, read_body, read_response
from spiderd.archive.records import BadRecord, offset_of
from spiderd.archive.warc import Received, exchange_records, kept_head, record, revisit_records
from spiderd.errors import StorageError
from spiderd.states import OutcomeKind
from spiderd.verify import verify
from tests.crawl.harness import configured, crawl, pages_of
from tests.crawl.pages import page, site_of
from tests.web.server import serve

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd: \xe9\r\n\r\n"


def received(url: str, body: bytes, head: bytes = HEAD, **more) -> Received:
    return Received(url, 1_700_000_000.0, 200, head, body, **more)


def warcio_records(data: bytes, tmp_path: Path) -> list[tuple[dict, bytes]]:
    file = tmp_path / "read.warc.gz"
    file.write_bytes(data)
    with file.open("rb") as stream:
        return [(dict(one.rec_headers.headers), one.raw_stream.read()) for one in ArchiveIterator(stream)]


@dataclass
class Options:
    """What warcio's checker is called with."""

    inputs: list[str]
    verbose: bool = True


def is_valid(file: Path) -> bool:
    """Whether warcio finds digests right and each record in a member of its own."""
    checker = Checker(Options([str(file)]))
    checker.process_all()
    return checker.exit_value == 0


def test_an_exchange_is_a_response_and_a_request(tmp_path: Path) -> None:
    request = b"GET / HTTP/1.1\r\nHost: h.test\r\nAuthorization: Basic c2VjcmV0\r\nAccept: */*\r\n\r\n"
    one = received("http://h.test/", b"<p>", request=request, address="10.0.0.1", truncated=True)
    response, asked = warcio_records(b"".join(exchange_records(one)), tmp_path)
    fields = response[0]
    assert fields["WARC-Type"] == "response"
    assert fields["WARC-Target-URI"] == "http://h.test/"
    assert fields["WARC-Date"] == "2023-11-14T22:13:20Z"
    assert fields["WARC-IP-Address"] == "10.0.0.1"
    assert fields["WARC-Truncated"] == "length"
    assert response[1] == b"<p>"
    assert asked[0]["WARC-Type"] == "request"
    assert asked[0]["WARC-Concurrent-To"] == fields["WARC-Record-ID"]
    kept = gzip.decompress(exchange_records(one)[1]).partition(b"\r\n\r\n")[2]
    assert kept == b"GET / HTTP/1.1\r\nHost: h.test\r\nAccept: */*\r\n\r\n\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"HTTP/1.0 200 fine\nA: b\n\n", b"HTTP/1.0 200 fine\r\nA: b\r\nContent-Length: 3\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nCONTENT-ENCODING: gzip\r\ncontent-length: 9\r\n\r\n",
            (
                b"HTTP/1.1 200 OK\r\nX-Archive-Orig-CONTENT-ENCODING: gzip\r\n"
                b"X-Archive-Orig-content-length: 9\r\nContent-Length: 3\r\n\r\n"
            ),
        ),
        (b"ICY 200 OK\r\n\r\n", b"HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\n"),
    ],
)
def test_the_head_is_kept_as_far_as_it_is_true_of_the_body(head: bytes, kept: bytes) -> None:
    assert kept_head(received("http://h.test/", b"abc", head)) == kept


def test_a_field_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    data = record("resource", [("WARC-Target-URI", "http://h.test/\r\nWARC-Type: warcinfo")], b"x")
    assert gzip.decompress(data).count(b"\r\n") == 8
    assert warcio_records(data, tmp_path)[0][0]["WARC-Target-URI"].startswith("http://h.test/%20%20WARC")


def test_a_directory_of_records(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 7, warc=True)
    bodies = [os.urandom(100_000), b"", b"HTTP/1.1 200 OK\r\n\r\n\r\n\r\n"]
    for number, body in enumerate(bodies, 1):
        url = f"http://h.test/{number}"
        assert directory.store(url, body, received(url, body)) == number
        directory.note(revisit_records(received(f"{url}/again", body)))
    directory.close()
    folder = tmp_path / "00007"
    assert sorted(file.name for file in folder.iterdir()) == [
        "index.txt",
        "records.offsets",
        "records.warc.gz",
    ]
    assert [read_body(tmp_path, 7, number) for number in (1, 2, 3)] == bodies
    assert place_of(tmp_path, 7, 2) == folder / "records.warc.gz"
    with (folder / "records.warc.gz").open("rb") as stream:
        kinds = [one.rec_type for one in ArchiveIterator(stream)]
    assert kinds == ["warcinfo", *["response", "revisit"] * 3]
    assert is_valid(folder / "records.warc.gz")
    with pytest.raises(FileNotFoundError):
        read_body(tmp_path, 7, 4)


def test_what_was_not_committed_is_cut_back(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 1, warc=True)
    directory.store("http://h.test/a", b"a", received("http://h.test/a", b"a"))
    directory.note(revisit_records(received("http://h.test/b", b"a")))
    committed = (directory.index_bytes, directory.records_bytes)
    whole = (tmp_path / "00001" / "records.warc.gz").read_bytes()
    directory.store("http://h.test/c", b"c", received("http://h.test/c", b"c"))
    directory.close()
    cut_back(tmp_path, 1, 1, *committed)
    assert (tmp_path / "00001" / "records.warc.gz").read_bytes() == whole
    again = Directory(tmp_path, 1, count=1, index_bytes=committed[0], records_bytes=committed[1], warc=True)
    assert again.store("http://h.test/d", b"d", received("http://h.test/d", b"d")) == 2
    again.close()
    assert [read_body(tmp_path, 1, number) for number in (1, 2)] == [b"a", b"d"]


def test_records_that_are_too_short_are_not_silently_taken(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 1, warc=True)
    directory.store("http://h.test/a", b"a", received("http://h.test/a", b"a"))
    directory.close()
    committed = (directory.index_bytes, directory.records_bytes)
    folder = tmp_path / "00001"
    os.truncate(folder / "records.warc.gz", offset_of(folder, 1))
    with pytest.raises(StorageError, match=r"records\.warc\.gz"):
        cut_back(tmp_path, 1, 1, *committed)
    (folder / "records.warc.gz").unlink()
    with pytest.raises(StorageError, match=r"records\.warc\.gz"):
        cut_back(tmp_path, 1, 1, *committed)


def test_the_format_may_be_changed_in_the_middle_of_a_directory(tmp_path: Path) -> None:
    first = Directory(tmp_path, 1)
    first.store("http://h.test/a", b"a")
    first.close()
    second = Directory(tmp_path, 1, count=1, index_bytes=first.index_bytes, warc=True)
    second.store("http://h.test/b", b"b", received("http://h.test/b", b"b"))
    second.close()
    third = Directory(
        tmp_path, 1, count=2, index_bytes=second.index_bytes, records_bytes=second.records_bytes
    )
    third.store("http://h.test/c", b"c", received("http://h.test/c", b"c"))
    third.note(revisit_records(received("http://h.test/d", b"c")))
    third.close()
    assert third.records_bytes == second.records_bytes
    assert [read_body(tmp_path, 1, number) for number in (1, 2, 3)] == [b"a", b"b", b"c"]


def test_damage_is_told(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 1, warc=True)
    directory.store("http://h.test/a", b"a" * 1000, received("http://h.test/a", b"a" * 1000))
    directory.close()
    file = tmp_path / "00001" / "records.warc.gz"
    data = bytearray(file.read_bytes())
    data[-6] ^= 0xFF  # of the checksum
    file.write_bytes(data)
    with pytest.raises(BadRecord):
        read_body(tmp_path, 1, 1)
    file.write_bytes(data[:-20])
    with pytest.raises(BadRecord):
        read_body(tmp_path, 1, 1)


def site() -> dict:
    return site_of(
        {
            "/": page("/a", "/b", "/twin", "/moved", "/long", text="root"),
            "/a": (200, [("Content-Type", "text/html"), ("X-Own", "1"), ("X-Own", "2")], page(text="a")),
            "/b": page(text="b"),
            "/twin": page(text="b"),
            "/moved": (302, {"Location": "/a"}, b"over there"),
            "/long": page(text="x" * 5000),
        }
    )


def crawl_as_warc(data: Path) -> None:
    async def run() -> None:
        async with serve(site()) as web:
            config = configured(web.url("/"), archive={"format": "warc"}, fetch={"max_body": 2048})
            await crawl(config, data)

    trio.run(run)


def test_a_crawl_as_warc_is_read_back_by_others(tmp_path: Path) -> None:
    crawl_as_warc(tmp_path)
    report = verify(tmp_path)
    assert report.sound, report
    pages = {
        url.partition("/")[2].partition("/")[2].partition("/")[2]: p for url, p in pages_of(tmp_path).items()
    }
    assert pages["twin"].kind is OutcomeKind.DUPLICATE or pages["b"].kind is OutcomeKind.DUPLICATE
    kinds: dict[str, list[str]] = {}
    for file in (tmp_path / "pages").glob("*/records.warc.gz"):
        assert is_valid(file)
        with file.open("rb") as stream:
            for one in ArchiveIterator(stream):
                url = (one.rec_headers["WARC-Target-URI"] or "").rpartition("/")[2]
                kinds.setdefault(url, []).append(one.rec_type)
                if one.rec_type == "response" and url == "a":
                    assert [v for n, v in one.http_headers.headers if n == "X-Own"] == ["1", "2"]
                    assert one.content_stream().read() == page(text="a").encode()
                if one.rec_type == "response" and url == "long":
                    assert one.rec_headers["WARC-Truncated"] == "length"
    del kinds[""]
    assert kinds.keys() == {"a", "b", "twin", "moved", "long"}
    assert {tuple(kinds["b"]), tuple(kinds["twin"])} == {("response", "request"), ("revisit", "request")}
    assert kinds["moved"] == ["response", "request"]


@pytest.mark.parametrize("known", ["in flight", "in the store"])
def test_a_revisit_names_the_capture_that_has_its_content(tmp_path: Path, known: str) -> None:
    """Whether the first one is on its way into the store still, or has been there for long."""
    twins = [f"/twin{n}" for n in range(4)]
    routes = {"/": page(*twins, text="root"), **{name: page(text="the same") for name in twins}}

    async def run() -> None:
        async with serve(site_of(routes)) as web:
            crew = {"threads": 4 if known == "in flight" else 1}
            await crawl(configured(web.url("/"), archive={"format": "warc"}, crawl=crew), tmp_path)

    trio.run(run)
    records = []
    for file in (tmp_path / "pages").glob("*/records.warc.gz"):
        with file.open("rb") as stream:
            records += [one.rec_headers for one in ArchiveIterator(stream)]
    captures = {one["WARC-Record-ID"]: one for one in records if one["WARC-Type"] == "response"}
    revisits = [one for one in records if one["WARC-Type"] == "revisit"]
    assert len(revisits) == 3
    for revisit in revisits:
        original = captures[revisit["WARC-Refers-To"]]
        assert "/twin" in original["WARC-Target-URI"]
        assert original["WARC-Target-URI"] == revisit["WARC-Refers-To-Target-URI"]
        assert original["WARC-Date"] == revisit["WARC-Refers-To-Date"]
        assert original["WARC-Payload-Digest"] == revisit["WARC-Payload-Digest"]


def test_fastwarc_reads_the_bodies_that_we_read(tmp_path: Path) -> None:
    crawl_as_warc(tmp_path)
    theirs = {}
    for file in (tmp_path / "pages").glob("*/records.warc.gz"):
        with file.open("rb") as stream:
            for one in FastIterator(stream, record_types=WarcRecordType.response):
                assert one.verify_payload_digest()
                theirs[one.headers["WARC-Target-URI"]] = one.reader.read()
    ours = {
        url: read_response(tmp_path / "pages", row).body
        for url, row in pages_of(tmp_path).items()
        if row.kind is OutcomeKind.STORED
    }
    assert len(ours) == 4
    assert {url: theirs[url] for url in ours} == ours
