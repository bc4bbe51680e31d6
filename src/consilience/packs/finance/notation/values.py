"""What number does a cell say? Its value, and the unit, scale and note marks that it has itself.

Whether `1.234` is a thousand or a little over one is decided for a whole table or document
(`style_of`), and each cell is then read in that style, as far as it can be. A number in brackets
is negative. Marks of footnotes behind a number (`1,234 (1)`, `12.3*`) are kept apart. A cell that
holds more than a number with its unit is no number: no part of a date, a code or a sentence is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from consilience.packs.finance.notation.measures import (
    Measure,
    measure_of,
    narrowed,
    unit_by_number,
    words,
)

__all__ = [
    "NO_VALUE",
    "Measure",
    "Style",
    "Value",
    "is_blank",
    "measure_of",
    "narrowed",
    "read_value",
    "style_of",
    "without_marks",
]

NO_VALUE = "no value"
"""What a cell says whose formula has no value in its file."""
LONGEST = 80
"""Letters of a cell that may be a number."""
_DIGITS = 30
_COMMA_LANGUAGES = frozenset(words("plain")["comma"].split())


class Style(StrEnum):
    """What parts the decimals: a point, or a comma. The other one parts thousands."""

    POINT = "."
    COMMA = ","


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number as a cell says it: 12.5 of `€ 12.5m`, with the unit EUR and the scale 1,000,000.

    A unit that the cell does not say is empty, a scale 0.
    """

    value: Decimal
    unit: str = ""
    scale: int = 0
    marks: tuple[str, ...] = ()


_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁽⁾"
_SPACES = dict.fromkeys((9, 10, 13, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_PLAIN = {
    **_SPACES,
    **{ord(one): "-" for one in "−–—‒―‐‑﹣－"},
    **{ord(one): "'" for one in "’ʼ′`´"},
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\ufeff\u00ad\u200e\u200f"), None),
    ord("（"): "(", ord("）"): ")", ord("．"): ".", ord("，"): ",", ord("％"): "%", ord("٫"): ".",
    ord("٬"): ",", ord("ı"): "i", ord("İ"): "I", ord("ſ"): "s", ord("\u212a"): "K",
}  # fmt: skip
_SAME_LENGTH = {**{code: new or " " for code, new in _PLAIN.items()}, ord("\n"): "\n"}
_BLANK = re.compile(
    r"(?i)(?:[-.…·*_ ]*|n\.?\s?/?\s?[amsd]\.?|n\.?\s?m\.?f?\.?|nil|none|no value|null|nan|"
    r"k\.\s?a\.|s\.\s?o\.|tbd|tba|not (?:applicable|available|meaningful)|"
    r"#(?:n/a|ref!|div/0!|value!)|\?+)"
)
_AROUND = re.compile(r"^[\s$€£¥₹]+|[\s%$€£¥₹]+$")
_ONE_MARK = (
    rf"[{_SUPERSCRIPT}]+|[*†‡§#]+|\(\s?(?:\d{{1,2}}|[a-zA-Z]|[ivx]{{1,4}}|\*+)"
    r"(?:\s?[,/]\s?(?:\d{1,2}|[a-z]))*\s?\)|\[(?:\d{1,2}|[a-z])\]|(?<=\s)\d{1,2}\)|(?<=[\s\d])[a-z]\)"
)
_MARK_LAST = re.compile(rf"\s*(?P<mark>{_ONE_MARK})$")
_MARK_FIRST = re.compile(rf"^(?P<mark>[*†‡§#]+|[{_SUPERSCRIPT}]+|\([a-z]\)(?=\s)|\(\d\)(?=\s))\s*")
_GLUED_MARK = re.compile(
    r"(?i)(?<![^\W_])(?!tier|level|scope|phase|stage|class|series|group|covid)[^\W\d_]{5,}"
    r"(?P<mark>[1-9])$"
)
_SHAPE = re.compile(
    r"(?P<lead>[^\d]{0,20}?)(?P<body>[.,]?\d(?:[\d.,']|\s(?=\d))*)(?P<tail>[^\d].*)?", re.DOTALL
)
_LEAD = re.compile(r"(?P<sign>[-+(~≈<>]*)(?P<money>[^-+(]*?)(?P<more>[-+(]*)")
_GROUPED = {
    Style.POINT: re.compile(
        r"\d{1,3}(?:(?:,\d{3})+|(?:'\d{3})+|(?: \d{3})+|(?:,\d{2})+,\d{3})(?:\.\d+)?"
    ),
    Style.COMMA: re.compile(r"\d{1,3}(?:(?:\.\d{3})+|(?:'\d{3})+|(?: \d{3})+)(?:,\d+)?"),
}
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})?")
_BODY = re.compile(r"(?<![\w.,'])[.,]?\d(?:[\d.,']|\s(?=\d{3}(?!\d)))*")


