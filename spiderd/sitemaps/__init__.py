"""Sitemaps: what a site says it has."""

from spiderd.sitemaps.reading import MAX_DEPTH, Entry, Sitemap, parse
from spiderd.sitemaps.times import lastmod_time

__all__ = ["MAX_DEPTH", "Entry", "Sitemap", "lastmod_time", "parse"]
