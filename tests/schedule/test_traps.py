"""Shapes of URLs, and the yield test that parks them."""

from __future__ import annotations

import random
import zlib
from calendar import month_name

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.schedule.similarity import Fingerprints, simhash
from spiderd.schedule.traps import ALONE, NEAR_WEIGHT, NEAR_WEIGHT_FAR, Shapes, ShapeState, shape_of

H = "http://a.test"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/cal/2026/08", "/cal/1999/12"),
        ("/cal/2026-08-14", "/cal/2031-1-2"),
        ("/cal/14.08.2026.html", "/cal/01.01.2027.html"),
        ("/cal?month=8&year=2026", "/cal?year=2027&month=9"),
        ("/p?sid=abc", "/p?sid=def"),
        ("/p?a=1&b=2&b=3", "/p?b=9&a="),
        ("/p?f1=x&f2=y", "/p?f3=x&f4=y"),
        ("/item/12", "/item/99999"),
        ("/page12.html", "/page9.html"),
        ("/s/deadbeef01/x", "/s/0123456789abcdef/x"),
        ("/s/550e8400-e29b-41d4-a716-446655440000", "/s/6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        ("/s/aGVsbG8gd29ybGQgMTIzNDU2", "/s/dGhpcyBpcyBhIHRlc3QgMTIz"),
        ("/news/a-long-title-of-a-story", "/news/yet-another-title-about-things.."),
        ("/news/ein_langer_titel_mit_wort", "/news/noch%20ein%20anderer%20titel"),
        ("/x/x/x", "/x/x/x/x/x/x/x/x/x"),
        ("/1/2/3/4/5", "/1/2/3/4/5/6/7/8"),
        ("/" + "/".join("abcdefghijklmnop"), "/" + "/".join("abcdefghijklxyz")),
        ("/a#top", "/a"),
        ("/a;jsessionid=00FFEE", "/a;jsessionid=xyz.node1"),
        ("/item-deadbeef01.html", "/item-0123456789abcdef.html"),
    ],
)
def test_one_shape(one, other):
    assert shape_of(H + one) == shape_of(H + other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/about", "/contact"),
        ("/a/b", "/a/c"),
        ("/a", "/a/"),
        ("/a", "/a?x"),
        ("/a?x=1", "/a?y=1"),
        ("/item/12", "/item/twelve"),
        ("/2026/08", "/2026/08/14"),
        ("/en/x", "/en/en/x"),
        ("/a.html", "/a.pdf"),
        ("/decade", "/facade"),
        ("/beef", "/feed"),
        ("/getting-started", "/release-notes"),
    ],
)
def test_two_shapes(one, other):
    assert shape_of(H + one) != shape_of(H + other)


def test_hosts_do_not_share_shapes():
    assert shape_of("http://a.test/x") != shape_of("http://b.test/x")
    assert shape_of("http://a.test/x") == shape_of("https://A.test/x")


def test_the_shape_in_the_docs():
    assert shape_of("https://a.test/cal/2026-08-14/page12.html?view=day&id=7") == (
        "a.test/cal/{date}/page#.html?id&view"
    )


@given(st.text(max_size=60))
def test_any_text_has_a_bounded_shape(text):
    for url in (text, H + "/" + text, H + "/?" + text):
        assert len(shape_of(url)) < 1200
        assert shape_of(url) == shape_of(url)


def test_a_shape_takes_little_room_whatever_the_url():
    url = (
        H
        + "/"
        + "/".join(["segment" * 5] * 400)
        + "?"
        + "&".join(f"key{chr(97 + n % 26)}=1" for n in range(5000))
    )
    assert len(shape_of(url)) < 1500


