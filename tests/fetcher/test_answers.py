"""What an answer means, by status and by media type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Fetch
from spiderd.fetcher.answers import REDIRECTS, WantedTypes, essence_of, failure_of
from spiderd.states import PASSING, Failure


@pytest.mark.parametrize(
    ("failure", "statuses"),
    [
        (Failure.NONE, [200, 201, 202, 203, 206, 226, 299, 301, 302, 303, 307, 308]),
        (Failure.NO_CONTENT, [204, 205]),
        (Failure.THROTTLED, [429, 503]),
        (Failure.HTTP_ERROR, [300, 304, 305, 400, 401, 403, 404, 410, 418, 451, 499]),
        (Failure.SERVER_ERROR, [500, 501, 502, 504, 599, 600, 999]),
    ],
)
def test_statuses(failure: Failure, statuses: list[int]) -> None:
    assert {status: failure_of(status) for status in statuses} == dict.fromkeys(statuses, failure)


@given(st.integers(200, 999))
def test_only_what_the_server_may_get_right_by_itself_is_asked_for_again(status: int) -> None:
    failure = failure_of(status)
    assert (failure in PASSING) == (status >= 500 and status != 503)
    if status in REDIRECTS:
        assert failure is Failure.NONE


@pytest.mark.parametrize(
    "content_type",
    [
        "text/html",
        "TEXT/HTML",
        "text/html; charset=utf-8",
        "  text/html ;x",
        "application/xhtml+xml",
        "",
        ";",
    ],
)
def test_pages_are_wanted_by_default_and_so_is_what_nobody_declared(content_type: str) -> None:
    assert content_type in WantedTypes(Fetch().types)


@pytest.mark.parametrize(
    "content_type", ["image/png", "text/htmlx", "xtext/html", "application/zip", "video/mp4"]
)
def test_what_is_no_page_is_not_wanted_by_default(content_type: str) -> None:
    assert content_type not in WantedTypes(Fetch().types)


@pytest.mark.parametrize(
    ("types", "wanted", "unwanted"),
    [
        (
            ["text/*"],
            ["text/html", "text/plain", "Text/CSV;h"],
            ["texts/html", "application/text", "image/png"],
        ),
        (["*/*"], ["image/png", "anything", "a/b;c"], []),
        (["Image/PNG"], ["image/png"], ["image/*", "image/pngx"]),
        ([], ["", " "], ["text/html", "/"]),
        (["text/html", "image/*"], ["text/html", "image/webp"], ["text/plain"]),
    ],
)
def test_types_are_named_one_by_one_or_by_family(
    types: list[str], wanted: list[str], unwanted: list[str]
) -> None:
    chosen = WantedTypes(types)
    assert all(one in chosen for one in wanted)
    assert not any(one in chosen for one in unwanted)


def test_the_essence_of_a_media_type_is_what_stands_before_its_parameters() -> None:
    assert essence_of(' Text/HTML ; charset="a;b"') == "text/html"
