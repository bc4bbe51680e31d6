"""Can a piece of text be quoted at all? Sentences can; rows of numbers, code and markup cannot.

A question is no answer, a word or two tell nothing, nor does what only points to a table, and a
line that poses as a label of ours would mislead.
"""

from __future__ import annotations

import re

from consilience.answer.drawn import has_drawing
from consilience.answer.moves import MOVE

SHORTEST = 4
"""Words of a sentence; what has fewer tells nothing by itself."""
UNPARTED = "\u2e80"
"""Where scripts begin that part no words."""
LONGEST_OPEN = 40
"""Words of a text that ends without a stop; a longer one is a table or form run together."""
NUMBERS = 4
"""Numbers from which a text may be a row of a table."""
SMALL_WORDS = 8
"""Of so many words of prose one is small: an article, a preposition."""
FORMULA = 0.25
"""The share of a sentence that formulas may take up."""
SIGNS = 0.06
"""The share of a sentence that signs of code may take up."""

_COUNTED = re.compile(rf"(?:\d{{1,3}}\s?(?:\.+|…)\s?)?(?:{MOVE}|1-0|0-1|1/2-1/2)[+#!?]*")
_PLAYED = re.compile(
    rf"(?<![\w.])(?:\d{{1,3}}\s?(?:\.+|…)\s?{MOVE}[+#!?]*(?:\s+{MOVE}[+#!?]*(?![\w-]))?[\s,]*)+"
)
_ERRS = re.compile(rf"(?<!\w){MOVE}[+#]?[!?]+$")
_LABEL = re.compile(r"[\[【(]\s*sources?\s+\d+", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…:;。！？｡؟।][\"'”’»)\]」』）]*$")
_ASKS = re.compile(r"[?？؟][\"'”’»)\]」』）]*$")
_POINTS = re.compile(
    r"^(?:the )?(?:following |below )?(?:tables?|figures?|fig\.|charts?|graphs?|diagrams?|plots?)\b"
    r"[^.]{0,40}\b(?:shows?|presents?|represents?|sets?|summari[sz]es?|lists?|illustrates?|"
    r"provides?|compares?)\b(?!\s+(?:that|how|why)\b)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,])")
_NUMBER = re.compile(r"(?<![\w.,])[(+-]?\d[\d.,]*(?:[-–]\d[\d.,]*)?%?\)?(?!\w)")
_NAMING = re.compile(r"[^\W\d_]{4,}[.,;:]?")
_SIDE_BY_SIDE = re.compile(
    r"\d[)%]*(?:\s+[$€£¥%—–-])*\s+[$€£¥]?(?:(?=\d)|\((?!(?:1[5-9]|20)\d\d\))(?=[\d.,]+\)))"
)
_KEYED = re.compile(r"\s*[^\W\d_][^:;\n]{0,60}:\s\S")
_KEYS = re.compile(r"(?:^|;)\s*[^\W\d_][^:;\n]{0,60}:\s(?=\S)")
_SMALL = re.compile(
    r"\b(?:the|a|an|of|in|on|at|by|for|from|to|with|and|or|but|as|than|that|which|is|are|was|were|"
    r"has|have|had|it|its|we|our|der|die|das|und|von|mit|ist|war|le|la|les|de|des|et|est|el|los|"
    r"las|y|en|es)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^\s*(?:>>>|\.\.\. |\$ |```|~~~|#include\b|from [\w.]+ import\b|import [\w.]+(?: as \w+)?$|"
    r"(?:def|class) \w+.*:|@\w+|(?:var|let|const) \w+ ?=|\|.*\|)"
    r"|[\w\])] ?[!=+*/-]?= ?[\w\[({'\"]+[\w.]*[(\[{]|\w\(\w+=|;\s*\}|\)\s*\{|=>|->\s*\w+:|"
    r"</?(?:ref|div|span|table|tr|td|script|style|code|pre|br|img|a)\b"
)
_MARKUP = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|'''|\{\||^\s*\|[-}]|:\w+:`|^\.\. \w+::|\\begin\{|\\end\{|"
    r"!\[|\]\(\w+:|`_|\]_|<https?:|"
    r"^=+ .* =+$"
)
_FORMULAS = re.compile(
    r"\$\$.+?\$\$|\$[^$\s](?:[^$]*[^$\s])?\$|\$(?=[^$\n]*[\\^_={}|])[^$\n]{1,200}\$"
    r"|\\\(.+?\\\)|\\\[.+?\\\]",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\[a-zA-Z]{2,}")
_SIGNS = re.compile(r"[{}\\|=_^~@#`]")


def length(text: str) -> int:
    """Words of a text; where a script parts none, two signs count as one."""
    unparted = sum(sign > UNPARTED for sign in text)
    return max(len(text.split()), unparted // 2)


def telling(text: str) -> bool:
    """Whether a piece of text can be quoted: a sentence of prose that says something."""
    words = length(text)
    few = len(_SMALL.findall(text)) * SMALL_WORDS < words
    together_run = words > LONGEST_OPEN and few and not re.search(r"[,;:—–()。、，]", text)
    asks = _ASKS.search(text.rstrip()) and not _ERRS.search(text.rstrip())
    if together_run or _LABEL.search(text) or asks:
        return False
    if text.rstrip().endswith(",") or _POINTS.match(text):
        return False  # the rest is missing, or elsewhere
    if is_row(text) or is_code(text) or is_formula(text) or has_drawing(text):
        return False
    if is_line(text):
        return False
    ends = bool(_ENDS.search(text.rstrip())) or len(_KEYS.findall(text)) > 1
    return words >= SHORTEST and (ends or words <= LONGEST_OPEN)


def is_entry(text: str) -> bool:
    """Whether an entry of a list, short as it is, gives a number for a word: "115 ambulance"."""
    words = text.split()
    named = sum(_NAMING.fullmatch(one) is not None for one in words)
    return 1 < len(words) < SHORTEST and len(_NUMBER.findall(text)) == 1 and named == len(words) - 1


def is_line(text: str) -> bool:
    """Whether a text is a line of chess moves with hardly a word beside them."""
    moves = [one for one in text.split() if _COUNTED.fullmatch(one.strip(".,;:()"))]
    rest = len(text.split()) - len(moves)
    return len(moves) > 1 and rest < SHORTEST


def is_row(text: str) -> bool:
    """Whether a text is a row of numbers that lost its table: several of them side by side, or
    more numbers than small words and no stop. Lines of names and values are none.
    """
    text = _THOUSANDS.sub("1000", _PLAYED.sub("moves", text))
    numbers = len(_NUMBER.findall(text))
    if numbers < NUMBERS:
        return False
    if len(_SIDE_BY_SIDE.findall(text)) >= 2:
        return True
    open_row = not _ENDS.search(text.rstrip()) and not _KEYED.match(text)
    return open_row and numbers > len(_SMALL.findall(text))


def is_code(text: str) -> bool:
    """Whether a text is code, or has the markup of wikis and manuals in it."""
    if _CODE.search(text) or _MARKUP.search(text):
        return True
    bare = _FORMULAS.sub("", text)
    return len(_COMMAND.findall(bare)) > 1 or len(_SIGNS.findall(bare)) > SIGNS * len(text)


def is_formula(text: str) -> bool:
    """Whether formulas take up much of a text; in a list beside their words they can be quoted."""
    return sum(len(one) for one in _FORMULAS.findall(text)) > FORMULA * len(text)
