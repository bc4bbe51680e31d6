"""Does what an answer says stand in what it cites? Marks, then facts, then words.

Every mark must lead to an exhibit. Every number, date, name, quotation, code and item of a notation
must stand in what the statement cites, and enough of its telling words: a true sentence with the
mark of another source fails by its words. Where a sentence has marks in several places, a fact
belongs to those next behind it. A statement that cites nothing is given the mark of an exhibit that
has all of it, and fails where there is none. Rows of a table and lines fail one by one.

A number may be rounded where it is said to be about right, and calculated from two others of the
statement, or from two years of one sentence. A statement that repeats a sentence of its source with
or without a *not* fails.

Not seen are roles (who did what to whom), negation in other words, which of two years or numbers of
one source belongs to which event, and an ordinary word in place of another ("granite" for
"sandstone").
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations, pairwise

from consilience.kinds import visible_metadata
from consilience.notations import notations, words_of_notation
from consilience.protocols import Check
from consilience.text_markup import (
    MARK,
    find_marks,
    neutralize,
    strip_invisible,
    strip_marks,
    unescape_markdown,
)
from consilience.types import Exhibit, Fault, Form, Statement
from consilience.understand.amounts import (
    ORDINAL,
    Amount,
    Number,
    amounts,
    separate_scripts,
    units_around,
    units_named,
)
from consilience.understand.names import surface
from consilience.understand.sentences import sentences
from consilience.understand.words import (
    APPROXIMATE,
    COMMON,
    MONTHS,
    NEGATING,
    UNSPACED,
    pairs,
    root,
)

# --- Which words of a sentence tell what it is about, and when are two words the same? ----


# Common words that may well be what a sentence claims, or names.
_CLAIMED_WORDS = """
ai best bin comment hay know list name need qu show si tell wo
"""
# Words that every text has besides, and that may tell something in a question.
_FURTHER_WORDS = """
above across again against ainsi almost along already although always among another around aussi
avoir away because being below came cannot car cet comme denn diesem diesen dieser dieses doing donc
done dont down durch during either elles enough eran esa ese estar estas estos ete etre even every
few fueron further gave given go goes habia han hatte hatten having hence hers herself himself
however indeed instead itself keep kein keine kept least less makes muy near neither never next ni
noch none nor nothing now nur o off often once ont others own per perhaps put quite rather sans says
see seem seems ser several since something soon sous still take taken theirs themselves thereby
therefore though through throughout thus together took toward towards tres two unas unless unos
unter upon using via vor weil well went whatever whereas whether wir within wurden yet
"""
# Words a writer uses to talk about its own text.
_TALK_WORDS = """
according answer answers aspect aspects described describes different evidence example examples
explained explains factor factors following follows important key main mention mentioned mentions
note noted notes number overall overview particular passage passages point points question reason
reasons respectively section sections shows show shown source sources stand stands state stated
states summary text various way ways
"""
_LANGUAGES = ("English", "French", "German", "Spanish")
_EVERYWHERE = frozenset(word for language in _LANGUAGES for word in COMMON[language])
PLAIN = (_EVERYWHERE - set(_CLAIMED_WORDS.split())) | frozenset(_FURTHER_WORDS.split())
"""Words that every text has, in English, French, German and Spanish."""
_SILENT = PLAIN | frozenset(_TALK_WORDS.split())


def words_of(text: str) -> Iterator[str]:
    """The words of a text as `surface` gives them; of unspaced scripts, pairs of letters."""
    for word in surface(text).split():
        if UNSPACED.search(word):
            for run in UNSPACED.findall(word):
                yield from pairs(run)
        else:
            yield word


def tellings(text: str) -> Iterator[str]:
    """The roots of the words that say what a text is about: no numbers, no common words."""
    for word in words_of(text):
        unspaced = UNSPACED.search(word)
        if unspaced or (len(word) > 2 and word.isalpha() and word not in _SILENT):
            yield root(word)


# --- Which dates does a text give? --------------------------------------------------------


# Short and other spellings of the months, in order.
_SPELLINGS = """
jan jänner | feb fevrier | mar maerz | apr | | jun | jul | aug aout | sep sept setiembre | oct okt
| nov | dec decembre dez
"""
_MONTHS = {
    name.casefold(): number
    for names in (*MONTHS.values(), _SPELLINGS.split("|"))
    for number, spellings in enumerate(names, start=1)
    for name in spellings.split()
}
_MONTH = rf"(?P<month>(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?![^\W_])\.?)"
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth
twenty-ninth thirtieth thirty-first
"""
_NTH = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
_IN_WORDS = "|".join(sorted(_NTH, key=len, reverse=True))
_DAY = rf"(?:(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|er|\.|º)?|{_IN_WORDS})"
_ONE_DAY = re.compile(rf"\d+|{_IN_WORDS}", re.IGNORECASE)
_DAYS = rf"(?P<days>{_DAY}(?:\s*(?:-|–|—|/|,|and|to|or|&|und|bis|et|au|y|al)\s*{_DAY}){{0,4}})"
_YEAR = r"(?:1\d{3}|20\d{2})(?![\d.,:%]*\d)"
_YEARS = rf"(?P<years>{_YEAR}(?:\s*(?:,|and|or|to|-|–|\||und|et|y)\s*{_YEAR}){{0,6}})"
_OF = r"(?:\s+(?:of|de|del|du))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<![\w.,]){_DAYS}{_OF}\s+{_MONTH}(?:,?{_OF}\s+{_YEARS})?",
        rf"(?<![\w]){_MONTH}\s+(?:the\s+)?{_DAYS}(?!\d)(?!(?:st|nd|rd|th)?[\w%])(?:,?\s+{_YEARS})?",
        rf"(?<![\w]){_MONTH},?{_OF}\s+{_YEARS}",
    )
)
_ISO = re.compile(r"(?<![\w.-])(\d{4})[-/](0[1-9]|1[0-2])[-/](0[1-9]|[12]\d|3[01])(?![\d-])")
_FIGURES = re.compile(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\w)")


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is given, and where it stands."""

    start: int
    end: int
    spelt: str
    year: int | None
    month: int
    day: int | None

    def bears(self, other: Date) -> bool:
        """Whether whoever reads this date reads the other one too."""
        return (
            self.month == other.month
            and other.day in (None, self.day)
            and (other.year is None or self.year in (None, other.year))
        )


def dates_in(text: str) -> tuple[Date, ...]:
    """The dates of a text that name a month, in order; a list of days or years gives several."""
    found: list[Date] = []
    taken: set[int] = set()
    for one in (*_in_figures(text), *_in_names(text)):
        places = set(range(one.start, one.end))
        same = any((one.start, one.end) == (other.start, other.end) for other in found)
        if same or not places & taken:
            found.append(one)
            taken |= places
    return tuple(sorted(found, key=lambda one: one.start))


def _in_names(text: str) -> Iterator[Date]:
    for form in _FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            month = parts["month"].rstrip(".")
            if not (month[0].isupper() or len(month) > 3):
                continue
            days = [_day(one) for one in _ONE_DAY.findall(parts.get("days") or "")]
            years = [int(one) for one in re.findall(r"\d+", parts.get("years") or "")]
            number = _MONTHS[month.casefold()]
            for year in years or (None,):
                for day in days or (None,):
                    yield Date(match.start(), match.end(), match[0].strip(), year, number, day)


def _day(spelt: str) -> int:
    return int(spelt) if spelt.isdigit() else _NTH[spelt.casefold()]


def _in_figures(text: str) -> Iterator[Date]:
    for match in _ISO.finditer(text):
        year, month, day = (int(match[part]) for part in (1, 2, 3))
        yield Date(match.start(), match.end(), match[0], year, month, day)
    for match in _FIGURES.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        for day, month in dict.fromkeys(((first, second), (second, first))):
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield Date(match.start(), match.end(), match[0], year, month, day)


# --- What does a text hold that can be compared? ------------------------------------------


_CAPITAL = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_INITIALS = re.compile(r"(?<![^\W_])((?:[^\W\d_]\.[\s\u00a0]?){1,6})([^\W\d_]{2,})")
_DOTTED = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}")
_JOINING_WORDS = "of the and for de la le du des der die das von van et und y e in on"
_JOINING = frozenset(_JOINING_WORDS.split())
_LONGEST_SHORT = 8  # letters of a short form that is told from its words
_SIGNS = {
    **dict.fromkeys(map(ord, "“”„«»‹›"), '"'),
    **dict.fromkeys(map(ord, "‘’‚´"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—−"), "-"),
    **dict.fromkeys(map(ord, "*_`~\\\u00ad")),
}


class Reading:
    """A text with what can be compared in it, each worked out when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Its numbers, with those of dates."""
        return amounts(self.text)

    @cached_property
    def around(self) -> tuple[frozenset[str], frozenset[int]]:
        """The units and scales it names apart from numbers."""
        return units_around(self.text)

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        """Its dates with a month."""
        return dates_in(self.text)

    @cached_property
    def no_names(self) -> frozenset[str]:
        """Words that are no names in it, because they belong to a notation that it uses."""
        return words_of_notation(self.text)

    @cached_property
    def surface(self) -> str:
        """Its words in lower case, without accents, one space around each."""
        return f" {surface(self.text)} "

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words as `surface` gives them."""
        dotted = (one.replace(".", "").casefold() for one in _DOTTED.findall(self.text))
        return frozenset((*words_of(self.text), *dotted))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words by their stems, and pairs of letters of scripts without spaces."""
        return frozenset(root(word) for word in words_of(self.text))

    @cached_property
    def telling(self) -> frozenset[str]:
        """The stems of its telling words."""
        return frozenset(tellings(self.text))

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where each of its words stands, counted in words."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.surface.split()):
            found.setdefault(word, []).append(place)
        return {word: tuple(at) for word, at in found.items()}

    @cached_property
    def lower(self) -> frozenset[str]:
        """The words that it spells in small letters somewhere."""
        found = _CAPITAL.findall(self.text)
        return frozenset(surface(word) for word in found if word[0].islower())

    @cached_property
    def capitals(self) -> Mapping[str, str]:
        """The words that it spells with a capital, by surface."""
        return {
            part: word
            for word in _CAPITAL.findall(self.text)
            if word[0].isupper()
            for part in surface(word).split()
        }

    @cached_property
    def initials(self) -> frozenset[tuple[str, str]]:
        """The first letters of names that it abbreviates, with the name: r and l, stevenson."""
        return frozenset(
            (letter, surface(name))
            for letters, name in _INITIALS.findall(self.text)
            if name[0].isupper()
            for letter in surface(letters).split()
        )

    @cached_property
    def short_forms(self) -> frozenset[str]:
        """What its runs of capitalised words would be, abbreviated by their first letters."""
        found: set[str] = set()
        run = ""
        for word in re.findall(r"[^\W\d_]+|[^\w\s-]", self.text):
            if word[0].isupper():
                found.add(run + word.casefold())  # WWII
                run = (run + word[0].casefold())[-_LONGEST_SHORT:]
                found.update(run[start:] for start in range(len(run) - 1))
            elif word.casefold() not in _JOINING:
                run = ""
        return frozenset(found)

    @cached_property
    def first_letters(self) -> str:
        """The first letters of its words but for joining ones: led, light-emitting diode."""
        return "".join(word[0] for word in self.surface.split() if word not in _JOINING)

    @cached_property
    def letters(self) -> str:
        """The text word for word, but for white space and the shapes of quotes and dashes."""
        return to_the_letter(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """An exhibit with the reading of all that it says: text, title, headings, fields, label."""

    exhibit: Exhibit
    reading: Reading

    @property
    def mark(self) -> int:
        """The number that statements cite it by."""
        return self.exhibit.mark


def source(exhibit: Exhibit) -> Source:
    """Read an exhibit; the same text is read once."""
    passage = exhibit.passage
    fields = (f"{name}: {_spelt(value)}" for name, value in visible_metadata(passage).items())
    place = passage.locator
    units = (f"({value})" for value in visible_metadata(passage).values() if _is_unit(value))
    where = (passage.title, *place.section, str(place), exhibit.label)
    return Source(
        exhibit, read(strip_invisible("\n".join((passage.text, *where, *fields, *units))))
    )


@lru_cache(maxsize=1_000)
def read(text: str) -> Reading:
    """The reading of a text, kept."""
    return Reading(text)


def to_the_letter(text: str) -> str:
    """A text for comparing quotations: white space and the shapes of quotes and dashes made
    alike, signs of emphasis and code left out.
    """
    letters = neutralize(text).translate(_SIGNS).replace("''", "'").replace('"', "'")
    return " ".join(letters.split())


def _is_unit(value: object) -> bool:
    """Whether the value of a field is the unit of another: `unit: m`."""
    return isinstance(value, str) and bool(units_named(value.strip()))


def _spelt(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# --- What is a fact that was looked for, and what is said of one that was not found? ------


_LONGEST = 90  # letters of a value that a remark repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact of a statement: which check looked for it, as it is spelt, and whether it stands
    in what is cited; `near` is the closest that stands there, where there is one.
    """

    check: str
    value: str
    found: bool
    near: str = ""

    def fault(self, cited: Sequence[Source]) -> Fault:
        """What is said of a fact that was not found."""
        value = shortened(self.value)
        where = places(cited)
        near = f" (nearest there: {shortened(self.near)})" if self.near else ""
        if self.check == "quotation":
            near = f" (there: “{shortened(self.near)}”)" if self.near else ""
            told = f"“{value}” is not in {where} word for word{near}"
        else:
            told = f'"{value}" is not in {where}{near}'
        return Fault(check=self.check, value=self.value, told=told)


