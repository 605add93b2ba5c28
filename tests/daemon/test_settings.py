"""What holds, what a change comes to, and what is refused."""

from __future__ import annotations

import pytest

from spiderd.config import Config
from spiderd.config.loading import Loaded, overlaid
from spiderd.config.schema import keys
from spiderd.daemon.settings import FORWARD_NOTE, RESTART, SEEDS, LiveSettings
from spiderd.errors import ConfigError, UsageError


def read(**settings: object) -> Loaded:
    return Loaded(
        overlaid(Config(), {key.replace("__", "."): value for key, value in settings.items()}), None
    )


def live(**settings: object) -> LiveSettings:
    filed = read(**settings)
    return LiveSettings(filed, lambda: filed)


def made(settings: LiveSettings, key: str, value: object) -> LiveSettings:
    settings.accept(settings.plan_setting(key, value))
    return settings


def test_every_key_that_needs_a_restart_is_a_key_and_has_its_reason():
    assert set(RESTART) <= set(keys())
    assert all(RESTART.values())


def test_a_setting_holds_until_it_is_unset():
    settings = live(crawl__threads=4)
    plan = settings.plan_setting("crawl.threads", 16)
    assert [(one.key, one.value, one.filed) for one in plan.changed] == [("crawl.threads", "16", "4")]
    assert settings.running.crawl.threads == 4
    settings.accept(plan)
    assert settings.running.crawl.threads == 16
    assert [(one.key, one.value, one.filed) for one in settings.overridden()] == [
        ("crawl.threads", "16", "4")
    ]
    made(settings, "crawl.threads", None)
    assert (settings.running.crawl.threads, settings.overrides) == (4, {})


def test_a_value_is_written_as_in_the_file():
    settings = made(live(), "politeness.delay", "2500ms")
    assert settings.running.politeness.delay == 2.5
    assert settings.overridden()[0].value == '"2500ms"'


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("crawl.threads", 0, "crawl.threads = 0: must be a whole number from 1 to 1024"),
        ("crawl.thread", 3, "crawl.thread: unknown key; did you mean crawl.threads?"),
        ("crawl.thread", None, "crawl.thread: unknown key; did you mean crawl.threads?"),
        ("politeness.delay", 2, 'politeness.delay = 2: needs a unit: a duration is written "30s"'),
        ("politeness.delay", "2m", "is longer than politeness.max_delay"),
        ("scope.exclude", ["("], 'scope.exclude: "(" is not a regular expression'),
        ("archive.format", "warc", "cannot be changed while the crawl runs"),
        ("crawl.seeds", ["http://a.test/"], "spiderd add adds seeds"),
    ],
)
def test_what_is_refused_changes_nothing(key, value, sentence):
    settings = live()
    with pytest.raises(UsageError) as caught:
        settings.plan_setting(key, value)
    assert sentence in str(caught.value)
    assert (settings.running, settings.overrides) == (Config(), {})


def test_a_reload_applies_what_can_be_and_lists_the_rest():
    settings = live()
    plan = settings.plan_reload(read(crawl__retries=7, archive__format="warc", scope__exclude=["x"]))
    settings.accept(plan)
    assert {one.key for one in plan.changed} == {"crawl.retries", "scope.exclude"}
    assert [(one.key, one.value) for one in plan.restart] == [("archive.format", '"warc"')]
    assert plan.notes == [FORWARD_NOTE]
    assert (settings.running.crawl.retries, settings.running.archive.format) == (7, "files")
    again = settings.plan_reload(read(crawl__retries=7, archive__format="warc", scope__exclude=["x"]))
    assert again.changed == []
    assert [one.key for one in again.restart] == ["archive.format"], "as long as the restart has not come"


def test_what_was_set_live_hides_the_file_and_is_said_to():
    settings = made(live(), "crawl.threads", 3)
    plan = settings.plan_reload(read(crawl__threads=5))
    assert plan.changed == []
    assert [(one.key, one.value, one.filed) for one in plan.hidden] == [("crawl.threads", "3", "5")]
    settings.accept(plan)
    made(settings, "crawl.threads", None)
    assert settings.running.crawl.threads == 5


def test_a_file_that_contradicts_a_live_setting_is_refused_as_a_whole():
    settings = made(live(), "politeness.delay", "30s")
    with pytest.raises(ConfigError, match=r"politeness.delay .* \(set live: politeness.delay; spiderd set"):
        settings.plan_reload(read(politeness__max_delay="10s", crawl__retries=9))
    assert settings.running.crawl.retries == 3


def test_settings_of_an_earlier_run_that_no_longer_fit_are_dropped_and_named():
    filed = read(politeness__max_delay="10s")
    kept = {"politeness.delay": "30s", "crawl.threads": 2, "gone.key": 1, "archive.format": "warc"}
    settings = LiveSettings(filed, lambda: filed, kept)
    assert settings.overrides == {"crawl.threads": 2}
    assert settings.running.crawl.threads == 2
    assert len(settings.dropped) == 3


def test_the_rows_tell_what_holds_and_hide_passwords():
    settings = made(live(fetch__proxy="http://ann:secret@proxy:3128"), "crawl.order", "best")
    rows = {row.key: row for row in settings.rows()}
    assert list(rows) == list(keys())
    assert (rows["crawl.order"].value, rows["crawl.order"].filed) == ('"best"', '"breadth"')
    assert rows["crawl.order"].override
    assert not rows[SEEDS].live
    assert not rows["api.socket"].live
    assert "secret" not in rows["fetch.proxy"].value
