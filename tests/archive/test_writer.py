"""The archive writer: several resources in one trip to a thread, each with an answer of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from spiderd.archive import writer as module
from spiderd.archive.writer import Stored, Writer
from spiderd.errors import CannotCreate, StorageError

pytestmark = pytest.mark.trio


@asynccontextmanager
async def writing(root: Path, workers: int) -> AsyncIterator[Writer]:
    writer = Writer(root)
    for worker in range(workers):
        await writer.open(worker, worker + 1, 0, 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(writer.run)
        yield writer
        nursery.cancel_scope.cancel()


def resources(root: Path, directory: int) -> dict[str, bytes]:
    folder = root / f"{directory:05d}"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "index.txt"}


async def test_each_worker_writes_into_its_own_directory(tmp_path: Path) -> None:
    async with writing(tmp_path, 2) as writer:
        first = await writer.store(0, "http://h.test/a", b"a")
        other = await writer.store(1, "http://h.test/b", b"b")
        second = await writer.store(0, "http://h.test/c", b"c")
        assert [(one.directory, one.number) for one in (first, other, second)] == [(1, 1), (2, 1), (1, 2)]
        assert (writer.count(0), writer.count(1)) == (2, 1)
        index = (tmp_path / "00001" / "index.txt").read_bytes()
        assert second.index_bytes == len(index)
        assert first.index_bytes == index.index(b"\n") + 1
    assert resources(tmp_path, 1) == {"00001": b"a", "00002": b"c"}


async def test_what_comes_in_during_a_trip_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips: list[list[str]] = []
    hold = trio.Event()
    write = module._write
    token = trio.lowlevel.current_trio_token()

    def slow(jobs: list) -> None:
        trips.append([job.url for job in jobs])
        if len(trips) == 1:
            trio.from_thread.run(hold.wait, trio_token=token)
        write(jobs)

    monkeypatch.setattr(module, "_write", slow)
    stored: dict[int, Stored] = {}

    async def store(worker: int) -> None:
        stored[worker] = await writer.store(worker, f"http://h.test/{worker}", b"x")

    async with writing(tmp_path, 4) as writer, trio.open_nursery() as nursery:
        nursery.start_soon(store, 0)
        await wait_all_tasks_blocked(0.01)
        for worker in (1, 2, 3):
            nursery.start_soon(store, worker)
        await wait_all_tasks_blocked(0.01)
        assert stored == {}
        hold.set()
    assert [sorted(trip) for trip in trips] == [
        ["http://h.test/0"],
        ["http://h.test/1", "http://h.test/2", "http://h.test/3"],
    ]
    assert {worker: one.directory for worker, one in stored.items()} == {0: 1, 1: 2, 2: 3, 3: 4}


async def test_the_error_of_one_leaves_the_others(tmp_path: Path) -> None:
    ended: dict[int, str] = {}

    async def store(worker: int) -> None:
        try:
            ended[worker] = str((await writer.store(worker, f"http://h.test/{worker}", b"x")).number)
        except StorageError as error:
            ended[worker] = str(error)

    async with writing(tmp_path, 3) as writer:
        (tmp_path / "00002" / "00001").mkdir()  # something is in the way of worker 1
        async with trio.open_nursery() as nursery:
            for worker in range(3):
                nursery.start_soon(store, worker)
        assert (ended[0], ended[2]) == ("1", "1")
        assert "00002/00001" in ended[1]
        (tmp_path / "00002" / "00001").rmdir()
        assert (await writer.store(1, "http://h.test/again", b"y")).number == 1  # nothing was added before
    assert (tmp_path / "00002" / "index.txt").read_text() == "00001:http://h.test/again\n"


async def test_a_worker_goes_on_in_another_directory(tmp_path: Path) -> None:
    async with writing(tmp_path, 1) as writer:
        await writer.store(0, "http://h.test/a", b"a")
        await writer.open(0, 9, 0, 0)
        assert writer.count(0) == 0
        assert (await writer.store(0, "http://h.test/b", b"b")).directory == 9
    assert resources(tmp_path, 9) == {"00001": b"b"}


async def test_a_directory_is_opened_where_the_store_says_and_cut_back_to_it(tmp_path: Path) -> None:
    async with writing(tmp_path, 1) as writer:
        first = await writer.store(0, "http://h.test/a", b"a")
        await writer.store(0, "http://h.test/never-committed", b"b")
    async with writing(tmp_path, 0) as writer:
        await writer.open(0, 1, 1, first.index_bytes)
        assert (await writer.store(0, "http://h.test/c", b"c")).number == 2
    assert resources(tmp_path, 1) == {"00001": b"a", "00002": b"c"}


async def test_a_directory_that_cannot_be_opened_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "00007").write_text("in the way")
    async with writing(tmp_path, 1) as writer:
        with pytest.raises(CannotCreate, match="00007"):
            await writer.open(5, 7, 0, 0)
        assert (await writer.store(0, "http://h.test/a", b"a")).number == 1
