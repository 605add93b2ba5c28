"""The processes of the search, as the daemon keeps them."""

from __future__ import annotations

import os
import signal

import msgspec
import pytest
import trio
import trio.testing

from spiderd.config import Config
from spiderd.daemon import answering, indexing
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.indexing import Searching
from spiderd.daemon.log import Log
from spiderd.errors import Unavailable, UsageError
from spiderd.search.places import Places
from spiderd.search.schema import VERSION
from tests.search.crawled import Crawled, html

PATIENCE = 60  # seconds, for machines that are busy


@pytest.fixture
def data_dir(tmp_path):
    with Crawled(tmp_path) as crawled:
        for n in range(8):
            crawled.store(f"http://t.test/{n}", html(f"Page {n}", f"The zeppelin number{n} flies."))
    return tmp_path


def searching(data_dir, *, enabled: bool = True) -> Searching:
    config = Config()
    search = msgspec.structs.replace(config.search, enabled=enabled)
    return Searching(msgspec.structs.replace(config, search=search), data_dir, Happenings(Log("error")))


async def settled(search: Searching, pages: int = 8) -> None:
    with trio.fail_after(PATIENCE):
        await search.settle(pages, PATIENCE)
    assert search.state is not None
    assert search.state.state == "idle"


@pytest.mark.trio
async def test_the_crawl_is_indexed_and_can_be_searched(data_dir, nursery):
    search = searching(data_dir)
    assert search.state.state == "starting"
    nursery.start_soon(search.run)
    await settled(search)
    reply = await search.search("zeppelin", 1, 5)
    assert (reply.total, len(reply.hits)) == (8, 5)
    assert reply.index.documents == 8
    page = await search.page(0, "http://t.test/3#part")
    assert page.title == "Page 3"
    assert (await search.page(page.id, "")).url == page.url
    with pytest.raises(UsageError):
        await search.page(0, "nonsense")
    with pytest.raises(UsageError):
        await search.page(0, "http://t.test/never")


@pytest.mark.trio
async def test_settling_waits_for_what_was_committed_last(data_dir, nursery):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    with Crawled(data_dir) as crawled:
        crawled.store("http://t.test/new", html("New", "A balloon."))
    await settled(search, 9)
    assert (await search.search("balloon", 1, 10)).total == 1


@pytest.mark.trio
async def test_an_indexer_that_dies_is_started_again(data_dir, nursery, monkeypatch):
    monkeypatch.setattr(indexing, "FIRST_PAUSE", 0.1)
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    first = search._process
    os.kill(first.pid, signal.SIGKILL)
    with trio.fail_after(PATIENCE):
        while search.state.state != "failing":
            await search._changed.wait()
        assert "-9" in search.state.message
        while search.state.state != "idle":
            await search._changed.wait()
    assert search._process.pid != first.pid
    assert search.state.message == ""


@pytest.mark.trio
async def test_an_indexer_that_cannot_start_is_tried_again_ever_more_rarely(data_dir, nursery, monkeypatch):
    monkeypatch.setattr(indexing, "FIRST_PAUSE", 0.01)
    search = searching(data_dir)
    with Places(data_dir).locked(), trio.fail_after(PATIENCE):
        nursery.start_soon(search.run)
        seen: list[str] = []
        while len(seen) < 2:
            await search._changed.wait()
            if search.state.message not in seen:
                seen.append(search.state.message)
    assert all("code 75" in message for message in seen)


@pytest.mark.trio
async def test_the_index_is_built_anew_on_demand(data_dir, nursery):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    await search.reindex()
    with trio.fail_after(PATIENCE):
        while Places(data_dir).current("words", VERSION).name != "words-2":
            await search._changed.wait()
    await settled(search)
    assert (await search.search("zeppelin", 1, 10)).total == 8


@pytest.mark.trio
async def test_the_indexer_ends_with_the_daemon(data_dir):
    search = searching(data_dir)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(search.run)
        await settled(search)
        process = search._process
        nursery.cancel_scope.cancel()
    assert process.returncode == 0


@pytest.mark.trio
async def test_a_searcher_that_dies_costs_one_answer(data_dir, nursery):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    await search.search("zeppelin", 1, 10)
    process = search._answering._process
    process.kill()
    await process.wait()
    assert (await search.search("zeppelin", 1, 10)).total == 8


@pytest.mark.trio
async def test_a_searcher_that_dies_at_work_is_said(data_dir, nursery):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    await search.search("zeppelin", 1, 10)
    process = search._answering._process
    process.send_signal(signal.SIGSTOP)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as asking:
            asking.start_soon(_expect_death, search)
            await trio.testing.wait_all_tasks_blocked()
            process.kill()
    assert (await search.search("zeppelin", 1, 10)).total == 8


async def _expect_death(search: Searching) -> None:
    with pytest.raises(Unavailable, match="has died"):
        await search.search("zeppelin", 1, 10)


@pytest.mark.trio
async def test_a_search_has_a_deadline_and_the_next_one_is_answered(data_dir, nursery, monkeypatch):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    await search.search("zeppelin", 1, 10)
    search._answering._process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(answering, "DEADLINE", 0.2)
    with pytest.raises(Unavailable, match="did not answer"):
        await search.search("zeppelin", 1, 10)
    monkeypatch.setattr(answering, "DEADLINE", PATIENCE)
    assert (await search.search("zeppelin", 1, 10)).total == 8


@pytest.mark.trio
async def test_an_asker_who_goes_away_does_not_leave_an_answer_to_the_next(data_dir, nursery):
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    with trio.move_on_after(0.001):
        await search.search("zeppelin", 1, 10)
    assert (await search.search("number3", 1, 10)).total == 1


@pytest.mark.trio
async def test_a_searcher_that_nobody_asks_goes(data_dir, nursery, monkeypatch):
    monkeypatch.setattr(answering, "MAX_IDLE", 0.1)
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    await search.search("zeppelin", 1, 10)
    with trio.fail_after(PATIENCE):
        while search._answering._process is not None:
            await trio.lowlevel.checkpoint()


@pytest.mark.trio
async def test_a_daemon_without_an_index_says_so(data_dir, nursery):
    search = searching(data_dir, enabled=False)
    nursery.start_soon(search.run)
    assert search.state is None
    for asking in (search.search("x", 1, 10), search.reindex()):
        with pytest.raises(Unavailable, match="switched off"):
            await asking
    assert (await search.page(1, "")).title == "Page 0"
    await search.settle(8, PATIENCE)


@pytest.mark.trio
async def test_an_indexer_that_hangs_is_killed(data_dir, nursery, monkeypatch):
    monkeypatch.setattr(indexing, "FIRST_PAUSE", 0.1)
    search = searching(data_dir)
    nursery.start_soon(search.run)
    await settled(search)
    monkeypatch.setattr(indexing, "SILENCE", 2.0)  # longer than any pause of one that is well
    for _ in range(2):
        await search._changed.wait()  # it has spoken since, and is listened to with the new patience
    hanging = search._process
    hanging.send_signal(signal.SIGSTOP)
    with trio.fail_after(PATIENCE):
        while search._process is None or search._process.pid == hanging.pid:
            await search._changed.wait()
    assert hanging.returncode == -signal.SIGKILL


@pytest.mark.trio
async def test_nobody_waits_for_an_index_that_is_far_behind(data_dir):
    search = searching(data_dir)
    with trio.fail_after(PATIENCE):
        search._began, search._first = trio.current_time() - 10.0, 0
        search.state.indexed = 100
        await search.settle(10_000, 1.0)  # 990 s at this speed
