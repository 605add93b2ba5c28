"""The config.toml that the repository shows is the code's defaults: same keys, same values, same order."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from spiderd.config import Config, schema
from spiderd.config.loading import load

FILE = Path(__file__).parents[2] / "config.toml"
LINES = FILE.read_text().splitlines()


def test_same_keys_in_the_same_order():
    written = [
        f"{section}.{key}" for section, table in tomllib.loads(FILE.read_text()).items() for key in table
    ]
    assert written == list(schema.keys())


def test_same_values():
    assert load(FILE, environ={}).config == Config()


def test_nothing_is_lost_by_comparing_equal_configs():
    assert load(FILE, {"log.level": "debug"}, environ={}).config != Config()


@pytest.mark.parametrize("line", [line for line in LINES if "=" in line and not line.startswith("#")])
def test_every_key_has_a_comment(line):
    assert re.search(r"\S +# \S", line) or line.startswith("min_rate_window")  # explained a line above


def test_sections_and_keys_are_unique_enough_for_hints():
    assert schema.nearest("threads") == "crawl.threads"
    assert schema.nearest("crawl.thread") == "crawl.threads"
    assert schema.nearest("fetch.delay") == "politeness.delay"
    assert schema.nearest("crawler") == "crawl"
    assert schema.nearest("xyzzy") == ""
