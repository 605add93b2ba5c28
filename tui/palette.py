"""The command palette: every command of the table of keys, and what can be done with a URL that is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui import keys
from tui.text import cut, harmless

if TYPE_CHECKING:
    from tui.app import SpiderApp

NOT_OFFERED = frozenset({"palette", "back", "next_focus", "move", "tail"})


class KeyCommands(Provider):
    """Finds commands by their help; what cannot be done says why."""

    async def discover(self) -> Hits:
        """List all, before anything is typed."""
        for key, title, reason in self._offers():
            yield DiscoveryHit(title, self._giving(key), help=reason or None)

    async def search(self, query: str) -> Hits:
        """List those that match."""
        matcher = self.matcher(query)
        for key, title, reason in self._offers():
            score = matcher.match(f"{key.label} {title.plain}")
            if score > 0:
                yield Hit(score, title, self._giving(key), help=reason or None)

    @property
    def _spider(self) -> SpiderApp:
        return cast("SpiderApp", self.app)

    def _offers(self) -> Iterator[tuple[keys.Key, Content, str]]:
        situation = self._spider.situation()
        for key in keys.KEYS:
            if key.command not in NOT_OFFERED:
                reason = keys.unavailable(key, situation)
                yield (
                    key,
                    Content.assemble(key.help, (f"  {key.shown}", "dim")),
                    f"not now: {reason}" if reason else "",
                )

    def _giving(self, key: keys.Key) -> Callable[[], None]:
        return lambda: self._spider.commands.give(key.command)


class UrlCommands(Provider):
    """What can be done with a URL that is typed into the palette."""

    async def search(self, query: str) -> Hits:
        """Offer to add it, or to ask about it."""
        url = query.strip()
        if not url.startswith(("http://", "https://")):
            return
        commands = cast("SpiderApp", self.app).commands
        shown = cut(harmless(url), 60)
        yield Hit(1.0, Content(f"Add {shown}"), lambda: commands.add(url), help="to the crawl")
        yield Hit(0.9, Content(f"Why {shown}"), lambda: commands.why(url), help="which rule decides about it")
