"""An index that is open for reading, and one state of it that a search sees.

Reading needs no lock. What is open stays whole while it is used; what has changed on the disk since (a
commit, an index built anew, a new ranking) is seen by the next search.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tantivy import DocAddress, Index, Schema, Searcher

from spiderd.errors import Unavailable
from spiderd.search.linkage import VERSION as LINKS_VERSION
from spiderd.search.linkage import Linkage
from spiderd.search.places import Places
from spiderd.search.schema import VERSION, Kept, make_schema, register, unpack

COMPLETIONS = 12
"""Words that a word which is being typed may become."""

_TRIES = 3  # a folder may be replaced between looking and opening


class View(NamedTuple):
    """One state of the index."""

    schema: Schema
    searcher: Searcher
    languages: tuple[str, ...]  # that pages are written in
    linkage: Linkage

    def frequency(self, field: str, word: str) -> int:
        """Pages whose field holds a word."""
        return self.searcher.doc_freq(field, word)

    def completions(self, field: str, beginning: str) -> list[str]:
        """Words of a field that begin so, those of most pages first."""
        return [word for word, _ in self.searcher.terms_with_prefix(field, beginning, limit=COMPLETIONS)]

    def column(self, name: str, addresses: Sequence[DocAddress]) -> list[int]:
        """Values of a column."""
        return [int(value or 0) for value in self.searcher.fast_field_values(name, list(addresses))]

    def kept(self, address: DocAddress) -> Kept:
        """What is shown of a page."""
        return unpack(bytes(self.searcher.doc(address).get_first("kept") or b""))


class Opened:
    """The index of a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._places = Places(data_dir)
        self._schema = make_schema()
        self._folder: Path | None = None
        self._index: Index | None = None
        self._commit = 0
        self._linkage = Linkage(None)

    def view(self) -> View:
        """Look at the index as it is now.

        Raises:
            Unavailable: there is none.
        """
        for _ in range(_TRIES):
            try:
                return self._look()
            except (FileNotFoundError, ValueError):
                self._index = None
        raise Unavailable(f"There is no search index in {self._places.root} yet.")

    def _look(self) -> View:
        folder = self._places.current("words", VERSION)
        if folder is None:
            raise FileNotFoundError
        commit = (folder / "meta.json").stat().st_mtime_ns  # tantivy replaces it with each commit
        if self._index is None or folder != self._folder:
            self._index, self._folder = register(Index.open(str(folder))), folder
        elif commit != self._commit:
            self._index.reload()
        self._commit = commit
        links = self._places.current("links", LINKS_VERSION)
        if links != self._linkage.folder:
            self._linkage = Linkage(links)
        searcher = self._index.searcher()
        languages = tuple(tag for tag, _ in searcher.terms_with_prefix("language", ""))
        return View(self._schema, searcher, languages, self._linkage)
