"""The searcher: a process that answers searches, one after the other.

    python -m spiderd.search.searcher DATA_DIR

It reads a question a line from standard input and writes an answer a line to standard output, both JSON; it
ends with its input. A process of its own, because a search holds Python's lock for milliseconds that the
crawl would feel, because whoever asks may lose patience (then it is killed and the next question starts
another one), and because the daemon then has no need of the memory of tantivy and its dictionaries.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import msgspec

from spiderd.errors import SpiderdError, Unavailable, UsageError
from spiderd.search.engine import Engine
from spiderd.search.exchange import Answer, Ask, SearchAsk
from spiderd.search.log import log_to_stderr
from spiderd.search.looking import Looking

log = logging.getLogger(__name__)


class Searcher:
    """Answers questions about one data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._engine = Engine(data_dir)
        self._looking = Looking(data_dir)

    def answer(self, ask: Ask) -> Answer:
        """Answer a question; never raises."""
        try:
            if isinstance(ask, SearchAsk):
                found = self._engine.search(ask.query, ask.page, ask.limit, typing=ask.typing)
                return Answer(search=found)
            return Answer(page=self._looking.page(ask.number, ask.hash))
        except Unavailable as error:
            return Answer(unavailable=str(error))
        except UsageError as error:
            return Answer(wrong=str(error))
        except SpiderdError as error:
            return Answer(failed=str(error))
        except Exception as error:  # the daemon must hear of it, and the next question is answered
            log.exception("a search failed")
            return Answer(failed=f"The search failed: {error!r}.")


def main() -> None:
    """Run as a process."""
    log_to_stderr("search")
    searcher = Searcher(Path(sys.argv[1]))
    decode, encode = msgspec.json.Decoder(Ask).decode, msgspec.json.Encoder().encode
    for line in sys.stdin.buffer:
        answer = searcher.answer(decode(line))
        try:
            sys.stdout.buffer.write(encode(answer) + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
