"""Session ids and unwanted parameters: taken out of the seen key, so that a visit is not a new site.

A site that writes a fresh session id into its links shows a crawler each page again and again. Names that
mean nothing else are dropped whatever their value. `sid` and its like also name sections and stories
(`article.php?sid=1234`), so there the value must look random: a page lost is worse than one fetched twice.
"""

from __future__ import annotations

import re
from functools import lru_cache

# ;jsessionid=..., but not where the rest would be a dot segment: "/a/..;jsessionid=1/b" is not "/b".
_PATH_ID = re.compile(
    r"(?<!/\.)(?<!/\.\.);(?:jsessionid|phpsessid|sessionid|jservsessionid[a-z]*|\$sessionid\$)=[^/;?]*",
    re.IGNORECASE,
)
_ASP_NET = re.compile(r"/\((?:[A-Z]\([0-9a-z]{24}\))+\)(?=/)|/\([0-9a-z]{24}\)(?=/)")  # /(S(...))/page.aspx

_ALWAYS = (
    "jsessionid|jservsessionid[a-z]*|phpsessid|php_session_id|aspsessionid[a-z]*|asp\\.net_sessionid"
    "|sessionid|session_id|sessid|cfid|cftoken|osCsid|zenid|xtcsid|mosessionid|\\$sessionid\\$"
)
# What a generator of ids writes: hexadecimal digits, or a long run of letters and digits mixed.
_RANDOM = (
    r"(?:(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{6,}|(?=[a-z_.,-]*[0-9])(?=[0-9_.,-]*[a-z])[0-9a-z_.,-]{16,}"
    r"|[0-9]{20,})"
)
_QUERY_ID = re.compile(
    rf"(?:^|[&;])(?:(?:{_ALWAYS})(?:=[^&;]*)?|(?:sid|session|sess|phpsid)={_RANDOM}|s=[0-9a-f]{{32}})(?=[&;]|$)",
    re.IGNORECASE,
)


def drop_path_ids(path: str) -> str:
    """Take session ids out of a path."""
    if ";" in path:
        path = _PATH_ID.sub("", path)
    if "/(" in path:
        path = _ASP_NET.sub("", path)
    return path


def drop_query_ids(query: str) -> str | None:
    """Take session ids out of a query; None where nothing is left of it."""
    return _drop(_QUERY_ID, query)


def drop_parameters(query: str, names: tuple[str, ...]) -> str | None:
    """Take parameters out of a query by name; `utm_*` stands for all that begin so."""
    return _drop(_named(names), query)


def _drop(pattern: re.Pattern[str], query: str) -> str | None:
    left = pattern.sub("", query)
    if left == query:
        return query
    if left[:1] in ("&", ";"):  # what followed the first parameter
        left = left[1:]
    return left or None


@lru_cache(maxsize=16)
def _named(names: tuple[str, ...]) -> re.Pattern[str]:
    any_of = "|".join(re.escape(name).replace(r"\*", "[^&;=]*") for name in names)
    return re.compile(rf"(?:^|[&;])(?:{any_of})(?:=[^&;]*)?(?=[&;]|$)")
