"""A search page that others can reach has a password, and nobody is shown it."""

from __future__ import annotations

import pytest

from spiderd.config.loading import load
from spiderd.config.rendering import render
from spiderd.errors import ConfigError, UsageError

PASSWORD = "correct horse battery"


@pytest.mark.parametrize("bind", ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"])
def test_an_address_that_others_reach_wants_a_password(bind, tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(f'[web]\nbind = "{bind}"\n')
    with pytest.raises(ConfigError, match=r"config.toml:2: .*lets others in, and web.password is empty"):
        load(file, {})
    file.write_text(f'[web]\nbind = "{bind}"\npassword = "{PASSWORD}"\n')
    assert load(file, {}).config.web.bind == bind


@pytest.mark.parametrize("bind", ["127.0.0.1", "127.3.2.1", "::1"])
def test_loopback_does_not(bind):
    assert load(None, {"web.bind": bind}, environ={}).config.web.password == ""


def test_the_password_is_not_shown():
    config = load(None, {"web.password": PASSWORD}, environ={}).config
    assert 'password = "***"' in render(config)
    assert PASSWORD not in render(config)
    for wrong in ("hunter2", ["hunter2"]):
        with pytest.raises(UsageError) as told:
            load(None, {"web.password": wrong}, environ={})
        assert "web.password" in str(told.value)
        assert "hunter2" not in str(told.value)
