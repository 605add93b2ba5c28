from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Config, Scope
from spiderd.urls import ScopeRules
from spiderd.urls.memory import LinkMemory

BASES = st.sampled_from(
    ["http://h/a/b", "http://h/a/c?q", "http://h/a/", "http://h/", "https://h/a/b", "http://g/a/b", "http://h/a/b/c",
     "http://h:8080/a/b",
     "ftp://h/a/b", "about:blank", "mailto:x", "http://h/a;b/c"]
)  # fmt: skip
HREFS = st.sampled_from(
    ["x", "/x", "//g/x", "http://g/x", "https:x", "http:x", "http:/x", "?q", "../x", ".", "\\x", "/\\g/x",
     "mailto:y", " x", "é", "/é?é", "x?é", "a/http://g/x", "HTTP://g/x", "http://", "x" * 400]
)  # fmt: skip
ENCODINGS = st.sampled_from(["utf-8", "gbk", "windows-1252"])


@given(st.lists(st.tuples(BASES, HREFS, ENCODINGS), max_size=60))
def test_what_is_remembered_is_what_would_be_found(asked: list[tuple[str, str, str]]) -> None:
    rules = ScopeRules(Config(scope=Scope(follow="host", exclude=["c"])), ["http://h/"])
    for base, href, encoding in asked:
        assert rules.memory.at(base, encoding)(href) == rules.memory.judge(base, href, encoding)


class Counted:
    """Rules that let everything pass and write down what they were asked."""

    def __init__(self) -> None:
        self.config = Config()
        self.asked: list[str] = []

    def decide_url(self, url: str) -> str:
        self.asked.append(url)
        return ""


def test_nothing_is_judged_twice_in_one_place() -> None:
    rules = Counted()
    memory = LinkMemory(rules)
    for page in range(3):
        for href in ("x", "/y", "http://h/z", "?q"):
            memory.at(f"http://h/a/{page}", "utf-8")(href)
    queries = [f"http://h/a/{page}?q" for page in range(3)]
    assert rules.asked == ["http://h/a/x", "http://h/y", "http://h/z", *queries]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spiderd.urls.memory.GENERATION", 100)
    memory = ScopeRules(Config(), ["http://h/"]).memory
    for page in range(1000):
        memory.at(f"http://h/{page}/", "utf-8")(f"x{page}")
    kept = [*memory._young.values(), *memory._old.values()]
    assert len(kept) + sum(map(len, kept)) <= 2 * 102


def test_what_is_used_survives_a_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spiderd.urls.memory.GENERATION", 50)
    memory = ScopeRules(Config(), ["http://h/"]).memory
    first = memory.at("http://h/", "utf-8")("/menu")
    for page in range(200):
        memory.at(f"http://h/{page}/", "utf-8")(f"x{page}")
        assert memory.at("http://h/", "utf-8")("/menu") is first
