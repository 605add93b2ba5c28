"""URLs that a person adds: what is taken, what is refused and why, and that no password is ever shown."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Config, Scope
from spiderd.daemon.intake import Candidate, auth_of, examine, found, results
from spiderd.urls import key_hash, seen_key

SECRET = "s3cret"


def one(text: str, config: Config | None = None) -> Candidate:
    (candidate,) = examine([text], config or Config())
    return candidate


def told(candidate: Candidate) -> str:
    """All that is ever said of a candidate."""
    return f"{candidate.text} {candidate.url} {candidate.reason} " + repr(
        msgspec.json.encode(results([candidate], [True]))
    )


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://H.test", "http://h.test/"),
        (" https://h.test/a b#part ", "https://h.test/a%20b"),
        ("h.test/x", "http://h.test/x"),
        ("h.test:8080", "http://h.test:8080/"),
    ],
)
def test_a_url_is_taken_as_people_type_it(text: str, url: str) -> None:
    candidate = one(text)
    assert (candidate.url, candidate.reason) == (url, "")
    assert candidate.hash == key_hash(seen_key(url, Config().urls))


@pytest.mark.parametrize(
    "text", ["ftp://h.test/", "mailto:joe@h.test", "http://", "/path", "http://h.test:99999/"]
)
def test_what_is_no_http_url_is_refused(text: str) -> None:
    candidate = one(text)
    assert (candidate.url, candidate.hash, candidate.reason) == ("", b"", "not an http(s) URL")


def test_blank_lines_are_no_candidates() -> None:
    assert examine(["", "  ", "\n"], Config()) == []


def test_a_seed_is_in_scope_by_itself_but_not_if_it_is_excluded() -> None:
    config = Config(scope=Scope(exclude=["/private/"]))
    assert one("http://anywhere.test/", config).url
    refused = one("http://anywhere.test/private/x", config)
    assert refused.url == ""
    assert "exclude" in refused.reason


@pytest.mark.parametrize(
    "text",
    [
        f"http://user:{SECRET}@h.test/",
        f"user:{SECRET}@h.test/",
        f"http:\\\\user:{SECRET}@h.test:99999/",
        f"ftp://user:{SECRET}@h.test/",
        f"http://user:{SECRET}@x@h.test:99999/",
        f"http:user:{SECRET}@h.test:99999",
        f"HTTP:/user:{SECRET}@h.test/",
        f"http://[user:{SECRET}@h.test/",
        f"//user:{SECRET}@h.test:99999/",
        f"http://user:{SECRET}/w@h.test/",
        f"http://user:{SECRET}#w@h.test:99999/",
        f"\x01http:\t//user:{SECRET}@h.test:99999/",
    ],
)
def test_a_password_is_never_shown(text: str) -> None:
    assert SECRET not in told(one(text))
    excluded = one(text, Config(scope=Scope(exclude=["."])))
    assert SECRET not in told(excluded)


@given(
    st.text("abc:%!$&'()*+,;=-._~", min_size=1, max_size=12),
    st.text("abc:%!$&'()*+,;=-._~", max_size=12),
    st.sampled_from(["h.test", "h.test:8080", "h.test:99999", "[", "h test"]),
)
def test_no_user_name_and_no_password_is_shown_of_any_url(user, password, host) -> None:
    shown = told(one(f"http://u{user}:p{password}@{host}/path"))
    assert "@" not in shown


def test_a_user_name_becomes_a_header_for_its_origin() -> None:
    candidates = examine(
        [
            "http://Aladdin:open%20sesame@h.test/a",
            "https://h.test/",
            "http://other.test:81/",
            "ftp://u:p@h.test/",
        ],
        Config(),
    )
    assert auth_of(candidates) == {"http://h.test": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}  # RFC 7617 2


def test_what_is_good_goes_to_the_store_and_everybody_is_told() -> None:
    candidates = examine(["http://a.test/", "ftp://b.test/", "http://c.test/"], Config())
    batch = found(candidates)
    assert batch.urls == ["http://a.test/", "http://c.test/"]
    assert list(batch.hashes()) == [candidates[0].hash, candidates[2].hash]
    assert batch.depth == 0
    rows = [(row.url, row.result, row.reason) for row in results(candidates, [True, False])]
    assert rows == [
        ("http://a.test/", "new", ""),
        ("ftp://b.test/", "refused", "not an http(s) URL"),
        ("http://c.test/", "known", ""),
    ]
