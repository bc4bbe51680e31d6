"""Which relations does a sentence state between two concepts that it names?

The names are masked first, so that a pattern sees `⟦0⟧ requires ⟦1⟧ and ⟦2⟧`. What is denied,
asked, supposed or only said to be believed is no statement, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from consilience.packs.research.proposing.patterns import RULES, WHOLE, Rule, any_form
from consilience.packs.research.proposing.phrases import LOOSE
from consilience.packs.research.proposing.values import Relation, Text
from consilience.packs.research.proposing.vocabulary import Mention, Vocabulary

LEAST, SUREST = 0.35, 0.95
HEAVY = 0.15
"""What it costs where a name is only a part of a longer one: `confounding function`."""
_ONE = r"⟦\d+⟧"
_DET = r"(?:(?:the|an?|both|of|on|with)\s+)*"
_NEXT = rf"(?:\s*\([^()⟦⟧]*\))?\s*,\s*{_DET}{_ONE}"
_LAST = rf"(?:\s*\([^()⟦⟧]*\))?\s+(?:and|or|as well as)\s+{_DET}{_ONE}"
_GROUP = rf"{_ONE}(?:(?:{_NEXT})+,?{_LAST}|{_LAST})?"
"""One name, two with `and` between them, or a list; a comma alone joins no two names."""
_CLAUSE = re.compile(
    r"[;:—]|\s–\s|\b(?:but|because|while|whereas|if|when|since|although|though|so|unless|whether|"
    r"that|where|whenever|as)\b"
)
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|suppose|imagine|whenever)\b[^,;:]*$", re.IGNORECASE)
_RELATIVE = re.compile(r",?\s*\b(?:which|that|who)\s*$")
_ASIDE = re.compile(
    r"\s*(?:\([^()]*\)|,[^,⟦⟧]*,|,\s*(?:unlike|like|in contrast|as opposed|such as|for example|"
    r"including|especially|with|in|on|by|of|\w+ed|\w+ing)\b[^,]*,)\s*$"
)
_LEADING = re.compile(
    r"^\s*(?:unlike|like|in contrast to|as opposed to|compared (?:with|to)|contrary to)\b[^,]*,",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:nobody|no one|doubts?|doubted|den(?:y|ies|ied)|might|may|could|think|thinks|thought|"
    r"believes?|believed|hopes?|hoped|pretends?|belief|fear|fears|feared|as though)\b",
    re.IGNORECASE,
)
_ADVERBS = re.compile(
    r"(?:^|\s)(?:also|therefore|thus|then|hence|typically|usually|often|generally|formally|only|"
    r"still|in turn|implicitly|explicitly|always|both|all|each|itself|themselves|can|could|may|"
    r"might|must|will|simply|directly|essentially|commonly|sometimes|partly|further|additionally|"
    r"similarly|instead|crucially|importantly|in general|in practice|of course|has|have|not only|"
    r"is|are|,)\s*$"
)
_AGAIN = re.compile(
    rf"^\s*(?:[Tt]he\s+|[Aa]n?\s+)?(?P<group>{_GROUP})(?:\s+\w+)?\s+(?!{_ONE})[a-z]+(?:s|es)\b[^;]*?"
    r"(?P<clause>(?:\s+and|[,:;]\s*(?:and\s+)?it|,\s*and)(?:\s+(?:also|thus|then|therefore))?\s*)$"
)
"""A subject that a second verb takes up: `⟦0⟧ requires ⟦1⟧ and uses …`, `…; it uses …`."""
_TAIL = re.compile(rf"(?P<group>{_GROUP})(?P<rest>(?:\s+[^\s⟦⟧,;:()]+){{0,5}})\s*$")
_FILL = re.compile(rf"^(?P<fill>(?:\s+[^\s⟦⟧,;:()]+){{0,5}}?)\s*(?P<group>{_GROUP})")
_DENIED = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|hardly|scarcely|rarely|seldom|nothing|few|"
    r"fails? to|failed to|instead of|rather than|would|seems?|appears?|absence|lack|lacks|free of|"
    r"freedom from)\b|n['’]t\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(r"\bnot (?:only|just|merely)\b", re.IGNORECASE)
_BELIEVED = re.compile(
    r"\b(?:myth|misconception|mistaken(?:ly)?|wrong(?:ly)?|false(?:ly)?|incorrect(?:ly)?|untrue|"
    r"contrary|misleading(?:ly)?|used to (?:think|believe)|"
    r"it is (?:often|sometimes) (?:said|thought))\b",
    re.IGNORECASE,
)
_VERB_OR_BREAK = frozenset(
    """
    is are was were be been has have had does do did can could may might must will would should
    which who whose than if when unless because but and or so as to in on for from by with at
    between within over after before into through against about fewer less requires require uses
    use addresses address extends extend tests needs need assumes assume relies rely gives give
    makes make shows show estimates compares removes replaces holds hold where while
    """.split()  # noqa: SIM905 - a long list of words is not easier to read
)
_FREE = frozenset(("the", "a", "an", "its", "their", "some", "both", "that", "only", "any", "all"))
_PREPOSITION = re.compile(
    r"\b(?:of|in|for|on|with|under|by|from|at|to|within|without|than|between|like|as|into|over|"
    r"against|across|through|around|after|before|during)\s+"
    r"(?:(?:the|an?|its|their|this|these|each|every|standard|usual|plain|ordinary)\s+)*$"
)
_FOREIGN = re.compile(r"([^\W\d_]+)[\s-]$")
_LIGHT = frozenset(
    """
    the a an of in for on with under by from to and or both its their that this these each every
    any all as is are than between no not ordinary standard classical usual simple basic common
    plain assumption condition called method problem
    """.split()  # noqa: SIM905
)
_BEHIND = frozenset(
    """
    assumption assumptions condition conditions restriction hypothesis criterion problem bias
    only also then here there itself without unless given across under during until since though
    although given too instead rather even just alone together first again via along per what how
    """.split()  # noqa: SIM905
)
"""Words that may follow a name without making it a part of another."""
_FURTHER = re.compile(r"\s([^\W\d_]{3,})\b")
_MAYBE = re.compile(r"\b(?:can|could|may|might|sometimes|partly|perhaps|often|usually)\b")
Fit = Mapping[str, frozenset[str]]
_ENDS_IN: Fit = {
    "TESTS": frozenset(("assumption", "problem", "")),
    "ADDRESSES": frozenset(("problem", "assumption", "")),
    "REQUIRES": frozenset(("assumption", "method", "dataset", "estimand", "test", "")),
}
"""The kinds that the end of a relation has as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Masked:
    """A sentence with the names of concepts as numbers in brackets."""

    text: str
    names: tuple[str, ...]
    light: tuple[bool, ...]

    def named(self, group: str) -> list[int]:
        """The numbers of a group."""
        return [int(one) for one in re.findall(r"⟦(\d+)⟧", group)]


