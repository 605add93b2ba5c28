"""What the boxes tell: of a page, of a host, and why a URL is treated as it is."""

from __future__ import annotations

from dataclasses import dataclass

from spiderd.protocol import HostReply, LinkRow, Links, NextUrl, OutcomeRow, PageReply, RobotsRow, Why
from spiderd.units import human_count, human_duration, human_size
from tui.text import UNKNOWN, clock, date, plural

Facts = list[tuple[str, str]]

LONGEST = 300  # characters of a URL where many are listed


@dataclass(frozen=True, slots=True)
class Section:
    """A headed text of several lines."""

    title: str
    lines: list[str]


def page_facts(page: PageReply) -> list[tuple[str, str]]:
    """Say what is kept of a page."""
    return [
        ("url", page.url),
        ("title", page.title or UNKNOWN),
        ("status", f"{page.status} {page.kind}{f' ({page.failure})' if page.failure else ''}"),
        ("fetched", date(page.fetched)),
        ("type", page.content_type or UNKNOWN),
        ("size", human_size(page.size)),
        ("language", page.language or UNKNOWN),
        ("depth", f"{human_count(page.depth)} links from a seed"),
        ("found on", page.referrer or "it is a seed"),
        *([("leads to", page.location)] if page.location else []),
        ("archived as", page.path or "not stored"),
        ("links", f"{human_count(page.links_out)} out, {_links_in(page)} in"),
    ]


def _links_in(page: PageReply) -> str:
    return human_count(page.links_in) if page.links_in >= 0 else "not yet counted"


def link_sections(answer: Links) -> list[Section]:
    """Say where a page leads and which pages lead to it."""
    out, into = [[_link(row) for row in rows] for rows in (answer.out, answer.into)]
    if answer.out_total > len(out):
        out.append(f"and {human_count(answer.out_total - len(out))} more")
    if answer.looked < answer.pages:
        into.append(f"as far as the first {human_count(answer.looked)} pages of the crawl say")
    return [Section("Links to", out or ["nothing"]), Section("Linked from", into or ["nothing"])]


def _link(row: LinkRow) -> str:
    text = f"  {row.text}" if row.text else ""
    where = row.url[:LONGEST] or "not fetched yet"
    return f"{row.status or UNKNOWN:>3} {where}{text}"


def host_facts(answer: HostReply, now: float) -> Facts:
    """Say how a host is treated; `now` is the daemon's time."""
    row = answer.row
    left = row.next_allowed - now
    robots = " · ".join(_robots(rules, now) for rules in answer.robots)
    facts = [
        ("host", row.name or row.host),
        ("in ASCII", row.host if row.name else ""),
        ("state", row.state),
        ("why", row.reason),
        ("next request", f"in {human_duration(left)}" if row.next_allowed and left > 0 else "now"),
        ("delay", f"{human_duration(row.delay)} between two requests"),
        ("last status", str(row.last_status or UNKNOWN)),
        ("robots.txt", robots or "not fetched yet"),
        ("waiting", human_count(row.waiting)),
        ("processing", human_count(row.processing)),
        ("complete", f"{human_count(row.complete)}, of which {plural(answer.pages, 'page')} stored"),
        ("error", human_count(row.error)),
        ("size", human_size(answer.bytes)),
    ]
    return [(name, text) for name, text in facts if text]


def _robots(rules: RobotsRow, now: float) -> str:
    said = {"rules": "rules", "allow_all": "everything allowed", "disallow_all": "nothing allowed"}
    facts = [f"{rules.origin}: {said[rules.kind]}"]
    if rules.why:
        facts.append(rules.why)
    if rules.delay:
        facts.append(f"Crawl-delay {human_duration(rules.delay)}")
    if rules.sitemaps:
        facts.append(plural(rules.sitemaps, "sitemap"))
    facts.append(f"fetched {human_duration(max(0.0, now - rules.fetched))} ago")
    return ", ".join(facts)


def host_sections(answer: HostReply) -> list[Section]:
    """Say what comes next of a host, how the last requests ended, and what its robots.txt says."""
    coming = [_next(row) for row in answer.next]
    recent = [_outcome(row) for row in answer.recent]
    searched = f"none among the last {human_count(answer.looked)} of the crawl"
    return [
        Section("Next of its queue", coming or ["nothing waits"]),
        Section("Last outcomes", recent or [searched]),
        *(
            Section(f"{rules.origin}/robots.txt", [*rules.text.splitlines(), *(["…"] if rules.cut else [])])
            for rules in answer.robots
            if rules.text
        ),
    ]


def _next(row: NextUrl) -> str:
    tries = f"  ({plural(row.tries, 'try', 'tries')} failed)" if row.tries else ""
    return f"{'now ' if row.leased else '    '}{row.url[:LONGEST]}{tries}"


def _outcome(row: OutcomeRow) -> str:
    how = row.failure or row.kind
    detail = f"  {row.detail}" if row.detail else ""
    size = f"  {human_size(row.size)}" if row.size else ""
    return f"{clock(row.at)} {row.status or UNKNOWN:>3} {how:<14} {row.url[:LONGEST]}{size}{detail[:LONGEST]}"


def _visits(answer: Why) -> str:
    if not answer.visits:
        return ""
    every = f", about one in {human_duration(answer.changes_every)}" if answer.changes_every else ""
    last = f", the last on {date(answer.changed)}" if answer.changed else ""
    return f"{human_count(answer.visits)}, {human_count(answer.changes)} found a change{last}{every}"


def _next_visit(answer: Why) -> str:
    if answer.asked_again:
        return "as soon as its host may be asked"
    return date(answer.next_visit) if answer.next_visit else ""


def why_facts(answer: Why) -> list[tuple[str, str]]:
    """Say which rule decides about a URL, and what is known of it; leave out what is not."""
    host = f"{answer.host} ({answer.host_state})" if answer.host_state else answer.host
    facts = [
        ("", ""),
        ("in short", answer.summary),
        ("fetched as", answer.url),
        ("may be fetched", "yes" if answer.allowed else "no"),
        ("scope", answer.scope),
        ("robots.txt", answer.robots or "no line decides"),
        ("queue", answer.queue or "not known to the crawl"),
        ("before it", f"{human_count(answer.before)} URLs of its host" if answer.before >= 0 else ""),
        ("depth", f"{answer.depth} links from a seed" if answer.depth >= 0 else ""),
        ("found on", answer.referrer),
        ("trap", answer.shape),
        ("ended as", f"{answer.kind} {answer.status or ''}".strip()),
        ("fetched", date(answer.fetched) if answer.fetched else ""),
        ("leads to", answer.location),
        ("archived as", answer.path),
        ("later visits", _visits(answer)),
        ("next visit", _next_visit(answer)),
        ("tries", str(answer.tries) if answer.tries else ""),
        ("last failure", f"{answer.failure} {answer.detail}".strip()),
        ("next try", date(answer.next_try) if answer.next_try else ""),
        ("host", host),
        ("host's reason", answer.host_reason),
        ("host is next", date(answer.next_allowed) if answer.next_allowed else "now"),
        ("seen key", answer.key),
    ]
    return [(name, text) for name, text in facts if text or not name]
