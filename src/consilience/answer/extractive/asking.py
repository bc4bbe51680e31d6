"""What does a question ask for? A person, a time, a number, a reason, a place, a meaning.

Read from its question words in English, German, French and Spanish. In another language nothing
is known of it, and sentences are chosen by meaning and words alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from consilience.answer.extractive.moving import asked_terms, without_moves
from consilience.answer.words import JOINING, MONTHS, UNSPACED, beginning, pairs, stem
from consilience.names import surface

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
    a question for a meaning wants explained, as a surface. `moves` are the chess moves it asks
    about; they are none of its words.
    """

    text: str
    kinds: frozenset[Kind]
    terms: tuple[str, ...]
    subject: str = ""
    moves: tuple[str, ...] = ()

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
    worded = without_moves(question)
    said = terms(_WORKS.sub("", _ORDER.sub("", worded, count=1))) or terms(worded)
    known = tuple(dict.fromkeys(said))
    return Asked(question, frozenset(kinds), known, subject, asked_terms(question))


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
