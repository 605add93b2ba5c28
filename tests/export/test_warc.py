"""`warc` from both kinds of archive, read back by warcio and fastwarc."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from spiderd.archive.directory import directory_path, resource_name
from spiderd.export import export
from spiderd.states import OutcomeKind
from tests.archive.test_records import is_valid
from tests.crawl.harness import pages_of
from tests.verify.crawled import make


@pytest.fixture(scope="module", params=["files", "warc"])
def data(request, tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp(request.param) / "data"
    make(data, archive={"format": request.param})
    return data


def exported(data: Path) -> bytes:
    out = io.BytesIO()
    job = export(data, "warc", out)
    assert job.missing == 0
    return out.getvalue()


def test_every_page_is_there_and_every_twin_names_the_other(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "export.warc.gz"
    file.write_bytes(exported(data))
    assert is_valid(file)
    found: dict[str, str] = {}
    pages = pages_of(data)
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream):
            fields, url = record.rec_headers, record.rec_headers["WARC-Target-URI"]
            if record.rec_type in ("response", "revisit"):
                assert url not in found
                found[url] = record.rec_type
            if record.rec_type == "revisit":
                original = pages[fields["WARC-Refers-To-Target-URI"]]
                assert original.digest == pages[url].digest
                assert record.http_headers.get_statuscode() == "200"
            elif record.rec_type == "response" and pages[url].kind is OutcomeKind.STORED:
                body = record.content_stream().read()
                assert len(body) == pages[url].size
            elif record.rec_type == "response":
                assert record.http_headers.get_header("Location") == pages[url].location
    of_kind = {
        OutcomeKind.STORED: "response",
        OutcomeKind.DUPLICATE: "revisit",
        OutcomeKind.REDIRECT: "response",
    }
    assert found == {url: of_kind[page.kind] for url, page in pages.items() if page.kind in of_kind}
    assert sorted(found.values()).count("revisit") == 1


def test_fastwarc_finds_all_digests_right(data: Path) -> None:
    seen = 0
    for record in FastIterator(io.BytesIO(exported(data))):
        if "WARC-Payload-Digest" in record.headers and record.headers["WARC-Type"] == "response":
            assert record.verify_payload_digest()
            seen += 1
    assert seen == sum(
        page.kind in (OutcomeKind.STORED, OutcomeKind.REDIRECT) for page in pages_of(data).values()
    )


def test_requests_are_there_where_they_were_kept(data: Path) -> None:
    kinds = [record.headers["WARC-Type"] for record in FastIterator(io.BytesIO(exported(data)))]
    kept = any((data / "pages").glob("*/records.warc.gz"))
    assert ("request" in kinds) is kept
    assert kinds[0] == "warcinfo"


def test_a_body_that_is_gone_is_counted_and_the_rest_is_there(tmp_path: Path) -> None:
    make(tmp_path)
    page = next(page for page in pages_of(tmp_path).values() if page.url.endswith("/1"))
    (directory_path(tmp_path / "pages", page.directory) / resource_name(page.number)).unlink()
    out = io.BytesIO()
    job = export(tmp_path, "warc", out)
    assert job.missing == 1
    assert "1 bodies could not be read" in job.notes[0]
    urls = [record.headers.get("WARC-Target-URI") for record in FastIterator(io.BytesIO(out.getvalue()))]
    assert page.url not in urls
    assert len(urls) > 10
