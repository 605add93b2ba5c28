"""What languages are written with beyond ASCII, for telling encodings apart.

A profile is a language (or several that share their letters), the encodings that it may come in, and its
letters, frequent ones first. Figures are not needed: a wrong decoding does not make slightly other letters,
it makes letters that the language does not have, symbols inside of words, or capitals behind small letters.
"""

from __future__ import annotations

from typing import NamedTuple


class Profile(NamedTuple):
    """The letters of a language."""

    languages: str  # tags, for pages that name their language
    encodings: tuple[str, ...]  # the likeliest first
    common: str
    usual: str
    rare: str = ""
    capitals: bool = False  # whether they follow from the small letters, and are not listed


WESTERN = ("windows-1252",)
_CENTRAL = ("windows-1250", "iso-8859-2")
_BALTIC = ("windows-1257", "iso-8859-13")
_CYRILLIC = ("windows-1251", "koi8-r", "iso-8859-5", "ibm866", "x-mac-cyrillic")

PROFILES = (
    Profile("en id ms", WESTERN, "", "é", "èïöüñçàâêô"),
    Profile("fr", WESTERN, "éèà", "êçùâîôû", "ëïœæüÉÀÇÊÈÔÎ"),
    Profile("de nl lb", WESTERN, "äöüß", "ÄÖÜéë", "ïàè"),
    Profile("es gl eu", WESTERN, "áéíóúñ", "¿¡üÁÉÍÓÚÑ", "ºªç"),
    Profile("pt", WESTERN, "ãçáéíó", "õêâúàÁÉÍÓÚÃÇ", "ôüÕÂÊºª"),
    Profile("it", WESTERN, "àèéòùì", "ÀÈÉÒÙ", "îïºª"),
    Profile("ca", WESTERN, "àéèíòóúç", "ÀÈÉÒïü", "·ºª"),
    Profile("sv fi et", WESTERN, "äöå", "ÄÖÅé", "üõáà"),
    Profile("da nb no nn", WESTERN, "æøå", "ÆØÅé", "öäüóòêô"),
    Profile("is fo ga", WESTERN, "áíðéóúþæö", "ýøÁÍÉÓÚÞÆÖÐ", "Ý"),
    Profile("pl", _CENTRAL, "ąęłóśż", "cńźćŻŁŚ", "ĄĘÓĆŃŹ"),
    Profile("cs sk", _CENTRAL, "áéíěřčšžý", "ůúťďňóľôŠČŽŘÚÁÍ", "äŕĺÝÉÓĎŤŇĽ"),
    Profile("hu", _CENTRAL, "áéíóöőü", "úűÁÉÖŐÜ", "ÍÓÚŰ"),
    Profile("ro", _CENTRAL, "ăîâşţ", "ĂÎÂŞŢ", "éá"),
    Profile("hr sl bs", _CENTRAL, "čćšž", "đŠČŽĆĐ"),
    Profile("tr az", ("windows-1254",), "ışğüçö", "İŞĞÜÇÖ", "âîû"),
    Profile("lt", _BALTIC, "ėšžųįčū", "ąęŠŽČ", "ĖŲĮŪĄĘ"),
    Profile("lv", _BALTIC, "āīēšņ", "ļžūčķģĀĪĒŠŅ", "ĻŽŪČĶĢ"),
    Profile("vi", ("windows-1258",), "ưđêăơôâ\u0301\u0300\u0323\u0309\u0303", "áàéèóòúùíìýĐ", "ãõñẽƯÊĂƠÔÂ"),
    Profile("ru bg", _CYRILLIC, "оеаинтсрвл", "кмдпуягыьбзчйхжшюцщэфъё", capitals=True),
    Profile("uk be", (*_CYRILLIC, "koi8-u"), "оеаинтсрвлі", "кмдпуягьбзчйхжшюцщфїєґўыэё", capitals=True),
    Profile("sr mk", ("windows-1251", "iso-8859-5"), "оеаинтсрвлј", "кмдпугбзчхжшцљњћђфџќѓѕ", capitals=True),
    Profile("el", ("windows-1253", "iso-8859-7"), "αοιετσνρκπης", "υλμωγδθάέίόήύώβφχζξψϊϋΐΰ", capitals=True),
    Profile("he yi", ("windows-1255", "iso-8859-8"), "יוהלארתבמשנ", "עדקחפצגטכםןסזךףץ"),
    Profile(
        "ar fa ur", ("windows-1256", "iso-8859-6"), "اليمونرتبةدع", "سفحكقجشهىأطصخذضزغثءإؤئآظکپچژگٹڈڑںھہے،؟ـ"
    ),
    Profile(
        "th",
        ("windows-874",),
        "านรอกเงมยลวดทตส่้ี",
        "คปบหใแจขพชไโถณะัิ์ืุู็ำธซผภฎฐศษญฉฟฝฮฤๆฯฆฌฏฑฒฬ๐๑๒๓๔๕๖๗๘๙",
    ),
)

BIAS = {"windows-1252": 0.1, "ibm866": -0.05, "x-mac-cyrillic": -0.02}
"""What is added, since some encodings are likely and some hardly used; those of old Macs are not tried."""

PUNCTUATION = frozenset("\u2013—\u2018\u2019\u201a“”„…«»\u2039\u203a")
"""What stands in the texts of all languages, beside words and not within."""

SYMBOLS = frozenset("\xa0§©°·†‡•€™®±²³½¼\xd7÷\xb4№¶")
"""What may stand anywhere, but rarely does."""

_SIGNS = "。、\uff0c\uff1a\uff1b\uff1f\uff01“”"
_KANA = "のにはをたがでてとしれさいるもすかならりこあっんまくきけよそうえだー・「」"

FREQUENT = {
    "gbk": frozenset(
        "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可"
        "她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三"
        "已老从动两长" + _SIGNS
    ),
    "big5": frozenset(
        "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可"
        "她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三"
        "已老從動兩長「」" + _SIGNS
    ),
    "euc-kr": frozenset(
        "이다는을의에고가지하은로한기를도시사어자인나리아대서그만라해수있들과일정부보제전게상으적와스주"
        "것여장공동국구용유우비성원면중안선트러니신할까"
    ),
    "euc-jp": frozenset(_KANA + _SIGNS),
    "shift_jis": frozenset(_KANA + _SIGNS),
}
"""The commonest characters of East Asian text, in each of its encodings."""