def test_a_shape_is_parked_after_a_window_without_anything_new():
    shapes = Shapes(window=50)
    for number in range(49):
        assert not shapes.record("s", f"u{number}", new_content=False)
    assert not shapes.judge("s")
    assert shapes.record("s", "u49", new_content=False)
    assert shapes.judge("s")
    assert shapes.parked() == {"s": ShapeState(pages=50, barren=50, example="u49")}
    assert not shapes.record("s", "u50", new_content=False)  # one that was in flight: parked once, told once
    assert shapes.parked()["s"].example == "u49"


def test_anything_new_starts_the_window_anew():
    shapes = Shapes(window=50)
    for number in range(1000):
        assert not shapes.record("s", "u", new_content=number % 49 == 0)
    assert not shapes.judge("s")


@pytest.mark.parametrize(
    ("url", "depth", "pages"),
    [
        (H + "/cal?month=8", 1, 200),
        (H + "/2026/08/14/", 1, 200),
        (H + "/x/2026-8", 99, 200),
        (H + "/p?view=day", 1, 200),
        (H + "/events/list", 1, 200),
        (H + "/item/8", 31, 1600),
        (H + "/item/8", 30, 12_800),
        (H + "/item/20261", 1, 12_800),
        (H + "/p?id=202612", 1, 12_800),
        (H + "/1000/1", 1, 12_800),
        (H + "/medical/calm/todays", 1, 12_800),
        ("http://calendar.test/item/8", 1, 12_800),
    ],
)
def test_what_is_nearly_known_counts_little_and_more_where_dates_are(url, depth, pages):
    shapes = Shapes(window=50)
    told = {"new_content": True, "nearly_known": True, "depth": depth}
    parked = [shapes.record("s", url, **told) for _ in range(pages)]
    assert parked == [False] * (pages - 1) + [True]


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("/item/8", ALONE),
        ("/item?id=8", ALONE),
        ("/x/550e8400-e29b-41d4-a716-446655440000", ALONE),
        ("/cal?month=8", 0),
        ("/2026/08/14/", 0),
        ("/about", None),
    ],
)
def test_pages_are_compared_where_what_they_weigh_can_matter(path, first):
    shapes, url = Shapes(window=50), H + path
    compared = []
    for _ in range(3 * ALONE):
        compared.append(shapes.compares(shape_of(url), url))
        shapes.record(shape_of(url), url, new_content=True)
    assert compared == [first is not None and page >= first for page in range(3 * ALONE)]


def test_what_is_not_compared_would_weigh_no_more_than_one_barren_page():
    assert ALONE * max(NEAR_WEIGHT, NEAR_WEIGHT_FAR) <= 1


def test_what_is_known_and_what_is_nearly_known_add_up():
    shapes = Shapes(window=2)
    assert not shapes.record("s", H + "/day/1", new_content=False, nearly_known=True)
    near = [shapes.record("s", H + "/day/1", new_content=True, nearly_known=True) for _ in range(4)]
    assert near == [False] * 3 + [True]


def test_what_does_not_grow_is_no_trap():
    shapes = Shapes(window=2)
    known = [shapes.record("s", "u", new_content=False, leads_on=False) for _ in range(5000)]
    near = [
        shapes.record("s", H + "/day/1", new_content=True, nearly_known=True, leads_on=False)
        for _ in range(5000)
    ]
    assert not any(known + near)
    assert not shapes.record("s", "u", new_content=False)
    shapes.record("s", "u", new_content=False, leads_on=False)  # does not count, and forgives nothing
    assert shapes.record("s", "u", new_content=False)


def test_a_released_shape_has_another_window():
    shapes = Shapes(window=3)
    for _ in range(3):
        shapes.record("s", "u", new_content=False)
    assert shapes.release("s")
    assert not shapes.judge("s")
    assert not shapes.release("s")
    assert not shapes.release("never seen")
    assert [shapes.record("s", "v", new_content=False) for _ in range(3)] == [False, False, True]


def test_other_shapes_are_not_touched():
    shapes = Shapes(window=1)
    shapes.record("s", "u", new_content=False)
    assert not shapes.judge("t")


