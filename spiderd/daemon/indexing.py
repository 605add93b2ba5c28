"""The search beside the crawl: keeps the indexer running, and passes on what the API asks.

    daemon --- task, end of input ---> indexer (spiderd.search.indexer)    writes the index
           <-- how far it is ---------
           --- questions ------------> searcher (spiderd.search.searcher)  answers, when there are any
           <-- answers ---------------

Both are processes of their own and derive all they have from store and archive, so nothing that happens to
them can touch the crawl. The indexer is started again whenever it ends, after a pause that grows as long as
it does not get anywhere.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE

import msgspec
import trio

from spiderd.config import Config
from spiderd.daemon.answering import Answering
from spiderd.daemon.happenings import Happenings
from spiderd.errors import Unavailable, UsageError
from spiderd.lines import FORMAT
from spiderd.protocol import IndexState, PageReply, SearchReply
from spiderd.search.exchange import PageAsk, SearchAsk, Task
from spiderd.urls import key_hash, normalize, seen_key

FIRST_PAUSE, MAX_PAUSE = 1.0, 60.0  # seconds until the indexer is started again
SILENCE = 300.0  # seconds without a word after which it hangs in a page, and is killed
END_GRACE = 0.3  # seconds that it has to commit and end; what it loses is done again by the next one

_decoder = msgspec.json.Decoder(IndexState)


class Searching:
    """Answers searches, and says how far the index is."""

    def __init__(self, config: Config, data_dir: Path, happenings: Happenings) -> None:
        self._config = config
        self._data_dir = data_dir
        self._happenings = happenings
        self._answering = Answering(data_dir, config.log.format)
        self._rebuild = False
        self._ending = False
        self._process: trio.Process | None = None
        self._changed = trio.Event()
        self._began = 0.0  # when the indexer first spoke,
        self._first = 0  # and how many pages were in then
        self.state: IndexState | None = None
        if config.search.enabled:
            self.state = IndexState(state="starting", indexed=0, pages=0)

    # what the API asks

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results.

        Raises:
            Unavailable: this daemon has no index, or it does not answer in time.
        """
        self._must_be_on()
        reply = (await self._answering.ask(SearchAsk(query, page, limit, typing))).search
        assert reply is not None  # noqa: S101  # a search is answered by one
        reply.index = self.state
        return reply

    async def page(self, number: int, url: str) -> PageReply:
        """Tell what is kept of a page.

        Raises:
            UsageError: there is no such page.
            Unavailable: as for `search`.
        """
        url_hash = b""
        if not number:
            fetched = normalize(url)
            if fetched is None:
                raise UsageError(f"{url} is not an http(s) URL.")
            url_hash = key_hash(seen_key(fetched, self._config.urls))
        reply = (await self._answering.ask(PageAsk(number, url_hash))).page
        assert reply is not None  # noqa: S101  # each question has one answer
        return reply

    async def reindex(self) -> IndexState:
        """Begin to build the index anew.

        Raises:
            Unavailable: this daemon has no index.
        """
        state = self._must_be_on()
        if not self._rebuild:
            self._rebuild = True
            await self._end()
        return state

    def _must_be_on(self) -> IndexState:
        if self.state is None:
            raise Unavailable("There is no search index: it is switched off (search.enabled).")
        return self.state

    # the indexer

    async def run(self) -> None:
        """Keep the indexer running until cancelled; then let it commit and end."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._answering.run)
            if self.state is not None:
                nursery.start_soon(self._keep_indexing, self.state)

    async def settle(self, pages: int, patience: float) -> None:
        """Wait until the index has come up to a number of pages, if that is to be hoped for.

        Args:
            pages: that the store holds.
            patience: seconds to wait at the most; with no hope of catching up within them, none.
        """
        state = self.state
        if state is None or self._needs(state, pages) > patience:
            return
        with trio.move_on_after(patience):
            while state.state != "failing":
                if state.state == "idle" and state.pages >= pages:
                    return
                if self._process is not None and self._process.stdin is not None:
                    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await self._process.stdin.send_all(b"\n")
                await self._changed.wait()

    def _needs(self, state: IndexState, pages: int) -> float:
        """Seconds until everything is in, at the speed so far."""
        done = state.indexed - self._first
        if done <= 0 or pages <= state.indexed:
            return 0.0
        return (pages - state.indexed) * (trio.current_time() - self._began) / done

    async def _keep_indexing(self, state: IndexState) -> None:
        pause = FIRST_PAUSE
        while True:
            before, rebuild = state.indexed, self._rebuild
            code = await self._index_once(rebuild=rebuild)
            if self._rebuild and not rebuild:
                continue  # it was ended for that
            pause = FIRST_PAUSE if state.indexed != before else min(MAX_PAUSE, 2 * pause)
            state.state = "failing"
            state.message = f"the indexer has ended with code {code} and is started again in {pause:g} s"
            self._tell(state)
            self._happenings.add("warning", "index", state.message)
            await trio.sleep(pause)

    async def _index_once(self, *, rebuild: bool) -> int:
        task = Task(str(self._data_dir), self._config.urls, rebuild)
        self._process = process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "spiderd.search.indexer", msgspec.json.encode(task).decode()],
            stdin=PIPE,
            stdout=PIPE,
            process_group=0,  # an interrupt is the daemon's business; a session would get a share of its own
            env={**os.environ, FORMAT: self._config.log.format},
        )
        try:
            self._began = 0.0
            await self._listen(process)
            return await process.wait()
        finally:
            with trio.CancelScope(shield=True):
                await self._end()
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        await pipe.aclose()
                self._process = None

    async def _listen(self, process: trio.Process) -> None:
        """Take what the indexer says until it says no more."""
        assert process.stdout is not None  # noqa: S101  # it was opened with a pipe
        rest = b""
        while True:
            with trio.move_on_after(SILENCE) as scope:
                piece = await process.stdout.receive_some()
            if scope.cancelled_caught:
                process.kill()
                return
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            if lines:
                self._tell(_decoder.decode(lines[-1]))

    def _tell(self, state: IndexState) -> None:
        if not self._began:
            self._began, self._first = trio.current_time(), state.indexed
        if self.state is not None:
            if self.state.state == "rebuilding" and state.state != "rebuilding":
                self._rebuild = False
            for name in state.__struct_fields__:
                setattr(self.state, name, getattr(state, name))
        self._changed.set()
        self._changed = trio.Event()

    async def _end(self) -> None:
        """Let the indexer commit and end; it has `END_GRACE` seconds."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            await process.stdin.aclose()
        with trio.move_on_after(END_GRACE):
            await process.wait()
        if process.poll() is None:
            process.kill()
            await process.wait()
