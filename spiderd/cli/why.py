"""`spiderd why URL`: what happens to it, which rule decides, and what is known of it."""

from __future__ import annotations

import time

import click

from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_facts, print_json
from spiderd.client import Client
from spiderd.protocol import Why
from spiderd.units import counted, human_duration


@click.command()
@asks_daemon
@click.argument("url")
@json_option
def why(client: Client, url: str, *, as_json: bool) -> None:
    """Explain what happens to a URL, and by which rule."""
    answer = client.why(url)
    if as_json:
        print_json(answer)
    else:
        print_facts(facts(answer, time.time()))


def facts(answer: Why, now: float) -> list[tuple[str, str]]:
    """Say what is known of the URL; what is not known is left out."""
    rows = [
        ("URL", answer.url),
        ("in short", answer.summary),
        ("may be fetched", "yes, by scope and robots.txt" if answer.allowed else "no"),
        ("scope", answer.scope),
        ("robots.txt", answer.robots or "no line decides"),
        ("queue", _queue(answer)),
        ("depth", str(answer.depth) if answer.depth >= 0 else ""),
        ("found on", answer.referrer),
        ("trap", f"its shape {answer.shape} is parked" if answer.shape else ""),
        ("tries", _tries(answer, now)),
        ("settled", _settled(answer, now)),
        ("file", answer.path),
        ("visits", _visits(answer, now)),
        ("host", _host(answer, now)),
        ("seen key", answer.key),
    ]
    return [(name, value) for name, value in rows if value]


def _queue(answer: Why) -> str:
    queue = answer.queue or ("none, but it was seen" if answer.seen else "never seen")
    return f"{queue}, {counted(answer.before, 'URL')} of its host before it" if answer.before > 0 else queue


def _tries(answer: Why, now: float) -> str:
    if not answer.tries:
        return ""
    again = f", again in {human_duration(answer.next_try - now)}" if answer.next_try > now else ""
    failed = f", the last ended with {answer.failure}" if answer.failure else ""
    detail = f" ({answer.detail})" if answer.detail else ""
    return f"{answer.tries}{failed}{detail}{again}"


def _settled(answer: Why, now: float) -> str:
    if not answer.fetched:
        return ""
    failure = f" ({answer.failure})" if answer.failure else ""
    status = f", HTTP status {answer.status}" if answer.status else ""
    leads = f", leads to {answer.location}" if answer.location else ""
    return f"{human_duration(now - answer.fetched)} ago: {answer.kind}{failure}{status}{leads}"


def _visits(answer: Why, now: float) -> str:
    """Later visits: what they have found, and when the next one is."""
    parts = []
    if answer.visits:
        parts.append(f"{counted(answer.visits, 'later visit')}, {counted(answer.changes, 'change')}")
    if answer.changes_every:
        parts.append(f"about one change in {human_duration(answer.changes_every)}")
    if answer.asked_again:
        parts.append("the next one as soon as its host may be asked")
    elif answer.next_visit:
        parts.append(f"the next one in {human_duration(answer.next_visit - now)}")
    return ", ".join(parts)


def _host(answer: Why, now: float) -> str:
    state = answer.host_state or "not known yet"
    reason = f" ({answer.host_reason})" if answer.host_reason else ""
    wait = answer.next_allowed - now
    asked = f", may be asked in {human_duration(wait)}" if wait > 0 else ""
    return f"{answer.host}, {state}{reason}{asked}"
