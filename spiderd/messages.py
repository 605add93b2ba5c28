"""What passes between coordinator and fetchers: leases out, outcomes in, nothing else.

All messages are msgspec structs written as msgpack arrays; a frame on the wire is a list of messages. The
same objects travel over a socket pair (fetcher processes) and over a memory channel (`processes = 0`).
Times are seconds; `*_at` are unix times, the rest are durations.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spiderd.config import Config
from spiderd.states import Failure, OutcomeKind, Step

LeaseKind = Literal["page", "robots", "sitemap"]


class Message(Struct, array_like=True, gc=False, tag=True):
    """Base of all messages."""


# coordinator -> fetcher


class Setup(Message):
    """First message to a fetcher: what it is to do its work with."""

    config: Config
    workers: list[int]  # numbers of the workers that live in this fetcher
    archive: str  # the folder that holds the download directories
    seeds: list[str]  # decide what `scope.follow` and `scope.private_addresses` mean


class Grant(Message):
    """A worker's download directory: it writes from `count` + 1 on and cuts back what lies beyond."""

    worker: int
    directory: int
    count: int  # resources that are committed
    index_bytes: int  # length of the committed part of index.txt
    records_bytes: int = 0  # length of the committed part of the records


class Lease(Message):
    """One URL to be fetched by one worker."""

    id: int
    url: str
    kind: LeaseKind = "page"
    depth: int = 0
    hops: int = 0  # redirects that led here
    etag: str = ""
    last_modified: str = ""
    fingerprint: bool = False  # compute a simhash: the shape of the URL is one that traps have
    digest: bytes = b""  # of what the page was at its last visit; b"" = it was none, or that is not kept
    directory: int = 0  # where that lies
    number: int = 0
    fetched_at: float = 0.0  # unix time of that


class Verdict(Message):
    """Answer to a claim: is this lease's content new to the archive?"""

    lease: int
    new: bool
    original: str = ""  # where it is not new: URL of the page that had it first,
    original_at: float = 0.0  # and the unix time that it was received at


class Reconfigure(Message):
    """Settings or seeds have changed: what a fetcher begins from now on goes by these.

    What needs a restart (`spiderd.daemon.settings`) is as it was in `Setup`. Workers that are new are to be
    hired; they get a `Grant` each. Workers that are missing finish what they have in hand and then rest, with
    their directory open, until they are named again.
    """

    config: Config
    workers: list[int]
    seeds: list[str]  # scope and private addresses follow them
    more: bool  # those that have come to the ones before; else all of them, since scope.follow has changed
    auth: dict[str, str] = {}  # origin -> Authorization header, from seeds that carried a user name


class Drain(Message):
    """Finish what is in flight within `grace` seconds, then close."""

    grace: float


# fetcher -> coordinator


class Claim(Message):
    """A worker has a whole body and asks whether the archive has its content already."""

    lease: int
    digest: bytes
    at: float = 0.0  # unix time that it was received at


class Links(Message):
    """The links of a page, resolved, in the order of the page.

    `keys` holds the 64-bit hashes of the seen keys of those that may be fetched, 8 bytes each, big-endian,
    no two alike; `urls` their fetch URLs. `record` is the page's row in the link table, opaque to the
    coordinator (see `spiderd.store.records.LinkRecord`).
    """

    keys: bytes
    urls: list[str]
    record: bytes
    refused: dict[str, int]  # links not to be followed, by reason or by scheme
    sitemaps: int = 0  # of `urls`, the first so many are sitemaps
    lastmods: list[str] = []  # of a sitemap's entries, as written; as many as there are pages in `urls`
    changefreqs: list[str] = []  # likewise, or none at all


class Outcome(Message):
    """How a lease ended."""

    lease: int
    worker: int
    kind: OutcomeKind
    status: int = 0  # HTTP status; 0 where none came
    failure: Failure = Failure.NONE
    detail: str = ""  # for people: what exactly went wrong
    location: str = ""  # target of a redirect, resolved
    address: str = ""  # IP address that answered
    content_type: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    retry_after: str = ""
    size: int = 0  # bytes of the body, content coding undone
    wire_size: int = 0  # bytes received
    truncated: bool = False  # the body was cut at fetch.max_body
    digest: bytes = b""
    directory: int = 0
    number: int = 0  # resource in the directory; 0 where nothing was stored
    index_bytes: int = 0  # length of index.txt after this resource
    title: str = ""
    lang: str = ""
    canonical: str = ""
    charset_source: str = ""  # which rule decided: bom, header, meta, ..., detected
    charset_lie: bool = False  # the page was not in the encoding it declared
    noindex: bool = False
    set_cookie: bool = False
    simhash: int = 0
    fetched_at: float = 0.0
    latency: float = 0.0  # request sent to first byte
    elapsed: float = 0.0  # whole exchange
    links: Links | None = None
    body: bytes = b""  # of a robots.txt or a sitemap only
    charset_confidence: float = 1.0  # below 1 where the encoding was detected
    likeness: bytes = b""  # hash of the page without the targets of its links; with simhash
    records_bytes: int = 0  # length of the directory's records after this one; 0 = there are none
    minor: bool = False  # of a later visit: nearly what the page was, with the same links


class WorkerState(Message):
    """What one worker is doing."""

    worker: int
    step: Step
    since: float  # unix time
    url: str = ""


class WorkerStates(Message):
    """The workers whose state has changed since the last such message, and what was measured since then."""

    states: list[WorkerState]
    phases: list[int] = []  # as `spiderd.phases` takes and adds them


ToFetcher = Setup | Grant | Lease | Verdict | Reconfigure | Drain
ToCoordinator = Claim | Outcome | WorkerStates
