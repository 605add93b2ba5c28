"""Text to words: the same way for pages and for queries.

Scripts that put spaces between words go through tantivy's tokenizer, are folded (case, accents) and stemmed
by the language of the page. Chinese is segmented by rjieba in search mode, which gives long words and the
words within them. Japanese, Korean and the scripts of South-East Asia are cut into overlapping pairs of
characters, which needs no dictionary and finds every word there is, and some that there are not.

All these words go into the same fields. A query does not say its language, so each of its words is looked
for in every form that the languages of the index would have given it: usually two or three different ones.

Chinese text is also kept as pairs, in a field of its own: two cuts of a sentence may differ where the
dictionary is in doubt, and what stands in quotes must be found however it was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import rjieba
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from spiderd.search.language import function_words

MAX_WORD = 64
"""Bytes; what is longer is no word."""

STEMMERS = {
    "ar": "Arabic",
    "da": "Danish",
    "nl": "Dutch",
    "en": "English",
    "fi": "Finnish",
    "fr": "French",
    "de": "German",
    "el": "Greek",
    "hu": "Hungarian",
    "it": "Italian",
    "nb": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "es": "Spanish",
    "sv": "Swedish",
    "ta": "Tamil",
    "tr": "Turkish",
}
"""Languages that are stemmed. Text of which nothing is known is taken for English."""

PAIRED = frozenset({"ja", "ko", "th"})
"""Languages whose ideographs are cut into pairs, too."""

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED = (
    _HAN + "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f"
    "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u109d\u1780-\u17d3"
)
_RUN = re.compile(f"[{UNSPACED}]+")
_ONLY_HAN = re.compile(f"[{_HAN}]+")
_SEGMENT = re.compile(  # of Japanese and Korean: what stands between particles and endings
    f"[\u30a1-\u30ff\uff66-\uff9f]{{2,}}|[{_HAN}]{{2,}}|[{_HAN}][\u3041-\u309f]?|[\uac00-\ud7a3]{{2,}}"
    "|[\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u109d\u1780-\u17d3]{2,}"
)
_IDLE_HAN = function_words("zh")
_LOOSE = 0.5  # weight of the parts of a word that need not stand in a row
_ROW = 0.5  # weight of a run that is there as it stands, beside that of its words


@lru_cache(maxsize=32)
def _analyzer(stemmer: str) -> TextAnalyzer:
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(MAX_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
    )
    if stemmer:
        builder = builder.filter(Filter.stemmer(stemmer))
    return builder.build()


@lru_cache(maxsize=10_000)  # the words of a query in each language, asked for several times
def _stemmed(stemmer: str, piece: str) -> tuple[str, ...]:
    return tuple(_analyzer(stemmer).analyze(piece))


def stemmer_of(language: str) -> str:
    """Return the name of the stemmer for a language; "" where there is none."""
    return "English" if not language else STEMMERS.get(language, "")


def words(text: str, language: str) -> list[str]:
    """Cut a text of a page into words, in its order."""
    analyze = _analyzer(stemmer_of(language)).analyze
    if text.isascii():
        return analyze(text)
    found: list[str] = []
    for piece, unspaced in _pieces(text):
        if not unspaced:
            found += analyze(piece)
        elif language in PAIRED or not _ONLY_HAN.fullmatch(piece):
            found += pairs(piece)
        else:
            found += rjieba.cut_for_search(piece)
    return found


def han_pairs(text: str) -> list[str]:
    """Cut the ideographs of a text into pairs, and leave the rest out."""
    if text.isascii():
        return []
    return [pair for run in _ONLY_HAN.findall(text) for pair in pairs(run)]


def pairs(run: str) -> list[str]:
    """Cut a run into overlapping pairs of characters; one character stands for itself."""
    if len(run) < 2:
        return [run]
    return [run[place : place + 2] for place in range(len(run) - 1)]


class Form(NamedTuple):
    """One way in which the index may hold a piece of a query: parts, each of words that follow each other."""

    parts: tuple[tuple[str, ...], ...]
    least: int  # parts that a page must hold
    weight: float = 1.0
    paired: bool = False  # it is pairs of characters


def forms(piece: str, languages: Iterable[str]) -> list[Form]:
    """Return what a piece of a query may look like in the index (see `split`), from strict to lenient.

    Args:
        piece: All of it in scripts with spaces, or all of it in scripts without; no white space.
        languages: Those that pages of the index are written in.
    """
    if has_unspaced(piece):
        return _unspaced_forms(piece)
    found = rows((piece,), languages)
    found += [
        Form(tuple((word,) for word in form.parts[0]), len(form.parts[0]), _LOOSE)
        for form in found
        if len(form.parts[0]) > 1  # `os.path`, `mod_rewrite`: better in a row, but not only
    ]
    return found


def rows(words: Iterable[str], languages: Iterable[str]) -> list[Form]:
    """Return what words that follow each other may look like in the index."""
    pieces = [piece for word in words for piece in split(word)]
    found: dict[tuple[str, ...], bool] = {}
    for stemmer in ["", *sorted({stemmer_of(language) for language in languages})]:
        cut: list[str] = []
        for piece in pieces:
            cut += pairs(piece) if has_unspaced(piece) else _stemmed(stemmer, piece)
        found[tuple(cut)] = any(map(has_unspaced, pieces))
    return [Form((row,), 1, 1.0, paired) for row, paired in found.items() if row]


def _unspaced_forms(run: str) -> list[Form]:
    """A run as it stands, and cut into its words, of which one in three may be missing.

    Nobody puts spaces there, so what is one word is the dictionary's opinion and not the user's.
    """
    row = Form((tuple(pairs(run)),), 1, _ROW, paired=True)
    cut = segments(run)
    if _ONLY_HAN.fullmatch(run):
        return list(dict.fromkeys([row, _cut_form(cut, 1.0), _cut_form(_finer(cut), _LOOSE)]))
    if cut == [run]:
        return [row._replace(weight=1.0)]
    return [row, Form(tuple(tuple(pairs(word)) for word in cut), _quorum(len(cut)), paired=True)]


def _cut_form(cut: list[str], weight: float) -> Form:
    return Form(tuple((word,) for word in cut), _quorum(len(cut)), weight)


def _finer(cut: list[str]) -> list[str]:
    """Cut long words into the shorter ones that they are made of, where the dictionary knows them."""
    found: dict[str, None] = {}
    for word in cut:
        within = rjieba.cut_for_search(word)
        shortest = [part for part in within if not any(other != part and other in part for other in within)]
        found.update(dict.fromkeys(shortest if "".join(shortest) == word else [word]))
    return list(found)


def _quorum(parts: int) -> int:
    return parts - parts // 3


def is_idle(word: str, languages: Iterable[str]) -> bool:
    """Whether a word of a query says so little that a page need not hold it."""
    lower = word.lower()
    return lower in _IDLE_HAN or any(lower in function_words(language) for language in languages)


def split(word: str) -> list[str]:
    """Split a word where scripts with and without spaces meet."""
    return [piece for piece, _ in _pieces(word)]


def has_unspaced(text: str) -> bool:
    """Whether some of a text is in a script without spaces."""
    return not text.isascii() and _RUN.search(text) is not None


def segments(run: str) -> list[str]:
    """Cut a run in a script without spaces into its words, those that say little left out."""
    if _ONLY_HAN.fullmatch(run):
        cut = list(dict.fromkeys(rjieba.cut(run)))
        return [word for word in cut if word not in _IDLE_HAN] or cut
    return list(dict.fromkeys(_SEGMENT.findall(run))) or [run]


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of scripts without spaces, and what lies between them."""
    last = 0
    for run in _RUN.finditer(text):
        if run.start() > last:
            yield text[last : run.start()], False
        yield run[0], True
        last = run.end()
    if last < len(text):
        yield text[last:], False
