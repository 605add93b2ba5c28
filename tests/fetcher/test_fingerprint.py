"""What pages are compared by."""

from __future__ import annotations

import time

import pytest

from spiderd.fetcher.fingerprint import LIMIT, fingerprint, likeness

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu " * 4


def test_markup_scripts_and_comments_are_no_words():
    plain = fingerprint(WORDS.encode())
    dressed = f"<!-- a > b --><script>x</script ><STYLE a>y</style><p class=x>{WORDS}<template>t</template>"
    assert fingerprint(f"<body>{WORDS}</body>".encode()) == plain
    assert fingerprint(dressed.encode()) == plain
    assert fingerprint(f"{WORDS}<script>never closed".encode()) == plain
    assert fingerprint(f"{WORDS}<scripture>omega</scripture>".encode()) != plain


def test_pages_that_differ_in_the_targets_of_links_only_are_alike():
    page = b'<p>text<a href="/a">x</a><img src=i>'
    for other in (b'"/b?c=d"', b"/bcd", b"'/b>c'", b'""'):
        assert likeness(page.replace(b'"/a"', other)) == likeness(page)
    assert likeness(page.replace(b'href="/a"', b"HREF = '/a'")) == likeness(page)
    for old, new in ((b"src=i", b"src=j"), (b"text", b"texts"), (b">x<", b">y<")):
        assert likeness(page.replace(old, new)) != likeness(page)


@pytest.mark.parametrize(
    "piece",
    [b"<script>", b"<!--", b"<", b"<!-", b"href=", b'href="', b"href='", b"href ", b"<style ", b"</", b"-"],
)
def test_nothing_takes_longer_than_its_size(piece):
    body = piece * (LIMIT // len(piece))
    began = time.process_time()
    fingerprint(body)
    likeness(body)
    assert time.process_time() - began < 1.0
