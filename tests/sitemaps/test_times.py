"""The times that sitemaps and feeds give."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.sitemaps import lastmod_time


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type]  # six ints at most


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", at(2026, 1, 1)),
        ("2026-08", at(2026, 8, 1)),
        ("2026-08-14", at(2026, 8, 14)),
        (" 2026-08-14 ", at(2026, 8, 14)),
        ("2026-08-14T10:20Z", at(2026, 8, 14, 10, 20)),
        ("2026-08-14T10:20:30Z", at(2026, 8, 14, 10, 20, 30)),
        ("2026-08-14T10:20:30.123456789z", at(2026, 8, 14, 10, 20, 30)),
        ("2026-08-14T10:20:30+02:00", at(2026, 8, 14, 8, 20, 30)),
        ("2026-08-14T10:20:30-0530", at(2026, 8, 14, 15, 50, 30)),
        ("2026-08-14 10:20:30", at(2026, 8, 14, 10, 20, 30)),
        ("2026-06-30T23:59:60Z", at(2026, 6, 30, 23, 59, 59)),
        ("Fri, 14 Aug 2026 10:00:00 GMT", at(2026, 8, 14, 10)),
        ("Fri, 14 Aug 2026 10:00:00 +0200", at(2026, 8, 14, 8)),
    ],
)
def test_times(text, moment):
    assert lastmod_time(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "0000-01-01",
        "2026-08-14T25:00Z",
        "\u0662\u0660\u0662\u0666",
        "14/08/2026",
    ],
)
def test_no_times(text):
    assert lastmod_time(text) is None


@given(st.text(max_size=40))
def test_any_text_can_be_read(text):
    lastmod_time(text)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2999, 1, 1)))  # noqa: DTZ001 - hypothesis wants them naive
def test_what_is_written_is_read(moment):
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    assert lastmod_time(moment.isoformat()) == moment.timestamp()
