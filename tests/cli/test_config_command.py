from __future__ import annotations

import tomllib

from spiderd.config import Config
from spiderd.config.loading import load
from spiderd.config.rendering import render


def test_config_prints_the_configuration_in_effect(spiderd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = spiderd("config")
    assert (code, err) == (0, "")
    assert out == f"# no file: these are the defaults\n\n{render(Config())}"


def test_flag_environment_file_default(spiderd, tmp_path, monkeypatch):
    file = tmp_path / "c.toml"
    file.write_text('[crawl]\nthreads = 3\norder = "best"\n[fetch]\nproxy = "http://ann:secret@p:1"\n')
    monkeypatch.setenv("SPIDERD_CONFIG", str(file))
    monkeypatch.setenv("SPIDERD_SOCKET", "/e.sock")
    settings = [
        "--set",
        "crawl.threads=5",
        "--set",
        'scope.exclude=["[.]pdf$"]',
        "--set",
        "politeness.delay=2h",
    ]
    code, out, err = spiderd("config", *settings, "--set", "politeness.max_delay = 2h")
    assert (code, err) == (0, "")
    assert out.startswith(f"# {file}\n")
    values = tomllib.loads(out)
    assert (values["crawl"]["threads"], values["crawl"]["order"]) == (5, "best")
    assert values["scope"]["exclude"] == ["[.]pdf$"]
    assert values["politeness"]["delay"] == "2h"
    assert values["api"]["socket"] == "/e.sock"
    assert "secret" not in out
    assert tomllib.loads(spiderd("config", "--socket", "/f.sock")[1])["api"]["socket"] == "/f.sock"


def test_what_it_prints_can_be_read_again(spiderd, tmp_path):
    printed = tmp_path / "printed.toml"
    printed.write_text(spiderd("config", "--set", "fetch.max_body=1234B", "--set", "log.level=error")[1])
    config = load(printed, environ={}).config
    assert (config.fetch.max_body, config.log.level) == (1234, "error")


def test_a_wrong_file_is_78_with_a_sentence_for_each_mistake(spiderd, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("[crawl]\nthread = 3\n\nretries = -1\n")
    code, out, err = spiderd("config", "--config", str(file))
    assert (code, out) == (78, "")
    assert err.splitlines() == [
        f"spiderd: {file}:2: crawl.thread: unknown key; did you mean crawl.threads?",
        f"spiderd: {file}:4: crawl.retries = -1: must be a whole number, at least 0",
    ]


def test_a_wrong_flag_is_2(spiderd):
    code, _, err = spiderd("config", "--set", "crawl.threads=0")
    assert code == 2
    assert err.startswith("spiderd: command line: crawl.threads = 0: must be")
    assert spiderd("config", "--set", "crawl.threads")[0] == 2
