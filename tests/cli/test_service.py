"""`spiderd service install`: what it writes, where, what it leaves alone, and what it says."""

from __future__ import annotations

import pytest

from spiderd.cli.unit_files import command_line, hidden_by_the_unit


def test_the_user_unit_goes_where_systemd_looks_and_names_this_program(spiderd, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    code, out, _ = spiderd("service", "install")
    assert code == 0
    unit = tmp_path / "config/systemd/user/spiderd.service"
    assert f"ExecStart={command_line()} start\n" in unit.read_text()
    assert "/usr/bin/spiderd" not in unit.read_text()
    assert unit.stat().st_mode & 0o777 == 0o644
    assert f"wrote      {unit}" in out
    assert "systemctl --user enable --now spiderd" in out
    assert "loginctl enable-linger" in out


def test_the_system_unit_comes_with_its_user_and_its_folder(spiderd, tmp_path):
    code, out, _ = spiderd("service", "install", "--system", "--root", str(tmp_path))
    assert code == 0
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("etc/**/*") if path.is_file())
    assert found == [
        "etc/systemd/system/spiderd.service",
        "etc/systemd/system/spiderd.socket",
        "etc/sysusers.d/spiderd.conf",
        "etc/tmpfiles.d/spiderd.conf",
    ]
    assert "systemd-sysusers" in out


@pytest.mark.parametrize("scope", ["--user", "--system"])
def test_a_dry_run_shows_all_and_writes_nothing(spiderd, tmp_path, scope):
    root = tmp_path / "root"
    code, out, err = spiderd("service", "install", scope, "--dry-run", "--root", str(root))
    assert code == 0
    assert out.startswith(f"# {root}/")
    assert "[Service]\n" in out
    assert "daemon-reload" in err
    assert not root.exists()


def test_what_differs_is_left_alone_unless_forced(spiderd, tmp_path):
    arguments = ("service", "install", "--system", "--root", str(tmp_path))
    assert spiderd(*arguments)[0] == 0
    assert spiderd(*arguments)[1].count("unchanged") == 4
    unit = tmp_path / "etc/systemd/system/spiderd.service"
    unit.write_text("mine\n")
    code, _, err = spiderd(*arguments)
    assert (code, unit.read_text()) == (73, "mine\n")
    assert str(unit) in err
    code, out, _ = spiderd(*arguments, "--force")
    assert code == 0
    assert f"replaced   {unit}" in out
    assert "[Service]" in unit.read_text()


def test_a_place_that_cannot_be_written_is_73(spiderd, tmp_path):
    (tmp_path / "etc").write_text("in the way")
    code, _, err = spiderd("service", "install", "--system", "--root", str(tmp_path))
    assert code == 73
    assert len(err.splitlines()) == 1


def test_a_program_that_the_system_unit_hides_is_told(spiderd, tmp_path, monkeypatch):
    program = tmp_path / "spiderd"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert command_line(str(program)) == str(program)
    assert hidden_by_the_unit("/home/ann/.local/bin/spiderd") == "/home"
    assert hidden_by_the_unit('"/home/ann b/bin/spiderd"') == "/home"
    assert hidden_by_the_unit("/opt/pipx/bin/spiderd") == ""
    assert hidden_by_the_unit("/homes/spiderd") == ""
    monkeypatch.setattr("sys.argv", ["/home/ann/bin/spiderd"])
    monkeypatch.setattr("sys.executable", "/home/ann/bin/python")
    _, _, err = spiderd("service", "install", "--system", "--root", str(tmp_path))
    assert "the unit hides /home" in err


def test_strange_paths_are_quoted_as_systemd_reads_them(tmp_path):
    folder = tmp_path / 'a "b" 100% $HOME'
    folder.mkdir()
    program = folder / "spiderd"
    program.touch(0o755)
    assert command_line(str(program)).endswith('/a \\"b\\" 100%% $$HOME/spiderd"')
