from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("30s", 30), ("2h", 7200), ("30d", 2_592_000), ("1.5 h", 5400), ("0", 0), ("90m", 5400)],
)
def test_durations_are_read(text, seconds):
    assert units.parse_duration(text) == seconds


@pytest.mark.parametrize(("text", "octets"), [("10MiB", 10_485_760), ("64KiB", 65536), ("50B", 50), ("0", 0)])
def test_sizes_are_read(text, octets):
    assert units.parse_size(text) == octets


@pytest.mark.parametrize(
    "text", ["", "s", "1", "1w", "-1s", "1e3s", "٣s", "1h30m", "inf", "1,5s", "1S", "9" * 999]
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match=r"units are|unit such as"):
        units.parse_duration(text)


@pytest.mark.parametrize("text", ["", "1", "10MB", "10mib", "-1B", "0.3B", "1.0001KiB"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match=r"units are|unit such as|whole number"):
        units.parse_size(text)


@given(st.floats(min_value=0, allow_infinity=False, allow_nan=False))
def test_a_written_duration_is_exact(seconds):
    assert units.parse_duration(units.format_duration(seconds)) == seconds


@given(st.integers(min_value=0, max_value=2**63))
def test_a_written_size_is_exact(octets):
    assert units.parse_size(units.format_size(octets)) == octets


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (0.5, "500ms"), (90, "90s"), (86400, "1d"), (1e-5, "0.00001s")]
)
def test_durations_are_written_in_the_largest_unit_without_a_fraction(seconds, text):
    assert units.format_duration(seconds) == text


@pytest.mark.parametrize(
    ("octets", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "0.98 KiB"), (1536, "1.50 KiB"), (2**40 * 5000, "5000 TiB")],
)
def test_sizes_for_people_have_three_digits(octets, text):
    assert units.human_size(octets) == text


@given(st.floats(min_value=0, max_value=1e9))
def test_spans_for_people_stay_short(seconds):
    assert len(units.human_duration(seconds)) <= 10
    assert "60s" not in units.human_duration(seconds)
    assert "60m" not in units.human_duration(seconds)
