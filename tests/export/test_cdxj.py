"""`cdxj`: the index of an archive that is kept as WARC."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from spiderd.export import cdxj, export
from spiderd.export.surt import surt
from spiderd.states import OutcomeKind
from tests.crawl.harness import pages_of
from tests.verify.crawled import make


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data, archive={"format": "warc"})
    return data


def exported(data: Path) -> list[bytes]:
    out = io.BytesIO()
    job = export(data, "cdxj", out)
    assert (job.missing, job.notes) == (0, [])
    return out.getvalue().splitlines()


def test_each_line_leads_to_its_record(data: Path) -> None:
    found: dict[str, str] = {}
    for line in exported(data):
        key, stamp, said = line.decode().split(" ", 2)
        fields = json.loads(said)
        assert key == surt(fields["url"])
        with (data / "pages" / fields["filename"]).open("rb") as stream:
            stream.seek(int(fields["offset"]))
            member = io.BytesIO(stream.read(int(fields["length"])))
        record = next(iter(ArchiveIterator(member)))
        assert record.rec_headers["WARC-Target-URI"] == fields["url"]
        assert record.rec_headers["WARC-Payload-Digest"] == f"sha1:{fields['digest']}"
        assert record.http_headers.get_statuscode() == fields["status"]
        assert "".join(filter(str.isdigit, record.rec_headers["WARC-Date"])) == stamp
        found[fields["url"]] = fields["mime"]
    kinds = (OutcomeKind.STORED, OutcomeKind.DUPLICATE, OutcomeKind.REDIRECT)
    assert found.keys() == {url for url, page in pages_of(data).items() if page.kind in kinds}
    assert sorted(found.values()).count("warc/revisit") == 1
    assert "text/html" in found.values()


@pytest.mark.parametrize("run", [1, 3, 1000])
def test_lines_are_sorted_whatever_fits_in_memory(
    data: Path, monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    monkeypatch.setattr(cdxj, "RUN", run)
    lines = exported(data)
    assert len(lines) == 16
    assert lines == sorted(lines)


def test_an_archive_of_files_has_no_such_index(tmp_path: Path) -> None:
    make(tmp_path)
    out = io.BytesIO()
    assert "not kept as WARC" in export(tmp_path, "cdxj", out).notes[0]
    assert out.getvalue() == b""


@pytest.mark.parametrize(
    ("url", "key"),  # as the package `surt` has them, which pywb uses
    [
        ("http://www.example.com/", "com,example)/"),
        ("https://example.com:8443/A/b/?b=2&a=1", "com,example:8443)/a/b?a=1&b=2"),
        ("http://127.0.0.1:80/x//y/", "1,0,0,127)/x/y"),
        ("http://example.com", "com,example)/"),
        ("http://www2.Example.co.uk/a?", "uk,co,example)/a"),
        ("https://xn--bcher-kva.de/%E4%BD%A0?q=%E5%A5%BD", "de,xn--bcher-kva)/%e4%bd%a0?q=%e5%a5%bd"),
        ("http://e.com/a%20b?c=D+e", "com,e)/a%20b?c=d+e"),
        ("http://[::1]:81/x", "::1:81)/x"),
        ("http://e.com/yap/operator%5E.html", "com,e)/yap/operator^.html"),
        ("http://e.com/100%2525?q=%2541%26", "com,e)/100%25?&q=a"),
        ("http://e.com/?a-b=1&a=2&a", "com,e)/?a&a=2&a-b=1"),
        (f"http://e.com/?b=1&PHPSESSID={'0f' * 16}&a", "com,e)/?a&b=1"),
        (f"http://e.com/x/({'0f' * 12})/y.aspx", "com,e)/x/y.aspx"),
    ],
)
def test_keys_are_those_that_replay_tools_look_for(url: str, key: str) -> None:
    assert surt(url) == key
