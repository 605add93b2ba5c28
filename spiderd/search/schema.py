"""What the index holds of a page: the fields that are searched, and what is kept to be shown.

Words are put in already cut (`spiderd.search.analysis`), separated by spaces. What is shown is one packed and
compressed value, because only the ten pages that are shown are ever unpacked; what ranking needs of a
thousand candidates (number, fingerprints, time) are columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from zlib import crc32

import msgspec
import numpy as np
import zstandard
from tantivy import Document, Index, Schema, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from spiderd.search.analysis import han_pairs, words
from spiderd.search.text import Readable

VERSION = 2
"""Of everything that a page goes through on its way into the index; another one means to build it anew."""

TEXT_FIELDS = ("title", "headings", "body", "rest", "url", "pairs")
EVERY = "*"
"""A site that every page belongs to."""

CHECKPOINT = 0
"""Page number of the document that holds the checkpoint; pages begin at 1."""

_KEPT_TEXT = 200_000  # characters
_HASHED_WORDS = 2_000
_LEAST_WORDS = 20  # below which two pages are the same only if they are equal to the letter,
_MANY_WORDS = 250  # and below which only if their titles are
_IP = re.compile(r"\d+(?:\.\d+){3}$|\[")


class Kept(msgspec.Struct, array_like=True, gc=False):
    """What is shown of a page."""

    url: str
    title: str
    language: str
    body: str
    rest: str


class Entry(NamedTuple):
    """A page on its way into the index."""

    number: int
    url: str
    fetched: float
    language: str
    readable: Readable


def make_schema() -> Schema:
    """Make the schema of the index of pages."""
    builder = (
        SchemaBuilder()
        .add_unsigned_field("number", indexed=True, fast=True)
        .add_unsigned_field("fetched", indexed=True, fast=True)
        .add_unsigned_field("named", fast=True)  # fingerprint of the title
        .add_unsigned_field("print", fast=True)  # fingerprint of the text, near for texts that are near
        .add_text_field("site", tokenizer_name="raw", index_option="basic")
        .add_text_field("language", tokenizer_name="raw", index_option="basic")
        .add_bytes_field("kept", stored=True)
    )
    for name in TEXT_FIELDS:
        builder = builder.add_text_field(name, tokenizer_name="words", index_option="position")
    return builder.build()


def register(index: Index) -> Index:
    """Tell an open index how its words are separated."""
    index.register_tokenizer("words", TextAnalyzerBuilder(Tokenizer.whitespace()).build())
    return index


def document(entry: Entry) -> Document:
    """Make the document of a page."""
    page, language = entry.readable, entry.language
    title, body = words(page.title, language), words(page.body, language)
    made = Document()
    made.add_unsigned("number", entry.number)
    made.add_unsigned("fetched", max(0, int(entry.fetched)))
    made.add_unsigned("named", crc32(" ".join(title).encode()))
    made.add_unsigned("print", fingerprint(body, title))
    for site in sites(entry.url):
        made.add_text("site", site)
    made.add_text("language", language)
    made.add_text("title", " ".join(title))
    made.add_text("headings", " ".join(words(page.headings, language)))
    made.add_text("body", " ".join(body))
    made.add_text("rest", " ".join(words(page.rest, language)))
    made.add_text("url", " ".join(url_words(entry.url)))
    if language == "zh":
        made.add_text("pairs", " ".join(han_pairs(f"{page.title}\n{page.body}")))
    made.add_bytes("kept", pack(Kept(entry.url, page.title, language, page.body, page.rest)))
    return made


def pack(kept: Kept) -> bytes:
    """Pack what is shown of a page."""
    kept.body, kept.rest = kept.body[:_KEPT_TEXT], kept.rest[:_KEPT_TEXT]
    return _compressor.compress(_encoder.encode(kept))


def unpack(data: bytes) -> Kept:
    """Unpack what is shown of a page."""
    return _decoder.decode(_decompressor.decompress(data))


def sites(url: str) -> list[str]:
    """Return what a page's site may be called: host and port, host, and the domains above it."""
    host = _host(url)
    names = {EVERY, host, host.rpartition(":")[0] if _has_port(host) else host}
    bare = host.rpartition(":")[0] if _has_port(host) else host
    while not _IP.match(bare) and "." in bare:
        names.add(bare)
        bare = bare.partition(".")[2]
    return sorted(names)


def site_of(url: str) -> str:
    """Return host and port of a URL."""
    return _host(url)


def url_words(url: str) -> list[str]:
    """Cut a URL into words."""
    parts = urlsplit(url)
    return words(unquote(f"{parts.netloc.rpartition('@')[2]} {parts.path} {parts.query}"), "-")


def fingerprint(body: Sequence[str], title: Sequence[str] = ()) -> int:
    """Return 64 bits that differ in few places for texts that differ in few words.

    Simhash (Charikar 2002) over runs of three words; of a very short text, a hash of the whole. A text that
    is not long says little by itself (a hundred words may all be the site's), so its title takes part: that
    moves all texts under one title alike, and those under another title far away.
    """
    mark = _hash(body) if len(body) < _LEAST_WORDS else _simhash(body)
    return mark if len(body) >= _MANY_WORDS else mark ^ _hash(title)


def _hash(words: Sequence[str]) -> int:
    text = " ".join(words).encode()
    return crc32(text) << 32 | crc32(text[::-1])


def _simhash(body: Sequence[str]) -> int:
    hashes = np.fromiter(map(crc32, " ".join(body[:_HASHED_WORDS]).encode().split(b" ")), dtype=np.uint64)
    runs = hashes[:-2] * _FACTORS[0] + hashes[1:-1] * _FACTORS[1] + hashes[2:] * _FACTORS[2]
    runs = np.unique(runs ^ (runs >> np.uint64(29))) * _FACTORS[0]
    ones = np.unpackbits(runs.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    return int.from_bytes(np.packbits(ones * 2 > len(runs)).tobytes(), "big")


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def _has_port(host: str) -> bool:
    return re.search(r":\d+$", host) is not None


_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Kept)
_compressor = zstandard.ZstdCompressor(level=3)
_decompressor = zstandard.ZstdDecompressor()
