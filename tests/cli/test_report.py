from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spiderd.audit.kinds import KINDS
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord, decode, encode
from tests.audit.planted import make
from tests.verify.crawled import first, opened

ROOT = Path(__file__).parents[2]
HOSTILE = '=HYPERLINK("http://evil/")<script>alert(1)</script>\x1b[31m"</td>'


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    data = tmp_path_factory.mktemp("planted") / "data"
    make(data)
    with opened(data) as rows:  # titles may say anything
        key, row = first(rows, "pages", lambda row: decode(PageRecord, row).title == "Dead end")
        page = decode(PageRecord, row)
        page.title = HOSTILE
        rows.put("pages", key, encode(page))
    return str(data)


def test_without_a_kind_all_are_listed_with_their_counts(data, spiderd):
    code, out, err = spiderd("report", "--data-dir", data)
    assert code == 0
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines()[1:]}
    assert list(rows) == list(KINDS)
    assert (rows["broken"], rows["redirects"], rows["mixed"]) == ("5", "8", "0")
    assert "URLs that were asked for" in err
    code, out, _ = spiderd("report", "--data-dir", data, "--json")
    assert {each["report"]: str(each["rows"]) for each in map(json.loads, out.splitlines())} == rows


@pytest.mark.parametrize("kind", list(KINDS))
def test_table_csv_and_json_have_the_same_rows(kind, data, spiderd):
    code, out, err = spiderd("report", kind, "--data-dir", data)
    assert code == 0
    _, as_json, _ = spiderd("report", kind, "--data-dir", data, "--json")
    _, as_csv, _ = spiderd("report", kind, "--data-dir", data, "--csv")
    objects = [json.loads(line) for line in as_json.splitlines()]
    rows = list(csv.DictReader(io.StringIO(as_csv, newline="")))
    names = [column.name for column in KINDS[kind].columns]
    assert as_csv.splitlines()[0] == ",".join(names)
    assert [list(each) for each in objects] == [["page", *names]] * len(objects)
    assert len(rows) == len(objects) == max(0, len(out.splitlines()) - 1)
    for one, other in zip(rows, objects, strict=True):
        assert {name: value.removeprefix("'") for name, value in one.items()} == {
            name: str(other[name]) for name in names
        }
    if not objects:
        assert ("none: no " in err) or ("nothing has changed" in err)


def test_what_a_site_says_steers_neither_terminal_nor_spreadsheet(data, spiderd):
    _, out, _ = spiderd("report", "dead-ends", "--data-dir", data)
    assert "\x1b" not in out
    assert "<script>" in out
    _, out, _ = spiderd("report", "dead-ends", "--data-dir", data, "--csv")
    assert next(csv.DictReader(io.StringIO(out, newline="")))["title"] == f"'{HOSTILE}"


def test_limit_and_filter(data, spiderd):
    code, out, _ = spiderd("report", "redirects", "--data-dir", data, "--limit", "2")
    assert (code, len(out.splitlines())) == (0, 3)
    _, out, _ = spiderd("report", "redirects", "--data-dir", data, "--filter", "CHAIN2", "--json")
    assert [json.loads(line)["problem"] for line in out.splitlines()] == ["chain", ""]


def test_one_page_of_html_needs_nothing_and_believes_nobody(data, spiderd, tmp_path):
    file = tmp_path / "report.html"
    code, out, err = spiderd("report", "--data-dir", data, "--html", str(file))
    assert (code, out) == (0, "")
    assert f"{len(KINDS)} reports in {file}" in err
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["report.html"]
    text = file.read_text()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert " src=" not in text
    assert "<link" not in text
    assert text.count("<svg") == sum(kind.plot is not None for kind in KINDS.values())
    assert all(f'id="{kind}"' in text for kind in KINDS)


def test_no_store_and_no_such_kind(data, spiderd, tmp_path):
    code, _, err = spiderd("report", "broken", "--data-dir", str(tmp_path / "none"))
    assert (code, "There is no store in" in err) == (74, True)
    code, _, err = spiderd("report", "broken", "--data-dir", data, "--html", str(tmp_path / "no" / "x"))
    assert (code, "cannot be written" in err) == (73, True)
    code, _, err = spiderd("report", "brokn", "--data-dir", data)
    assert (code, 'there is no report "brokn"' in err) == (2, True)
    code, _, err = spiderd("report", "slow", "--slower-than", "fast", "--data-dir", data)
    assert (code, "--slower-than" in err) == (2, True)


def test_a_store_of_before_is_read(data, spiderd, tmp_path):
    """Rows that were written by a release that kept less of a page."""
    older = tmp_path / "data"
    make(older)
    with opened(older) as rows:
        with rows.cursor("pages") as cursor:
            pages = [(key, decode(PageRecord, value)) for key, value in cursor]
        for key, page in pages:
            fields = [getattr(page, name) for name in PageRecord.__struct_fields__][:28]  # up to `change`
            rows.put("pages", key, encode(fields))
    code, out, _ = spiderd("report", "near-duplicates", "--data-dir", str(older), "--json")
    assert code == 0
    assert len(out.splitlines()) == 4
    assert {page.kind for _, page in pages} >= {OutcomeKind.STORED}


def test_help_costs_no_crawler():
    script = (
        "import sys; from spiderd.cli.entry import run; run(['report', '--help']);"
        "sys.exit(bool({'numpy', 'lmdb', 'trio', 'sqlite3', 'jinja2'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(kind in done.stdout for kind in KINDS)


def test_a_reader_that_goes_away_is_no_accident(data):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for form in ("--csv", "--json"):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "spiderd", "report", "statuses", form, "--data-dir", data]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=env, check=False)
        os.close(writing)
        assert (done.returncode, done.stderr) == (141, b"")


def test_a_crawl_is_not_compared_with_itself(data, spiderd):
    code, _, err = spiderd("report", "changes", "--since", data, "--data-dir", data)
    assert (code, "names the data directory itself" in err) == (2, True)
    code, _, err = spiderd("report", "changes", "--since", "no-such-folder", "--data-dir", data)
    assert (code, "and is no directory" in err) == (2, True)
