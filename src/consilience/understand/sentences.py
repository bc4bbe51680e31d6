"""Where do the sentences of a text begin and end? Found by rule, in any language with stops.

A sentence is an exact piece of its text, so that it can be quoted and found again. Stops after
abbreviations, initials and in numbers end nothing, nor do those of numbered items of a notation; a
quotation mark or bracket that closes after the stop belongs to the sentence. Lines that a PDF broke
are read on; headings are no sentences, even where they run into one; each entry of a list and each
line of names and values stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from consilience.notations import item_pattern
from consilience.understand.words import MONTHS

HEADING_WORDS = 14
HEADING_LETTERS = 100
ENTRY_WORDS = 2
GLUED_WORDS = 6  # of the sentence that a heading ran into
BRACKET = 200  # letters: a bracket that takes longer to close holds no stop back

_CLOSING = "\"'”’»›)\\]」』）"
_STOP = re.compile(
    rf"(?P<stop>\.{{2,}}|[.!?…‽؟۔।]+)(?P<close>[{_CLOSING}]*(?:[\s\u00a0]»)?)(?=\s|$)"
    rf"|(?P<wide>[。！？｡]+)[{_CLOSING}]*"
)
_BLANK = re.compile(r"\n[ \t]*\n\s*|\f")
_GLUED = re.compile(
    r"(?<=[\w)])\s(?=(?:The|We|Our|In|This|These|It|As|For|At|During|On|An?|Der|Die|Das|Les?|La|"
    r"El) [^\W\d_A-Z]+)"
)
_HASHES = re.compile(r"#{1,6}\s")
_RECORD = re.compile(r"[^\W\d_][^:;\n]{0,40}: \S")
_LINE = re.compile(r"[^\n]+")
_LAST = re.compile(r"[^\s(\[“«\"']*$")
_WORD = re.compile(r"[^\W\d_]+")
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?)*[^\W\d_]")
_PAIRED = re.compile(r"[A-Z]{1,2}\.")
_SHORT_NUMBER = re.compile(r"\d{1,2}")

_SHORTENED = frozenset(
    """
    mr mrs ms dr prof st sr jr mt ft capt lt col gen sgt rev hon pres gov sen rep adm cmdr maj
    messrs mme mlle mgr vs cf ca approx resp viz eg ie ed eds trans vol vols ch chap sec sect art
    fig figs tab eq eqs ref refs pp par para app no nos nr op dept univ assn bros est min max
    jan feb mar apr jun jul aug sep sept oct nov dec z.b u.a d.h s.o s.u bzw usw vgl evtl ggf inkl
    hrsg bd aufl str hl ing mag dipl sog geb gest abb tel exp av av.j.-c p.ex env sra srta dña
    d.c a.c ee.uu pág págs núm e.g i.e a.k.a n.b q.v op.cit et.al al esp incl excl
    """.split()  # noqa: SIM905 - forty lines of words are not easier to read
)
# Abbreviations that may well end a sentence: they do where a word follows that begins one.
_EITHER = frozenset(
    """
    inc ltd co corp etc a.m p.m u.s u.k u.n b.c a.d ph.d m.d b.a m.a usa
    """.split()  # noqa: SIM905
)
# Those that are words as well: they shorten only where a number follows, or no sentence begins.
_BEFORE_NUMBER = frozenset(("no", "nos", "nr", "p", "pp", "vol", "fig", "ch", "art", "op", "núm"))
_ALSO_WORDS = frozenset(("min", "max", "sec", "app", "est", "exp", "par", "str"))
# Fewer than all common words, for names have some of those as well: `J. Van Buren`.
_STARTERS = frozenset(
    """
    the a an in on at by for from with as after before when while if it its he she they we i you
    this that these those there here but and or so yet however then thus his her their our my
    most some many all no not one two each such what who why how where although because since
    der die das ein eine es er sie wir im in am le la les un une il elle ils el los las una en
    """.split()  # noqa: SIM905
)
_AFTER_ORDINAL = frozenset(name.casefold() for name in MONTHS["German"]) | frozenset(
    ("jänner", "jahrhundert", "jahrhunderts", "jahrhunderten")
)
_BEFORE_ORDINAL = frozenset(
    """
    am im vom zum beim der den dem des das die bis seit ab
    """.split()  # noqa: SIM905
)


class _Patterns(NamedTuple):
    """Patterns that depend on the registered notations.

    An `item`, one with its number (`numbered`), a `single` token, a `run` of items, and what
    begins an `entry` of a list, which the number of an item does not.
    """

    item: re.Pattern[str]
    numbered: re.Pattern[str]
    single: re.Pattern[str]
    run: re.Pattern[str]
    entry: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    item = rf"(?:{item_pattern()}(?![^\W_])|…|\.\.)"
    entry = rf"[-*+•·▪◦‣–—]|\d{{1,3}}(?:\)|\.(?![ \t]+{item}))|\(?[a-z]\)|\([ivx]+\)"
    return _Patterns(
        item=re.compile(item),
        numbered=re.compile(rf"\d{{1,3}}\.[ \t]*{item}"),
        single=re.compile(rf"(?:\d{{1,3}}\.+)?{item_pattern()}[+#]?"),
        run=re.compile(rf"(?:(?:\d{{1,3}}\.+\s*)?{item}[+#!?]*\s*)+"),
        entry=re.compile(rf"[ \t]*(?:{entry})[ \t]+(?=\S)"),
    )


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands: `text` is the letters from `start` to `end`.

    `block` counts paragraphs and entries: two sentences of one block were written as one text.
    `entry` says that the block is an entry of a list.
    """

    text: str
    start: int
    end: int
    block: int
    entry: bool = False


