from __future__ import annotations

from pathlib import Path

import pytest

from spiderd import paths
from spiderd.errors import CannotCreate
from spiderd.paths import DataDir

DEFAULT = DataDir(Path("/home/ann/.local/state/spiderd"), named=False)


@pytest.mark.parametrize(
    ("flag", "environ", "expected"),
    [
        (None, {"HOME": "/home/ann"}, DEFAULT),
        (None, {"HOME": "/home/ann", "XDG_STATE_HOME": "/s"}, DataDir(Path("/s/spiderd"), named=False)),
        (None, {"HOME": "/home/ann", "XDG_STATE_HOME": "relative"}, DEFAULT),
        (None, {"XDG_STATE_HOME": "/s", "STATE_DIRECTORY": "/v/a:/v/b"}, DataDir(Path("/v/a"), named=False)),
        (None, {"STATE_DIRECTORY": "/v/a", "SPIDERD_DATA_DIR": "/d"}, DataDir(Path("/d"), named=True)),
        (Path("/f"), {"SPIDERD_DATA_DIR": "/d"}, DataDir(Path("/f"), named=True)),
        (None, {"HOME": "/home/ann", "SPIDERD_DATA_DIR": ""}, DEFAULT),
    ],
)
def test_data_dir_flag_then_environment_then_unit_then_xdg(flag, environ, expected):
    assert paths.data_dir(flag, environ) == expected


@pytest.mark.parametrize(
    ("data", "named", "environ", "expected"),
    [
        (DataDir(Path("/d"), named=True), "/n.sock", {}, "/n.sock"),
        (DataDir(Path("/d"), named=True), "", {"XDG_RUNTIME_DIR": "/r"}, "/d/spiderd.sock"),
        (DEFAULT, "", {"RUNTIME_DIRECTORY": "/run/x:/run/y", "XDG_RUNTIME_DIR": "/r"}, "/run/x/api.sock"),
        (DEFAULT, "", {"XDG_RUNTIME_DIR": "/r"}, "/r/spiderd/api.sock"),
        (DEFAULT, "", {}, "/home/ann/.local/state/spiderd/spiderd.sock"),
    ],
)
def test_socket_named_then_beside_a_named_data_dir_then_runtime_directory(data, named, environ, expected):
    assert str(paths.socket_path(data, named=named, environ=environ)) == expected


def test_relative_paths_are_made_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    data = paths.data_dir(Path("here"), {})
    assert data.path == tmp_path / "here"
    assert paths.socket_path(data, named="s", environ={}) == tmp_path / "s"


def test_a_client_and_its_daemon_agree_on_a_named_directory_whatever_the_environment(tmp_path):
    data = paths.data_dir(tmp_path, {})
    served = paths.socket_path(data, environ={"RUNTIME_DIRECTORY": "/run/spiderd"})
    assert served == paths.find_socket(data, environ={"XDG_RUNTIME_DIR": "/run/user/1"})


def test_a_client_falls_back_on_the_system_unit(monkeypatch, tmp_path):
    system = tmp_path / "system.sock"
    monkeypatch.setattr(paths, "SYSTEM_SOCKET", system)
    environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
    user = tmp_path / "spiderd" / "api.sock"
    assert paths.find_socket(DEFAULT, environ=environ) == user
    system.touch()
    assert paths.find_socket(DEFAULT, environ=environ) == system
    assert paths.find_socket(DataDir(tmp_path, named=True), environ=environ) == tmp_path / "spiderd.sock"
    user.parent.mkdir()
    user.touch()
    assert paths.find_socket(DEFAULT, environ=environ) == user


def test_c39_a_path_too_long_for_a_socket_is_refused_and_says_what_to_do():
    fits = Path("/" + "x" * (paths.SOCKET_PATH_MAX - 1))
    assert paths.short_enough(fits) == fits
    with pytest.raises(CannotCreate, match=r"SPIDERD_SOCKET"):
        paths.short_enough(Path(f"{fits}x"))
    with pytest.raises(CannotCreate):
        paths.short_enough(Path("/" + "é" * 60))  # bytes count, not characters


def test_config_file_unit_then_xdg_then_checkout(tmp_path):
    unit, xdg, here = (tmp_path / name for name in ("unit", "xdg", "here"))
    for folder in (unit, xdg / "spiderd", here / "spiderd" / "config"):
        folder.mkdir(parents=True)
    environ = {"CONFIGURATION_DIRECTORY": str(unit), "XDG_CONFIG_HOME": str(xdg)}
    assert paths.config_file(environ, here) is None
    (here / "config.toml").touch()
    assert paths.config_file(environ, here) is None  # might be anybody's
    (here / "spiderd" / "config" / "declaration.py").touch()
    assert paths.config_file(environ, here) == here / "config.toml"
    (xdg / "spiderd" / "config.toml").touch()
    assert paths.config_file(environ, here) == xdg / "spiderd" / "config.toml"
    (unit / "config.toml").touch()
    assert paths.config_file(environ, here) == unit / "config.toml"


def test_a_current_directory_that_is_gone_is_one_sentence(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(paths.UsageError, match="has been removed"):
        paths.absolute("x")
