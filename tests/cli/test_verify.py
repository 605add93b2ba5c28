from __future__ import annotations

import io
import json
from contextlib import redirect_stderr

from spiderd.cli.entry import run
from spiderd.daemon.lock import locked
from tests.verify.crawled import make, opened


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_sound_crawl_is_said_to_be_with_exit_code_0(spiderd, tmp_path):
    make(tmp_path / "data")
    code, out, err = spiderd("verify", "--data-dir", str(tmp_path / "data"))
    assert (code, out) == (0, "")
    assert "17 pages, 12 waiting, 14 files of" in err
    assert err.endswith("sound\n")


def test_damage_is_listed_and_repaired(spiderd, tmp_path):
    data = tmp_path / "data"
    make(data)
    with opened(data) as rows:
        rows.state.counters.pages = 99
    code, out, _ = spiderd("verify", "--data-dir", str(data))
    assert code == 1
    assert "counters: the counter pages says 99, the tables 14" in out
    code, out, _ = spiderd("verify", "--data-dir", str(data), "--json")
    assert code == 1
    assert json.loads(out)["found"] == {"counters": 1}
    code, out, err = spiderd("verify", "--data-dir", str(data), "--repair")
    assert (code, out) == (0, "")
    assert "repaired: 1 problem of counters" in err


def test_a_directory_without_a_store_is_refused_and_nothing_is_made(spiderd, tmp_path):
    code, _, err = spiderd("verify", "--data-dir", str(tmp_path / "none"))
    assert code == 74
    assert "There is no store in" in err
    assert not (tmp_path / "none").exists()


def test_a_directory_that_a_daemon_holds_is_refused(spiderd, tmp_path):
    make(tmp_path / "data")
    with locked(tmp_path / "data"):
        code, _, err = spiderd("verify", "--data-dir", str(tmp_path / "data"))
    assert code == 75
    assert "runs on" in err


def test_a_bar_is_shown_on_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    make(tmp_path / "data")
    with redirect_stderr(Terminal()) as terminal:
        assert run(["verify", "--data-dir", str(tmp_path / "data")]) == 0
    assert "archive" in terminal.getvalue()