def plain(text: str, *, same_length: bool = False) -> str:
    """A text with plain digits, spaces, hyphens and brackets in place of their kin.

    Letters that take no place go, unless the text is to have the `same_length`; lines stay then.
    """
    text = text.translate(_SAME_LENGTH if same_length else _PLAIN)
    if text.isascii():
        return text
    return "".join(_digit(one) for one in text)


def _digit(letter: str) -> str:
    number = unicodedata.decimal(letter, None)
    return letter if number is None else str(number)


def style_of(texts: Sequence[str], hint: str = "") -> Style:
    """How the numbers of a table or document are written, decided from all of them together.

    `hint` is what to think where they leave it open: a style, or a language (`de`).
    """
    sure, likely = [0, 0], [0, 0]
    for text in texts:
        for match in _BODY.finditer(plain(text[:400])):
            if _DATE.fullmatch(match[0]):
                continue
            for style, votes in _votes(match[0].rstrip(".,' ")):
                (sure if votes else likely)[style is Style.COMMA] += 1
    if sure[0] != sure[1]:
        return Style.COMMA if sure[1] > sure[0] else Style.POINT
    if hint:
        return Style.COMMA if hint == "," or hint[:2].lower() in _COMMA_LANGUAGES else Style.POINT
    return Style.COMMA if likely[1] > likely[0] else Style.POINT


def _votes(body: str) -> Iterable[tuple[Style, bool]]:
    """Which style a number speaks for, and whether it can be read in no other."""
    marks = re.sub(r"[\d ']", "", body)
    if not marks:
        return []
    last, other = marks[-1], "," if marks[-1] == "." else "."
    whole, _, rest = body.rpartition(last)
    if other in marks or re.search(r"[' ]", whole):
        fits = _GROUPED[Style(last)].fullmatch(body)
        return [(Style(last), True)] if fits else []
    if len(marks) > 1:
        return [(Style(other), True)] if _GROUPED[Style(other)].fullmatch(body) else []
    if len(rest) == 3 and 0 < len(whole) <= 3 and not whole.startswith("0"):
        return [(Style(other), False)]
    return [(Style(last), True)]


def is_blank(text: str) -> bool:
    """Whether a cell says that there is no number: empty, a dash, `n/a`, `nil`."""
    if len(text) > LONGEST:
        return False
    bare = _AROUND.sub("", _AROUND.sub("", plain(text))).strip()
    marked = _MARK_LAST.search(bare)
    if marked and marked.start() and (marked[0] != marked["mark"] or "(" not in marked[0]):
        bare = bare[: marked.start()]
    return bool(_BLANK.fullmatch(bare.strip("()")))


def without_marks(text: str) -> tuple[str, tuple[str, ...]]:
    """A label without the marks of its footnotes, and the marks: `Revenue (1)`, `Sales²`."""
    marks: list[str] = []
    rest = text.strip()
    while len(marks) < 6 and (match := _MARK_LAST.search(rest[-24:])):
        cut = len(rest) - len(rest[-24:]) + match.start()
        if not any(one.isalpha() and one not in _SUPERSCRIPT for one in rest[:cut]):
            break
        if rest[:cut].count("(") > rest[:cut].count(")"):  # "see note 24)"
            break
        if re.search(r"[²³]", match["mark"]) and re.search(r"(?:^|[\W\d])[kcm]?m$", rest[:cut]):
            break
        rest = rest[:cut].rstrip(" ,;")
        marks.insert(0, match["mark"])
    if not marks and (glued := _GLUED_MARK.search(rest[-40:])):
        rest, marks = rest[:-1], [glued["mark"]]
    first = re.match(r"[*†‡]+\s*", rest)
    if first and len(first[0]) < len(rest) and first[0].strip() not in rest[first.end() :]:
        rest, marks = rest[first.end() :], [first[0].strip(), *marks]
    return rest, tuple(_bare_mark(one) for one in marks)


