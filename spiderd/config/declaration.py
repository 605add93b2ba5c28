"""The configuration: one typed declaration, the only place where keys and defaults stand.

Durations are seconds (float) once read, sizes are bytes (int); in the file they are written "1s", "10MiB".
`config.toml` at the root of the repository shows the same defaults with a comment each; a test holds the
two equal.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Seconds = Annotated[float, Meta(ge=0, extra={"unit": "duration"})]
Bytes = Annotated[int, Meta(ge=0, extra={"unit": "size"})]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Url = Annotated[str, Meta(extra={"secret": "userinfo"})]  # shown without user and password
Secret = Annotated[str, Meta(extra={"secret": "whole"})]  # never shown

Order = Literal["breadth", "depth", "mixed", "best"]
Follow = Literal["page", "prefix", "host", "site", "any"]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all sections: immutable, unknown keys are refused."""


class Crawl(Section, frozen=True):
    """What is crawled, by how many, in which order."""

    seeds: list[Url] = field(default_factory=list)
    threads: Annotated[int, Meta(ge=1, le=1024)] = 8
    processes: Annotated[int, Meta(ge=0, le=256)] | Literal["auto"] = "auto"
    order: Order = "breadth"
    max_depth: Count = 0
    max_pages: Count = 0
    retries: Count = 3


class Scope(Section, frozen=True):
    """Which of the links found may be fetched."""

    follow: Follow = "site"
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    ip_allow: list[str] = field(default_factory=list)
    ip_deny: list[str] = field(default_factory=list)
    private_addresses: Literal["never", "seeds", "always"] = "seeds"
    max_pages_per_host: Count = 0


class Urls(Section, frozen=True):
    """Which URLs count as the same one. Only the seen key is touched, never what is fetched."""

    sort_query: bool = False
    drop_session_ids: bool = True
    drop_parameters: list[str] = field(default_factory=list)
    same_www: bool = False
    collapse_slashes: bool = False
    same_scheme: bool = False
    max_length: Positive = 2000  # longer links are refused


class Politeness(Section, frozen=True):
    """How a host is treated."""

    robots: bool = True
    user_agent: str = ""
    contact: str = ""
    delay: Seconds = 1.0
    max_delay: Seconds = 60.0
    per_host: Positive = 1
    per_ip: Positive = 4
    latency_factor: Annotated[float, Meta(ge=0)] = (
        2.0  # delay is at least this times the host's smoothed latency
    )
    meta_robots: bool = True
    nofollow: bool = True


class Fetch(Section, frozen=True):
    """Limits of one request, and which answers are wanted."""

    connect_timeout: Seconds = 10.0
    read_timeout: Seconds = 20.0
    total_timeout: Seconds = 120.0
    max_body: Bytes = 10 * 1024 * 1024
    max_redirects: Count = 10
    types: list[str] = field(
        default_factory=lambda: ["text/html", "application/xhtml+xml", "text/plain", "application/pdf"]
    )
    sitemaps: bool = True
    proxy: Url = ""
    assets: bool = False  # fetch images, scripts, styles too; they are recorded in any case
    forms: bool = False  # follow the bare action of GET forms
    max_headers: Bytes = 64 * 1024
    max_ratio: Positive = 200  # decoded bytes to received bytes, above 1 MiB
    min_rate: Bytes = 50  # bytes a second over min_rate_window; 0 = no limit
    min_rate_window: Seconds = 30.0


class Traps(Section, frozen=True):
    """When a part of a site is taken for a trap."""

    max_segments: Positive = 40  # path segments of a URL
    max_repeats: Positive = 3  # times that one run of segments may follow itself
    shape_window: Positive = 50  # pages of one shape without new content after which the shape is parked


class Archive(Section, frozen=True):
    """How pages are kept."""

    format: Literal["files", "warc"] = "files"
    max_count: Annotated[int, Meta(ge=1, le=99_999)] = 5000  # names have five digits
    durability: Literal["commit", "batch"] = "commit"  # page files are synced with their rows, or beside them


class Search(Section, frozen=True):
    """The search index."""

    enabled: bool = True


class Revisit(Section, frozen=True):
    """When pages are fetched again."""

    enabled: bool = False
    min: Seconds = 3600.0
    average: Seconds = 7 * 86400.0  # over all pages: the budget
    max: Seconds = 30 * 86400.0
    share: Annotated[float, Meta(ge=0, le=1)] = 0.1  # of the requests, while there are new URLs, too
    gone_after: Positive = 2  # visits that find no page


class Api(Section, frozen=True):
    """The local socket."""

    socket: str = ""
    group: str = ""
    metrics: str = ""  # address and port of loopback for /metrics


class Web(Section, frozen=True):
    """The search page for browsers."""

    enabled: bool = False  # with the daemon; `spiderd web` opens it by itself
    bind: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8017
    password: Secret = ""
    names: list[str] = field(default_factory=list)


class Log(Section, frozen=True):
    """What the daemon writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"


class Config(Section, frozen=True):
    """The whole configuration."""

    crawl: Crawl = field(default_factory=Crawl)
    scope: Scope = field(default_factory=Scope)
    urls: Urls = field(default_factory=Urls)
    politeness: Politeness = field(default_factory=Politeness)
    fetch: Fetch = field(default_factory=Fetch)
    traps: Traps = field(default_factory=Traps)
    archive: Archive = field(default_factory=Archive)
    search: Search = field(default_factory=Search)
    revisit: Revisit = field(default_factory=Revisit)
    api: Api = field(default_factory=Api)
    web: Web = field(default_factory=Web)
    log: Log = field(default_factory=Log)