def places(cited: Sequence[Source]) -> str:
    """`[2]`, or `[2] or [5]`; what it says where nothing is cited."""
    return " or ".join(f"[{one.mark}]" for one in cited) or "the evidence"


def shortened(text: str) -> str:
    """A text as a remark repeats it."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def masked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text in which what was read already is blotted out, each letter by a dot."""
    parts, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            parts += [text[at:start], "·" * (end - max(start, at))]
            at = end
    return "".join((*parts, text[at:]))


# --- Do the words in quotation marks stand in what is cited, word for word? ---------------


_QUOTED = re.compile(
    r"“(?P<a>[^“”]+)”|„(?P<b>[^„“”]+)[“”]|«(?P<c>[^«»]+)»|»(?P<d>[^«»]+)«"
    r"|(?<![\w\"])\"(?P<e>[^\"]+)\"(?![\w\"])|(?<!\w)‘(?P<f>[^‘]+?)’(?!\w)"
    r"|「(?P<g>[^「」]+)」|『(?P<h>[^『』]+)』"
)
_BEHIND = re.compile(r"(?:\s*\[\d{1,3}\]){2,}")
_OMITTED = re.compile(r"(?<!\s)\s*(?:\(\.{3}\)|\[[^\[\]]*\]|\(…\)|…|\.{3,}|\. \. \.)\s*")
_EDGE = " .,;:!?\"'-"
_FEWEST = 3  # words of a quotation; fewer are a term or a title
_FEWEST_LETTERS = 6  # in scripts without spaces
_SHOWN = 8  # words of the source that a remark shows


