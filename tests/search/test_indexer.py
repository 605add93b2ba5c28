"""The indexer as a process: killed at any moment it loses and doubles nothing."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tantivy import Query

from spiderd.config.declaration import Urls
from spiderd.errors import AlreadyRunning
from spiderd.protocol import IndexState
from spiderd.search.engine import Engine
from spiderd.search.exchange import Task
from spiderd.search.opened import Opened
from spiderd.search.places import Places
from spiderd.search.schema import EVERY, VERSION
from spiderd.search.writing import read_checkpoint
from tests.search.crawled import Crawled, html, index

PAGES = 300


def numbers(data_dir: Path) -> Counter[int]:
    """How often each page is in the index."""
    view = Opened(data_dir).view()
    everything = Query.term_query(view.schema, "site", EVERY)
    hits = view.searcher.search(everything, limit=10 * PAGES).hits
    return Counter(view.column("number", [address for _, address in hits]))


def start(data_dir: Path, **more) -> subprocess.Popen[bytes]:
    task = msgspec.json.encode(Task(str(data_dir), Urls(), **more)).decode()
    command = [sys.executable, "-m", "spiderd.search.indexer", task]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def states(process: subprocess.Popen[bytes]):
    return (msgspec.json.decode(line, type=IndexState) for line in process.stdout)


def until(process: subprocess.Popen[bytes], name: str) -> IndexState:
    return next(state for state in states(process) if state.state == name)


def make(data_dir: Path, pages: int = PAGES, first: int = 0) -> None:
    with Crawled(data_dir) as crawled:
        for n in range(first, first + pages):
            text = f"page{n} " + " ".join(f"word{n * k % 1000}" for k in range(200))
            crawled.store(f"http://a.test/{n}", html(f"Page {n}", text))


def test_killed_at_random_moments_it_loses_and_doubles_no_page(tmp_path):
    make(tmp_path)
    chance = random.Random(1)
    come = [0]
    for _ in range(5):
        process = start(tmp_path)
        next(states(process))  # it is at work
        time.sleep(chance.uniform(0.0, 0.15))
        process.kill()
        process.communicate()
        assert set(numbers(tmp_path).values()) <= {1}
        come.append(read_checkpoint(Opened(tmp_path).view().searcher).change)
    assert come == sorted(come)
    with start(tmp_path) as process:
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert until(process, "idle").documents == PAGES
        process.communicate()
    assert numbers(tmp_path) == dict.fromkeys(range(1, PAGES + 1), 1)


def test_it_follows_a_crawl_that_goes_on_and_ends_with_its_input(tmp_path):
    make(tmp_path, 5)
    with start(tmp_path) as process:
        assert until(process, "idle").indexed == 5
        make(tmp_path, 5, first=5)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert next(state for state in states(process) if state.documents == 10).pages == 10
        process.communicate()
    assert process.returncode == 0
    assert Engine(tmp_path).search("page7").total == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path, number):
    make(tmp_path, 5)
    with start(tmp_path) as process:
        until(process, "idle")
        process.send_signal(number)
        assert process.wait(20) == 0


def test_it_runs_once(tmp_path):
    make(tmp_path, 1)
    with Places(tmp_path).locked(), pytest.raises(AlreadyRunning):
        index(tmp_path)
    with Places(tmp_path).locked(), start(tmp_path) as process:
        process.communicate()
    assert process.returncode == AlreadyRunning.exit_code


def test_what_it_logs_is_one_printable_line(tmp_path):
    make(tmp_path, 1)
    (tmp_path / "pages" / "00001" / "00001").unlink()
    task = msgspec.json.encode(Task(str(tmp_path), Urls(), follow=False)).decode()
    command = [sys.executable, "-m", "spiderd.search.indexer", task]
    environ = {name: value for name, value in os.environ.items() if name != "JOURNAL_STREAM"}
    told = subprocess.run(
        command, stdin=subprocess.PIPE, capture_output=True, text=True, check=True, env=environ
    )
    assert re.fullmatch(r"\d\d:\d\d:\d\d warning index: http://a.test/0 cannot be read.*\n", told.stderr)
    (tmp_path / "index" / "words.json").unlink()
    with (tmp_path / "journal").open("w+") as journal:
        file = os.fstat(journal.fileno())
        environ["JOURNAL_STREAM"] = f"{file.st_dev}:{file.st_ino}"
        subprocess.run(command, stdin=subprocess.PIPE, stderr=journal, check=True, env=environ)
        journal.seek(0)
        assert journal.read().startswith("<4>index: http://a.test/0 cannot be read")


def test_an_index_that_is_damaged_is_built_anew(tmp_path):
    make(tmp_path, 5)
    index(tmp_path)
    folder = Places(tmp_path).current("words", VERSION)
    (folder / "meta.json").write_bytes(b"{")
    index(tmp_path)
    assert set(numbers(tmp_path)) == {1, 2, 3, 4, 5}


def test_an_index_that_is_lost_is_built_anew(tmp_path):
    make(tmp_path, 5)
    index(tmp_path)
    for file in Places(tmp_path).current("words", VERSION).iterdir():
        file.unlink()
    index(tmp_path)
    assert set(numbers(tmp_path)) == {1, 2, 3, 4, 5}


def test_the_old_index_answers_until_the_new_one_is_there(tmp_path):
    make(tmp_path, 200)
    index(tmp_path)
    with start(tmp_path, rebuild=True) as process:
        assert until(process, "rebuilding").pages == 200
        assert len(numbers(tmp_path)) == 200
        assert until(process, "idle").documents == 200
        process.communicate()
    assert Places(tmp_path).current("words", VERSION).name == "words-2"
    assert not (tmp_path / "index" / "words-1").exists()


def test_a_page_whose_file_is_gone_is_found_by_its_title(tmp_path):
    make(tmp_path, 3)
    (tmp_path / "pages" / "00001" / "00002").unlink()
    index(tmp_path)
    engine = Engine(tmp_path)
    assert [hit.url for hit in engine.search('title:"Page 1"').hits] == ["http://a.test/1"]
    assert engine.search("page1 word2").total == 0
