"""A store read by another process while it is written."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from subprocess import DEVNULL, PIPE

import lmdb
import pytest

from spiderd.errors import StorageError
from spiderd.states import Failure, OutcomeKind
from spiderd.store import environment
from spiderd.store.environment import SCHEMA_VERSION, TABLES, Environment
from spiderd.store.reader import StoreReader
from spiderd.store.records import PageRecord, encode, number_key
from tests.search.crawled import Crawled, hash_of

MIB = 1024 * 1024
READ = """
import sys
from pathlib import Path
from spiderd.store.reader import StoreReader
with StoreReader(Path(sys.argv[1])) as reader:
    for line in sys.stdin:
        print(len(reader.changes(0, 1000)), flush=True)
"""


def test_changes_come_in_their_order_and_only_the_last_of_a_page(tmp_path):
    with Crawled(tmp_path) as crawled:
        for name in ("a", "b", "a", "c"):
            crawled.store(f"http://t.test/{name}", f"<p>{name}")
    with StoreReader(tmp_path / "store") as reader:
        assert [(each.change, each.number) for each in reader.changes(0, 10)] == [(2, 2), (3, 1), (4, 3)]
        assert [each.change for each in reader.changes(2, 10)] == [3, 4]
        assert reader.changes(4, 10) == []


def test_a_piece_always_says_where_to_go_on(tmp_path):
    with Crawled(tmp_path) as crawled:
        for _ in range(5):
            crawled.store("http://t.test/a", "<p>a")
    with StoreReader(tmp_path / "store") as reader:
        assert [each.change for each in reader.changes(0, 3)] == [3]
        assert [each.change for each in reader.changes(3, 3)] == [5]


def test_pages_are_looked_up_by_number_and_by_url(tmp_path):
    with Crawled(tmp_path) as crawled:
        number = crawled.store("http://t.test/a", "<title>A</title>")
    with StoreReader(tmp_path / "store") as reader:
        assert reader.number_of(hash_of("http://t.test/a")) == number
        page = reader.page(number)
        assert page is not None
        assert page.title == "A"
        assert reader.first_with(page.digest) == number
        assert reader.links(number) is not None
        assert reader.page(99) is reader.links(99) is reader.first_with(b"no") is None
        assert reader.number_of(b"no") == 0
        assert reader.state().next_page == 2


def test_long_walks_see_every_row_once(tmp_path, monkeypatch):
    monkeypatch.setattr("spiderd.store.reader._PIECE", 7)
    with Crawled(tmp_path) as crawled:
        for n in range(30):
            crawled.store(f"http://t.test/{n}", f"<p>{n}")
    with StoreReader(tmp_path / "store") as reader:
        numbers = [number for piece in reader.all_links() for number, _ in piece]
        hashes = [number for piece in reader.all_hashes() for _, number in piece]
        pages = [number for piece in reader.all_pages() for number, _ in piece]
    assert numbers == pages == list(range(1, 31))
    assert len(set(hashes)) == 30


def test_a_reader_in_another_process_follows_a_map_that_grows(tmp_path):
    env = lmdb.open(str(tmp_path), map_size=MIB, max_dbs=len(TABLES))
    tables = {name: env.open_db(name.encode()) for name in TABLES}

    def write(change: int, filling: bytes) -> None:
        page = PageRecord("http://t.test/", OutcomeKind.STORED, 200, Failure.NONE, 0.0, change=change)
        with env.begin(write=True) as txn:
            txn.put(b"schema", b"%d" % SCHEMA_VERSION, db=tables["meta"])
            txn.put(b"filling", filling, db=tables["meta"])
            txn.put(number_key(change), encode(page), db=tables["pages"])
            txn.put(number_key(change), number_key(change), db=tables["changes"])

    write(1, b"")
    command = [sys.executable, "-c", READ, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask() -> int:
            process.stdin.write("\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        assert ask() == 1
        for change in (2, 3):
            env.set_mapsize(env.info()["map_size"] * 8)
            write(change, b"x" * (env.info()["map_size"] // 2))
            assert ask() == change
        process.communicate()
    env.close()


HOLD = """
import sys, lmdb
with lmdb.open(sys.argv[1], readonly=True, max_readers=2) as env, env.begin():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_where_all_places_are_taken_a_reader_says_so_and_takes_that_of_one_that_was_killed(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(environment, "MOST_READERS", 2)
    with Crawled(tmp_path) as crawled:
        crawled.store("http://t.test/a", "<p>a")
    store = tmp_path / "store"
    with ExitStack() as holding:
        holders = [
            holding.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", HOLD, store], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True
                )
            )
            for _ in range(8)
        ]
        told = [holder.stdout.readline() for holder in holders]
        assert 2 <= told.count("held\n") < 8  # the head of the file has room for some more
        with pytest.raises(StorageError, match="Too many programs read the store"):
            StoreReader(store)
        for holder in holders:
            holder.kill()
            holder.wait()
        with StoreReader(store) as reader:
            assert reader.state().next_page == 2


def test_what_is_no_store_is_said(tmp_path):
    with pytest.raises(StorageError, match="no store"):
        StoreReader(tmp_path / "none")
    with Environment(tmp_path / "store") as env, env.begin() as txn:
        txn.put(b"schema", b"99", db=env.tables["meta"])
    with pytest.raises(StorageError, match="another version"):
        StoreReader(tmp_path / "store")
