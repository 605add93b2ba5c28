"""What the API offers, operation by operation: the source of its description (`spiderd.api.openapi`).

A test holds the table equal to the routes, and another asks each operation as it is described here.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec import Struct

from spiderd import protocol
from spiderd.api import browsing, reports, requests, search


class Operation(NamedTuple):
    """One path with one method."""

    method: Literal["get", "post"]
    path: str
    summary: str
    answer: type[Struct] | None  # None: text
    query: type[Struct] = requests.NoParameters
    row: type[Struct] | None = None  # of a list: its fields are what it can be sorted by
    body: type[Struct] | None = None
    needs_body: bool = True
    writes: bool = False  # for the daemon's own user and root only


def _get(path: str, summary: str, answer: type[Struct] | None, **rest: Any) -> Operation:
    return Operation("get", path, summary, answer, **rest)


def _list(name: str, summary: str, answer: type[Struct], row: type[Struct], **rest: Any) -> Operation:
    return _get(f"/v1/{name}", summary, answer, row=row, **{"query": requests.ListParameters, **rest})


def _post(name: str, summary: str, answer: type[Struct], **rest: Any) -> Operation:
    return Operation("post", f"/v1/{name}", summary, answer, **{"writes": True, **rest})


OPERATIONS: tuple[Operation, ...] = (
    _get("/v1/", "Who is there, and what you may do.", protocol.Hello),
    _get("/v1/status", "All that a screen needs.", protocol.Snapshot),
    _get("/v1/why", "Which rule decides about a URL.", protocol.Why, query=requests.WhyParameters),
    _get("/v1/settings", "The configuration in effect.", protocol.Settings),
    _get("/v1/events", "Events after an id; waits.", protocol.Events, query=requests.EventParameters),
    _get(
        "/v1/events/stream",
        "The same as server-sent events (text/event-stream), without an end.",
        None,
        query=requests.StreamParameters,
    ),
    _get("/metrics", "Prometheus text, format 0.0.4.", None),
    _get("/v1/openapi.json", "This description.", None),
    _list("workers", "What each thread does.", protocol.Workers, protocol.WorkerRow),
    _list("directories", "The download directories.", protocol.Directories, protocol.DirectoryRow),
    _list("hosts", "The host queues.", protocol.Hosts, protocol.HostRow),
    _list("errors", "The error queue.", protocol.Errors, protocol.ErrorRow),
    _list("traps", "Parked shapes of URLs.", protocol.Traps, protocol.TrapRow),
    _list("tree", "Directories of a host.", protocol.Tree, protocol.TreeRow, query=browsing.TreeParameters),
    _get("/v1/links", "Where a page leads.", protocol.Links, query=browsing.LinkParameters),
    _get("/v1/host", "One host in full.", protocol.HostReply, query=browsing.HostParameters),
    _get("/v1/search", "A page of results.", protocol.SearchReply, query=search.SearchParameters),
    _get("/v1/page", "What is kept of a page.", protocol.PageReply, query=search.PageParameters),
    _list("reports", "The reports there are.", protocol.Reports, protocol.ReportInfo),
    _list("report", "Rows of a report.", protocol.Report, protocol.ReportRow, query=reports.ReportParameters),
    _post("add", "Add seeds; an answer for each URL.", protocol.Added, body=protocol.AddRequest),
    _post("check", "What add would answer.", protocol.Added, body=protocol.AddRequest, writes=False),
    _post("visited", "Take URLs as seen.", protocol.Added, body=protocol.AddRequest),
    _post("pause", "Give out no more.", protocol.StateReply),
    _post("resume", "Go on.", protocol.StateReply),
    _post("stop", "Begin to stop.", protocol.StateReply),
    _post("retry", "Put failed URLs back.", protocol.Retried, body=protocol.RetryRequest, needs_body=False),
    _post("revisit", "Visit pages again, soon.", protocol.RevisitReply, body=protocol.RevisitRequest),
    _post("release", "Let what is held back go on.", protocol.Released, body=protocol.ReleaseRequest),
    _post("reload", "Read the configuration again.", protocol.Reconfigured),
    _post(
        "settings", "Make a setting live, or unset it.", protocol.Reconfigured, body=protocol.SettingRequest
    ),
    _post("reindex", "Build the index anew.", protocol.IndexState),
)
