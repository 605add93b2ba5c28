"""What happens to a URL and why, in one sentence: the answer that somebody who asks why is after. Pure."""

from __future__ import annotations

from msgspec import Struct

from spiderd.config import Config
from spiderd.coordinator.lifecycle import Lifecycle
from spiderd.protocol import HostRow, Why
from spiderd.states import OutcomeKind, Queue, Reason
from spiderd.units import counted, human_duration


class Facts(Struct, kw_only=True):
    """What the sentence is made of, beside the answer itself."""

    url: str
    host: HostRow | None
    crawl: Lifecycle
    config: Config
    outside: str  # why it is outside of the scope; "" = it is not
    robots: str  # what forbids it; "" = nothing does
    in_hand: bool
    now: float


def summary(answer: Why, facts: Facts) -> str:
    """Say it."""
    if answer.queue == Queue.PROCESSING:
        return "It is being fetched now."
    if answer.queue == Queue.ERROR:
        said = f"{answer.failure}: {answer.detail}" if answer.detail else answer.failure
        return f"It has failed for good after {_tries(answer)} ({said}); spiderd retry puts it back."
    if answer.queue == Queue.COMPLETE:
        return _settled(answer, facts)
    if answer.queue == Queue.WAITING:
        return _waiting(answer, facts)
    if answer.seen:
        return (
            "It was seen and waits far behind, or was marked as visited (spiderd add --visited), which is "
            "never fetched."
        )
    return _unknown(facts)


def _settled(answer: Why, facts: Facts) -> str:
    when = f"It was fetched {human_duration(facts.now - answer.fetched)} ago"
    match answer.kind:
        case OutcomeKind.STORED:
            return f"{when} and is stored.{_visits(answer, facts)}"
        case OutcomeKind.DUPLICATE:
            text = "its content was known from another URL, so it is not stored again."
            return f"{when}; {text}{_visits(answer, facts)}"
        case OutcomeKind.REDIRECT:
            return f"{when} and leads to {answer.location}.{_visits(answer, facts)}"
        case OutcomeKind.SITEMAP:
            return f"{when}: a sitemap, read for its URLs.{_visits(answer, facts)}"
    if answer.failure == "robots_denied":
        return "It was not fetched: robots.txt forbade it when its turn came."
    if answer.failure == "out_of_scope":
        return "It was not fetched: its host had all the pages that scope.max_pages_per_host allows."
    return f"{when} and not kept ({answer.failure or answer.kind})."


def _visits(answer: Why, facts: Facts) -> str:
    """What later visits have found, and when the next one is."""
    if not answer.changes_every and not answer.asked_again:
        return ""
    seen = ""
    if answer.visits:
        changed = f"{counted(answer.visits, 'later visit')} found {counted(answer.changes, 'change')}"
        seen = f" {changed}: about one in {human_duration(answer.changes_every)}."
    if answer.asked_again:
        return f"{seen} It is visited again as soon as its host may be asked."
    if not facts.config.revisit.enabled:
        return seen
    return f"{seen} It is visited again in {human_duration(answer.next_visit - facts.now)}."


def _waiting(answer: Why, facts: Facts) -> str:
    if answer.shape:
        return (
            f'It is set aside: URLs of its shape, "{answer.shape}", are taken for a trap; '
            "spiderd release lets them go on."
        )
    if facts.outside:
        return f"It is not fetched as long as it {facts.outside}."
    if answer.next_try:
        wait = human_duration(answer.next_try - facts.now)
        failed = f" ({answer.failure})" if answer.failure else ""
        return f"It has failed{failed} after {_tries(answer)} and is tried again in {wait}."
    if facts.robots:
        return f"It waits, but will not be fetched: robots.txt, {facts.robots}."
    if held := _held(facts):
        return f"It waits: {held}."
    if answer.before > 0:
        return f"It waits; {counted(answer.before, 'URL')} of its host come first."
    return "It waits and is the next of its host."


def _held(facts: Facts) -> str:
    """What keeps it from being fetched now."""
    crawl, host = facts.crawl, facts.host
    if crawl.reason is Reason.PAGE_LIMIT:
        return f"the crawl has its {counted(facts.config.crawl.max_pages, 'page')} (crawl.max_pages)"
    if not crawl.runs and crawl.reason is not Reason.PARKED:
        why = crawl.message or crawl.reason
        return f"the crawl is {crawl.state}" + (f" ({why})" if why else "")
    if host is None or host.state not in ("backoff", "parked", "unreachable"):
        return ""
    why = f" ({host.reason})" if host.reason else ""
    wait = human_duration(host.next_allowed - facts.now)
    return f"{host.host} is {host.state}{why} and is asked again in {wait}; spiderd release asks it at once"


def _unknown(facts: Facts) -> str:
    if facts.outside:
        return f"It is not fetched: it {facts.outside}."
    forbidden = f" and robots.txt would forbid it ({facts.robots})" if facts.robots else ""
    return (
        f"It was never found{forbidden}: no page that was fetched has a link to it that may be followed; "
        "spiderd add adds it."
    )


def _tries(answer: Why) -> str:
    return counted(answer.tries, "try", "tries")