def quotations(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The quotations of a text, and the text with them blotted out."""
    spans, findings = [], []
    for start, end, quoted in _quoted(text):
        wanted = pieces(quoted)
        found = any(stands(wanted, one.reading.letters) for one in cited)
        near = "" if found else _nearest(wanted, cited)
        findings.append(Finding(check="quotation", value=quoted, found=found, near=near))
        spans.append((start, end))
    return masked(text, spans), findings


def spans(text: str) -> list[tuple[int, int]]:
    """Where quotation marks open and close in a text, however little stands between them."""
    return [match.span() for match in _QUOTED.finditer(text)]


def outside(text: str, change: Callable[[str], str]) -> str:
    """A text changed where it is not within quotation marks."""
    parts, at = [], 0
    for start, end in spans(text):
        parts += [change(text[at:start]), text[start:end]]
        at = end
    return "".join((*parts, change(text[at:])))


def misplaced(text: str, known: Mapping[int, Source]) -> tuple[str, list[Fault]]:
    """A text without the marks behind a quotation whose sources lack it, where others have it."""
    faults = []
    for _, end, quoted in reversed(list(_quoted(text))):
        behind = _BEHIND.match(text, end)
        cited = [known[mark] for mark in find_marks(behind[0])] if behind else []
        holding = [one for one in cited if stands(pieces(quoted), one.reading.letters)]
        if behind is None or not holding or len(holding) == len(cited):
            continue
        rest = " ".join(f"[{one.mark}]" for one in holding)
        text = f"{text[:end]} {rest}{text[behind.end() :]}"
        for one in cited:
            if one not in holding:
                told = f"“{shortened(quoted)}” is not in [{one.mark}] word for word"
                faults.append(Fault(check="mark", value=f"[{one.mark}]", told=told))
    return text, faults


def pieces(quoted: str) -> list[str]:
    """A quotation in the pieces between its omissions."""
    parts = (to_the_letter(part).strip(_EDGE) for part in _OMITTED.split(quoted))
    return [part for part in parts if part]


def stands(wanted: Sequence[str], letters: str) -> bool:
    """Whether pieces stand in a text in their order, each as whole words."""
    at = 0
    for place, piece in enumerate(wanted):
        head = piece[0]
        cases = dict.fromkeys((head, head.upper(), head.lower())) if place == 0 else (head,)
        ends = [end for case in cases if (end := _end(case + piece[1:], letters, at)) is not None]
        if not ends:
            return False
        at = min(ends)
    return True


def _end(piece: str, letters: str, at: int) -> int | None:
    while (start := letters.find(piece, at)) >= 0:
        end = start + len(piece)
        cut = _inside(letters, start) or _inside(letters, end)
        if not cut:
            return end
        at = start + 1
    return None


def _inside(letters: str, at: int) -> bool:
    """Whether a place lies inside a word of a script with spaces."""
    around = letters[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isalnum() and max(around) < "\u0e00"


def _quoted(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _QUOTED.finditer(text):
        quoted = next(part for part in match.groups() if part is not None).strip()
        unspaced = max(quoted, default="") >= "\u0e00" and len(quoted) >= _FEWEST_LETTERS
        if len(quoted.split()) >= _FEWEST or unspaced:
            yield match.start(), match.end(), quoted


def _nearest(wanted: Sequence[str], cited: Sequence[Source]) -> str:
    """What stands in a source where the quotation begins to differ."""
    words = " ".join(wanted).casefold().split()
    for length in range(len(words) - 1, 1, -1):
        for start in (0, len(words) - length):
            part = " ".join(words[start : start + length])
            for one in cited:
                at = one.reading.letters.casefold().find(part)
                if at >= 0:
                    around = one.reading.letters[max(0, at - 30) : at + len(part) + 30]
                    return " ".join(around.split()[1:-1]) or part
    return ""


# --- Do the numbers, dates and codes of a statement stand in what it cites? ---------------


_LESS = re.compile(
    r"\b(?:fell|fall\w*|los[est]\w*|decreas\w*|declin\w*|drop\w*|down|negative|minus|deficit\w*|"
    r"lower\w*|shr[aiu]nk\w*|reduc\w*|cut|outflow\w*|less|fewer|below|under|expens\w*|cost\w*|used|"
    r"paid|credit\w*|benefit\w*|deduct\w*|contract\w*|slump\w*|slid\w*|unfavou?rable|impair\w*)\b",
    re.IGNORECASE,
)
_FALLING = (
    r"fell|fall(?:s|ing|en)?|decreas\w*|declin\w*|dropp?(?:s|ed|ing)?|shr[aiu]nk\w*|reduc\w*|"
    r"slump\w*|slid|lower(?:s|ed|ing)?|down"
)
_RISING = (
    r"rose|ris(?:e|es|en|ing)|grew|grow(?:s|n|th|ing)?|increas\w*|climb\w*|gain(?:s|ed)?|higher|"
    r"up(?!\s+to)"
)
_TURN = re.compile(rf"\b(?:(?P<fell>{_FALLING})|(?:{_RISING}))\b", re.IGNORECASE)
_TURN_BEHIND = re.compile(rf"\s(?:\w+\s)??(?:{_TURN.pattern})", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;!?:|\n](?=\s|\Z)|\b(?:while|whereas|but)\b")
_START = re.compile(r"\bfrom\s*\Z", re.IGNORECASE)  # what it rose or fell from is neither
_CENTURY = re.compile(r"(?:st|nd|rd|th)?[\s-]centur(?:y|ies)\b(?!\s(?:BC|B\.C))", re.IGNORECASE)
_BETWEEN = re.compile(r"\s(?:later|earlier|before|after|afterwards|apart)\b", re.IGNORECASE)
_BEFORE = 80  # letters before a number that may say that it is a decrease
_ROUNDING = Decimal("0.1")  # of a number, that a rounded one may be off
_SMALL = 12  # number words up to this one are as often figures of speech
_FIGURES_YEARS = range(1000, 2101)
_CODE = re.compile(r"(?<![\w·])[^\W_]+(?:(?:[-/.]|,(?=\d))[^\W_]+|\(\d+\)[^\W_]*)*(?![^\W_])")
_COUNTED = re.compile(r"(?:s?-[a-zà-ÿ][\w-]*|[a-zà-ÿ]{1,3})?[.]?")
_PREFIXED = re.compile(r"[a-z]+-(\d[\d,.]*)(s?)")
_FISCAL = re.compile(r"(?:FY|CY)(\d{4}|\d{2})")
_BLOTTED = re.compile(r"(?<=·)[-–−](?=\d)")  # joins a number to a code; no sign of it
_PARTS = re.compile(r"[^\W\d_]+|\d+")


def dates(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The dates of a text that name a month, and the text with them blotted out."""
    claimed: dict[tuple[int, int], list[Date]] = {}
    for one in read(text).dates:
        claimed.setdefault((one.start, one.end), []).append(one)
    findings = []
    for same in claimed.values():
        several = len({(one.year, one.day) for one in same}) > 1 and same[0].spelt.count("/") < 2
        test = all if several and not re.fullmatch(r"[\d./-]+", same[0].spelt) else any
        found = test(_dated(one, cited) for one in same)
        near = "" if found else _nearest_date(same[0], cited)
        findings.append(Finding(check="date", value=same[0].spelt, found=found, near=near))
    return masked(text, list(claimed)), findings


def _dated(wanted: Date, cited: Sequence[Source]) -> bool:
    """Whether a date is given; a date without its year takes it from elsewhere in its source."""
    for one in cited:
        for other in one.reading.dates:
            if not other.bears(wanted):
                continue
            if wanted.year is None or other.year is not None or _has_year(one.reading, wanted.year):
                return True
    return False


def _has_year(reading: Reading, year: int) -> bool:
    return any(Decimal(year) in one.numbers for one in reading.amounts)


def _nearest_date(wanted: Date, cited: Sequence[Source]) -> str:
    def alike(other: Date) -> int:
        parts = ("year", "month", "day")
        return sum(getattr(wanted, part) == getattr(other, part) for part in parts)

    known = [other for one in cited for other in one.reading.dates]
    return max(known, key=alike).spelt if known else ""


def codes(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The codes of a text (A35, Fl(2), ISO-9001), and the text with them blotted out."""
    known = read(text).amounts
    spans, findings = [], []
    for match in _CODE.finditer(separate_scripts(text)):
        code, (start, end) = match[0], match.span()
        letters, digits = (any(map(test, code)) for test in (str.isalpha, str.isdecimal))
        if not (letters and digits) or any(_counted(one, text, start, end) for one in known):
            continue
        wanted = code
        if prefixed := _PREFIXED.fullmatch(code):
            wanted = prefixed[1] + prefixed[2]
        if fiscal := _FISCAL.fullmatch(code):
            wanted = f"20{fiscal[1]}" if len(fiscal[1]) == 2 else fiscal[1]
        found = any(_code(code).search(one.reading.text) for one in cited) or any(
            _code(wanted).search(one.reading.text) for one in cited
        )
        findings.append(Finding(check="code", value=code, found=found))
        spans.append(match.span())
    return masked(text, spans), findings


def _counted(one: Amount, text: str, start: int, end: int) -> bool:
    """Whether a token is a number with what it counts: 35m, 18th-century, the unit km2."""
    if one.start == start:
        return bool(_COUNTED.fullmatch(text[min(one.end, end) : end]))
    return one.start < start and end <= one.end


def _code(code: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in _PARTS.findall(code)]
    return re.compile(r"(?<![^\W_])" + r"[\s\-–./(),]*".join(parts) + r"(?![^\W_])", re.IGNORECASE)


def numbers(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The numbers of a text with unit and sign, and the text with them blotted out."""
    spans: list[tuple[int, int]] = []
    findings = []
    falls = bool(_LESS.search(text))
    for one in read(_BLOTTED.sub("·", text)).amounts:
        within = spans and one.end <= spans[-1][1]
        if within or not _checkable(one):
            continue
        turn = _turn(text, one)
        found = any(_stated(one, source.reading, falls=falls, turn=turn) for source in cited)
        found = found or _worked_out(one, text, cited) or _rounded(one, text, cited)
        found = found or _calculated(one, text, cited)
        if not found and " " in re.sub(r"[^\d ]", "", one.spelt).strip():
            continue  # 1 234 may be two numbers: its parts are looked for
        year = is_year(one)
        near = "" if found else _nearest_number(one, cited)
        check = "date" if year else "number"
        value = _signed(one)
        findings.append(Finding(check=check, value=value, found=found, near=near))
        spans.append((one.start, one.end))
    return masked(text, spans), findings


def is_year(one: Amount) -> bool:
    """Whether a number looks like a year: four digits and nothing by them."""
    bare = one.spelt.rstrip("s")
    return bare.isdigit() and len(bare) == 4 and int(bare) in _FIGURES_YEARS and "" in one.units


def _checkable(one: Amount) -> bool:
    """Whether a number is a claim; small ones in words are so only with a unit."""
    if not one.in_words:
        return True
    if ORDINAL in one.units:
        return False
    large = any(isinstance(value, Decimal) and value > _SMALL for value in one.numbers)
    return large or "" not in one.units


def _signed(one: Amount) -> str:
    """An amount as it is spelt, with its sign."""
    return ("-" if _negative(one.numbers) else "") + one.spelt


def _negative(values: frozenset[Number]) -> bool:
    """Whether a number can only be read as a negative one."""
    known = [value for value in values if isinstance(value, Decimal)]
    return bool(known) and all(value < 0 for value in known)


def _turn(text: str, one: Amount) -> int:
    """Whether a number is said to be a rise (1), a fall (-1), or neither (0)."""
    before = text[max(0, one.start - _BEFORE) : one.start]
    *_, clause = _CLAUSE.split(before)
    if _START.search(clause):
        return 0
    turns = [*_TURN.finditer(clause)]
    last = turns[-1] if turns else _TURN_BEHIND.match(text, one.end)
    return 0 if last is None else -1 if last["fell"] else 1


def _worked_out(one: Amount, text: str, cited: Sequence[Source]) -> bool:
    """Whether a century, a decade or a span of years follows from years of the sources."""
    known = {year for source in cited for other in source.reading.amounts for year in _year(other)}
    value = next((number for number in one.numbers if isinstance(number, Decimal)), None)
    if value is None:
        return False
    if ORDINAL in one.units and _CENTURY.match(text, one.end):
        return any((year - 1) // 100 + 1 == value for year in known)
    if one.spelt.endswith("s") and is_year(one):
        width = 100 if value % 100 == 0 else 10
        return value % width == 0 and any(value <= year < value + width for year in known)
    if "year" in one.units and _BETWEEN.match(text, one.end):
        said = {year for other in read(text).amounts for year in _year(other)} & known
        return any(later - value in said for later in said)
    return False


def _rounded(one: Amount, text: str, cited: Sequence[Source]) -> bool:
    """Whether a number that is said to be about right is one of the sources, rounded."""
    *_, before = ["", *words_of(text[max(0, one.start - _BEFORE) : one.start])]
    inside = frozenset(words_of(one.spelt))
    if before not in APPROXIMATE and inside.isdisjoint(APPROXIMATE):
        return False
    return any(
        abs(mine - theirs) <= _ROUNDING * abs(theirs)
        for source in cited
        for other in source.reading.amounts
        for unit, scale in one.meanings
        for other_unit, other_scale in other.meanings
        if _unit_fits(unit, other_unit, source.reading) and not is_year(other)
        for mine in _decimals(one.values(scale))
        for theirs in _decimals(other.values(other_scale))
    )


def _calculated(one: Amount, text: str, cited: Sequence[Source]) -> bool:
    """Whether a number follows from two that the statement gives as well and the sources have, or,
    as a span of years, from two years of one sentence.
    """
    wanted = _decimals(one.numbers)
    if "year" in one.units and any(
        abs(first - second) in wanted
        for source in cited
        for sentence in sentences(source.reading.text)
        for first, second in combinations(
            [year for other in read(sentence.text).amounts for year in _year(other)], 2
        )
    ):
        return True
    given = [
        value
        for other in read(text).amounts
        if (other.end <= one.start or one.end <= other.start)
        and not is_year(other)
        and any(_stated(other, source.reading, falls=False, turn=0) for source in cited)
        for value in _decimals(other.values(1))
    ]
    return any(
        not wanted.isdisjoint({first + second, abs(first - second), first * second})
        for first, second in combinations(given, 2)
    )


def _decimals(values: frozenset[Number]) -> set[Decimal]:
    return {value for value in values if isinstance(value, Decimal)}


def _year(one: Amount) -> list[int]:
    return [int(one.spelt)] if is_year(one) and one.spelt.isdigit() else []


def _stated(wanted: Amount, reading: Reading, *, falls: bool, turn: int) -> bool:
    for found in reading.amounts:
        if turn and not is_year(found) and _turn(reading.text, found) == -turn:
            continue
        turned = falls
        if _negative(wanted.numbers):
            before = reading.text[max(0, found.start - _BEFORE) : found.start]
            turned = bool(_LESS.search(before))
        for unit, scale in wanted.meanings:
            for other, other_scale in found.meanings:
                if not _unit_fits(unit, other, reading):
                    continue
                if _equal(wanted, found, _scales(scale, other_scale, reading), turned=turned):
                    return True
    return False


def _scales(scale: int, other: int, reading: Reading) -> Iterator[tuple[int, int]]:
    """The scales by which two numbers may be compared; a caption may give that of bare ones."""
    yield scale, other
    if other == 1:
        yield from ((scale, named) for named in reading.around[1])


def _unit_fits(unit: str, other: str, reading: Reading) -> bool:
    if unit == other:
        return True
    if ORDINAL in (unit, other):
        return unit == ORDINAL and not other  # the 10th week is week 10
    return not unit or (not other and unit in reading.around[0])


def _equal(
    wanted: Amount, found: Amount, scales: Iterator[tuple[int, int]], *, turned: bool
) -> bool:
    for mine, theirs in scales:
        ours, others = wanted.values(mine), found.values(theirs)
        if not ours.isdisjoint(others):
            return True
        if turned and not _sizes(ours).isdisjoint(_sizes(others)):
            return True
    return False


def _sizes(values: frozenset[Number]) -> set[Decimal]:
    return {abs(value) for value in _decimals(values)}


def _nearest_number(wanted: Amount, cited: Sequence[Source]) -> str:
    """The number in the sources that differs least, in value or in unit alone."""
    known = [one for source in cited for one in source.reading.amounts if not one.in_words]
    values = [value for value in wanted.numbers if isinstance(value, Decimal)]
    if not known or not values:
        return ""

    def apart(one: Amount) -> tuple[bool, Decimal]:
        theirs = [value for value in one.numbers if isinstance(value, Decimal)] or [Decimal("1e30")]
        least = min(abs(mine - other) for mine in values for other in theirs)
        return wanted.units.isdisjoint(one.units) and least != 0, least

    return _signed(min(known, key=apart))


# --- Which names does a statement give, and do they stand in what it cites? ---------------


_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W\d_]+(?:['’][^\W\d_]+)*")
_OPENED = re.compile(r"[.!?:;\n•|。]|[-–—*]\s|[“\"«(]$")
_SHORT = re.compile(r"(?:[A-Z]\.?){2,}s?")
_POSSESSIVE = re.compile(r"['’]s?$")
_ELIDED = re.compile(r"^[^\W\d_]{1,2}['’](?=[^\W\d_]{3})")
_NO_NAMES = """
mr mrs ms dr prof professor sir lord lady king queen prince princess duke earl count baron emperor
president minister chancellor senator captain colonel admiral bishop pope saint st madame monsieur
herr frau
table figure section chapter page part source sources book volume appendix note item i ii iii
"""
_APART = 4  # words within which two words of a name stand
_EXEMPT = frozenset(_NO_NAMES.split())
_NEVER_FIRST = PLAIN | _EXEMPT
_GERMAN_WORDS = """
der die das und ist nicht ein eine einer einen mit von den dem des zu im wurde wurden auf für sich
als auch bei nach aus durch
"""
_PARTICLE_WORDS = "of de la le du des del della di da dos von van der den zu al bin ibn y"
_GERMAN, _PARTICLES = frozenset(_GERMAN_WORDS.split()), frozenset(_PARTICLE_WORDS.split())
_DERIVING = (
    *("ians", "ian", "ans", "an", "ese", "ish", "ic", "ois", "ais", "ien", "ity", "ism", "ist"),
    *("ists", "ary"),
)


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str
    opens: bool  # a sentence

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def bare(self) -> str:
        if "." in self.text:
            return surface(self.text).replace(" ", "")  # U.S.
        return surface(_POSSESSIVE.sub("", _ELIDED.sub("", self.text)))


def names(
    text: str,
    cited: Sequence[Source],
    everything: Sequence[Source],
    *,
    strict: bool = False,
    goes_on: bool = False,
) -> list[Finding]:
    """The names of a text, and whether they stand in what is cited.

    With `strict` every word with a capital counts, as in the cells of a table. With `goes_on` the
    text is the rest of a sentence.
    """
    words = _words(text)
    if goes_on and words and not _OPENED.search(text[: words[0].start]):
        words[0] = replace(words[0], opens=False)
    readings = [one.reading for one in cited]
    known = [one.reading for one in everything]
    loose = not strict and _nouns_have_capitals(words)
    findings = []
    for whole in _runs(text, words):
        run = whole if strict else _trimmed(whole, known)
        if loose:
            run = _last_words(whole)
        if not any(word.capital for word in run) or (loose and len(run) < 2):
            continue
        missing = _missing(run, readings, known)
        if loose:
            missing = [word for word in missing if word is run[-1] and not _within(word, readings)]
        spelt = _POSSESSIVE.sub("", text[run[0].start : run[-1].end])
        near = _proper_nearest(missing[0], readings) if missing else ""
        found = not missing and (loose or _together(run, readings, known))
        findings.append(Finding(check="name", value=spelt, found=found, near=near))
    return findings


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    for match in _WORD.finditer(text):
        gap = text[found[-1].end if found else 0 : match.start()]
        opens = not found or bool(_OPENED.search(gap))
        if opens and found and gap.startswith(".") and len(gap) <= 2:
            before = found[-1]
            short = len(before.text) == 1 or before.bare in _EXEMPT
            opens = not (before.capital and short)
        found.append(_Word(match.start(), match.end(), match[0], opens))
    return found


def _runs(text: str, words: Sequence[_Word]) -> list[list[_Word]]:
    """Words with capitals that belong together, with the particles between them."""
    runs: list[list[_Word]] = []
    run: list[_Word] = []
    held: list[_Word] = []
    for word in words:
        before = [*run, *held][-1] if run else None
        joined = before is not None and not word.opens and _joined(text, before, word)
        if run and joined and not word.capital and word.text in _PARTICLES:
            held.append(word)
            continue
        letter = len(word.text) == 1 and text[word.end : word.end + 1] != "."
        if word.capital and (run or not letter):
            if run and joined:
                run += [*held, word]
            else:
                run = [word]
                runs.append(run)
        else:
            run = []
        held = []
    return runs


def _joined(text: str, before: _Word, word: _Word) -> bool:
    """Whether nothing but a space, a hyphen or the point of an initial parts two words."""
    gap = text[before.end : word.start]
    return bool(re.fullmatch(r"\.?\s|-", gap)) and not _POSSESSIVE.search(before.text)


def _trimmed(run: list[_Word], known: Sequence[Reading]) -> list[_Word]:
    """A run without a first word that has its capital only because a sentence begins there."""
    first = run[0]
    if not first.opens or _is_short_form(first.text):
        return run
    if _names_someone(run, known):
        return run
    rest = run[1:]
    while rest and not rest[0].capital:
        rest = rest[1:]
    return rest


def _names_someone(run: Sequence[_Word], known: Sequence[Reading]) -> bool:
    """Whether the first word of a sentence is a name: before another one, or in the evidence."""
    word = run[0].bare
    if word in _NEVER_FIRST or any(word in one.lower for one in known):
        return False
    known_so = any(word in one.capitals for one in known)
    return known_so or len(run) > 1 or bool(_POSSESSIVE.search(run[0].text))


def _last_words(run: Sequence[_Word]) -> list[_Word]:
    """The words with capitals at the end of a run, but for one that only opens a sentence."""
    start = max((place + 1 for place, word in enumerate(run) if not word.capital), default=0)
    words = list(run[start:])
    return words[1:] if words and words[0].opens and words[0].bare in _NEVER_FIRST else words


def _within(word: _Word, readings: Sequence[Reading]) -> bool:
    """Whether a word is part of a longer one: Turm in Leuchtturm."""
    return len(word.bare) > 3 and any(word.bare in one.surface for one in readings)


def _is_short_form(word: str) -> bool:
    return bool(_SHORT.fullmatch(word))


def _missing(
    run: Sequence[_Word], readings: Sequence[Reading], known: Sequence[Reading]
) -> list[_Word]:
    """The words of a name that are not in what is cited."""
    exempt = _EXEMPT
    if len(run) == 1 and any(run[0].bare in one.no_names for one in readings):
        exempt = _EXEMPT | {run[0].bare}  # such as the two sides of a game
    needed = [one for one in run if one.capital and one.bare not in exempt and one.bare]
    last = needed[-1].bare if needed else ""
    missing = [one for one in needed if not any(_has(one, last, other) for other in readings)]
    if not missing:
        return []
    letters = "".join(one.bare[0] for one in needed)
    if len(needed) > 2 and any(letters in one.words for one in readings):
        return []
    if len(missing) == 1 and missing[0] is needed[-1] and len(needed) > 1:
        word = missing[0].bare  # Bell Rock Lighthouse, where the source says Bell Rock
        if any(word in one.lower for one in known):
            return []
    return missing


def _together(run: Sequence[_Word], readings: Sequence[Reading], known: Sequence[Reading]) -> bool:
    """Whether words of a name that follow one another stand near each other in one source.

    A word that is spelt small somewhere, such as tower, may stand elsewhere, and a word that was
    found as a form of another one (Italian, Italy) as well.
    """
    names = [
        one.bare.split()[-1]
        for place, one in enumerate(run)
        if one.capital
        and one.bare
        and (place == 0 or len(one.bare) > 1)
        and one.bare not in _EXEMPT
        and not _is_short_form(one.text)
        and not any(one.bare in other.lower for other in known)
    ]
    return all(
        any(_near(first, second, one) for one in readings)
        for first, second in pairwise(names)
        if all(any(_stands(word, one) for one in readings) for word in (first, second))
    )


def _stands(word: str, reading: Reading) -> list[int]:
    """Where a word stands in a text, or one that it is the first letter of."""
    if len(word) == 1:
        return [
            at
            for other in reading.capitals
            if other[0] == word
            for at in reading.places.get(other, ())
        ]
    return [at for form in _forms(word) for at in reading.places.get(form, ())]


def _near(first: str, second: str, reading: Reading) -> bool:
    """Whether two words of a name stand near each other; the first may be its letter alone."""
    here = {*_stands(first, reading), *reading.places.get(first[0], ())}
    return any(
        at + step in here
        for at in _stands(second, reading)
        for step in range(-_APART, _APART + 1)
        if step
    )


def _forms(part: str) -> set[str]:
    """A word in either number."""
    return {part, part + "s", part + "es", part.removesuffix("s"), part.removesuffix("es")}


def _has(word: _Word, last: str, reading: Reading) -> bool:
    """Whether a word of a name stands in a text, in any case, number or as an initial."""
    if (word.bare[0], last) in reading.initials and word.bare != last:
        return True
    return all(_has_part(part, word, reading) for part in word.bare.split())


def _has_part(part: str, word: _Word, reading: Reading) -> bool:
    if not _forms(part).isdisjoint(reading.words):
        return True
    if len(part) == 1:
        return any(other.startswith(part) for other in reading.capitals)
    if _is_short_form(word.text):
        letters = part.removesuffix("s") if word.text.endswith("s") else part
        long = len(letters) > 2 and letters in reading.first_letters
        if letters in reading.short_forms or letters in reading.words or long:
            return True
    return any(_derived(part, other) or _derived(other, part) for other in reading.capitals)


def _derived(word: str, other: str) -> bool:
    """Whether a word is made of another: Italian of Italy, Christianity of Christian."""
    for end in _DERIVING:
        root = word.removesuffix(end)
        if root != word and len(root) >= 4 and other.startswith(root):
            return len(other) <= len(root) + 4
    return False


def _nouns_have_capitals(words: Sequence[_Word]) -> bool:
    inner = [word for word in words if not word.opens]
    if len(inner) < 3:
        return False
    german = sum(word.text in _GERMAN for word in words)
    share = sum(word.capital for word in inner) / len(inner)
    return (german >= 2 and share > 0.15) or (share > 0.6 and len(inner) >= 4)


def _proper_nearest(word: _Word, readings: Sequence[Reading]) -> str:
    """The name in the sources that is spelt most alike."""
    known = {key: spelt for one in readings for key, spelt in one.capitals.items()}
    close = difflib.get_close_matches(word.bare, known, n=1, cutoff=0.6)
    return known[close[0]] if close else ""


# --- Do items of a notation and paths of a graph stand in what is cited, step after step? ---


_ARROW = re.compile(r"\s*(?:→|←|->|<-|—>)\s*")
_LINE = re.compile(r"[^\n·]+")
_AFTER = re.compile(r"\.(?=\s|$)|[;:]|$")


def items(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """What a text gives in a notation, and the text with that blotted out."""
    findings: list[Finding] = []
    for notation in notations():
        spans, facts = notation.check(text, [source.reading.text for source in cited])
        findings += [Finding(**fact._asdict()) for fact in facts]
        text = masked(text, spans)
    return text, findings


def paths(text: str, cited: Sequence[Source]) -> tuple[str, list[Finding]]:
    """The paths of a text, step by step, and the text with them blotted out."""
    spans: list[tuple[int, int]] = []
    findings: list[Finding] = []
    if "→" not in text and "←" not in text:
        return text, findings
    for start, end in _places(text):
        for step in _steps(_ARROW.split(text[start:end].strip())):
            found = any(_lines_stands(step, one.reading.surface) for one in cited)
            findings.append(Finding(check="path", value=" → ".join(step), found=found))
        spans.append((start, end))
    return masked(text, spans), findings


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where the paths of a text stand: from what opens their line to what ends the last node."""
    for line in _LINE.finditer(text):
        said = line[0]
        first = min((at for at in (said.find("→"), said.find("←")) if at >= 0), default=-1)
        if first < 0:
            continue
        opened = max(said.rfind(sign, 0, first) for sign in (". ", ": ", "; "))
        ended = _AFTER.search(said, max(said.rfind("→"), said.rfind("←")))
        start = opened + 2 if opened >= 0 else 0
        yield line.start() + start, line.start() + (ended.start() if ended else len(said))


def _steps(parts: Sequence[str]) -> list[Sequence[str]]:
    """Node, relation, node; or two nodes where a path names no relations."""
    width = 3 if any(part.startswith("(") for part in parts) else 2
    last = max(1, len(parts) - width + 1)
    return [parts[at : at + width] for at in range(0, last, width - 1)]


def _lines_stands(step: Sequence[str], words: str) -> bool:
    """Whether a step stands in a text: word after word with its relation, else in its order."""
    named = [f" {surface(part)} " for part in step]
    if len(named) > 2:
        return f" {' '.join(''.join(named).split())} " in words
    at = words.find(named[0])
    return at >= 0 and words.find(named[-1], at) >= 0


# --- Which exhibits does a statement cite? ------------------------------------------------


_DOUBLED = re.compile(r"(\[[0-9]{1,3}\])(?:\s*\1)+")


def apart(text: str) -> str:
    """A text with a space between its marks, and none of them twice in a row."""
    return _DOUBLED.sub(r"\1", re.sub(r"(?<=[0-9]\])(?=\[[0-9])", " ", text))


def lost(text: str, known: Container[int]) -> tuple[str, tuple[str, ...]]:
    """A text without the marks that lead nowhere, and those marks."""
    stray = tuple(dict.fromkeys(one[0] for one in MARK.finditer(text) if int(one[1]) not in known))
    for mark in stray:
        text = re.sub(rf"(?<![ \t])[ \t]*{re.escape(mark)}", "", text)
    return text, stray


def with_mark(text: str, mark: int) -> str:
    """A sentence with a mark before what ends it."""
    body = text.rstrip()
    end = re.search(r"(?<!\.)[.!?。！？]?\Z", body)
    at = end.start() if end else len(body)
    return f"{body[:at]} [{mark}]{body[at:]}"


# --- In which pieces is a statement checked? ----------------------------------------------


_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
_CELL = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*\*|__|~~|`|(?<!\w)[*_](?=\w)|(?<=\w|[.!?,])[*_](?!\w))")
_LISTED = re.compile(r"(?m)^[ \t]*(?:[-+*•]|\d{1,2}[.)])[ \t]+(?=[^\W\d_]+[\s,;:'’])")
_NAMED = re.compile(r"\b[Ss]ources?\s\d{1,3}(?:(?:,\s?|,?\sand\s|\s?&\s?)\d{1,3})*\b")
_ROW_END = re.compile(r"(?<!\\)\|((?:\s*\[[0-9]{1,3}\])*)\s*\Z")
_GROUP = re.compile(r"(?<!\s)(?:\s*\[[0-9]{1,3}\])+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a statement that is checked by itself; a row with the header of its table."""

    text: str
    header: tuple[str, ...] = ()
    checked: bool = True
    form: Form = "prose"

    def behind(self, words: str) -> str:
        """The piece with words behind it: in the last cell of a row."""
        end = _ROW_END.search(self.text) if self.header else None
        if end is None:
            return f"{self.text.rstrip()} {words}"
        return f"{self.text[: end.start()].rstrip()}{end[1]} {words} |"

    def with_mark(self, mark: int) -> str:
        """The piece with a mark: in the last cell of a row, else before what ends it."""
        return self.behind(f"[{mark}]") if self.header else with_mark(self.text, mark)

    @property
    def bare(self) -> str:
        """What it says, without marks, emphasis and bullets; a row with a bar between cells."""
        return " | ".join(self.cells) if self.header else bare(self.text, self.form)

    @property
    def cells(self) -> tuple[str, ...]:
        """What the cells of a row say."""
        return _cells(self.text) if self.header else ()

    def segments(self) -> list[tuple[str, tuple[int, ...]]]:
        """A sentence in parts, each with the marks behind it; the last may have none.

        Marks within a quotation part nothing, and where one place has all of them, the whole
        sentence is one part.
        """
        quoted = spans(self.text)
        groups = [
            one
            for one in _GROUP.finditer(self.text)
            if not any(start < one.start() < end for start, end in quoted)
        ]
        if self.header or len({find_marks(one[0]) for one in groups}) < 2:
            return [(self.bare, find_marks(self.text))]
        found, at = [], 0
        for one in groups:
            found.append((self._said(at, one.start()), find_marks(one[0])))
            at = one.end()
        return [*found, (self._said(at, len(self.text)), find_marks(self.text))]

    def _said(self, start: int, end: int) -> str:
        """What a part of it says, without the comma before."""
        return bare(self.text[start:end].lstrip(" ,"), self.form)


def bare(text: str, form: Form = "prose") -> str:
    """What a text says, without marks, emphasis and bullets.

    In prose a writer may speak of its sources by their numbers, which are no facts; never in a
    quotation, which is the text of others.
    """
    text = _LISTED.sub("", _EMPHASIS.sub("", strip_marks(text)))
    if form == "prose":
        text = outside(text, lambda said: _NAMED.sub("it", said))
    return unescape_markdown(text)


def blocks_pieces(text: str, form: Form) -> list[Piece]:
    """The pieces of a statement."""
    if form == "table":
        return _rows(text)
    if form == "lines":
        return [Piece(line, checked=bool(line.strip()), form="lines") for line in text.split("\n")]
    return [Piece(text, checked=bool(text.strip()), form=form)]


def _rows(text: str) -> list[Piece]:
    lines = text.strip("\n").split("\n")
    header = _cells(lines[0])
    found = []
    for place, line in enumerate(lines):
        rule = not line.strip() or bool(_RULE.fullmatch(line))
        found.append(Piece(line, header, checked=place > 0 and not rule, form="table"))
    return found


def _cells(line: str) -> tuple[str, ...]:
    """The cells of a row, parted before anything is unescaped: a bar in a cell is none of ours."""
    whole = MARK.sub("", line).strip().removeprefix("|")
    ended = whole.endswith("|") and not whole.endswith("\\|")
    parts = _CELL.split(whole[:-1] if ended else whole)
    return tuple(bare(part.strip(), "table") for part in parts)


def cells(
    row: Sequence[str],
    header: Sequence[str],
    cited: Sequence[Source],
    everything: Sequence[Source],
) -> list[Finding]:
    """The facts of a row: each cell under its heading, against the field of that name if any."""
    findings: list[Finding] = []
    owners = [one for one in cited if _is_of(row, header, one)] or cited
    for place, cell in enumerate(row):
        name = header[place] if place < len(header) else ""
        if not cell or cell in "-–—":
            continue
        if (field := _field(name, cell, owners)) is not None:
            findings.append(field)
            continue
        label = f"{name}: " if name and cell[:1].isdigit() else ""
        rest = label + cell
        for reader in (dates, codes, numbers):
            rest, more = reader(rest, cited)
            findings += more
        findings += names(rest[len(label) :], cited, everything, strict=True)
    return findings


def _is_of(row: Sequence[str], header: Sequence[str], one: Source) -> bool:
    """Whether a row speaks of this source: the field that its first cell names has that value."""
    known = _field(header[0], row[0], (one,)) if row and header else None
    return known is not None and known.found


def _field(name: str, cell: str, cited: Sequence[Source]) -> Finding | None:
    """A cell compared with the field that its heading names; None where there is no such field."""
    wanted = surface(name)
    known = [
        str(value)
        for one in cited
        for key, value in one.exhibit.passage.metadata.items()
        if wanted and surface(key) == wanted
    ]
    if not known:
        return None
    return Finding(
        check="number" if cell[:1].isdigit() else "name",
        value=cell,
        found=any(_alike(cell, value) for value in known),
        near=known[0],
    )


def _alike(cell: str, value: str) -> bool:
    if surface(cell) == surface(value):
        return True
    ours, theirs = read(cell).amounts, read(value).amounts
    return len(ours) == len(theirs) == 1 and not ours[0].numbers.isdisjoint(theirs[0].numbers)


# --- How far do sources bear a claim? -----------------------------------------------------


LEAST = 0.35  # share of its words that a cited source must have; see benchmarks/planted.py
LEAST_UNCITED = 0.5  # share that an uncited statement needs of the source it is given
CLOSE = 0.8  # share from which another source may be the one that was meant
BETTER = 0.4  # by how much another source must be ahead for a citation to be the wrong one
_SUPPORT_FEWEST = 3  # telling words below which words decide nothing
_FEWEST_UNCITED = 4  # telling words from which a statement without facts needs a source


def facts(
    text: str, cited: Sequence[Source], everything: Sequence[Source], *, goes_on: bool = False
) -> list[Finding]:
    """Every fact of a text, and whether it stands in what is cited.

    With `goes_on` the text is the rest of a sentence, so its first word opens none.
    """
    rest, found = quotations(text, cited)
    for reader in (paths, dates, items, codes, numbers):
        rest, more = reader(rest, cited)
        found += more
    return [*found, *names(rest, cited, everything, goes_on=goes_on)]


def by_marks(
    piece: Piece, cited: Sequence[Source], everything: Sequence[Source]
) -> list[tuple[Finding, Sequence[Source]]]:
    """Every fact of a piece, with the sources that were to bear it: those next behind it.

    What one part of a sentence rightly says, another may say again.
    """
    segments = piece.segments()
    if len(segments) < 2:
        found = Claim(piece, everything).compare(cited)
        return [(one, cited) for one in found]
    outcome: list[tuple[Finding, Sequence[Source]]] = []
    for place, (text, marks) in enumerate(segments):
        here = [one for one in cited if one.mark in marks]
        found = facts(text, here, everything, goes_on=place > 0)
        outcome += [(one, here) for one in found]
    said = {(one.check, one.value) for one, _ in outcome if one.found}
    return [
        (replace(one, found=one.found or (one.check, one.value) in said), here)
        for one, here in outcome
    ]


class Claim:
    """A sentence, a row or a line without its marks, to be compared with sources."""

    def __init__(self, piece: Piece, everything: Sequence[Source]) -> None:
        self.text = piece.bare
        self._piece = piece
        self._everything = everything

    def compare(self, cited: Sequence[Source]) -> list[Finding]:
        """Every fact of the claim, and whether it stands in what is cited."""
        if self._piece.header:
            return cells(self._piece.cells, self._piece.header, cited, self._everything)
        return facts(self.text, cited, self._everything)

    @cached_property
    def _words(self) -> frozenset[str]:
        taken = [(one.start, one.end) for one in read(self.text).amounts]
        return frozenset(tellings(masked(self.text, taken)))

    @property
    def has_words(self) -> bool:
        """Whether it has enough telling words for them to be compared."""
        return not self._piece.header and len(self._words) >= _SUPPORT_FEWEST

    @cached_property
    def needs_source(self) -> bool:
        """Whether it says anything that a source must bear: facts, much, or what is nowhere."""
        strange = len(self._words) > 1 and self.share(*self._everything) < 1
        return len(self._words) >= _FEWEST_UNCITED or strange or bool(self.compare(()))

    @cached_property
    def _weights(self) -> dict[str, float]:
        count = len(self._everything)
        return {
            word: math.log(
                1 + (1 + count) / (1 + sum(word in one.reading.stems for one in self._everything))
            )
            for word in self._words
        }

    def share(self, *cited: Source) -> float:
        """The share of its telling words that sources have, by weight."""
        whole = sum(self._weights.values())
        had = sum(
            weight
            for word, weight in self._weights.items()
            if any(word in one.reading.stems for one in cited)
        )
        return had / whole if whole else 1.0

    def borne_by(self, one: Source) -> bool:
        """Whether one source bears all of it."""
        found = self.compare((one,))
        if not all(finding.found for finding in found):
            return False
        if not self.has_words:  # too few to share: facts or all of them
            return bool(found) or self.share(one) == 1
        return self._with_facts(len(found), one) >= LEAST_UNCITED

    def _with_facts(self, facts: int, *cited: Source) -> float:
        """The share of its words that sources have, facts found there counted as words."""
        words = len(self._words)
        return (facts + words * self.share(*cited)) / (facts + words)

    def astray(self, cited: Sequence[Source], facts: int) -> Fault | None:
        """What is wrong with a citation whose source speaks of something else.

        `facts` that were found there count as words that were.
        """
        if self._piece.header or not self._words:
            return None
        marks = {one.mark for one in cited}
        others = [one for one in self._everything if one.mark not in marks]
        best = max(others, key=self.share, default=None)
        most = self.share(best) if best else 0.0
        here = self.share(*cited)
        share = self._with_facts(facts, *cited)
        if self.has_words:
            astray = share < LEAST or most >= max(CLOSE, share + BETTER)
        else:
            astray = len(self._words) > 1 and share == 0 and most == 1  # too few words to say more
        if not astray:
            return None
        nearer = f"; [{best.mark}] is nearer" if best and most > here else ""
        told = f"“{shortened(self.text)}” does not speak of what {places(cited)} says{nearer}"
        return Fault(check="citation", value=self.text, told=told)


# --- Is a statement borne out by what it cites? -------------------------------------------


_ALIKE = 0.7  # share of telling words from which a sentence and a claim say the same, or deny it
_TRIED = 6  # exhibits that an uncited statement is compared with in full


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, row or line of a statement, and whether it stood the check."""

    piece: Piece
    sound: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What checking a statement came to.

    `text` is the statement without the marks that lead nowhere, and with one added where an
    exhibit bears all of a statement that cites nothing. `facts` says how many facts were looked
    for. A statement that is not `sound` is removed or marked, as far as its `parts` fail.
    """

    text: str
    marks: tuple[int, ...]
    facts: int
    faults: tuple[Fault, ...]
    sound: bool
    parts: tuple[Part, ...] = ()

    @property
    def kept(self) -> str:
        """What is left without the parts that failed: nothing where no row or line is left."""
        if self.sound:
            return self.text
        left = [one.piece for one in self.parts if one.sound]
        if not any(one.checked for one in left):
            return ""
        rest = "\n".join(one.text for one in left)
        missing = () if find_marks(rest) else self.marks  # stood in a line that is gone
        for mark in missing:
            left[-1] = replace(left[-1], text=left[-1].with_mark(mark))
        return "\n".join(one.text for one in left).strip("\n")

    def doubted(self, remark: str) -> str:
        """The whole with a remark at each part that failed, in the last cell of a row."""
        if self.sound or not self.parts:
            return self.text if self.sound else f"{self.text} {remark}"
        told = (one.piece.text if one.sound else one.piece.behind(remark) for one in self.parts)
        return "\n".join(told)


def check(
    statement: Statement, exhibits: Mapping[int, Exhibit], checks: Sequence[Check] = ()
) -> Verdict:
    """Compare a statement with the exhibits that it cites; a pack's `checks` are asked as well."""
    text, stray = lost(apart(statement.text), exhibits)
    faults = [Fault(check="mark", value=mark, told=f"{mark} leads to no source") for mark in stray]
    if statement.form == "heading":
        return Verdict(text=text, marks=find_marks(text), facts=0, faults=tuple(faults), sound=True)
    known = {mark: source(one) for mark, one in exhibits.items()}
    text, misled = misplaced(text, known)
    faults += misled
    inherited = find_marks(text) if statement.form in ("lines", "path", "prose") else ()
    facts, parts = len(faults), []
    for piece in blocks_pieces(text, statement.form):
        outcome = _Outcome(0, ())
        if piece.checked:
            outcome = _piece(piece, inherited, statement.within, known, checks)
        facts += outcome.facts
        faults += outcome.faults
        parts.append(Part(_marked(piece, outcome.added), sound=not outcome.faults))
    text = "\n".join(one.piece.text for one in parts)
    return Verdict(
        text=text,
        marks=find_marks(text),
        facts=facts,
        faults=tuple(faults),
        sound=all(one.sound for one in parts),
        parts=tuple(parts),
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    facts: int
    faults: tuple[Fault, ...]
    added: int | None = None


def _marked(piece: Piece, mark: int | None) -> Piece:
    return piece if mark is None else replace(piece, text=piece.with_mark(mark))


def _piece(
    piece: Piece,
    inherited: Sequence[int],
    within: Sequence[int],
    known: Mapping[int, Source],
    checks: Sequence[Check],
) -> _Outcome:
    cited = [known[mark] for mark in find_marks(piece.text) or inherited]
    everything = list(known.values())
    claim = Claim(piece, everything)
    added = None
    if not cited:
        bearer = _bearer(claim, within, known)
        if bearer is None:
            return _uncited(claim)
        cited, added = [bearer], bearer.mark
    outcome = by_marks(piece, cited, everything)
    faults = [found.fault(here) for found, here in outcome if not found.found]
    facts = len(outcome)
    if not faults and (fault := claim.astray(cited, facts) or _negated(claim, cited)) is not None:
        faults.append(fault)
        facts += 1
    for one in checks:
        told = one(claim.text, [source.exhibit for source in cited])
        known_by = {fault.check for fault in faults}
        new = [fault for fault in told.faults if fault.check not in known_by]
        facts += told.facts - (len(told.faults) - len(new))
        faults += new
    return _Outcome(facts, tuple(faults), added)


def _negated(claim: Claim, cited: Sequence[Source]) -> Fault | None:
    """A claim that says a sentence of its source with or without a *not*, and else alike."""
    said = frozenset(tellings(claim.text))
    if not claim.has_words:
        return None
    denied = not NEGATING.isdisjoint(words_of(claim.text))
    same, against = 0.0, None
    for one in cited:
        for sentence in sentences(one.exhibit.passage.text):
            words = frozenset(tellings(sentence.text))
            alike = len(said & words) / max(len(said), len(words))
            if alike >= _ALIKE and alike > same:
                same = alike
                against = one if denied == NEGATING.isdisjoint(words_of(sentence.text)) else None
    if against is None:
        return None
    told = f"{places([against])} says this {'without' if denied else 'with'} a negation"
    return Fault(check="negation", value=shortened(claim.text), told=told)


def _bearer(claim: Claim, within: Sequence[int], known: Mapping[int, Source]) -> Source | None:
    """An exhibit that bears all of a statement; those of its section are asked first."""
    if not claim.needs_source:
        return None
    first = [known[mark] for mark in within if mark in known]
    rest = [one for mark, one in known.items() if mark not in within]
    for group in (first, rest):
        likely = sorted(group, key=claim.share, reverse=True)[:_TRIED]
        for one in likely:
            if claim.borne_by(one):
                return one
    return None


def _uncited(claim: Claim) -> _Outcome:
    if not claim.needs_source:
        return _Outcome(0, ())
    told = f"“{shortened(claim.text)}” cites no source, and none of the evidence bears all of it"
    fault = Fault(check="citation", value=claim.text, told=told)
    return _Outcome(max(1, len(claim.compare(()))), (fault,))