def propose_relations(
    texts: Sequence[Text], vocabulary: Vocabulary, *, known: Vocabulary
) -> list[Relation]:
    """What sentences state between concepts of a vocabulary, the surest first, each once.

    Relations that the graph has already are left out; ends that it does not have cost confidence.
    """
    best: dict[tuple[str, str, str], Relation] = {}
    for text in texts:
        for sentence in text.sentences:
            for one in _stated(sentence, text, vocabulary, known=known):
                held = best.get(one.key)
                if one.key not in known.relations and (
                    held is None or one.confidence > held.confidence
                ):
                    best[one.key] = one
    return sorted(best.values(), key=lambda one: (-one.confidence, one.key))


def _stated(
    sentence: str, text: Text, vocabulary: Vocabulary, *, known: Vocabulary
) -> Iterator[Relation]:
    mentions = vocabulary.mentions(sentence)
    if len({one.name for one in mentions}) < 2 or sentence.endswith("?"):
        return
    if _BELIEVED.search(sentence):
        return
    masked = _mask(sentence, mentions)
    for rule, ends, cost in (*_around(masked), *_wholly(masked)):
        for source, target in ends:
            first, last = (target, source) if rule.reverse else (source, target)
            names = masked.names[first], masked.names[last]
            if _same(*names):
                continue
            strange = sum(one not in known.kinds for one in names)
            heavy = sum(not masked.light[one] for one in (first, last))
            odd = known.kinds.get(names[1], "") not in _ENDS_IN.get(
                rule.type, frozenset((known.kinds.get(names[1], ""),))
            )
            sure = rule.confidence - cost - 0.1 * strange - HEAVY * heavy - 0.15 * odd
            if sure >= LEAST:
                yield Relation(
                    source=names[0],
                    type=rule.type,
                    target=names[1],
                    confidence=round(min(SUREST, sure), 2),
                    why=f"pattern: {rule.told}",
                    evidence=text.evidence(sentence),
                )


