"""`links`: the link graph, one edge a line: source, target, kind, nofollow, anchor text; tabs between.

A link that is followed is kept as the hash of its target, so a target that still waits has no name yet; such
edges are left out and counted.
"""

from __future__ import annotations

from spiderd.export.job import Job
from spiderd.parse.links import LinkFlag, LinkKind, decode_record


def write_links(job: Job) -> None:
    """Write the links of every page in the order of the page."""
    unknown = 0
    for number, page in job.pages():
        row = job.snapshot.links(number)
        if not row:
            continue
        record = decode_record(row)
        lines = []
        for url_hash, kind, text in record.followed():
            target = job.snapshot.url_of(url_hash)
            if target:
                lines.append(_line(page.url, target, kind, 0, text))
            else:
                unknown += 1
        for link in record.others:
            nofollow = int(bool(link.flags & LinkFlag.NOFOLLOW))
            lines.append(_line(page.url, link.url, link.kind, nofollow, link.text))
        job.out.write("".join(lines).encode("utf-8", "backslashreplace"))
    if unknown:
        job.notes.append(f"{unknown} links lead to URLs that were not asked for yet, and are left out")


def _line(source: str, target: str, kind: int, nofollow: int, text: str) -> str:
    try:
        name = LinkKind(kind).name.lower()
    except ValueError:  # of a later version
        name = str(kind)
    return f"{source}\t{target}\t{name}\t{nofollow}\t{' '.join(text.split())}\n"
