"""What passes between whoever starts the processes of the search and these: JSON, a message a line."""

from __future__ import annotations

import msgspec

from spiderd.config.declaration import Urls
from spiderd.protocol import PageReply, SearchReply


class Task(msgspec.Struct):
    """What an indexer is to do."""

    data_dir: str
    urls: Urls  # decide which page a link leads to
    rebuild: bool = False  # build the index anew; the old one answers until the new one is there
    follow: bool = True  # False: end when everything is in


class SearchAsk(msgspec.Struct, tag="search"):
    """A search."""

    query: str
    page: int
    limit: int
    typing: bool = False  # the last word may be the beginning of others


class PageAsk(msgspec.Struct, tag="page"):
    """What is kept of a page, by number or by the hash of its URL's seen key."""

    number: int = 0
    hash: bytes = b""


Ask = SearchAsk | PageAsk


class Answer(msgspec.Struct, omit_defaults=True):
    """One of these."""

    search: SearchReply | None = None
    page: PageReply | None = None
    unavailable: str = ""
    wrong: str = ""  # what the asker has done
    failed: str = ""  # what we have done
