"""`urls`, `jsonl`, `csv` and `links` of a small crawl."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from spiderd.errors import StorageError
from spiderd.export import export
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord, decode, encode
from tests.crawl.harness import pages_of
from tests.verify.crawled import first, make, opened


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data)
    with opened(data) as rows:
        key, row = first(rows, "pages", lambda row: decode(PageRecord, row).kind is OutcomeKind.STORED)
        page = decode(PageRecord, row)
        page.title = '=HYPERLINK("http://evil/")\n"x", 你好'
        rows.put("pages", key, encode(page))
    return data


def exported(data: Path, kind: str) -> bytes:
    out = io.BytesIO()
    assert export(data, kind, out).missing == 0
    return out.getvalue()


def test_urls_are_those_that_were_asked_for(data: Path) -> None:
    assert set(exported(data, "urls").decode().splitlines()) == set(pages_of(data))


def test_every_page_is_a_json_object(data: Path) -> None:
    rows = {row["url"]: row for row in map(json.loads, exported(data, "jsonl").splitlines())}
    pages = pages_of(data)
    assert rows.keys() == pages.keys()
    for url, row in rows.items():
        assert row["outcome"] == pages[url].kind
        assert row["digest"] == pages[url].digest.hex()
        if row["resource"]:
            assert (data / "pages" / row["resource"]).stat().st_size == row["size"]
    gone = next(row for url, row in rows.items() if url.endswith("/gone"))
    assert (gone["status"], gone["failure"], gone["referrer"][-1]) == (404, "http_error", "/")
    assert any(row["fetched_at"].endswith("+00:00") for row in rows.values())


def test_csv_has_the_same_and_no_formula(data: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(data, "csv").decode(), newline="")))
    objects = [json.loads(line) for line in exported(data, "jsonl").splitlines()]
    assert list(rows[0]) == list(objects[0])
    assert [row["url"] for row in rows] == [each["url"] for each in objects]
    assert rows[0]["title"] == "'" + objects[0]["title"]


def test_links_are_edges_between_urls(data: Path) -> None:
    edges = [line.split("\t") for line in exported(data, "links").decode().splitlines()]
    assert {len(edge) for edge in edges} == {5}
    root = next(url for url in pages_of(data) if url.count("/") == 3 and url.endswith("/"))
    assert [f"{root}gone", "a", "0", "/gone"] in [edge[1:] for edge in edges if edge[0] == root]
    assert all(edge[1] in pages_of(data) for edge in edges if edge[3] == "0")


def test_edges_to_urls_that_wait_are_left_out_and_counted(data: Path) -> None:
    job = export(data, "links", io.BytesIO())
    assert "links lead to URLs that were not asked for yet" in job.notes[0]


def test_where_there_is_no_store_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no store"):
        export(tmp_path, "urls", io.BytesIO())
    assert list(tmp_path.iterdir()) == []