def _same(one: str, other: str) -> bool:
    """Whether two names are of one thing: nothing requires itself."""
    return one == other


def _mask(sentence: str, mentions: Sequence[Mention]) -> _Masked:
    sentence = sentence.replace("⟦", "[").replace("⟧", "]")  # as long as before
    parts, names, light, place = [], [], [], 0
    for number, one in enumerate(mentions):
        before = _FOREIGN.search(sentence[: one.start])
        light.append(before is None or before[1].casefold() in _LIGHT or _is_verb(before[1]))
        parts += [sentence[place : one.start], f"⟦{number}⟧"]
        names.append(one.name)
        place = one.end
    return _Masked(text="".join((*parts, sentence[place:])), names=tuple(names), light=tuple(light))


@cache
def _verb() -> re.Pattern[str]:
    return re.compile(any_form(), re.IGNORECASE)


@cache
def _new_clause() -> re.Pattern[str]:
    """A verb behind a name: the name is the subject of another statement."""
    helping = "is|are|was|were|has|have|had|does|do|can|could|may|might|must|will|would|should"
    return re.compile(rf"\s+(?:{helping}|{any_form()})(?![\w-])")


@cache
def _owned() -> re.Pattern[str]:
    """A verb right before a name: the name is the object of another statement."""
    return re.compile(rf"(?<![\w-])(?:{any_form()})\s+(?:(?:the|an?|both)\s+)*$")


@lru_cache(maxsize=10_000)
def _is_verb(word: str) -> bool:
    return _verb().fullmatch(word) is not None


# --- subject, verb, object ----------------------------------------------------------------

Ends = list[tuple[int, int]]


def _around(masked: _Masked) -> Iterator[tuple[Rule, Ends, float]]:
    """Verbs with what stands before and behind them."""
    for rule in RULES:
        for match in rule.form.finditer(masked.text):
            left, right = masked.text[: match.start()], masked.text[match.end() :]
            subject, object_ = _subject(left), _object(right)
            if subject is None or object_ is None:
                continue
            clause, group, before = subject
            behind, after = object_
            if is_denied(clause + match[0] + right[: right.find("⟦")]):
                continue
            maybe = 0.1 if _MAYBE.search(clause[clause.rfind("⟧") + 1 :] + match[0]) else 0.0
            ends = [(one, two) for one in masked.named(group) for two in masked.named(behind)]
            yield rule, ends, before + after + maybe


def is_denied(clause: str) -> bool:
    """Whether words deny what they speak of: `does not`, `no longer`, `without`."""
    return bool(_DENIED.search(_NOT_ONLY.sub(" ", clause)))


