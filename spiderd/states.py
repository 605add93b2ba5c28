"""The words of the crawl: every state, step and outcome has one name, the same in code, API, log and screen.

A leaf module (standard library only), so that every layer and the dashboard may lean on it.
"""

from __future__ import annotations

from enum import StrEnum


class CrawlState(StrEnum):
    """What the whole crawl is doing."""

    STARTING = "starting"  # the store is being opened and recovered
    RUNNING = "running"  # leases are given out
    IDLE = "idle"  # no seed was ever given: nothing to do yet
    PAUSING = "pausing"  # no new leases; fetches in flight still finish
    PAUSED = "paused"  # nothing in flight, nothing given out until somebody resumes
    COMPLETE = "complete"  # nothing waiting, leased, uncommitted or due for retry; or a limit was reached
    WAITING = "waiting"  # complete, but pages will be visited again: it goes on by itself when one is due
    STOPPING = "stopping"  # the daemon is on its way out


class Reason(StrEnum):
    """Why the crawl is complete, paused or stopping."""

    NONE = ""
    DRAINED = "drained"  # everything that may be reached has been dealt with
    PARKED = "parked"  # all that waits belongs to hosts that are parked for hours; goes on when one is due
    PAGE_LIMIT = "page limit"  # crawl.max_pages is reached
    USER = "user"  # somebody asked for it
    SIGNAL = "signal"  # SIGINT or SIGTERM
    DISK_FULL = "disk full"  # goes on by itself when there is room
    STORE_ERROR = "store error"  # the store cannot be written


class Queue(StrEnum):
    """The four queues; every known URL is in exactly one of them."""

    WAITING = "waiting"
    PROCESSING = "processing"
    COMPLETE = "complete"
    ERROR = "error"


class Step(StrEnum):
    """What a worker (on screen: a thread) is doing right now."""

    IDLE = "idle"  # has no lease
    RESOLVING = "resolving"  # asks the name service
    CONNECTING = "connecting"  # TCP and TLS
    WAITING = "waiting"  # the request is sent, the first byte has not come
    RECEIVING = "receiving"  # headers and body are coming in
    PARSING = "parsing"  # links are being taken from the page
    STORING = "storing"  # the page is being written to the archive


class OutcomeKind(StrEnum):
    """How a lease ended."""

    STORED = "stored"  # a page, written to the archive
    DUPLICATE = "duplicate"  # a page whose content is already in the archive
    REDIRECT = "redirect"  # the answer names another URL
    SKIPPED = "skipped"  # a conclusive answer that is not to be stored (type not wanted, robots, scope)
    FAILED = "failed"  # no usable answer; tried again if the failure may pass
    ROBOTS = "robots"  # a robots.txt, kept with its host
    SITEMAP = "sitemap"  # a sitemap, read for its URLs
    UNCHANGED = "unchanged"  # a later visit: the page is what it was


class Failure(StrEnum):
    """Why a lease failed or was skipped: one word for logs, counters and retry rules."""

    NONE = ""
    # the name
    DNS_TEMPORARY = "dns_temporary"  # the name service did not answer
    DNS_NO_SUCH_NAME = "dns_no_such_name"  # there is no such name
    # the connection
    CONNECT_REFUSED = "connect_refused"
    CONNECT_TIMEOUT = "connect_timeout"
    CONNECT_FAILED = "connect_failed"  # unreachable, reset while connecting
    TLS_FAILED = "tls_failed"
    ADDRESS_FORBIDDEN = "address_forbidden"  # private address or an IP block that is not allowed
    # the exchange
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    TOTAL_TIMEOUT = "total_timeout"
    TOO_SLOW = "too_slow"  # below the minimum rate
    HEADERS_TOO_BIG = "headers_too_big"
    DECODED_TOO_BIG = "decoded_too_big"  # a decompression bomb
    BAD_ENCODING = "bad_encoding"  # the content coding cannot be undone
    PROTOCOL_ERROR = "protocol_error"  # not HTTP, or HTTP that no browser would read
    CONNECTION_LOST = "connection_lost"  # closed before any byte of an answer
    TRUNCATED = "truncated"  # closed in the middle of the answer
    # the answer
    HTTP_ERROR = "http_error"  # 4xx other than 429
    SERVER_ERROR = "server_error"  # 5xx other than 503
    THROTTLED = "throttled"  # 429 and 503: an event of the host, costs the URL no try
    TYPE_NOT_WANTED = "type_not_wanted"
    NO_CONTENT = "no_content"  # an answer without a body where a page was expected
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"  # no Location, or one that is not http(s)
    # our own rules
    ROBOTS_DENIED = "robots_denied"
    OUT_OF_SCOPE = "out_of_scope"
    HOST_UNREACHABLE = "host_unreachable"
    FETCHER_DIED = "fetcher_died"  # the process died with the URL in hand, too often to try again
    STORE_FAILED = "store_failed"  # the archive could not be written
    INTERNAL_ERROR = "internal_error"  # a fault of ours; the log has it


PASSING: frozenset[Failure] = frozenset(
    {
        Failure.DNS_TEMPORARY,
        Failure.CONNECT_REFUSED,
        Failure.CONNECT_TIMEOUT,
        Failure.CONNECT_FAILED,
        Failure.TLS_FAILED,
        Failure.FIRST_BYTE_TIMEOUT,
        Failure.IDLE_TIMEOUT,
        Failure.TOTAL_TIMEOUT,
        Failure.TOO_SLOW,
        Failure.PROTOCOL_ERROR,
        Failure.CONNECTION_LOST,
        Failure.TRUNCATED,
        Failure.BAD_ENCODING,
        Failure.SERVER_ERROR,
        Failure.FETCHER_DIED,
    }
)
"""Failures that may pass by themselves: the URL is tried again, up to `crawl.retries` times."""
