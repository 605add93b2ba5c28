"""Simhash: what is nearly the same is near, and what is not is far."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from spiderd.schedule.similarity import _HASHES, FEW_WORDS, NEAR, Fingerprints, _digest, near, simhash


def page(seed: int, length: int = 800) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices("abcdefgh", k=4)) for _ in range(length)]


def test_it_is_the_majority_of_each_bit():
    words = page(1, 60)
    hashes = [
        int.from_bytes(_digest(words[at])[:8])
        ^ int.from_bytes(_digest(words[at + 1])[8:16])
        ^ int.from_bytes(_digest(words[at + 2])[16:])
        for at in range(58)
    ]
    slow = sum((2 * sum(h >> bit & 1 for h in hashes) > 58) << bit for bit in range(64))
    assert simhash(words) == slow


def test_it_does_not_change_from_run_to_run():
    words = ["the", "quick", "brown", "fox", "jumps", "over"]
    assert simhash(words * 5) == 0xD02A26205EAC11BE
    assert simhash(words) == 0x695AF946E1C0A697


def test_the_words_kept_are_bounded_and_do_not_matter():
    words = page(2)
    first = simhash(words)
    chance = random.Random(3)
    for _ in range(30):
        simhash(["".join(chance.choices("abcdefgh", k=8)) for _ in range(2000)])
    assert simhash(words) == first
    assert len(_HASHES) <= 50_000


def test_numbers_do_not_count():
    words = page(5)
    one, other = ([word + number for word in words] for number in ("1", "2026"))
    assert simhash(one) == simhash(other)


def test_one_word_in_a_page_changes_little():
    for seed in range(20):
        words = page(seed)
        other = words[:]
        other[seed * 30] = "changed"
        assert near(simhash(words), simhash(other), 6)


def test_other_pages_are_far():
    prints = [simhash(page(seed)) for seed in range(60)]
    assert not any(near(one, other) for at, one in enumerate(prints) for other in prints[:at])


def test_order_counts():
    words = page(3)
    assert not near(simhash(words), simhash(words[::-1]))


def test_a_page_without_words_says_nothing():
    assert simhash([]) == simhash([""]) == 0


def test_a_page_of_few_words_is_near_to_itself_only():
    for length in (1, 5, FEW_WORDS - 1):
        words = page(1, length)
        assert simhash(words) == simhash(words) > 0
        assert not near(simhash(words), simhash([*words[:-1], "other"]))


def test_the_work_is_bounded():
    assert simhash(["a", "b"] * 1_000_000) == simhash(["a", "b"] * 1000)


def test_odd_words_are_no_trouble():
    assert simhash(["\ud800", "\0", ""] * 20) > 0


def test_fingerprints_find_what_is_near():
    known = Fingerprints()
    known.add(simhash(page(1)))
    assert known.find(simhash(page(1))) == simhash(page(1))
    assert known.find(simhash(page(2))) is None
    assert known.find(0) is None


@given(st.integers(1, (1 << 64) - 1), st.sets(st.integers(0, 63), max_size=8))
def test_near_is_found_wherever_the_bits_differ(fingerprint, flipped):
    known = Fingerprints(known=[fingerprint])
    other = fingerprint
    for bit in flipped:
        other ^= 1 << bit
    if other:
        assert (known.find(other) == fingerprint) is (len(flipped) <= NEAR)


def test_fingerprints_are_bounded_and_forget_the_oldest():
    known = Fingerprints(capacity=50)
    prints = [simhash(page(seed, 40)) for seed in range(200)]
    for fingerprint in [0, *prints, prints[-1]]:
        known.add(fingerprint)
    assert len(known) == 50
    assert known.find(prints[0]) is None
    assert known.find(prints[-1]) == prints[-1]
    assert sum(map(len, known._quarters.values())) == 200
