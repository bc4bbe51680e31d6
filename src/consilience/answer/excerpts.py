"""Which sentences of the evidence answer a question? Read, scored, chosen and quoted.

Four things are weighed: nearness in meaning, the rare words of the question, the place of the
passage, and whether a sentence has the kind of thing that is asked for. The weights were chosen on
one half of a public collection; `benchmarks/extractive.py` shows what they are worth on the other.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple

from consilience.kinds import whole_kinds
from consilience.notations import (
    asked_items,
    diagrams,
    is_diagram,
    item_pattern,
    notation_terms,
    result_pattern,
    strip_diagrams,
    strip_notation,
)
from consilience.protocols import Embedder
from consilience.text_markup import escape_markdown, neutralize
from consilience.types import Exhibit, Passage
from consilience.understand.names import surface
from consilience.understand.sentences import Sentence, one_line, sentences
from consilience.understand.words import JOINING, LINKING, MONTHS, UNSPACED, beginning, pairs, stem

if TYPE_CHECKING:
    from consilience.protocols import Vectors


# --- Is a piece of text a drawing? --------------------------------------------------------


_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LABEL_WORDS = 3


def is_drawn(text: str) -> bool:
    """Whether a block is nothing but a drawing, with a word or two that name it."""
    rest, count = strip_diagrams(text)
    rest, images = _IMAGE.subn(" ", rest)
    if count or images:
        return len(re.findall(r"[^\W\d_]{2,}", rest)) <= _LABEL_WORDS
    return is_diagram(text)


def has_drawing(text: str) -> bool:
    """Whether a drawing stands somewhere in a text."""
    return bool(diagrams(text) or _IMAGE.search(text)) or is_diagram(text)


# --- What does a question ask for? --------------------------------------------------------


Kind = Literal["person", "time", "number", "reason", "place", "meaning"]
_FORMS: Mapping[Kind, re.Pattern[str]] = {
    "person": re.compile(
        r"\b(who|whom|whose|wer|wem|wen|quién|quiénes)\b|^(à |de |par |avec )?qui\b",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b(when|wann|quand|cuándo)\b|\b(what|which|welche[mns]?|quelle|qué)\s+"
        r"(year|date|day|month|century|decade|time|jahr|datum|tag|année|date|año|fecha|día)\b",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\bhow\s+(many|much|tall|high|long|far|deep|old|big|large|heavy|wide|fast|often|"
        r"strong|bright|small|thick|hot|cold|close|near|late|early)\b|"
        r"\b(what|which)\s+(is\s+the\s+|was\s+the\s+)?(percentage|percent|number|amount|height|"
        r"population|size|length|width|depth|weight|speed|distance|rate|price|cost|range|age|"
        r"share|proportion|score|temperature|area|total)\b|"
        r"\bwhat\s+(did|does|do|would)\b.*\b(cost|weigh|measure|earn|pay)\b|"
        r"\bwie\s?(viele?|hoch|lang|weit|alt|groß|schwer|tief|oft|breit|schnell)\b|"
        r"\bcombien\b|\bcuánt[oa]s?\b",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\b(why|warum|weshalb|wieso|pourquoi|por qué)\b|\bwhat\s+(caused|causes|was the "
        r"reason|is the reason|led to|made)\b|\b(for|the) (what )?reasons?\b|\bhow come\b",
        re.IGNORECASE,
    ),
    "place": re.compile(
        r"\b(where|wo|wohin|woher|où|dónde|adónde)\b|\b(what|which|in welche[mnr]?|quelle?|qué)"
        r"\s+(city|country|town|state|place|county|region|continent|island|sea|ocean|river|"
        r"stadt|land|ville|pays|ciudad|país)\b",
        re.IGNORECASE,
    ),
}
_INTERROGATIVE = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|wann|wer|wem|wen|wo|wohin|woher|warum|"
    r"weshalb|wieso|wie|welche\w*|qui|quand|où|pourquoi|combien|comment|quel\w*|qué|quién\w*|"
    r"cuándo|a?dónde|cuánt\w*|cómo|cuál\w*)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|und|et|y)\s+(?:in\s+|at\s+|for\s+|by\s+|since\s+)?$", re.IGNORECASE)
_MEANING = re.compile(
    r"^\s*(?:what\s+(?:is|are|was|were)|who\s+(?:is|was|are|were)|define|explain|was\s+(?:ist|sind)"
    r"|wer\s+(?:ist|war)|qu'?\s?est[- ]ce\s+qu(?:e|')|qui\s+(?:est|était)|qué\s+(?:es|son)"
    r"|quién\s+(?:es|fue))\s+(?P<what>[^?!.]{2,60}?)\s*[?!.]*\s*$"
    r"|^\s*what\s+does\s+(?P<word>.{2,40}?)\s+(?:mean|stand\s+for)\b",
    re.IGNORECASE,
)
_ARTICLES = re.compile(
    r"^(?:(?:an?|the|der|die|das|eine?|une?|le|la|les|el|los|las|una?)\s+|l')", re.IGNORECASE
)
_ASKING = JOINING | frozenset("explain describe wem wen viele combien cuantas".split())  # noqa: SIM905
_ELIDED = re.compile(r"['’](?:s|t|d|m|re|ve|ll)\b|\b(?:l|d|qu|j|n|s)['’](?=\w)", re.IGNORECASE)
_ORDER = re.compile(
    r"^\s*(?:please\s+)?(?:can you\s+)?(?:list|name|give|show|compare|summari[sz]e|outline|"
    r"describe|explain|define|find|tell)\b(?:\s+(?:me|us))?(?=\s+\w)",
    re.IGNORECASE,
)

_WORKS = re.compile(r"(?<=\w)\s+(?:works?|functions?)\s*\?*\s*$", re.IGNORECASE)
_ROLE = re.compile(r"^\s*(?:who|wer|qui|quién)\s+\w+\s+(?:the|der|die|le|la|el)\s", re.IGNORECASE)
_THINGS: frozenset[Kind] = frozenset(("person", "time", "number", "place"))
SAME: Mapping[str, frozenset[str]] = {
    beginning(word): frozenset(others.split())
    for words, others in {
        "tall taller tallest": "height high",
        "high higher highest": "height",
        "height": "tall high",
        "heavy heavier heaviest": "weight",
        "wide wider widest": "width",
        "long longer longest": "length",
        "deep deeper deepest": "depth",
        "far farther": "distan range",
        "fast faster fastest": "speed",
        "old": "age",
        "large larger largest big bigger biggest": "size area",
        "expensive": "price cost",
        "cost": "price",
        "built": "build builde",
        "build": "built builde",
    }.items()
    for word in words.split()
}
"""Terms of questions that tables and texts put in another word."""
HALF = 0.5
LITTLE = 0.7

_MONTHS = "|".join(name for names in MONTHS.values() for name in names)
_TIME = re.compile(
    rf"\b(?:1\d{{3}}|20\d{{2}})s?\b|\b(?:{_MONTHS})\b|\b(?:century|centuries|decade|Jahrhundert|"
    r"siècle|siglo|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|\bBCE?\b"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|"
    r"forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|twice|third|"
    r"quarter|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|deux|trois|quatre|"
    r"cinq|sept|huit|neuf|dix|cent|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|cien|"
    r"mil)\b",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(rf"\S*(?:{_NUMBER.pattern})\S*", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since (?!\d|then\b|the \d)|so that|due to|in order to|owing to|thanks to|"
    r"(?:the|one|another|this|for|main|first|second|third|two|three|these) reasons?|reason why|"
    r"which is why|caused? by|causes|the result of|resulting from|led to|weil|damit|wegen|"
    r"parce que|afin|à cause|grâce à|porque|puesto que|ya que|debido)\b",
    re.IGNORECASE,
)
_PERHAPS = re.compile(
    r"\b(?:therefore|thus|hence|as a result|results? in|resulted in|so as to|means that|"
    r"makes? (?:it|them)|allow(?:s|ed|ing)?|enabl(?:es|ed|ing)|prevent(?:s|ed|ing)?|"
    r"avoid(?:s|ed|ing)?|to (?:keep|protect|make|get|reduce|ensure|save)|denn|daher|deshalb|um|"
    r"car|donc|pues|para que|por eso)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|on|near|off|from|to|of|between|outside|inside|around|bei|auf|aus|nach|à|en|dans|"
    r"sur|de|près de)\s+(?:the\s+|der\s+|dem\s+|la\s+|le\s+|el\s+)?[A-ZÀ-ÖØ-Þ]"
)
_QUOTES = re.compile(r"[“”«»\"*]")
_CALLED = re.compile(
    r"\b(?:called|known as|referred to as|termed|defined as|(?:considered|said) to be)"
    r"\s+(?:an?\s+|the\s+)?[“«\"'‘*]*",
    re.IGNORECASE,
)
_VERBS = frozenset("is are was were ist sind war waren est sont es son era".split())  # noqa: SIM905
_DEFINING = frozenset(
    """
    means mean meant refers refer denotes describes occurs consists bezeichnet signifie
    """.split()  # noqa: SIM905
)
_PREDICATES = frozenset(
    """
    a an the one any when where what defined another some those ein eine der die das jede un une le
    la una el lo
    """.split()  # noqa: SIM905
)
_NOUNS = frozenset(
    """
    variable variables method methods model models function functions technique algorithm process
    effect problem procedure approach principle theorem disease syndrome test system theory law
    """.split()  # noqa: SIM905
)
_NAME = re.compile(r"(?<=[a-zß-öø-ÿ,;:—–“(‘] )[A-ZÀ-ÖØ-Þ][\w’'-]+|^[A-ZÀ-ÖØ-Þ][\w’'-]+ [A-ZÀ-ÖØ-Þ]")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as sentences are held against it.

    `kinds` are what it asks for, `terms` its telling words as they are compared, `subject` what
    a question for a meaning wants explained, as a surface. `items` are the items
    of a notation that it asks about; they are none of its words.
    """

    text: str
    kinds: frozenset[Kind]
    terms: tuple[str, ...]
    subject: str = ""
    items: tuple[str, ...] = ()

    @property
    def one_thing(self) -> bool:
        """Whether it asks for a name, a date, a number or a place, rather than to be told more."""
        several = any(
            _AND.search(self.text[: one.start()]) for one in _INTERROGATIVE.finditer(self.text)
        )
        return not several and len(self.kinds) == 1 and self.kinds <= _THINGS

    def answers(self, sentence: str) -> float:
        """From 0 to 1: how far a sentence has the kind of thing that is asked for.

        A reason or a meaning counts whole, a name or a number half: many sentences have those.
        """
        if not self.kinds:
            return 0.0
        known = set(surface(self.text).split())
        return max(
            _CUES[kind](sentence, known, self.subject) * (HALF if kind in _THINGS else 1.0)
            for kind in self.kinds
        )


