"""Asks the searcher process, which the first search starts, and which goes when nobody has searched for long.

One question at a time: a search takes milliseconds. One that does not end has a deadline; the process that
has missed it is killed, and so is one whose asker has gone away before the answer came.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import PIPE

import msgspec
import trio

from spiderd.errors import SpiderdError, Unavailable, UsageError
from spiderd.lines import FORMAT, Format
from spiderd.search.exchange import Answer, Ask

DEADLINE = 10.0  # seconds from question to answer, those that came before included
MAX_IDLE = 600.0  # seconds without a question after which the process ends
MAX_ANSWER = 64 * 1024 * 1024  # bytes

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Answer)


class Answering:
    """Owns the searcher process of one data directory. `run` it in a nursery."""

    def __init__(self, data_dir: Path, form: Format = "text") -> None:
        self._data_dir = data_dir
        self._form = form  # of its log
        self._turn = trio.Lock()
        self._process: trio.Process | None = None
        self._asked = 0.0

    async def ask(self, question: Ask) -> Answer:
        """Ask, and wait for the answer.

        Raises:
            Unavailable: there is no index yet, or no answer in time.
            UsageError, SpiderdError: what the searcher says.
        """
        with trio.move_on_after(DEADLINE):
            async with self._turn:
                self._asked = trio.current_time()
                return _good(await self._exchange(_encoder.encode(question) + b"\n"))
        raise Unavailable(f"The search did not answer within {DEADLINE:g} s.")

    async def _exchange(self, line: bytes) -> Answer:
        try:
            process = await self._running()
            assert process.stdin is not None  # noqa: S101  # it was opened with pipes
            await process.stdin.send_all(line)
            return _decoder.decode(await self._line(process))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, msgspec.DecodeError) as error:
            await self._kill()
            raise Unavailable("The search process has died; ask again.") from error
        except BaseException:  # cancelled: what it still answers is for nobody
            await self._kill()
            raise

    async def _running(self) -> trio.Process:
        if self._process is None or self._process.poll() is not None:
            self._process = await trio.lowlevel.open_process(
                [sys.executable, "-m", "spiderd.search.searcher", str(self._data_dir)],
                stdin=PIPE,
                stdout=PIPE,
                process_group=0,  # an interrupt from the terminal is the daemon's business
                env={**os.environ, FORMAT: self._form},
            )
        return self._process

    @staticmethod
    async def _line(process: trio.Process) -> bytes:
        assert process.stdout is not None  # noqa: S101  # it was opened with pipes
        line = bytearray()
        while not line.endswith(b"\n"):
            piece = await process.stdout.receive_some()
            if not piece or len(line) > MAX_ANSWER:
                raise trio.BrokenResourceError
            line += piece
        return bytes(line)

    async def run(self) -> None:
        """End the process when it is not needed, and when cancelled."""
        try:
            while True:
                await trio.sleep(MAX_IDLE / 10)
                if trio.current_time() - self._asked > MAX_IDLE:
                    async with self._turn:
                        await self._kill()
        finally:
            await self._kill()

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with trio.CancelScope(shield=True):
            process.kill()
            await process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    await pipe.aclose()


def _good(answer: Answer) -> Answer:
    if answer.unavailable:
        raise Unavailable(answer.unavailable)
    if answer.wrong:
        raise UsageError(answer.wrong)
    if answer.failed:
        raise SpiderdError(answer.failed)
    return answer
