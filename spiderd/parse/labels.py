"""The labels of the Encoding Standard (WHATWG), and what decodes each encoding in Python.

Pages say `gb2312` and mean GBK, say `iso-8859-1` and mean windows-1252: the standard's table writes down what
browsers have always done. Python's codecs follow the letter of each charset instead, so the codec is chosen
here, and what still differs is mended by an error handler and a few replaced characters.
"""

from __future__ import annotations

import codecs
from functools import partial

# name: the standard's labels for it (the name itself is one)
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
    "iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
    "iso_8859-8:1988 visual",
    "iso-8859-8-i": "csiso88598i logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
    "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 "
    "l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "gb18030": "",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "x-user-defined": "",
}
NAMES = frozenset(_LABELS)
"""Names of all encodings, in lower case."""

_NAME_OF = {label: name for name, labels in _LABELS.items() for label in (name, *labels.split())}

_CODEC_OF = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859_8",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "windows-874": "cp874",
    "x-user-defined": "ascii",
}

# JIS X 0208 as Windows has it and the standard took it over
_JAPANESE = str.maketrans("\u301c\u2212\xa2\xa3\xac\u2016", "\uff5e\uff0d\uffe0\uffe1\uffe2\u2225")


def encoding_name(label: str) -> str:
    """Return the encoding's name (lower case) that a label stands for, "" where it stands for none."""
    return _NAME_OF.get(label.strip("\t\n\f\r ").lower(), "")


def decode(data: bytes, name: str) -> tuple[str, int]:
    """Decode bytes as the standard's decoder of that name does, a BOM aside.

    Returns:
        The text, and how many places could not be decoded; each has become U+FFFD.
    """
    if name == "replacement":  # the standard decodes nothing that could hide a script
        return ("\ufffd", 1) if data else ("", 0)
    if name == "utf-8":
        text = data.decode("utf-8", "replace")
        return text, text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    text = data.decode(_CODEC_OF.get(name, name), _MEND + name)
    if name in ("euc-jp", "iso-2022-jp"):
        text = text.translate(_JAPANESE)
    return text, text.count("\ufffd")


def _mend(error: UnicodeError, name: str) -> tuple[str, int]:
    """Say what a byte means to the standard that means nothing to Python, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte, following = error.object[error.start], error.object[error.start + 1 : error.start + 2]
    if name == "x-user-defined":
        return chr(0xF700 + byte), error.start + 1
    if name == "euc-jp" and 0xA1 <= byte <= 0xFE and following and 0xA1 <= following[0] <= 0xFE:
        return _vendor_row(byte, following[0]), error.start + 2
    if name in ("gbk", "gb18030"):
        if byte == 0x80:
            return "\u20ac", error.start + 1
    elif name == "windows-1255" and byte == 0xCA:
        return "\u05ba", error.start + 1
    elif 0x80 <= byte < 0xA0 and name.startswith(("windows-", "iso-8859-")):
        return chr(byte), error.start + 1  # C1 controls, in all single-byte encodings of Windows and ISO
    # A lead byte whose trail is ASCII leaves the trail alone, so that no markup is swallowed.
    return "\ufffd", error.start + 1 if following and following[0] < 0x80 else max(error.end, error.start + 1)


def _vendor_row(lead: int, trail: int) -> str:
    """Decode two EUC-JP bytes of a row that only vendors filled (NEC, IBM), by way of Shift_JIS."""
    row, cell = lead - 0xA1, trail - 0xA1
    first = row // 2 + (0x81 if row < 62 else 0xC1)
    second = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
    try:
        return bytes((first, second)).decode("cp932")
    except UnicodeDecodeError:
        return "\ufffd"


_MEND = "spiderd.decode."
for _name in _LABELS:
    codecs.register_error(_MEND + _name, partial(_mend, name=_name))
