"""What `spiderd config` prints is read back as the same configuration."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config import Config, schema
from spiderd.config.loading import load
from spiderd.config.rendering import render, value_as_written
from spiderd.config.secrets import masked

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
HOSTS = st.from_regex(r"[a-z]{1,9}\.test", fullmatch=True)
SECONDS = st.floats(min_value=0, max_value=1e7)


@st.composite
def configs(draw) -> Config:
    low, high = sorted((draw(SECONDS), draw(SECONDS)))
    return msgspec.convert(
        {
            "crawl": {
                "seeds": [f"http://{host}/" for host in draw(st.lists(HOSTS, max_size=3))],
                "threads": draw(st.integers(1, 1024)),
                "processes": draw(st.integers(0, 256) | st.just("auto")),
                "order": draw(st.sampled_from(["breadth", "depth", "mixed", "best"])),
            },
            "scope": {
                "exclude": draw(
                    st.lists(
                        TEXT.map(lambda text: f"[{text}]".encode("unicode_escape").decode()).filter(
                            _compiles
                        ),
                        max_size=3,
                    )
                )
            },
            "urls": {"drop_parameters": draw(st.lists(TEXT, max_size=3)), "same_www": draw(st.booleans())},
            "politeness": {"delay": low, "max_delay": high, "latency_factor": draw(SECONDS)},
            "fetch": {
                "max_body": draw(st.integers(0, 2**62)),
                "proxy": draw(HOSTS.map(lambda h: f"http://{h}:3128")),
            },
            "api": {"group": draw(TEXT)},
        },
        Config,
    )


def _compiles(pattern):
    from spiderd.config.checks import faults

    return not list(faults("scope.exclude", [pattern]))


def read_back(text):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.toml"
        file.write_text(text, encoding="utf-8")
        return load(file, environ={}).config


@given(configs())
def test_a_rendered_configuration_is_read_back_as_it_was(config):
    assert read_back(render(config)) == config


def test_all_keys_are_rendered():
    lines = render(Config()).splitlines()
    assert len([line for line in lines if " = " in line]) == len(schema.keys())


def test_passwords_are_masked_and_patterns_are_not():
    config = msgspec.convert(
        {
            "crawl": {"seeds": ["http://bob:pw1@example.test/"]},
            "fetch": {"proxy": "http://ann:pw2@example.test:3128"},
            "scope": {"exclude": ["http://[^/]*@"]},
        },
        Config,
    )
    text = render(config)
    assert "pw1" not in text
    assert "pw2" not in text
    assert '"http://***@example.test/"' in text
    assert read_back(text).scope.exclude == ["http://[^/]*@"]


def test_only_the_userinfo_is_masked():
    assert masked("http://a:b@c@host/x@y?z=//q@r") == "http://***@host/x@y?z=//***@r"
    assert masked("http://host/") == "http://host/"
    assert masked("ann@example.test") == "ann@example.test"
    assert masked("http://ann:p/w@proxy:1", malformed=True) == "http://***@proxy:1"


@given(TEXT)
def test_nothing_unprintable_is_printed(text):
    assert value_as_written(text).isprintable()
