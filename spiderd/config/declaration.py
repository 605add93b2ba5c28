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

Order = Literal["breadth", "depth", "mixed", "best"]
Follow = Literal["page", "prefix", "host", "site", "any"]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all sections: immutable, unknown keys are refused."""


class Crawl(Section, frozen=True):
    """What is crawled, by how many, in which order."""

    seeds: list[str] = field(default_factory=list)
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


class Politeness(Section, frozen=True):
    """How a host is treated."""

    robots: bool = True
    user_agent: str = ""
    contact: str = ""
    delay: Seconds = 1.0
    max_delay: Seconds = 60.0
    per_host: Positive = 1
    per_ip: Positive = 4


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
    proxy: str = ""


class Archive(Section, frozen=True):
    """How pages are kept."""

    format: Literal["files", "warc"] = "files"
    max_count: Annotated[int, Meta(ge=1, le=99_999)] = 5000  # names have five digits


class Search(Section, frozen=True):
    """The search index."""

    enabled: bool = True


class Revisit(Section, frozen=True):
    """When pages are fetched again."""

    enabled: bool = False
    min: Seconds = 3600.0
    max: Seconds = 30 * 86400.0


class Api(Section, frozen=True):
    """The local socket."""

    socket: str = ""
    group: str = ""


class Log(Section, frozen=True):
    """What the daemon writes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Config(Section, frozen=True):
    """The whole configuration."""

    crawl: Crawl = field(default_factory=Crawl)
    scope: Scope = field(default_factory=Scope)
    politeness: Politeness = field(default_factory=Politeness)
    fetch: Fetch = field(default_factory=Fetch)
    archive: Archive = field(default_factory=Archive)
    search: Search = field(default_factory=Search)
    revisit: Revisit = field(default_factory=Revisit)
    api: Api = field(default_factory=Api)
    log: Log = field(default_factory=Log)
