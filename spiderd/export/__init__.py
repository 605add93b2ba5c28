"""Exporting: what was crawled, in forms that other programs read; one file a form.

Everything is streamed: no form holds more than a page and a few caches of stated size in memory.
"""

from spiderd.export.kinds import KINDS, Kind, export

__all__ = ["KINDS", "Kind", "export"]
