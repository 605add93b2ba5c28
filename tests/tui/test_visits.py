"""What the dashboard says of pages that are visited again."""

from __future__ import annotations

from msgspec.structs import replace

from spiderd.protocol import Revisits, Snapshot, Why
from tests.tui.stage import Stage
from tui import figures
from tui.telling import why_facts
from tui.widgets import counters


def shown(revisits: Revisits | None) -> Snapshot:
    return replace(Stage().snapshot(), revisits=revisits)


def labels(snapshot: Snapshot) -> dict[str, str]:
    return {figure.label: figure.value for figure in counters.figures(snapshot)}


def test_due_and_overdue_are_among_the_figures_on_top() -> None:
    assert "due" not in labels(shown(None))
    assert "due" not in labels(shown(Revisits(on=False)))
    told = labels(shown(Revisits(on=True, scheduled=900, due=1200)))
    assert (told["due"], "overdue" in told) == ("1,200", False)
    assert labels(shown(Revisits(on=True, due=1200, overdue=30)))["overdue"] == "30"


def test_all_figures_tell_how_often_pages_change() -> None:
    revisits = Revisits(
        on=True, scheduled=40, due=3, overdue=1, next=1.8e9, rates={"a day": 10, "a year": 30}
    )
    told = dict(figures.figures(shown(revisits)))
    assert told["due"] == "3, 1 overdue"
    assert told["  a day"].startswith("10 ")
    assert told["  a year"].startswith("30 ")
    assert "pages change every" not in dict(figures.figures(shown(Revisits(on=False))))


def test_the_details_of_a_page_tell_its_visits() -> None:
    answer = Why(
        url="http://h.test/", key="", allowed=True, scope="", robots="", queue="complete", tries=0,
        failure="", host="h.test", host_state="", next_allowed=0.0, visits=7, changes=2, changed=1.8e9,
        changes_every=86400.0 * 3, next_visit=1.9e9,
    )  # fmt: skip
    told = dict(why_facts(answer))
    assert told["later visits"].startswith("7, 2 found a change, the last on ")
    assert told["later visits"].endswith("about one in 3d 00h")
    assert told["next visit"]
    answer.asked_again = True
    assert dict(why_facts(answer))["next visit"] == "as soon as its host may be asked"
