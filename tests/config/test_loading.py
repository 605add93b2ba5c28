from __future__ import annotations

import pytest

from spiderd.config import Config
from spiderd.config.loading import FAULTS_MAX, SIZE_MAX, load
from spiderd.errors import ConfigError, UsageError


@pytest.fixture
def refused(tmp_path):
    """Load a text and return what is said about it, without the file's name."""

    def load_text(text, error=ConfigError, flags=None, environ=None):
        file = tmp_path / "config.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(error) as caught:
            load(file, flags, environ=environ or {})
        assert caught.value.exit_code == (78 if error is ConfigError else 2)
        return str(caught.value).replace(f"{file}:", "")

    return load_text


def test_without_any_file_the_defaults_serve(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loaded = load(environ={"XDG_CONFIG_HOME": str(tmp_path)})
    assert loaded.config == Config()
    assert loaded.source is None


def test_flag_then_environment_then_file_then_default(tmp_path):
    file = tmp_path / "spiderd" / "config.toml"
    file.parent.mkdir()
    file.write_text('[crawl]\nthreads = 2\norder = "depth"\n[api]\nsocket = "/file"\n')
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    flags = {"crawl.threads": 3}
    loaded = load(flags=flags, environ=environ)
    assert loaded.source == file
    assert (loaded.config.crawl.threads, loaded.config.crawl.order, loaded.config.crawl.retries) == (
        3,
        "depth",
        3,
    )
    assert loaded.config.api.socket == "/file"
    environ["SPIDERD_SOCKET"] = "/environment"
    assert load(flags=flags, environ=environ).config.api.socket == "/environment"
    assert load(flags={"api.socket": "/flag"}, environ=environ).config.api.socket == "/flag"


def test_named_file_then_environment_then_usual_places(tmp_path):
    one, two, usual = tmp_path / "1.toml", tmp_path / "2.toml", tmp_path / "spiderd" / "config.toml"
    usual.parent.mkdir()
    for threads, file in enumerate((one, two, usual), 1):
        file.write_text(f"[crawl]\nthreads = {threads}\n")
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load(environ=environ).config.crawl.threads == 3
    environ["SPIDERD_CONFIG"] = str(two)
    assert load(environ=environ).config.crawl.threads == 2
    assert load(one, environ=environ).config.crawl.threads == 1


def test_values_with_units_are_read(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(
        '[politeness]\ndelay = "250ms"\nmax_delay = "2h"\n[fetch]\nmax_body = "64KiB"\nmin_rate = 0\n'
    )
    config = load(file, environ={}).config
    assert (config.politeness.delay, config.politeness.max_delay) == (0.25, 7200)
    assert (config.fetch.max_body, config.fetch.min_rate) == (65536, 0)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbf[crawl]\r\nthreads = 5\r\n")
    assert load(file, environ={}).config.crawl.threads == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[crawl]\n\nthread = 1", "3: crawl.thread: unknown key; did you mean crawl.threads?"),
        ("[crawler]\nthreads = 1", "1: crawler: unknown section; did you mean crawl?"),
        ("threads = 1", "1: threads: unknown key; did you mean crawl.threads?"),
        ("[scope]\ndelay = 1", "2: scope.delay: unknown key; did you mean politeness.delay?"),
        ("[crawl]\nxyzzy = 1", "2: crawl.xyzzy: unknown key"),
        ("crawl = 1", "1: crawl is a section: write [crawl] on a line of its own"),
        ("crawl.threads = 0", "1: crawl.threads = 0: must be a whole number from 1 to 1024"),
        ("crawl = {threads = true}", "1: crawl.threads = true: must be a whole number from 1 to 1024"),
        ("[crawl]\nretries = -1", "2: crawl.retries = -1: must be a whole number, at least 0"),
        (
            '[crawl]\nprocesses = "all"',
            '2: crawl.processes = "all": must be a whole number from 0 to 256 or "auto"',
        ),
        ('[log]\nlevel = "loud"', '2: log.level = "loud": must be "debug", "error", "info" or "warning"'),
        ("[fetch]\nsitemaps = 1", "2: fetch.sitemaps = 1: must be true or false"),
        ("[fetch]\nproxy = 1", "2: fetch.proxy = 1: must be a string"),
        ("[fetch]\ntypes = [1979-05-27]", "2: fetch.types = ...: must be a list, each item a string"),
        ("[politeness]\ndelay = 5", '2: politeness.delay = 5: needs a unit: a duration is written "30s"'),
        ("[politeness]\ndelay = 0.5", '2: politeness.delay = 0.5: must be a duration such as "30s"'),
        ('[politeness]\ndelay = "5"', '2: politeness.delay = "5": has no unit; units are ms, s, m, h, d'),
        ("[fetch]\nmax_body = true", '2: fetch.max_body = true: must be a size such as "10MiB"'),
        (
            '[politeness]\nmax_delay = "10ms"',
            '2: politeness.delay = "1s" is longer than politeness.max_delay = "10ms"',
        ),
        ('[revisit]\nmin = "31d"', '2: revisit.min = "31d" is longer than revisit.max = "30d"'),
        ("[crawl]\nthreads =", "2: not TOML: Invalid value"),
        ("[crawl]\nthreads = 1\nthreads = 2", "3: not TOML: Cannot overwrite a value"),
        (b"[crawl]\n# \xff", "2: not UTF-8, which TOML has to be"),
    ],
)
def test_a_mistake_is_told_with_line_key_and_what_was_meant(refused, text, said):
    assert refused(text) == said