def _subject(left: str) -> tuple[str, str, float] | None:
    """The clause before a verb, the group of names that is its subject, and what doubt costs."""
    left = _RELATIVE.sub("", left)
    cuts = list(_CLAUSE.finditer(left))
    doubted = cuts and cuts[-1][0] == "that" and _is_doubted(left[: cuts[-1].start()])
    if doubted or _SUPPOSED.search(left):
        return None
    again = _AGAIN.match(left)
    if again is not None:
        return left, again["group"], 0.15
    clause = _LEADING.sub("", left[cuts[-1].end() :] if cuts else left)
    head = _head(_stripped(clause))
    return None if head is None else (clause, *head)


def _head(bare: str) -> tuple[str, float] | None:
    """The group of names that a clause ends in; `of` and its like lead to one further left."""
    found = _TAIL.search(bare)
    if found is None:
        return None
    rest = [one.casefold() for one in found["rest"].split()]
    if any(one in _VERB_OR_BREAK - _PLACES for one in rest):
        return None
    before = bare[: found.start()]
    prefixed = _PREPOSITION.search(before)
    if prefixed is not None:
        further = _head(before[: prefixed.start()]) if "⟦" in before else None
        return further or (found["group"], 0.15 + 0.05 * len(rest))
    group = found["group"]
    if _owned().search(before):  # the first of them belong to another verb
        group = group[group.rindex("⟦") :]
    loose = [one for one in rest if one.rstrip("s") not in LOOSE]
    return group, min(0.05 * len(loose), 0.2) + (0.1 if loose and loose[0] not in _LIGHT else 0)


def _is_doubted(before: str) -> bool:
    """Whether `that` hangs on something denied or only believed: `there is no evidence that`."""
    main = re.split(r"[;:]", before)[-1]
    return is_denied(main) or bool(_DOUBTED.search(main))


_PLACES = frozenset(("in", "on", "for", "from", "by", "with", "at", "to", "as"))


def _stripped(clause: str) -> str:
    """A clause without what may stand between a subject and its verb."""
    before = ""
    while before != clause:
        before = clause
        clause = _ADVERBS.sub("", _ASIDE.sub("", clause))
    return clause


def _object(right: str) -> tuple[str, float] | None:
    """The group of names that a verb is about, and what doubt costs."""
    found = _FILL.match(right)
    if found is None:
        return None
    fill = [one.casefold() for one in found["fill"].split()]
    if any(one in _VERB_OR_BREAK for one in fill) or fill[:1] == ["of"]:
        return None
    heavy = [one for one in fill if one not in _FREE]
    group = found["group"]
    if _new_clause().match(right[found.end() :]):  # the last name begins another statement
        group = group.rpartition("⟦")[0] if group.count("⟦") > 1 else group
    clause = 0.25 if "that" in fill else 0.0
    further = _FURTHER.match(right[found.end() :])
    clause += 0.1 if further and not _closes(further[1]) else 0.0
    return group, 0.05 * len(heavy) + (0.1 if "of" in heavy else 0.0) + clause


def _closes(word: str) -> bool:
    """Whether a word behind a name leaves the name whole: an adverb, a verb, a word that ties."""
    low = word.casefold()
    ends = low.endswith(("ly", "ing", "ed")) or low.rstrip("s") in LOOSE or low in _LIGHT
    return ends or low in _VERB_OR_BREAK or low in _BEHIND or _is_verb(low)


# --- forms that hold both ends ---------------------------------------------------------------


def _wholly(masked: _Masked) -> Iterator[tuple[Rule, Ends, float]]:
    """`the key assumption of ⟦0⟧ is ⟦1⟧`."""
    for rule in WHOLE:
        for match in rule.form.finditer(masked.text):
            start = max(masked.text.rfind(sign, 0, match.start()) for sign in (";", ":", ",", "—"))
            if is_denied(masked.text[max(start, 0) : match.end()]):
                continue
            ends = [
                (one, two)
                for one in masked.named(match["first"])
                for two in masked.named(match["last"])
            ]
            yield rule, ends, 0.0
