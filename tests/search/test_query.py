"""What people type: every text is understood as something."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.query import MAX_LENGTH, MAX_TERMS, Clause, Language, Site, Span, Words, parse


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("event loop", [Clause((Words(("event",)),)), Clause((Words(("loop",)),))]),
        ('"event loop"', [Clause((Words(("event", "loop"), required=True),))]),
        ("\u201cevent loop\u201d", [Clause((Words(("event", "loop"), required=True),))]),
        ('"never closed', [Clause((Words(("never", "closed"), required=True),))]),
        ("+the", [Clause((Words(("the",), required=True),))]),
        ("a -b", [Clause((Words(("a",)),)), Clause((Words(("b",)),), excluded=True)]),
        ('-"a b"', [Clause((Words(("a", "b"), required=True),), excluded=True)]),
        ("a OR b c", [Clause((Words(("a",)), Words(("b",)))), Clause((Words(("c",)),))]),
        ("a | b | c", [Clause((Words(("a",)), Words(("b",)), Words(("c",))))]),
        ("(a OR b) AND c", [Clause((Words(("a",)), Words(("b",)))), Clause((Words(("c",)),))]),
        ("OR a OR", [Clause((Words(("a",)),))]),
        ("or", [Clause((Words(("or",)),))]),
        ("site:https://Docs.Example.org/x", [Clause((Site("docs.example.org"),))]),
        ("-site:*.example.org", [Clause((Site("example.org"),), excluded=True)]),
        ("title:x url:a_b", [Clause((Words(("x",), "title"),)), Clause((Words(("a_b",), "url"),))]),
        ('title:"a b"', [Clause((Words(("a", "b"), "title", required=True),))]),
        ("lang:zh-CN", [Clause((Language("zh"),))]),
        ("http://example.org/a", [Clause((Words(("example.org/a",)),))]),
        ("std::vector", [Clause((Words(("std::vector",)),))]),
        ("site:", [Clause((Words(("site:",)),))]),
        ('""', []),
        ("   ", []),
    ],
)
def test_queries_are_understood(text, clauses):
    assert parse(text).clauses == clauses


def unix(*date: int) -> int:
    return int(datetime(*date, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("date:2026", unix(2026, 1, 1), unix(2027, 1, 1)),
        ("date:2026-12", unix(2026, 12, 1), unix(2027, 1, 1)),
        ("date:2026-02-28", unix(2026, 2, 28), unix(2026, 3, 1)),
        ("date:2026-01..2026-03", unix(2026, 1, 1), unix(2026, 4, 1)),
        ("date:..2025", None, unix(2026, 1, 1)),
        ("after:2026-03", unix(2026, 3, 1), None),
        ("before:2026-03", None, unix(2026, 3, 1)),
    ],
)
def test_dates_are_spans(text, since, until):
    assert parse(text).clauses == [Clause((Span(text, since, until),))]


@pytest.mark.parametrize(
    "text", ["date:yesterday", "before:2026-13", "date:2026-02-30", "date:..", "date:9999"]
)
def test_what_is_no_date_is_said_and_left_out(text):
    query = parse(text)
    assert query.clauses == []
    assert "is no date" in query.remarks[0]


def test_long_queries_are_cut_and_it_is_said():
    query = parse("word " * 2_000)
    assert len(query.clauses) == MAX_TERMS
    assert len(query.remarks) == 2
    assert len(parse("x" * 10_000).clauses[0].terms[0].words[0]) == MAX_LENGTH


@given(st.text(st.one_of(st.characters(), st.sampled_from('"-+:|() ORsiteang.')), max_size=200))
def test_every_text_is_a_query_that_can_be_written_down(text):
    query = parse(text)
    again = parse(str(query))
    assert again.clauses == parse(str(again)).clauses