def test_all_mistakes_are_told_in_the_order_of_the_file(refused):
    text = '[log]\nlevel = 1\n[crawl]\nseeds = ["http://a/",\n "b"]\nthreads = 0'
    lines = refused(text, flags={"crawl.order": "x"}).split("\n")
    assert [line.split(":")[0] for line in lines] == ["2", "5", "6", "command line"]


def test_a_file_with_thousands_of_mistakes_gets_a_short_answer(refused):
    said = refused("".join(f"key_{number} = 1\n" for number in range(20_000)))
    assert len(said.split("\n")) == FAULTS_MAX + 1
    assert said.endswith("and more of the kind")


def test_what_only_the_command_line_gets_wrong_is_a_usage_error(refused):
    assert refused("", UsageError, {"crawl.threads": 0}).startswith(
        "command line: crawl.threads = 0: must be"
    )
    delay = refused("", UsageError, {"politeness.delay": "2m"})
    assert delay == 'command line: politeness.delay = "2m" is longer than politeness.max_delay = "1m"'


def test_a_bad_value_in_the_file_is_refused_even_if_a_flag_covers_it(refused):
    assert "1: crawl.threads" in refused("crawl.threads = 0", flags={"crawl.threads": 1})


def test_passwords_are_not_repeated(refused):
    assert "secret" not in refused(
        '[fetch]\nproxy = "ftp://ann:sl/secret@proxy"\n[crawl]\nseeds = ["x://a:secret@b"]'
    )


def test_long_values_are_not_repeated_whole(refused):
    assert len(refused(f'[log]\nlevel = "{"x" * 5000}"')) < 200


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the configuration .*: No such file"):
        load(tmp_path / "none.toml", environ={})
    with pytest.raises(ConfigError, match=r"cannot read the configuration .*: Is a directory"):
        load(environ={"SPIDERD_CONFIG": str(tmp_path)})
    (tmp_path / "dangling.toml").symlink_to("nowhere")
    with pytest.raises(ConfigError, match="cannot read"):
        load(tmp_path / "dangling.toml", environ={})


def test_what_is_no_configuration_at_all_is_one_sentence(refused):
    assert "larger than 1 MiB" in refused(b"#" * (SIZE_MAX + 1))
    assert "nested too deeply" in refused("x = " + "[" * 50_000 + "]" * 50_000)


def test_an_empty_variable_counts_as_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    environ = {"SPIDERD_CONFIG": "", "SPIDERD_SOCKET": "", "XDG_CONFIG_HOME": str(tmp_path)}
    assert load(environ=environ).config == Config()