def _bare_mark(mark: str) -> str:
    bare = unicodedata.normalize("NFKC", mark).strip("()[] ")
    return bare or mark


@lru_cache(maxsize=50_000)
def read_value(text: str, style: Style) -> Value | None:
    """The number that a cell says, or None where it says none, or more than one."""
    if len(text) > LONGEST or is_blank(text):
        return None
    rest, marks = _marks_off(re.sub(r"\s+", " ", plain(text)).strip())
    match = _SHAPE.fullmatch(rest)
    if match is None:
        return None
    body = match["body"].rstrip(".,' ")
    tail = f"{match['body'][len(body) :]}{match['tail'] or ''}".lstrip(" .,").rstrip(" ,")
    lead = _lead(match["lead"].strip())
    number = _number(body, style)
    if lead is None or number is None:
        return None
    negative, money, more = lead
    after = _tail(tail)
    if after is None or not _agree(money.unit, after[1].unit):
        return None
    minus, unit = after
    return Value(
        value=-number if negative or minus else number,
        unit=_unit(money.unit, unit.unit),
        scale=unit.scale or money.scale,
        marks=(*more, *marks),
    )


def _agree(before: str, behind: str) -> bool:
    return not before or not behind or behind == before or behind.startswith("/")


def _unit(money: str, other: str) -> str:
    return f"{money}{other}" if other.startswith("/") else other or money


def _marks_off(text: str) -> tuple[str, tuple[str, ...]]:
    """A cell without the marks of footnotes before and behind its number."""
    marks: list[str] = []
    while len(marks) < 4 and (match := _MARK_LAST.search(text)):
        before = text[: match.start()]
        if not re.search(r"\d", before):
            break
        if match["mark"] in {"²", "³"} and before.endswith("m"):
            break
        text = before.rstrip(" ,")
        marks.insert(0, _bare_mark(match["mark"]))
    if (first := _MARK_FIRST.match(text)) and re.search(r"\d", text[first.end() :]):
        text, marks = text[first.end() :], [_bare_mark(first["mark"]), *marks]
    return text, tuple(marks)


def _lead(text: str) -> tuple[bool, Measure, tuple[str, ...]] | None:
    """What stands before a number: whether it makes it negative, a currency, and `<` or `~`."""
    match = _LEAD.fullmatch(text)
    if match is None:
        return None
    money = unit_by_number(match["money"].strip())
    if money is None or (match["money"].strip() and not money.unit):
        return None
    signs = f"{match['sign']}{match['more']}"
    return bool(re.search(r"[-(]", signs)), money, tuple(re.findall(r"[~≈<>]", signs))


def _tail(text: str) -> tuple[bool, Measure] | None:
    """What stands behind a number: whether it makes it negative, and its unit."""
    if text == "-":
        return True, Measure()
    closed = ")" in text
    if closed:
        text = re.sub(r"\s*\)\s*", " ", text, count=1).strip()
    if text.endswith("-") and len(text) > 1:
        closed, text = True, text[:-1]
    unit = unit_by_number(text) or unit_by_number(text.rstrip(". "))
    return None if unit is None else (closed, unit)


def _number(body: str, style: Style) -> Decimal | None:
    """The number that digits and their marks stand for, in this style where that is possible."""
    if sum(one.isdecimal() for one in body) > _DIGITS:
        return None
    other = Style.COMMA if style is Style.POINT else Style.POINT
    for one in (style, other):
        if _GROUPED[one].fullmatch(body) and not body.startswith("0"):
            return Decimal(_bare(body, one))
        if re.fullmatch(rf"\d*{re.escape(one)}\d+", body):
            return Decimal(_bare(body, one))
    if body.isdecimal() and (len(body) == 1 or body[0] != "0"):
        return Decimal(body)
    return None


def _bare(body: str, style: Style) -> str:
    grouping = "," if style is Style.POINT else "."
    bare = re.sub(rf"[' {re.escape(grouping)}]", "", body).replace(",", ".")
    return f"0{bare}" if bare.startswith(".") else bare
