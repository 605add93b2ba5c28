"""Settings of a running crawl: what holds, where it comes from, and what can be changed without a restart.

Three layers, the upper hides the lower: settings that were made live (kept in the store, so that a restart
changes nothing), what command line, environment and file say, the defaults. `filed` is the lower two as they
were read last; `running` is what the crawl goes by, which differs from both layers together only in keys that
need a restart. This module decides; who has the parts to change asks it for a plan and carries that out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from spiderd.config import Config
from spiderd.config.loading import Loaded, overlaid, with_values
from spiderd.config.rendering import written
from spiderd.config.schema import keys
from spiderd.errors import ConfigError, UsageError
from spiderd.protocol import Change, SettingRow

_SAME_URL = "what counts as the same URL would change for what has been seen"

RESTART: Mapping[str, str] = {
    "crawl.processes": "the fetchers are started with the daemon",
    "urls.sort_query": _SAME_URL,
    "urls.drop_session_ids": _SAME_URL,
    "urls.drop_parameters": _SAME_URL,
    "urls.same_www": _SAME_URL,
    "urls.collapse_slashes": _SAME_URL,
    "urls.same_scheme": _SAME_URL,
    "fetch.proxy": "connections that are kept lead through it",
    "archive.format": "workers have directories open in the old one",
    "archive.max_count": "workers have directories open that are filled up to the old one",
    "archive.durability": "the store commits by it from its opening on",
    "search.enabled": "the indexer is started with the daemon",
    "api.socket": "clients are connected to it",
    "api.group": "the socket was made for it",
    "api.metrics": "the port is opened with the daemon",
    "web.enabled": "the search page is opened when the daemon starts",
    "web.bind": "the search page is opened when the daemon starts",
    "web.port": "the search page is opened when the daemon starts",
    "web.password": "the search page is opened when the daemon starts",
    "web.names": "the search page is opened when the daemon starts",
}
"""Keys that only a restart changes, and why. All others are applied to the running crawl."""

SEEDS = "crawl.seeds"

_FORWARD = frozenset(
    {
        "scope.follow",
        "scope.include",
        "scope.exclude",
        "crawl.max_depth",
        "urls.max_length",
        "traps.max_segments",
        "traps.max_repeats",
        "politeness.nofollow",
        "politeness.meta_robots",
        "fetch.assets",
        "fetch.forms",
    }
)
"""Keys that decide about links while their page is read."""
FORWARD_NOTE = "pages that were fetched before are not searched again for links that fit now"


class Plan(Struct, kw_only=True):
    """What a change of the settings comes to."""

    config: Config  # to go by from now on
    filed: Loaded
    overrides: dict[str, object]
    changed: list[Change]
    restart: list[Change]
    hidden: list[Change]

    @property
    def keys(self) -> set[str]:
        """The keys that change now."""
        return {change.key for change in self.changed}

    @property
    def notes(self) -> list[str]:
        """Sentences for people about what the change does not do."""
        return [FORWARD_NOTE] if self.keys & _FORWARD else []


class LiveSettings:
    """The settings of one run of the daemon."""

    def __init__(
        self, filed: Loaded, reread: Callable[[], Loaded], overrides: Mapping[str, object] | None = None
    ) -> None:
        """Begin with what was read at the start.

        Args:
            filed: what command line, environment, file and defaults say.
            reread: reads them again; raises ConfigError or UsageError. It may block.
            overrides: what was set live in an earlier run, by full key, as written in a file. What does not
                fit any more is left out and named in `dropped`.
        """
        self.reread = reread
        self._filed = filed
        self.overrides: dict[str, object] = {}
        self.dropped: list[str] = []
        self.running = filed.config
        for key, value in (overrides or {}).items():
            try:
                self._check(key)
                self.running = overlaid(self.running, {key: value})
                self.overrides[key] = value
            except UsageError as error:
                self.dropped.append(str(error))

    @property
    def source(self) -> Path | None:
        """The file that was read; None where there is none."""
        return self._filed.source

    def accept(self, plan: Plan) -> None:
        """Go by a plan from now on."""
        self.running, self._filed, self.overrides = plan.config, plan.filed, plan.overrides

    def plan_reload(self, filed: Loaded) -> Plan:
        """Plan to go by what was read again.

        Raises:
            ConfigError: it does not go together with a setting that was made live.
        """
        try:
            return self._plan(filed, self.overrides)
        except UsageError as error:
            made = ", ".join(sorted(self.overrides))
            raise ConfigError(f"{error} (set live: {made}; spiderd set KEY --unset)") from error

    def plan_setting(self, key: str, value: object) -> Plan:
        """Plan to make a setting live; None unsets it.

        Raises:
            UsageError: there is no such key, it is not one that can be set live, or the value is wrong.
        """
        overlaid(self.running, {} if value is None and key in keys() else {key: value})  # for the sentence
        self._check(key)
        others = {name: kept for name, kept in self.overrides.items() if name != key}
        return self._plan(self._filed, others if value is None else {**others, key: value})

    def _check(self, key: str) -> None:
        if key == SEEDS:
            raise UsageError(f"{SEEDS} is no setting of a running crawl: spiderd add adds seeds")
        if reason := RESTART.get(key):
            raise UsageError(f"{key} cannot be changed while the crawl runs ({reason}): set it in the file")

    def _plan(self, filed: Loaded, overrides: dict[str, object]) -> Plan:
        wanted = overlaid(filed.config, overrides)
        changed, restart = [], []
        values = {}
        for full, key in keys().items():
            before, after = key.of(self.running), key.of(wanted)
            if before == after:
                continue
            change = Change(key=full, value=written(key, after), filed=written(key, before))
            if full in RESTART:
                restart.append(change)
            else:
                changed.append(change)
                values[full] = after
        return Plan(
            config=with_values(self.running, values),
            filed=filed,
            overrides=overrides,
            changed=changed,
            restart=restart,
            hidden=[one for one in _overridden(overrides, wanted, filed.config) if one.value != one.filed],
        )

    def overridden(self) -> list[Change]:
        """The settings that were made live, beside what the file has."""
        return _overridden(self.overrides, self.running, self._filed.config)

    def rows(self) -> list[SettingRow]:
        """All keys in the order of the declaration."""
        return [
            SettingRow(
                key=full,
                value=written(key, key.of(self.running)),
                filed=written(key, key.of(self._filed.config)),
                live=full not in RESTART and full != SEEDS,
                override=full in self.overrides,
            )
            for full, key in keys().items()
        ]


def _overridden(overrides: Mapping[str, object], live: Config, filed: Config) -> list[Change]:
    known = keys()
    return [
        Change(
            key=key,
            value=written(known[key], known[key].of(live)),
            filed=written(known[key], known[key].of(filed)),
        )
        for key in sorted(overrides)
    ]