def test_memory_is_bounded_and_the_parked_are_kept_longest():
    shapes = Shapes(window=2, capacity=100)
    for number in range(10):
        shapes.record(f"parked{number}", "u", new_content=False)
        shapes.record(f"parked{number}", "u", new_content=False)
    for number in range(1000):
        shapes.record(f"s{number}", "u", new_content=True)
    assert len(shapes) == 100
    assert len(shapes.parked()) == 10
    assert not shapes.judge("s0")


def test_a_trap_of_shapes_is_bounded_too():
    shapes = Shapes(window=1, capacity=100)
    for number in range(1000):
        shapes.record(f"s{number}", "u", new_content=False)
    assert len(shapes) == 50
    assert shapes.judge("s999")
    assert not shapes.judge("s0")


def test_the_table_survives_the_store():
    shapes = Shapes(window=2)
    for shape in ("a", "a", "b", "c"):
        shapes.record(shape, "u", new_content=False)
    rows = list[tuple[str, ShapeState]]
    packed = msgspec.msgpack.encode(shapes.dump())
    again = Shapes(window=2)
    again.restore(*msgspec.msgpack.decode(packed, type=tuple[rows, rows]))
    assert again.dump() == shapes.dump()
    assert again.judge("a")
    assert again.record("b", "v", new_content=False)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=80), st.integers(1, 6))
def test_a_shape_is_parked_exactly_when_its_last_pages_were_barren(pages, window):
    shapes = Shapes(window=window)
    history: dict[str, list[bool]] = {}
    parked: set[str] = set()
    for shape, new in pages:
        history.setdefault(shape, []).append(new)
        shapes.record(shape, "u", new_content=new)
        last = history[shape][-window:]
        if len(last) == window and not any(last):
            parked.add(shape)
        assert {shape for shape in "abc" if shapes.judge(shape)} == parked


# whole sites, page by page


def crawl(urls_and_texts: list[tuple[str, str]]) -> int | None:
    """Return after how many pages the first shape is parked."""
    shapes, texts, known = Shapes(window=50), set(), Fingerprints()
    for count, (url, text) in enumerate(urls_and_texts, 1):
        print_ = simhash(text.split())
        nearly = known.find(print_) is not None
        if shapes.record(shape_of(url), url, new_content=text not in texts, nearly_known=nearly):
            return count
        texts.add(text)
        known.add(print_)
    return None


NAVIGATION = "home about contact events archive imprint privacy search login register help shop cart news"
MONTHS = [month for month in month_name if month]


def test_an_endless_calendar_is_parked():
    pages = [
        (
            f"{H}/events/{1970 + month // 12}/{month % 12 + 1:02}",
            f"{NAVIGATION} {MONTHS[month % 12]} {1970 + month // 12} Mo Tu We Th Fr Sa Su "
            + " ".join(str(day) for day in range(1, 29 + month % 4)),
        )
        for month in range(2000)
    ]
    assert 50 < (crawl(pages) or 0) < 400


def test_one_page_under_endless_session_ids_is_parked():
    pages = [(f"{H}/s/{zlib.crc32(b'%d' % n):08x}0a/index.html", NAVIGATION * 3) for n in range(1000)]
    assert crawl(pages) == 51


def test_paths_that_nest_without_end_are_parked():
    pages = [(f"{H}/docs{'/docs' * depth}/", NAVIGATION * 3) for depth in range(400)]
    assert (crawl(pages) or 0) < 70


def test_a_shop_and_a_blog_are_not_parked():
    chance = random.Random(1)

    def words(count: int) -> str:
        return " ".join("".join(chance.choices("abcdefghij", k=6)) for _ in range(count))

    shop = [(f"{H}/item/{n}", f"{NAVIGATION} {words(12)} price {n} euro add to cart") for n in range(500)]
    blog = [(f"{H}/2026/08/{n}/", f"{NAVIGATION} {words(100)}") for n in range(500)]
    assert crawl(shop) is None
    assert crawl(blog) is None
