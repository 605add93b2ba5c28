"""The site tree against plain counting: whatever is found, done, given up or put back, in whatever paths."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.messages import Outcome
from spiderd.states import Failure, OutcomeKind
from spiderd.store import tree
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.tree import LONGEST, path_of
from spiderd.urls import key_hash

HOST = "h.test"


@pytest.fixture
def ledger(tmp_path: Path):
    env, ledger = open_ledger(tmp_path, "breadth", sync=False)
    with env:
        yield ledger
        ledger.abort()


def find(ledger: Ledger, *paths: str, host: str = f"http://{HOST}") -> None:
    urls = [f"{host}/{path}" for path in paths]
    ledger.frontier.add(Found(b"".join(map(key_hash, urls)), urls, 1))


def finish(ledger: Ledger, path: str, *, failed: bool = False) -> None:
    number = ledger.hosts.id_of(HOST)
    heads = ledger.frontier.heads(number, b"", 10_000)
    (head,) = [head for head in heads if head[1].url == f"http://{HOST}/{path}"]
    kind, failure = (
        (OutcomeKind.FAILED, Failure.HTTP_ERROR) if failed else (OutcomeKind.SKIPPED, Failure.NONE)
    )
    record(ledger, Done(*head, Outcome(0, 0, kind, 404 if failed else 200, failure)))


def below(ledger: Ledger, path: str = "") -> dict[str, tuple[int, int, int]]:
    found = ledger.tree.below(ledger.hosts.id_of(HOST), path.encode())
    return {name.decode(): (row.found, row.complete, row.error) for name, row in found.items()}


def deeper(ledger: Ledger, path: str = "") -> set[str]:
    found = ledger.tree.below(ledger.hosts.id_of(HOST), path.encode())
    return {name.decode() for name, row in found.items() if row.deeper}


def test_each_directory_counts_what_is_in_it_and_below(ledger: Ledger) -> None:
    find(ledger, "", "about", "docs/a", "docs/b", "docs/api/x", "docs/api/v2/y", "blog/1")
    finish(ledger, "docs/a")
    finish(ledger, "docs/api/v2/y", failed=True)
    assert below(ledger) == {"": (2, 0, 0), "docs": (4, 1, 1), "blog": (1, 0, 0)}
    assert below(ledger, "docs/") == {"": (2, 1, 0), "api": (2, 0, 1)}
    assert below(ledger, "docs/api/") == {"": (1, 0, 0), "v2": (1, 0, 1)}
    assert below(ledger, "doc/") == {}
    assert deeper(ledger) == {"docs"}
    assert deeper(ledger, "docs/") == {"api"}


def test_it_outlives_a_commit_and_an_abort_takes_back_what_came_since(ledger: Ledger) -> None:
    find(ledger, "docs/a")
    ledger.commit()
    find(ledger, "docs/b")
    assert below(ledger) == {"docs": (2, 0, 0)}
    ledger.abort()
    assert below(ledger) == {"docs": (1, 0, 0)}
    find(ledger, "docs/b")
    assert below(ledger) == {"docs": (2, 0, 0)}


def test_both_schemes_are_one_host_and_ports_are_others(ledger: Ledger) -> None:
    find(ledger, "docs/a")
    find(ledger, "docs/b", host=f"https://{HOST}")
    find(ledger, "docs/c", host=f"http://{HOST}:8080")
    assert below(ledger) == {"docs": (2, 0, 0)}


def test_what_is_tried_again_is_given_up_no_longer(ledger: Ledger) -> None:
    find(ledger, "docs/a", "docs/b")
    finish(ledger, "docs/a", failed=True)
    assert below(ledger) == {"docs": (2, 0, 1)}
    ledger.errors.retry(lambda _: True)
    assert below(ledger) == {"docs": (2, 0, 0)}


def test_a_host_that_has_no_room_for_more_counts_with_what_is_above(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "MOST", 3)
    find(ledger, "index", "a/1", "a/b/2", "a/b/c/3", "a/b/c/d/4", "z/5")
    finish(ledger, "a/b/c/d/4")
    finish(ledger, "z/5")
    assert below(ledger) == {"": (2, 1, 0), "a": (4, 1, 0)}
    assert below(ledger, "a/") == {"": (1, 0, 0), "b": (3, 1, 0)}
    assert below(ledger, "a/b/") == {"": (3, 1, 0)}
    assert ledger.hosts.tallies(ledger.hosts.id_of(HOST)).directories == 3


def test_what_an_older_version_has_not_counted_is_never_below_nothing(ledger: Ledger) -> None:
    find(ledger, "docs/a")
    ledger.tree.forget()
    finish(ledger, "docs/a", failed=True)
    ledger.errors.retry(lambda _: True)
    finish(ledger, "docs/a", failed=True)
    assert below(ledger) == {"docs": (0, 0, 1)}


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h/", ""),
        ("https://h/", ""),
        ("http://h/a", ""),
        ("http://h/a/", ""),
        ("http://h/abc", ""),
        ("https://h/a/b", "a/"),
        ("https://h/a/b/", "a/"),
        ("https://h/a//b///c", "a/b/"),
        ("https://h/a/b?next=/x/y/z", "a/"),
        ("https://h/a/b/?next=/", "a/b/"),
        ("https://h/?next=/x/y", ""),
        ("https://[::1]:8080/a/b", "a/"),
        ("https://h/" + "d/" * 20 + "x", "d/" * 12),
        ("https://h/" + "e" * 300 + "/x", ""),
        ("https://h/a/" + "e" * 300 + "/x", "a/"),
    ],
)
def test_the_directory_of_a_url(url: str, path: str) -> None:
    (text,) = tree._texts([url])
    assert path_of(text) == path.encode()


NAMES = st.lists(st.sampled_from(["a", "b", "c?d=/e", "", "f" * 90, "%C3%BC"]), max_size=5).map("/".join)


@given(st.lists(NAMES, unique=True, max_size=30), st.data())
def test_it_is_what_plain_counting_gives(tmp_path_factory, paths, data) -> None:
    done = data.draw(st.sets(st.sampled_from(paths))) if paths else set()
    env, ledger = open_ledger(tmp_path_factory.mktemp("store"), "breadth", sync=False)
    with env:
        find(ledger, *paths)
        for path in done:
            finish(ledger, path)
        expected = Counter((directory_of(path) or [""])[0] for path in paths)
        shown = below(ledger)
        assert {name: row[0] for name, row in shown.items()} == expected
        assert sum(row[1] for row in shown.values()) == len(done)
        ledger.abort()


def directory_of(path: str) -> list[str]:
    bare, query, _ = path.partition("?")
    names = [name for name in bare.removesuffix("" if query else "/").split("/")[:-1] if name]
    while len("/".join(names)) + 1 > LONGEST:
        names.pop()
    return names