def asked(question: str) -> Asked:
    """What a question asks for, as far as its words tell."""
    kinds: set[Kind] = {kind for kind, form in _FORMS.items() if _asks(question, form)}
    meant = _MEANING.search(question)
    subject = ""
    if meant and not kinds - {"person"} and not _ROLE.search(question):
        subject = surface(_ARTICLES.sub("", meant["what"] or meant["word"]))
        if 0 < len(subject.split()) <= 4:
            kinds = {"meaning"}
        else:
            subject = ""
    worded = strip_notation(question)
    said = terms(_WORKS.sub("", _ORDER.sub("", worded, count=1))) or terms(worded)
    known = tuple(dict.fromkeys(said))
    return Asked(question, frozenset(kinds), known, subject, asked_items(question))


def _asks(question: str, form: re.Pattern[str]) -> bool:
    """Whether a form stands where a question asks: at its first question word, or after `and`.

    Further question words only join clauses: `what do they want, where they are`.
    """
    first = _INTERROGATIVE.search(question)
    return any(
        first is None or match.start() <= first.start() or _AND.search(question[: match.start()])
        for match in form.finditer(question)
    )


@lru_cache(maxsize=4_000)
def terms(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared: their first letters, without a plural's s.

    Scripts that part no words are read by pairs of signs. Words that only ask or join others are
    left out, unless there is nothing else; so is what an apostrophe cuts off.
    """
    words = surface(_ELIDED.sub(" ", text)).split()
    telling = [word for word in words if word not in _ASKING]
    found: list[str] = []
    for word in telling or words:
        if UNSPACED.search(word[:2]):
            found.extend(pairs(word))
        else:
            found.append(stem(word))
    return tuple(found)


# --- what an answer of each kind has ----------------------------------------------------


def _new(form: re.Pattern[str], sentence: str, known: set[str]) -> float:
    """Whether a form occurs in a sentence with words that the question does not have itself."""
    fresh = (set(surface(match[0]).split()) - known for match in form.finditer(sentence))
    return 1.0 if any(fresh) else 0.0


def _reason(sentence: str) -> float:
    """Whether a sentence gives a reason; what may be one counts half."""
    if _REASON.search(sentence):
        return 1.0
    return HALF if _PERHAPS.search(sentence) else 0.0


def _meaning(sentence: str, _known: set[str], subject: str) -> float:
    """How far a sentence says what its subject is: `An X is a`, `An X variable is`, `X. A`.

    It counts less where it only says something of the subject, or what is called by its name.
    """
    stems = [stem(word) for word in subject.split()]
    words = surface(_ARTICLES.sub("", _QUOTES.sub("", sentence))).split()
    if [stem(word) for word in words[: len(stems)]] != stems:
        named = _CALLED.search(sentence)
        called = [stem(word) for word in surface(sentence[named.end() :]).split()] if named else []
        return HALF if called and called[: len(stems)] == stems else 0.0
    rest = words[len(stems) :]
    if rest[:1] and rest[0] in _NOUNS:
        rest = rest[1:]
    if rest[:1] and rest[0] in _DEFINING:
        return 1.0
    if rest[:1] and rest[0] in _VERBS:
        return 1.0 if rest[1:2] and rest[1] in _PREDICATES else LITTLE
    return 1.0 if _entry(sentence, len(words) - len(rest)) else 0.3


def _entry(sentence: str, words: int) -> bool:
    """Whether so many words, and perhaps an article, are the head of an entry: `Loom. The glow`."""
    head = re.match(r"[^.:—–(]{2,60}(?:[.:]| [—–(])", sentence.strip())
    return head is not None and len(surface(_ARTICLES.sub("", head[0])).split()) == words


_CUES: Mapping[Kind, Callable[[str, set[str], str], float]] = {
    "person": lambda sentence, known, _: _new(_NAME, sentence, known),
    "time": lambda sentence, known, _: _new(_TIME, sentence, known),
    "number": lambda sentence, known, _: _new(_NUMBER_WORD, sentence, known),
    "reason": lambda sentence, _known, _: _reason(sentence),
    "place": lambda sentence, known, _: _new(_PLACE, sentence, known),
    "meaning": _meaning,
}


# --- Which two things does a question hold against each other? ----------------------------


_ONE, _OTHER = r"(?P<one>.+?)", r"(?P<other>.+?)[?.!]*$"
_MORE = r"(?:\w+er|worse|(?:more|less|as)\s+\w+)"
_YES_NO = r"^(?:is|are|was|were|do|does|did|has|have)"
_BETWEEN = r"(?:differen\w+|relation\w*|distinction|similarit\w+|comparison|connection|choice)"
_COMPARING_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bcompar(?:e|ing)\s+{_ONE}\s+(?:and|with|to|against|versus|vs\.?)\s+{_OTHER}",
        rf"\b{_BETWEEN}\s+between\s+{_ONE}\s+and\s+{_OTHER}",
        rf"^{_ONE}\s+(?:versus|vs\.?)\s+{_OTHER}",
        rf"^how\s+\w+\s+{_ONE}\s+(?:differ|different|compare)\s+(?:from|to|with)\s+{_OTHER}",
        rf"{_YES_NO}\s+{_ONE}\s+{_MORE}(?:\s+\w+)?\s+(?:than|as)\s+{_OTHER}",
        rf"^is\s+it\s+{_MORE}\s+to\s+\w+\s+{_ONE}\s+or\s+{_OTHER}",
        rf"^(?:which|who|what)\b.*\b{_MORE}\s*[,:]\s*{_ONE}\s+or\s+{_OTHER}",
    )
)
_COMPARING_NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w’'-]*(?:\s+[A-ZÀ-ÖØ-Þ][\w’'-]*)*")
_COMPARING_CALLED = re.compile(  # `the French defence`: the word is a part of what it is called
    rf"{_COMPARING_NAME.pattern}\s+(?P<what>[a-z]+)(?=\s*(?:[?.!]*$|(?:and|or|vs|versus|than|with|from)\b))"
)
_COMPARING = frozenset(
    terms("compare comparison differ difference different relation between versus vs than from how")
)
_CONTRAST = re.compile(
    r"\b(?:differ\w*|unlike|whereas|while|than|but|separat\w+|distinguish\w*|distinct\w*|compared?|"
    r"comparison|contrast\w*|reverse|opposite|instead of|rather than|similar\w*|alike|both)\b",
    re.IGNORECASE,
)
_TELLING = 4  # letters from which the first word of a name tells it apart


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things that are compared: its words as they are compared."""

    terms: tuple[str, ...]
    named: bool

    def within(self, text: str) -> bool:
        """Whether a text speaks of it: by all its words, or by the first of its name."""
        held = set(terms(text))
        first = self.named and len(self.terms[0]) > _TELLING and self.terms[0] in held
        return first or held.issuperset(self.terms)


def sides(question: str) -> tuple[Side, Side] | None:
    """The two things that a question compares; None where it compares none."""
    for form in _COMPARING_FORMS:
        found = form.search(question.strip())
        if found is None:
            continue
        one, other = _side(found["one"]), _side(found["other"])
        shared = set(one.terms) & set(other.terms)
        pair = tuple(
            Side(tuple(term for term in side.terms if term not in shared), side.named)
            for side in (one, other)
        )
        if all(side.terms for side in pair):
            return pair[0], pair[1]
    return None


def side_of(levels: Sequence[str], pair: tuple[Side, Side]) -> Side | None:
    """Which of two things a text is about: by the nearest of its `levels`, the text itself first
    and then what stands above it, that speaks of one of them; None where that speaks of both, or
    stands under the other.
    """
    named = [[side for side in pair if side.within(text)] for text in levels]
    nearest = next((found for found in named if found), [])
    alone = [found[0] for found in named if len(found) == 1]
    return alone[0] if len(nearest) == 1 and alone[:2].count(alone[0]) == len(alone[:2]) else None


def contrasts(text: str) -> bool:
    """Whether a text sets one thing against another."""
    return _CONTRAST.search(text) is not None


def aspect(question: str, pair: tuple[Side, Side]) -> frozenset[str]:
    """The words of a question that say in what respect two things are compared."""
    own = {term for side in pair for term in side.terms}
    own |= {term for found in _COMPARING_CALLED.finditer(question) for term in terms(found["what"])}
    return frozenset(term for term in terms(question) if len(term) > 3) - own - _COMPARING


def _side(text: str) -> Side:
    """A side by its name, where it has one; `the economies of Japan` is Japan."""
    named = _COMPARING_NAME.findall(text)
    words = named[0] if named else text
    found = tuple(dict.fromkeys(term for term in terms(words) if len(term) > 1))
    return Side(found, bool(named))


# --- How are words of others put into an answer? ------------------------------------------


LONGEST = 420
"""Letters of a quoted sentence; a longer one is cut at a clause."""

HEADING = 80
"""Letters of a heading."""

_INNER = str.maketrans({"“": "‘", "”": "’", "„": "‚"})
_CLAUSE = re.compile(r"[;:—–]\s|,\s(?=and|but|which|who|so|while|or|because|where|when)\b|,\s")
_NUMBERING = re.compile(
    r"^(?:\d{1,2}[.)]|\d{1,2}(?:\.\d{1,2})+[.)]?|[IVXLC]+[.)]|§\s*\d+|Chapter \w+:?)\s+"
    r"(?=[^\W\d_]{2,}(?:\W|$)|A\s)"
)
_EMPTY = re.compile(
    r"(?:chapter|part|section|appendix|book|volume|page|item|note|figure|table)?\W*"
    r"(?:\d[\d.]*|[ivxlc]+|[a-z]|one|two|three|four|five)?\W*"
    r"|(?:key ideas|references?|summary|introduction|conclusions?|contents|notes?|background|"
    r"overview|see also|further reading|exercises?|discussion|preface|foreword|abstract|general|"
    r"miscellaneous|others?|bibliography|index|external links|sources|elsewhere|details|examples?)",
    re.IGNORECASE,
)
_TAIL = " ,;:-–—"


def said(text: str) -> str:
    """Words of others as they may stand in an answer."""
    return escape_markdown(neutralize(one_line(text)))


def quoted(parts: Sequence[str]) -> str:
    """Pieces of a text in quotation marks; between two that do not follow one another, a gap."""
    inner = " … ".join(one_line(part) for part in parts)
    return f"“{escape_markdown(neutralize(inner.translate(_INNER)))}”"


def shortened(text: str) -> str:
    """A sentence that is much too long ends at a clause, with an ellipsis."""
    if len(text) <= LONGEST:
        return text
    ends = [match.start() for match in _CLAUSE.finditer(text, 0, LONGEST)]
    strong = [match.start() for match in re.finditer(r"[;:—–]\s", text[:LONGEST])]
    far = [end for end in strong if end > LONGEST // 2] or [
        end for end in ends if end > LONGEST // 2
    ]
    cut = far[-1] if far else text.rfind(" ", 0, LONGEST)
    return f"{text[: cut if cut > 0 else LONGEST].rstrip(_TAIL)} …"


def marks(numbers: Sequence[int]) -> str:
    """`[1] [4]`."""
    return " ".join(f"[{number}]" for number in numbers)


def titled(text: str) -> str:
    """The title of a document as it is, on one line."""
    return said(_brief(one_line(text).strip("#*_ ")))


def heading(text: str) -> str:
    """A heading of a document as one of ours: on one line, without its number."""
    line = one_line(text).strip(_TAIL + "#*_")
    bare = _NUMBERING.sub("", line).lstrip(_TAIL) or line
    if bare.isupper() and len(bare.split()) > 2:
        bare = " ".join(map(_lowered, bare.split()))
    first = bare.split(" ", 1)[0]
    if first.isalpha() and first.islower():
        bare = bare[:1].upper() + bare[1:]
    return said(_brief(bare))


def _lowered(word: str) -> str:
    if word.casefold() in LINKING:
        return word.lower()
    return word.capitalize() if word.strip(".,:;").isalpha() else word


def telling_heading(passage: Passage) -> str:
    """The nearest heading of a passage that says something; empty where none does."""
    for one in reversed(passage.locator.section):
        line = one_line(one).strip()
        if line and not _EMPTY.fullmatch(_NUMBERING.sub("", line)):
            return heading(line)
    return ""


def _brief(line: str) -> str:
    """A heading that is too long ends at a colon or stop, or at a word, with an ellipsis."""
    line = line.rstrip(".")
    if len(line) <= HEADING:
        return line
    first = re.split(r"[:.?;] | [-–—] ", line, maxsplit=1)[0]
    if HEADING // 4 <= len(first) <= HEADING:
        return first
    return f"{line[:HEADING].rsplit(' ', 1)[0].rstrip(_TAIL)} …"


def source(passage: Passage, *, part: bool = True) -> str:
    """`*Title* (section)`: where words come from; the section only where `part`."""
    title = titled(passage.title).replace("*", "")
    named = f"*{title}*" if title else ""
    last = telling_heading(passage)
    if not part or not last or last.casefold() == title.casefold():
        return named
    return f"{named} ({last})" if named else last


# --- How well does each sentence of the passages answer the question? -------------------------


class Signs(NamedTuple):
    """What speaks for a sentence, each from 0 to 1: nearness in meaning, the question's words in
    it and around it, the place of its passage, that it has the kind of thing asked for, and that
    it begins what stands under a heading with the question's words.
    """

    meaning: float
    words: float
    around: float
    place: float
    kind: float
    begins: float = 0.0


NOTHING = Signs(0.0, 0.0, 0.0, 0.0, 0.0)
WEIGHTS = Signs(meaning=1.0, words=1.0, around=0.3, place=0.5, kind=0.6, begins=0.5)
_BEGINNING = 300  # letters of a whole passage that are compared by meaning: the rest is notation
_BEGINS = (1.0, 0.6, 0.3)  # what the first sentences under a heading are worth
MOST = 160
"""Sentences that are compared by meaning; further ones, by words, are passed over."""
_ARROW = re.compile(r"[→←] \(")
_LABEL = re.compile(
    r"(?:BACKGROUND|INTRODUCTION|OBJECTIVES?|AIMS?|PURPOSE|DESIGN|SETTINGS?|METHODS?|RESULTS|"
    r"FINDINGS|CONCLUSIONS?|INTERPRETATION|DISCUSSION|SUMMARY|RATIONALE|SIGNIFICANCE|IMPORTANCE|"
    r"METHODS AND RESULTS|MATERIALS AND METHODS)[:.]?\s+(?=[A-Z])"
)
LINKS = frozenset(("node", "edge", "path"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of an exhibit, or all of a passage that is not cut; `place` counts it there.

    `around` is what a reader sees beside it: the sentence before, headings, a chain of arrows.
    """

    exhibit: Exhibit
    place: int
    sentence: Sentence
    around: str = ""
    signs: Signs = NOTHING

    @property
    def score(self) -> float:
        """How well it answers."""
        return sum(weight * sign for weight, sign in zip(WEIGHTS, self.signs, strict=True))

    @property
    def key(self) -> tuple[int, int]:
        """Its mark and place: what ties are broken by."""
        return (self.exhibit.mark, self.place)

    @property
    def mark(self) -> int:
        """The mark of its exhibit."""
        return self.exhibit.mark


@dataclass(frozen=True, slots=True)
class Reading:
    """All candidates in the order of the evidence, with their vectors where there is a model."""

    asked: Asked
    candidates: tuple[Candidate, ...]
    vectors: Vectors | None = None
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, mark: int) -> list[Candidate]:
        """The candidates of one exhibit, in reading order."""
        return [one for one in self.candidates if one.mark == mark]

    def alike(self, one: Candidate, other: Candidate) -> float:
        """How alike two candidates are, from 0 to 1: by meaning, or by words without a model."""
        if self.vectors is None:
            first, second = set(terms(one.sentence.text)), set(terms(other.sentence.text))
            return len(first & second) / max(1, len(first | second))
        here, there = self.places[one.key], self.places[other.key]
        return max(0.0, float(self.vectors[here] @ self.vectors[there]))


def read(question: str, exhibits: Sequence[Exhibit], embedder: Embedder | None) -> Reading:
    """Read the evidence for a question."""
    wanted = asked(question)
    found = [one for exhibit in exhibits for one in candidates(exhibit)]
    by_words = word_scores(wanted, found)
    headed = headed_scores(wanted, exhibits)
    if len(found) > MOST:
        order = sorted(range(len(found)), key=lambda at: (-sum(by_words[at]), at))[:MOST]
        kept = sorted(order)
        found, by_words = [found[at] for at in kept], [by_words[at] for at in kept]
    vectors = _vectors(found, embedder)
    near = [0.0] * len(found)
    if embedder is not None and vectors is not None:
        near = [float(one) for one in vectors @ embedder.embed_query(question).reshape(-1)]
    scored = tuple(
        replace(one, signs=_signs(wanted, one, near=close, words=words, headed=headed[one.mark]))
        for one, close, words in zip(found, near, by_words, strict=True)
    )
    places = {one.key: at for at, one in enumerate(scored)}
    return Reading(wanted, scored, vectors, places)


def candidates(exhibit: Exhibit) -> list[Candidate]:
    """The sentences of a passage; one of a whole kind is one, of a path the chain is none."""
    passage = exhibit.passage
    above = one_line(" ".join((passage.title, *passage.locator.section)))
    if passage.kind in whole_kinds():
        whole = Sentence(passage.text, 0, len(passage.text), 0)
        return [Candidate(exhibit, 0, whole, above)]
    chain = chain_end(passage.kind, passage.text)
    found = [
        replace(one, start=chain + one.start, end=chain + one.end)
        for one in sentences(passage.text[chain:], passage.locator.section)
        if not (chain and _ARROW.search(one.text)) and not is_drawn(one.text)
    ]
    if not found and passage.kind in ("path", "edge"):
        found = [Sentence(passage.text, 0, len(passage.text), 0)]
    found = [_unlabelled(one) for one in found]
    lead = one_line(passage.text[:chain]) or above
    before = ["", *(one.text for one in found)]
    return [
        Candidate(exhibit, place, one, f"{lead} {before[place]}") for place, one in enumerate(found)
    ]


def _unlabelled(one: Sentence) -> Sentence:
    """A sentence without the label that structured abstracts put before it: `RESULTS We found`."""
    label = _LABEL.match(one.text)
    if label is None:
        return one
    return replace(one, text=one.text[label.end() :], start=one.start + label.end())


def chain_end(kind: str, text: str) -> int:
    """Where the arrows of a path or link end, or the name of a node, and its sentences begin."""
    if kind == "path":
        return text.find("\n") + 1
    if kind not in LINKS:
        return 0
    arrows = max(text.rfind("→"), text.rfind("←"), 0)
    if kind == "edge" and not arrows:
        return 0
    stop = text.find(". ", arrows)
    return stop + 2 if stop >= 0 else len(text)


def word_scores(wanted: Asked, found: Sequence[Candidate]) -> list[tuple[float, float]]:
    """For each candidate the share of the question's words in it, and in what is around it.

    A word counts by its rarity among the candidates; one that none has counts nothing. What stands
    under a heading that the question names whole has the words of that heading.
    """
    said = (*wanted.terms, *wanted.items)
    held = [_held(one.sentence.text) | _named_above(wanted, one.exhibit) for one in found]
    around = [_held(one.around) for one in found]
    counts: Counter[str] = Counter()
    for inside, beside in zip(held, around, strict=True):
        counts.update(term for term in said if _has(term, inside | beside))
    rarity = {term: math.log(1 + len(found) / counts[term]) for term in said if counts[term]}
    total = sum(rarity.values()) or 1.0
    scores = []
    for inside, beside in zip(held, around, strict=True):
        here = {term for term in rarity if _has(term, inside)}
        there = {term for term in rarity if term not in here and _has(term, beside)}
        scores.append(
            (
                sum(rarity[term] for term in sorted(here)) / total,
                sum(rarity[term] for term in sorted(there)) / total,
            )
        )
    return scores


def headed_scores(wanted: Asked, exhibits: Sequence[Exhibit]) -> dict[int, float]:
    """For each exhibit, by its mark, the share of the question's words in the headings above it.

    A word counts by its rarity among the headings, and so does one that none of them has.
    """
    above = {one.mark: _held(" ".join(one.passage.locator.section)) for one in exhibits}
    counts = Counter(term for held in above.values() for term in wanted.terms if _has(term, held))
    rarity = {term: math.log(1 + len(above) / max(1, counts[term])) for term in wanted.terms}
    total = sum(rarity.values()) or 1.0
    return {
        mark: sum(rarity[term] for term in wanted.terms if _has(term, held)) / total
        for mark, held in above.items()
    }


def _held(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | notation_terms(text)


def _named_above(wanted: Asked, exhibit: Exhibit) -> frozenset[str]:
    """The words of the nearest heading, where the question has all of them."""
    section = exhibit.passage.locator.section
    above = _held(section[-1]) if section else frozenset()
    return above if above <= set(wanted.terms) else frozenset()


def _has(term: str, held: frozenset[str]) -> bool:
    return term in held or not held.isdisjoint(SAME.get(term, ()))


def _signs(
    wanted: Asked, one: Candidate, *, near: float, words: tuple[float, float], headed: float
) -> Signs:
    first = (one.exhibit.passage.locator.part or 1) == 1 and not wanted.one_thing
    return Signs(
        meaning=max(0.0, near),
        words=words[0],
        around=words[1],
        place=1.0 / math.log2(1 + one.mark),
        kind=wanted.answers(one_line(one.sentence.text)),
        begins=headed * _BEGINS[one.place] if first and one.place < len(_BEGINS) else 0.0,
    )


def _vectors(found: Sequence[Candidate], embedder: Embedder | None) -> Vectors | None:
    if embedder is None or not found:
        return None
    texts = [_read(one) for one in found]
    cut = [
        text if count <= embedder.limit else _cut(text, count, embedder)
        for text, count in zip(texts, embedder.count(texts), strict=True)
    ]
    return embedder.embed(cut)


def _read(one: Candidate) -> str:
    """What of a candidate is compared by meaning; of a whole passage but a row its beginning."""
    text = one_line(one.sentence.text)
    return text[:_BEGINNING] if one.exhibit.passage.kind in whole_kinds() - {"row"} else text


def _cut(text: str, count: int, embedder: Embedder) -> str:
    """As much of a long sentence as the embedder reads."""
    while count > embedder.limit:
        text = text[: max(1, min(len(text) - 1, int(len(text) * 0.9 * embedder.limit / count)))]
        count = embedder.count([text])[0]
    return text


# --- Can a piece of text be quoted at all? ------------------------------------------------


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

_QUOTABLE_LABEL = re.compile(r"[\[【(]\s*sources?\s+\d+", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…:;。！？｡؟।][\"'”’»)\]」』）]*$")
_ASKS = re.compile(r"[?？؟][\"'”’»)\]」』）]*$")
_POINTS = re.compile(
    r"^(?:the )?(?:following |below )?(?:tables?|figures?|fig\.|charts?|graphs?|diagrams?|plots?)\b"
    r"[^.]{0,40}\b(?:shows?|presents?|represents?|sets?|summari[sz]es?|lists?|illustrates?|"
    r"provides?|compares?)\b(?!\s+(?:that|how|why)\b)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,])")
_QUOTABLE_NUMBER = re.compile(r"(?<![\w.,])[(+-]?\d[\d.,]*(?:[-–]\d[\d.,]*)?%?\)?(?!\w)")
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


class _Patterns(NamedTuple):
    """Patterns that depend on the registered notations.

    A `token` is an item with its number and signs, a `run` several numbered ones, and `marked` an
    item at the end of a text with a sign that looks like the end of a question.
    """

    token: re.Pattern[str]
    run: re.Pattern[str]
    marked: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    item, number = item_pattern(), r"\d{1,3}\s?(?:\.+|…)\s?"
    return _Patterns(
        token=re.compile(rf"(?:{number})?(?:{item}|{result_pattern()})[+#!?]*"),
        run=re.compile(
            rf"(?<![\w.])(?:{number}{item}[+#!?]*(?:\s+{item}[+#!?]*(?![\w-]))?[\s,]*)+"
        ),
        marked=re.compile(rf"(?<!\w){item}[+#]?[!?]+$"),
    )


def length(text: str) -> int:
    """Words of a text; where a script parts none, two signs count as one."""
    unparted = sum(sign > UNPARTED for sign in text)
    return max(len(text.split()), unparted // 2)


def telling(text: str) -> bool:
    """Whether a piece of text can be quoted: a sentence of prose that says something."""
    words = length(text)
    few = len(_SMALL.findall(text)) * SMALL_WORDS < words
    together_run = words > LONGEST_OPEN and few and not re.search(r"[,;:—–()。、，]", text)
    asks = _ASKS.search(text.rstrip()) and not _patterns().marked.search(text.rstrip())
    if together_run or _QUOTABLE_LABEL.search(text) or asks:
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
    return (
        1 < len(words) < SHORTEST
        and len(_QUOTABLE_NUMBER.findall(text)) == 1
        and named == len(words) - 1
    )


def is_line(text: str) -> bool:
    """Whether a text is a line of items of a notation with hardly a word beside them."""
    token = _patterns().token
    items = [word for word in text.split() if token.fullmatch(word.strip(".,;:()"))]
    rest = len(text.split()) - len(items)
    return len(items) > 1 and rest < SHORTEST


def is_row(text: str) -> bool:
    """Whether a text is a row of numbers that lost its table: several of them side by side, or
    more numbers than small words and no stop. Lines of names and values are none.
    """
    text = _THOUSANDS.sub("1000", _patterns().run.sub("items", text))
    numbers = len(_QUOTABLE_NUMBER.findall(text))
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


# --- Does a sentence stand on its own? ----------------------------------------------------


REACH = 2
"""Sentences before it that a leaning sentence may bring along."""

ENTRIES = 12
"""Sentences or entries of a list that an announcing sentence may bring along."""

LIST = 180
"""Words of a list that is brought whole; of a longer one, each entry's first sentence is."""

RUN = 90
"""Words from the beginning of a paragraph to a sentence about a person who is named there."""

_PRONOUNS = """
he she it they him them his her hers its their theirs this that these those such both neither
either another others er sie es ihr sein seine ihre dies diese dieser dieses il elle ils elles
cela ceci ce celui celle ceux ello esto eso este esta estos estas ellos ellas él ella
"""
_JOINTS = """
however but thus therefore hence so yet still also then moreover furthermore nevertheless
nonetheless consequently similarly likewise instead otherwise accordingly and or nor meanwhile
now afterwards afterward later subsequently conversely besides additionally finally here
unfortunately fortunately
aber jedoch doch daher deshalb somit außerdem dann danach
mais cependant donc ainsi pourtant puis ensuite
pero además entonces luego así
"""
_HARD = frozenset(_PRONOUNS.split())
_SOFT = frozenset(_JOINTS.split())
_HARD_PHRASES = re.compile(
    r"^(?:the (?:latter|former|same|other|others|first|second|third|last|two|three)\b"
    r"(?! (?:of|in|to|world|time|century|day|half|part|\w+ed|\w+ \w+ed)\b)"
    r"|in (?:this|that|these|those|such)\b|as such\b|for (?:this|that|these)\b"
    r"|at (?:this|that|the same) \w+|by (?:this|that)\b|after (?:this|that|which)\b"
    r"|one of (?:them|these|those)\b"
    r"|(?:\w+ing|to \w+|with|given|like|as|from|about) (?:this|these|those|such)\b"
    r"|(?:\w+ of|in|at|with|on|by|for|under|of|despite|during) (?:his|her|their|its)\b"
    r"|(?:some|many|most|all|none|each|two|three|four) of (?:them|these|those)\b"
    r"|(?:at|in|on|by|from|after|before|during|since|with|without|for|to|under|over|until|through)"
    r" (?:[\w.,'’-]+ ){1,5}?(?:it|he|she|they)\b"
    r"|(?:when|if|as|once|while|because|although|where|since) (?:at last |at first |then )?"
    r"(?:it|he|she|they|this|these)\b"
    r"|(?:there|here|no|not even) (?:he|she|it|they|such)\b)",
    re.IGNORECASE,
)
_SOFT_PHRASES = re.compile(
    r"^(?:in (?:addition|contrast|turn|other words|the end)\b|as a (?:result|consequence)\b"
    r"|for (?:example|instance)\b|on the (?:other|contrary)\b|by (?:then|contrast)\b"
    r"|from (?:then|there)\b|the result\b|once again\b|first of all\b"
    r"|(?:first|second|third|next|again|last),)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^(?:it (?:is|was|has been|would be|may be|must be) \w+ (?:that|to|who|which)\b"
    r"|these days\b|this (?:chapter|book|paper|report|section|article|study|page|guide|table)\b"
    r"|so (?:many|much|few|far)\b|such (?:is|are)\b|then[- ]\w+)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"^(?:[^\s,;:—–(]+ ){1,14}?(?:this|these)\b"
    r"(?! (?:day|week|month|year|decade|century|chapter|book|paper|report|section|article|study|"
    r"page|guide|table)s?\b)"
    r"|^[A-ZÀ-ÖØ-Þ][\w’'-]+ (?!found|thought|consider|believe)(?:\w+ed|made|took) it\b"
    r"|\b(?:they|it|he|she) \w+ that (?!\w+ed\b)[a-z]+\.$"
    r"|\b(?:for|of|with|by|about) that[.:]"
    r"|\bthe (?:intermediate|opposite|former|latter|reverse|converse|other|same) "
    r"(?:case|one|way|thing|reason|method|rule|idea|kind)s?\.$"
)
_GOES_ON = re.compile(
    r"^[^,;:—–(]{1,80}\binstead\b(?! of)|^(?:[^\s,;:]+ ){1,5}also\b"
    r"|\b(?:earlier|likewise|as well|too)[.!]$",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|she|they|him)\b")
_ABOUT_SOMEONE = re.compile(r"\b(?:he|she|they|him|his|her|them|their)\b", re.IGNORECASE)
_LEANING_KEYED = re.compile(r"[^\W\d_][\w /()'’-]{0,40}:\s\S")
_NOT_A_WORD = re.compile(r"[^\W\d_]*[A-Z0-9]|[^\W\d_]-\w")
_FIRST = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(
    r"^(?:the |a )?(?:first|second|third|fourth|last|another|one|finally)\b", re.I
)
_ANNOUNCES = re.compile(
    r"(?::|\b(?:two|three|four|five|six|several|following|these|same|main|\d) (?:\w+ )?\w+s\.)$"
)


def leans(text: str) -> bool:
    """Whether a sentence can hardly be understood without the one before."""
    return leans_hard(text) or leans_softly(text)


def leans_hard(text: str) -> bool:
    """Whether it speaks of someone or something that only the sentence before names."""
    line, word = _opening(text)
    if not word or _EXPLETIVE.match(line):
        return False
    if line[0].islower() and not _LEANING_KEYED.match(line) and not _NOT_A_WORD.match(line):
        return True  # the rest of a sentence; not `area: 5 km`, `e4 is played`, `k-means is`
    if word in _HARD and not _compound(line, word):
        return True
    return bool(_HARD_PHRASES.match(line) or _WITHIN.search(line))


def leans_softly(text: str) -> bool:
    """Whether it only goes on from the sentence before: `However, the tower stood.`"""
    line, word = _opening(text)
    if not word or _EXPLETIVE.match(line):
        return False
    rest = line[len(word) :]
    if word in _SOFT and not rest.startswith("-"):
        return True
    return bool(_SOFT_PHRASES.match(line) or _GOES_ON.search(line))


def _opening(text: str) -> tuple[str, str]:
    line = one_line(text).lstrip("“\"'‘«(")
    first = _FIRST.match(line)
    return line, first[0].casefold() if first else ""


def _compound(line: str, word: str) -> bool:
    """`Both X and Y`, `Either A or B`: the first word is no pronoun here."""
    rest = line[len(word) :]
    if rest.startswith("-"):
        return True
    return word in ("both", "either", "neither") and bool(re.search(r"\b(?:and|or|nor)\b", rest))


def together(found: Sequence[Sentence], place: int) -> list[int] | None:
    """The places of the sentences that one is quoted with, itself among them, in order.

    One that leans on a name brings those before it, up to the one that has it; one that only
    goes on may be quoted after the beginning of its paragraph, with a gap. None where what it
    leans on is not there, or too far back.
    """
    at = place
    goes_on = leans_softly(found[at].text) and not _PERSON.search(found[at].text)
    if goes_on and at and leans(found[at - 1].text):
        return _after_gap(found, place, at)
    while leans(found[at].text):
        far = place - at >= REACH
        first = at == 0 or found[at - 1].block != found[place].block
        if first or far:
            return _after_gap(found, place, at)
        at -= 1
    return [*range(at, place + 1), *_announced(found, place)]


def _after_gap(found: Sequence[Sentence], place: int, at: int) -> list[int] | None:
    """A sentence that only goes on, behind the one that its paragraph begins with."""
    block = [one for one, sentence in enumerate(found) if sentence.block == found[place].block]
    begins = block[0]
    text = found[place].text
    if leans_hard(text) or _PERSON.search(text) or begins == place or leans(found[begins].text):
        return None
    return [begins, place] if begins < at else None


def far_back(found: Sequence[Sentence], place: int, *, headed: bool) -> list[int] | None:
    """The places of a sentence that leans on something far back, behind what its paragraph
    begins with, with a gap; of a person all between is told as well, lest it be another.

    One that begins the text is quoted alone where it is `headed`: its heading or title has what
    the question names.
    """
    begins = min(at for at, one in enumerate(found) if one.block == found[place].block)
    if begins == place or leans(found[begins].text):
        return [place, *_announced(found, place)] if headed and place == 0 else None
    if not _ABOUT_SOMEONE.search(_opening(found[place].text)[0][:40]):
        return [begins, place, *_announced(found, place)]
    words = sum(len(found[at].text.split()) for at in range(begins, place + 1))
    return list(range(begins, place + 1)) if words <= RUN else None


def announces_nothing(found: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence ends with a colon, and what it announces is not here."""
    ends = one_line(found[place].text).endswith((":", "："))
    return ends and not _announced(found, place)


def _announced(found: Sequence[Sentence], place: int) -> list[int]:
    """The sentences after one that announces them: the first, the second; the entries of a list."""
    last = place
    following = found[place + 1] if place + 1 < len(found) else None
    if following and following.text.endswith(":") and following.block == found[place].block:
        last = place + 1
    if not _ANNOUNCES.search(one_line(found[last].text)):
        return []
    places = list(range(place + 1, last + 1))
    rest = range(last + 1, len(found))
    if found[last + 1 : last + 2] and found[last + 1].entry and not found[last].entry:
        return places + _entries(found, list(takewhile(lambda at: found[at].entry, rest)))
    for at in rest[:ENTRIES]:
        entry = found[last].text.endswith(":") and (
            at == last + 1 or found[at].block != found[at - 1].block
        )
        if not entry and not _COUNTED.match(found[at].text):
            break
        places.append(at)
    return places


def _entries(found: Sequence[Sentence], listed: Sequence[int]) -> list[int]:
    """The places of a list's entries, whole where that is not too long."""
    blocks = sorted({found[at].block for at in listed})[:ENTRIES]
    kept = [at for at in listed if found[at].block in blocks]
    if sum(len(found[at].text.split()) for at in kept) <= LIST:
        return kept
    return [at for at in kept if at == listed[0] or found[at].block != found[at - 1].block]


# --- Which sentences are said? ------------------------------------------------------------


NOVELTY = 0.3
"""What likeness to a chosen sentence costs against relevance."""
SAME_WORDS = 0.8
"""The share of words from which a sentence repeats another."""
REPEATS = 0.88
"""A sentence more alike than this to a chosen one is not said again."""
LEANING = 1.15
"""How much more than the least a sentence must score to bring others along."""
FAR_BETTER = 1.25
"""How much more than the best that stands on its own one must score to be quoted with a gap."""
_LOOSE = re.compile(r"[\s\"'“”‘’«»„‚]+")


@dataclass(frozen=True, slots=True)
class Pick:
    """Neighbouring sentences of one exhibit that are quoted together, in reading order.

    `best` is the one they were chosen for, `also` are those of other exhibits that say the same.
    """

    best: Candidate
    parts: tuple[Candidate, ...]
    also: tuple[Candidate, ...] = ()

    @property
    def mark(self) -> int:
        """The mark of their exhibit."""
        return self.best.mark

    @property
    def words(self) -> int:
        """How long they are."""
        return sum(length(one.sentence.text) for one in self.parts)


def picked(
    reading: Reading,
    among: Sequence[Candidate],
    *,
    words: int,
    least: float,
    most: int,
    before: Sequence[Pick] = (),
) -> list[Pick]:
    """The sentences to say besides those said before, best first.

    At most so many `words` and `most` quotations, and none that scores less than `least`.
    """
    said = list(before)
    new: list[Pick] = []
    best = max((one.score for one in among), default=0.0) or 1.0
    rest = [one for one in among if one.score >= least]
    left = words
    near = {one.key: _nearest(reading, one, said) for one in rest}
    picks = {one.key: _pick(reading, one) for one in rest}
    enough = FAR_BETTER * max((one.score for one in rest if picks[one.key]), default=0.0)
    while rest and left > 0 and len(new) < most:
        chosen = max(
            rest,
            key=lambda one: (one.score / best - NOVELTY * near[one.key], -one.mark, -one.place),
        )
        rest.remove(chosen)
        pick = picks[chosen.key]
        if pick is None and not said and chosen.score >= enough:
            pick = _pick(reading, chosen, far=True)
        pick = _besides(pick, before)
        if pick is None or not _is_new(reading, pick, said):
            continue
        if len(pick.parts) > 1 and chosen.score < LEANING * least:
            continue
        if pick.words > left and (new or before):
            if left < 25:
                break
            continue
        pick = replace(pick, also=_twins(reading, chosen))
        said.append(pick)
        new.append(pick)
        left -= pick.words
        near = {one.key: max(near[one.key], reading.alike(one, chosen)) for one in rest}
    return new


def _nearest(reading: Reading, one: Candidate, said: Sequence[Pick]) -> float:
    return max((reading.alike(one, pick.best) for pick in said), default=0.0)


def _pick(reading: Reading, chosen: Candidate, *, far: bool = False) -> Pick | None:
    """A sentence with what it leans on; None where that is not there, or nothing is told.

    With `far` it may lean on something far back: it is far better than those that do not.
    """
    said = chosen.sentence
    if not telling(said.text) and not (said.entry and is_entry(said.text)):
        return None
    everything = reading.of(chosen.mark)
    if not _whole(everything):
        return Pick(chosen, (chosen,)) if not leans(chosen.sentence.text) else None
    found = [one.sentence for one in everything]
    if announces_nothing(found, chosen.place):
        return None
    headed = far and _headed(reading, chosen)
    places = far_back(found, chosen.place, headed=headed) if far else together(found, chosen.place)
    parts = _quotable(chosen, [everything[at] for at in places or ()])
    return Pick(chosen, parts) if parts else None


def _headed(reading: Reading, chosen: Candidate) -> bool:
    """Whether the headings or title above a sentence have something that the question names."""
    passage = chosen.exhibit.passage
    above = terms(" ".join((passage.title, *passage.locator.section)))
    return not set(above).isdisjoint(reading.asked.terms)


def _quotable(chosen: Candidate, parts: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The parts without code, and without the rest of an entry that has some; none if there is
    some before the chosen one, or if that announces what is not left.
    """
    kept: list[Candidate] = []
    cut: set[int] = set()
    for one in parts:
        if _is_code(one):
            cut.add(one.sentence.block)
        elif one.sentence.block not in cut:
            kept.append(one)
    if chosen not in kept or any(_is_code(one) for one in parts if one.place < chosen.place):
        return ()
    ends = kept[-1] is chosen and chosen.sentence.text.rstrip().endswith(":")
    return () if ends else tuple(kept)


def _is_code(one: Candidate) -> bool:
    return is_code(one.sentence.text) or is_row(one.sentence.text)


def _whole(everything: Sequence[Candidate]) -> bool:
    """Whether all sentences of an exhibit are there, so that neighbours can be brought along."""
    return [one.place for one in everything] == list(range(len(everything)))


def _besides(pick: Pick | None, before: Sequence[Pick]) -> Pick | None:
    """A pick without sentences that were quoted before; None if it leans on one of those."""
    told = {one.key for earlier in before for one in earlier.parts}
    if pick is None or told.isdisjoint(one.key for one in pick.parts):
        return pick
    left = tuple(one for one in pick.parts if one.key not in told)
    if pick.best not in left or leans(left[0].sentence.text):
        return None
    return replace(pick, parts=left)


def _is_new(reading: Reading, pick: Pick, said: Sequence[Pick]) -> bool:
    """Whether it says something that is not said yet, word for word or nearly so."""
    told = {one.key for earlier in said for one in (*earlier.parts, *earlier.also)}
    if pick.best.key in told:
        return False
    return all(
        reading.alike(pick.best, earlier.best) < REPEATS
        and not _repeats(pick.best.sentence.text, earlier.best.sentence.text)
        for earlier in said
    )


def _twins(reading: Reading, chosen: Candidate) -> tuple[Candidate, ...]:
    """The same sentence in every other exhibit that has it to the letter."""
    here = _letters(chosen.sentence.text)
    found: dict[int, Candidate] = {}
    for one in reading.candidates:
        if one.mark != chosen.mark and _letters(one.sentence.text) == here:
            found.setdefault(one.mark, one)
    return tuple(found[mark] for mark in sorted(found))


def _letters(text: str) -> str:
    """A sentence as it is compared to the letter: case, spaces and quotation marks aside."""
    return _LOOSE.sub("", text).casefold()


def _repeats(one: str, other: str) -> bool:
    """Whether two sentences have nearly the same words, and the same numbers."""
    first, second = set(terms(one)), set(terms(other))
    shared = len(first & second) / max(1, len(first | second))
    return shared >= SAME_WORDS and _numbers(first) == _numbers(second)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if any(sign.isdigit() for sign in word)}
