"""What must hold whatever was crawled."""

from __future__ import annotations

import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from spiderd.audit.building import audit
from spiderd.audit.findings import Findings
from spiderd.audit.html import render
from spiderd.audit.kinds import KINDS
from spiderd.audit.near import pairs
from spiderd.audit.plots import MOST, WIDTH, chart_of
from spiderd.audit.since import merged
from spiderd.messages import Links, Outcome
from spiderd.parse.links import LinkRecord, encode_record
from spiderd.states import Failure, OutcomeKind
from tests.search.crawled import Crawled, hash_of

PRINTS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4)
FLIPS = st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 63), max_size=5)), max_size=25)
HASHES = st.dictionaries(st.binary(min_size=8, max_size=8), st.integers(1, 99), max_size=20)
TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "</td><img src=x onerror=alert(1)>",
            'x" onclick="alert(1)',
            "{{ 7*7 }}{% raw %}",
            "javascript:alert(1)",
            'http://a.test/"><script>',
            "</svg></style><style>*{}",
        ]
    ),
)


class Tags(HTMLParser):
    """The elements of a page with the names of their attributes, and where its links lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.hrefs: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag, tuple(name for name, _ in attrs)] += 1
        self.hrefs += [value or "" for name, value in attrs if name == "href"]


@given(HASHES, HASHES)
def test_merging_is_the_union_in_order(old: dict[bytes, int], new: dict[bytes, int]) -> None:
    found = list(merged(iter(sorted(old.items())), iter(sorted(new.items()))))
    assert found == [(key, old.get(key, 0), new.get(key, 0)) for key in sorted(old.keys() | new.keys())]


@given(st.lists(st.integers(0, 255), max_size=40))
def test_pairs_are_those_that_comparing_each_with_each_gives(prints: list[int]) -> None:
    run = list(enumerate(prints, 1))
    expected = []
    for place, (page, made) in enumerate(run):
        near = [(earlier, (made ^ other).bit_count()) for earlier, other in run[:place]]
        near = [(earlier, bits) for earlier, bits in near if bits <= 3]
        if near:
            expected.append((page, *near[0]))
    assert list(pairs(iter(run), 3)) == expected


@settings(max_examples=15, deadline=None)
@given(PRINTS, FLIPS)
def test_no_near_copy_is_missed(seeds: list[int], flips: list[tuple[int, set[int]]]) -> None:
    prints = [*seeds]
    for place, bits in flips:
        made = seeds[place % len(seeds)]
        for bit in bits:
            made ^= 1 << bit
        prints.append(made)
    with tempfile.TemporaryDirectory() as folder:
        with Crawled(Path(folder)) as crawled:
            for n, made in enumerate(prints):
                outcome = Outcome(0, 0, OutcomeKind.STORED, 200, content_type="text/html", simhash=made)
                crawled.put(f"http://t.test/{n}", outcome)
        with audit(Path(folder), Path(folder) / "findings", ["near-duplicates"]) as findings:
            told = {(row.cells[0], row.cells[1], row.cells[2]) for row in findings.rows("near-duplicates")}
    url = "http://t.test/{}".format
    expected = set()
    for n, made in enumerate(prints):
        near = [(m, (made ^ prints[m]).bit_count()) for m in range(n) if prints[m]]
        near = [(m, bits) for m, bits in near if bits <= 3 and made]
        if near:
            expected.add((url(n), url(near[0][0]), near[0][1]))
    assert told == expected


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, 19)), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 24)), max_size=60))
def test_broken_links_are_the_edges_into_failures(broken: set[int], edges: list[tuple[int, int]]) -> None:
    url = "http://t.test/{}".format
    targets = {n: sorted({to for source, to in edges if source == n and to != n}) for n in range(20)}
    with tempfile.TemporaryDirectory() as folder:
        with Crawled(Path(folder)) as crawled:
            for n in range(20):
                if n in broken:
                    crawled.fail(url(n))
                    continue
                keys = b"".join(hash_of(url(to)) for to in targets[n])
                count = len(targets[n])
                row = encode_record(LinkRecord(keys, b"\x01" * count, [f"to {to}" for to in targets[n]], []))
                outcome = Outcome(0, 0, OutcomeKind.STORED, 200, content_type="text/html")
                outcome.links = Links(keys, [], row, {})
                crawled.put(url(n), outcome)
        with audit(Path(folder), Path(folder) / "findings", ["broken", "dead-ends"]) as findings:
            told = {(row.cells[0], row.cells[3], row.cells[4]) for row in findings.rows("broken")}
            dead = {row.cells[0] for row in findings.rows("dead-ends")}
    standing = set(range(20)) - broken
    linked = {(url(to), url(n), f"to {to}") for n in standing for to in targets[n] if to in broken}
    reached = {to for to, _, _ in linked}
    assert told == linked | {(url(n), "", "") for n in broken if url(n) not in reached}
    assert dead == {url(n) for n in standing if not targets[n]}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5), TEXT)
def test_whatever_a_site_says_is_text_in_the_page(titles: list[tuple[str, str]], name: str) -> None:
    pages = []
    for rows, called in (([("x", "y")] * len(titles), "x"), (titles, name)):
        with (
            tempfile.TemporaryDirectory() as folder,
            Findings(Path(folder) / "findings", create=True) as findings,
        ):
            for title, url in rows:
                findings.file("titles", 0, 1, "missing", title, len(title), url)
                findings.file("types", 0, 1, title, 3, 0.5, 7, url)
            findings.finish(0.0, 1)
            pages.append("".join(render(findings, list(KINDS.values()), title=called)))
            assert [row.cells[1] for row in findings.rows("titles")] == [title for title, _ in rows]
    plain, text = pages
    told, expected = Tags(text), Tags(plain)
    told.tags["a", ("href", "rel")] = expected.tags["a", ("href", "rel")] = 0  # of URLs, where they are some
    assert told.tags == expected.tags
    assert all(href.startswith(("#", "http://", "https://")) for href in told.hrefs)


@given(st.lists(st.tuples(TEXT, st.floats(0, 1e12), TEXT), max_size=50))
def test_charts_stay_in_their_frames(rows: list[tuple[str, float, str]]) -> None:
    chart = chart_of(rows)
    assert len(chart.bars) == min(len(rows), MOST)
    assert all(bar.length > 0 and bar.after < WIDTH and bar.y < chart.height for bar in chart.bars)


def test_failures_of_ours_are_no_broken_links(tmp_path: Path) -> None:
    with Crawled(tmp_path) as crawled:
        for failure in (
            Failure.INTERNAL_ERROR,
            Failure.STORE_FAILED,
            Failure.FETCHER_DIED,
            Failure.TOTAL_TIMEOUT,
        ):
            crawled.put(f"http://t.test/{failure}", Outcome(0, 0, OutcomeKind.FAILED, failure=failure))
    with audit(tmp_path, tmp_path / "findings", ["broken"]) as findings:
        assert [row.cells[0] for row in findings.rows("broken")] == ["http://t.test/total_timeout"]
