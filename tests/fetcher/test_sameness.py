"""What counts as a change of a page, and what only ticks."""

from __future__ import annotations

import pytest

from spiderd.fetcher.sameness import Sameness, compare, words_of

WORDS = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400))


def html(text: str) -> bytes:
    return f"<html><title>t</title><body><p>{WORDS}</p>{text}</body></html>".encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>4711 visitors</p>", "<p>12 visitors</p>"),
        ("<p>Monday, 30 November 2026, 10:04 pm</p>", "<p>Tue, Dec 1st 2026 9:11:59 am</p>"),
        ("<p>posted 3 minutes ago</p>", "<p>posted yesterday</p>"),
        ("<input name=csrf value=8a7f>", "<input name=csrf value=99ce>"),
        ("<script>var t = 'a'</script>", "<script>var t = 'b'</script>"),
        ("<!-- server one -->", "<!-- server two -->"),
        ("<p class=x>same</p>", "<div id=y>same</div>"),
    ],
)
def test_what_ticks_is_no_change(before: str, after: str) -> None:
    assert compare(html(before), html(after)) is Sameness.SAME


def test_an_edit_is_nearly_the_same_and_another_text_is_not() -> None:
    assert compare(html("colour"), html("color")) is Sameness.NEARLY
    assert compare(html(""), html(WORDS[::-1])) is Sameness.OTHER
    assert compare(b"<p>open</p>", b"<p>closed</p>") is Sameness.OTHER


def test_a_change_far_down_a_long_page_is_seen() -> None:
    long = " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(6000))
    tail = " ".join(f"z{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))
    assert compare(long.encode(), f"{long} {tail}".encode()) is Sameness.OTHER


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "euc-kr", "shift_jis"])
def test_other_words_in_an_encoding_that_is_not_ours_are_seen(encoding: str) -> None:
    one, other = {
        "gb18030": ("今天天气很好", "明天可能下雨"),
        "big5": ("今天天氣很好", "明天可能下雨"),
        "euc-kr": ("오늘은 맑음", "내일은 비옴"),
        "shift_jis": ("今日は晴れ", "明日は雨天"),
    }[encoding]
    before, after = (f"<p>{text}</p>".encode(encoding) for text in (one, other))
    assert compare(before, after) is not Sameness.SAME


def test_words_are_those_that_are_read() -> None:
    assert words_of(b"<b>One</b> 2 3 May, <style>p{}</style>two") == ["One", "0", "two"]
    assert words_of(b"") == []