def sentences(text: str, headings: Sequence[str] = ()) -> list[Sentence]:
    """The sentences of a text in order; what is only a heading, or one of `headings`, is none."""
    blocks = _entries(text, list(_blocks(text)))
    known = {_plain(heading) for heading in headings} - {""}
    found: list[Sentence] = []
    for number, (start, end, entry) in enumerate(blocks):
        block = text[start:end]
        followed = number + 1 < len(blocks) and not entry
        if _plain(block) in known or (followed and _is_heading(block, first=number == 0)):
            continue
        found.extend(
            Sentence(text[begin:stop], begin, stop, number, entry)
            for begin, stop in _parts(text, start, end)
        )
    return found


def one_line(text: str) -> str:
    """A piece of text as one line: breaks and runs of spaces become one space."""
    return " ".join(text.split())


# --- blocks -----------------------------------------------------------------------------


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, entries of lists and lines that stand alone, as they follow one another."""
    at = 0
    for blank in [*_BLANK.finditer(text), None]:
        end = blank.start() if blank else len(text)
        for start, stop in _in_paragraph(text, at, end):
            bounds = _trimmed(text, start, stop)
            if bounds[0] < bounds[1]:
                yield bounds
        at = blank.end() if blank else end


def _entries(text: str, blocks: Sequence[tuple[int, int]]) -> list[tuple[int, int, bool]]:
    """Blocks without the sign or number of an entry in a list, and whether they are one.

    A number makes an entry only beside another one: alone it counts headings.
    """
    openings = [_patterns().entry.match(text, start, end) for start, end in blocks]
    found = []
    for at, (start, end) in enumerate(blocks):
        opening = openings[at]
        beside = openings[max(at - 1, 0) : at] + openings[at + 1 : at + 2]
        signed = opening is not None and not opening[0].strip()[:1].isdigit()
        if opening and (signed or any(beside)):
            found.append((opening.end(), end, True))
        else:
            found.append((start, end, False))
    return found


def _in_paragraph(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text, start, end)]
    width = max((stop - begin for begin, stop in lines), default=0)
    at = 0
    while at < len(lines):
        begin, stop = lines[at]
        while at + 1 < len(lines) and not _breaks(text, lines[at], lines[at + 1], width=width):
            at += 1
            stop = lines[at][1]
        yield begin, stop
        at += 1


def _breaks(text: str, above: tuple[int, int], below: tuple[int, int], *, width: int) -> bool:
    """Whether a line begins something new, rather than being the rest of a broken one."""
    line = text[slice(*above)].rstrip()
    following = text[slice(*below)].lstrip()
    if _patterns().entry.match(following) or _HASHES.match(following) or _HASHES.match(line):
        return True
    if _patterns().numbered.match(following):
        return not _ends_open(line) or bool(_patterns().run.fullmatch(line.strip()))
    if _RECORD.match(line) and _RECORD.match(following) and _key(line) == _key(following):
        return True
    begins_low = following[:1].islower()
    room = width - len(line) > len(following.split(maxsplit=1)[0]) + 1 if following else False
    if begins_low or line.endswith((",", "-", ";")):
        return False
    return room and len(line) < 0.75 * width


def _key(line: str) -> str:
    return line.partition(":")[0].strip().casefold()


def _is_heading(block: str, *, first: bool = False) -> bool:
    """Whether a block that others follow is a heading: short, and without a stop.

    At the beginning of a text a short question is one as well.
    """
    line = one_line(block)
    if _HASHES.match(line):
        return "\n" not in block.strip()
    if len(line) > HEADING_LETTERS or len(line.split()) > HEADING_WORDS or _RECORD.match(line):
        return bool(re.match(r"\d+(\.\d+)*\.?\s", line)) and _ends_open(line) and len(line) < 120
    if first and line.endswith("?") and len(_STOP.findall(line)) == 1 and len(line.split()) <= 10:
        return True
    return _ends_open(line) and not line.endswith((":", ",", ";")) and not line[:1].islower()


def _ends_open(line: str) -> bool:
    return not re.search(rf"[.!?…。！？｡؟।][{_CLOSING}]*$", line)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


# --- stops ------------------------------------------------------------------------------


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = _after_heading(text, start, end)
    for match in _STOP.finditer(text, start, end):
        if match.end() < end and _ends_sentence(text, match, begin, end):
            bounds = _trimmed(text, begin, match.end())
            named = begin == start and match["stop"] == "." and _is_entry(text[slice(*bounds)])
            if _has_letters(text[slice(*bounds)]) and not named:
                yield bounds
                begin = match.end()
    bounds = _trimmed(text, begin, end)
    if _has_letters(text[slice(*bounds)]):
        yield bounds


def _after_heading(text: str, start: int, end: int) -> int:
    """Where a block begins behind a heading that ran into it: `Results of 2015 The decrease was`.

    A heading ends with a number or has capitals throughout; a small word with a capital follows.
    """
    glued = _GLUED.search(text, start, end)
    if glued is None or _ends_open(text[start:end]):
        return start
    words = text[start : glued.start()].split()
    titled = all(word[:1].isupper() or len(word) <= 3 for word in words)
    heads = words[-1][-1:].isdigit() or (titled and len(words) > 1)
    alone = not _STOP.search(text, start, glued.start()) and len(words) <= HEADING_WORDS
    follows = len(text[glued.end() : end].split()) >= GLUED_WORDS
    return glued.end() if heads and alone and follows else start


def _is_entry(text: str) -> bool:
    """Whether what a block begins with is a word that the rest explains: `Lightship. A vessel`."""
    words = text.split()
    return len(words) <= ENTRY_WORDS and not any(word.casefold() in _STARTERS for word in words)


def _has_letters(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


def _ends_sentence(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    rest = text[match.end() : end].lstrip()
    if match["wide"]:
        return True
    if rest[:1].islower() or _open_bracket(text[begin : match.end()], rest):
        return False
    before = _LAST.search(text, begin, match.start("stop"))
    token = before[0] if before else ""
    if token.isdigit() and _patterns().item.match(rest):
        return False  # the number of an item: `3. Nc3`, `3... Nf6`
    if _patterns().single.fullmatch(token) and _patterns().numbered.match(rest):
        return False  # a sign after an item: `8...Nxe4? 9.Qe2`
    if match["stop"] != ".":
        return True
    following = (_WORD.match(rest.lstrip("“«\"'(¿¡‘")) or [""])[0]
    earlier = text[begin : match.start("stop") - len(token)].split()
    return not _shortens(token, following, rest, earlier)


def _shortens(token: str, following: str, rest: str, earlier: Sequence[str]) -> bool:
    """Whether a stop only shortens the word before it: `Dr. Bell`, `J. N. Douglass`, `3. Mai`."""
    low = token.casefold().rstrip(".")
    starts = following.casefold() in _STARTERS
    if low in _EITHER:
        return not starts and not following.istitle()
    if low in _BEFORE_NUMBER or low in _ALSO_WORDS:
        return rest[:1].isdigit() or (low == "vol" and rest[:1] in "IVX")
    if _SHORT_NUMBER.fullmatch(token):
        after_article = bool(earlier) and earlier[-1].casefold() in _BEFORE_ORDINAL
        return not earlier or following.casefold() in _AFTER_ORDINAL or after_article
    paired = len(token) <= 2 and bool(_PAIRED.match(rest))
    initial = bool(_INITIAL.fullmatch(token)) and token[:1].isupper()
    return low in _SHORTENED or paired or (initial and bool(following) and not starts)


def _open_bracket(sentence: str, rest: str) -> bool:
    """Whether a stop stands inside brackets that close soon."""
    opened = sentence.count("(") - sentence.count(")")
    if opened <= 0:
        return False
    close = rest.find(")")
    return 0 <= close < BRACKET and "(" not in rest[:close]
