"""Which concepts and abbreviations does a text introduce that the graph lacks?

A long name with its abbreviation in brackets, a sentence that says what something is, a heading
that the text takes up, and runs of words that come again and again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from consilience.packs.research.proposing.abbreviations import (
    is_short,
    long_form,
    singular_short,
)
from consilience.packs.research.proposing.phrases import (
    HEADS,
    LOOSE,
    MOST_WORDS,
    cleaned,
    is_name,
    kind_of,
    runs,
    words_of,
)
from consilience.packs.research.proposing.values import Concept, Evidence, Text, spread
from consilience.packs.research.proposing.vocabulary import Vocabulary
from consilience.understand.names import singular_or_plural, surface

SHORTENED, CALLED, DEFINED, SAID_TO_BE, HEADED, FREQUENT = 0.9, 0.75, 0.75, 0.6, 0.55, 0.3
HEADING, OFTEN = "a heading", "it comes often"
FEWEST = 3
"""How often a run of words comes before it is proposed."""
PASSAGES = 2
MORE = 0.05
SUREST = 0.95
_BRACKETS = re.compile(r"\(([^()]{2,60})\)")
_IS = re.compile(
    r"^(?:In [^,]{3,40}, )?(?P<name>[^,;:()]{3,60}?)(?: \([^()]{2,12}\))? "
    r"(?P<verb>(?:is|are) (?:an?|the|any|one of the)|refers? to|(?:is|are) defined (?:as|to be)|"
    r"denotes?|means (?:an?|the)) (?P<told>.+)$"
)
_CALLED = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|being|what|often|commonly)|,|\() "
    r"(?P<also>also |sometimes |otherwise |often |usually |sometimes also )?"
    r"(?:called|known as|termed|named|"
    r"referred to as) (?:the |an? )?(?P<name>[^,;:.()“”\"]{3,60})"
)
_PLACED = re.compile(r"\s(?:in|for|on|with|to)\s")
_POINTING = re.compile(r"(?:This|That|These|Those|Such|Another|Our|Its|Their|One|Both)\b")
_NUMBERED = re.compile(r"^(?:[A-Z]|\d+|[IVX]+)(?:\.\d+)*[.):]?\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A name as one way of reading came upon it."""

    name: str
    way: str
    confidence: float
    evidence: Evidence
    aliases: tuple[str, ...] = ()
    definition: str = ""
    told: str = ""


def propose_concepts(texts: Sequence[Text], known: Vocabulary) -> list[Concept]:
    """The concepts that texts introduce, the surest first, and new aliases of known ones."""
    counted = _counted(texts)
    common = _common_words(texts)
    seen = [
        *(one for text in texts for one in _introduced(text, counted, known)),
        *_headed(texts, counted),
        *_frequent(counted),
    ]
    by_name: dict[str, list[_Seen]] = defaultdict(list)
    for one in seen:
        by_name[_key(one.name)].append(replace(one, name=_as_written(one.name, common)))
    found = [_concept(group, known) for group in _joined(by_name).values()]
    fresh = [one for one in found if one is not None]
    return sorted(fresh, key=lambda one: (-one.confidence, one.name))


def _concept(group: Sequence[_Seen], known: Vocabulary) -> Concept | None:
    """What several ways of reading found of one name; None where the graph has it all."""
    best = max(group, key=lambda one: (one.confidence, bool(one.definition)))
    ways = spread([one.way for one in group])
    aliases = spread(*([one.aliases for one in group] or [()]))
    name = _already(best.name, aliases, known)
    if name:
        new = tuple(one for one in (best.name, *aliases) if _lacks(known, one))
        loose = _with_loose_head(best.name, known)
        new = tuple(one for one in new if one != best.name) if loose else new
        if not new or best.way in (HEADING, OFTEN):
            return None
        return Concept(
            name=name,
            kind=known.kinds.get(name, ""),
            confidence=best.confidence,
            why=f"another name of it: {best.way}",
            evidence=best.evidence,
            aliases=new,
            known=True,
        )
    told = next((one for one in group if one.told), best)
    return Concept(
        name=best.name,
        kind=kind_of(best.name, told.told),
        confidence=round(min(SUREST, best.confidence + MORE * (len(ways) - 1)), 2),
        why=", ".join(ways),
        evidence=(told if told.definition else best).evidence,
        aliases=tuple(one for one in aliases if _key(one) != _key(best.name)),
        definition=told.definition,
    )


def _already(name: str, aliases: Sequence[str], known: Vocabulary) -> str:
    """The concept of the graph that a name means, itself or by an abbreviation, or nothing.

    An abbreviation alone does not tell: `SCM` is short for several things. The long name must
    have words of the known one.
    """
    meant = known.meaning(name) or _with_loose_head(name, known)
    if meant:
        return meant
    for short in aliases:
        other = known.meaning(short)
        spelt = (other, *known.aliases.get(other, ())) if other else ()
        if any(_alike(name, one) for one in spelt):
            return other
    return ""


def _alike(one: str, other: str) -> bool:
    """Whether most words of two names begin alike: `randomised trial`, `randomized trials`."""
    first, second = ({word[:5] for word in surface(name).split()} for name in (one, other))
    return 2 * len(first & second) > max(len(first), len(second))


def _lacks(known: Vocabulary, name: str) -> bool:
    return not known.meaning(name)


def _with_loose_head(name: str, known: Vocabulary) -> str:
    """The known concept of `fixed effects estimator`, which is no other than `fixed effects`."""
    head, _, last = surface(name).rpartition(" ")
    singular = [last, *singular_or_plural(last)]
    return known.meaning(head) if head and LOOSE & set(singular) else ""


# --- what a sentence introduces ----------------------------------------------------------


def _introduced(text: Text, counted: Mapping[str, _Run], known: Vocabulary) -> Iterator[_Seen]:
    for sentence in text.sentences:
        yield from _shortened(sentence, text)
        yield from _defined(sentence, text, counted)
        yield from _called(sentence, text, counted)
        yield from _also_called(sentence, text, counted, known=known)


def _often(name: str, counted: Mapping[str, _Run]) -> int:
    run = counted.get(_key(name))
    return run.count if run else 0


def _shortened(sentence: str, text: Text) -> Iterator[_Seen]:
    """Long names with their abbreviation in brackets, or the other way round."""
    for match in _BRACKETS.finditer(sentence):
        inside = re.split(r"[,;]", match[1])[0].strip()
        before = sentence[: match.start()].rstrip()
        if is_short(inside):
            long, short = long_form(inside, before), inside
        else:
            last = before.rpartition(" ")[2]
            short = last if is_short(last) else ""
            long = long_form(short, inside) if short else ""
            long = long if long == inside else ""
        if long and is_name(long, alone=True):
            yield _Seen(
                name=long,
                way="its abbreviation stands beside it",
                confidence=SHORTENED,
                evidence=text.evidence(sentence),
                aliases=(singular_short(short),),
            )


def _defined(sentence: str, text: Text, counted: Mapping[str, _Run]) -> Iterator[_Seen]:
    """`X is a …`, `X refers to …`: what a sentence says that something is.

    Of what only *is* something, the text speaks more than once.
    """
    match = _IS.match(sentence)
    if match is None or sentence.endswith("?") or _POINTING.match(sentence):
        return
    name = cleaned(match["name"])
    plain = match["verb"].split()[0] in ("is", "are") and "defined" not in match["verb"]
    told = surface(match["told"]).split()[:5]
    heads = bool(HEADS & set(told))
    single = len(name.split()) == 1
    often = _often(name, counted)
    enough = (heads and often >= FEWEST) if single else (often >= PASSAGES or not plain)
    if is_name(name, alone=single) and enough:
        yield _Seen(
            name=name,
            way="a sentence says what it is",
            confidence=(SAID_TO_BE if plain else DEFINED) + (MORE if heads else 0),
            evidence=text.evidence(sentence),
            definition=sentence,
            told=match["told"],
        )


def _called(sentence: str, text: Text, counted: Mapping[str, _Run]) -> Iterator[_Seen]:
    """`… is called X`: what something goes by."""
    for match in _CALLED.finditer(sentence):
        name = _cut(match["name"], counted)
        if not match["also"] and is_name(name):
            yield _Seen(
                name=name,
                way="a sentence says what it is called",
                confidence=CALLED,
                evidence=text.evidence(sentence),
                told=sentence[: match.start()].rpartition(", ")[2] if match.start() else "",
            )


def _also_called(
    sentence: str, text: Text, counted: Mapping[str, _Run], *, known: Vocabulary
) -> Iterator[_Seen]:
    """`X, also called Y, …`: another name of what stands right before."""
    for match in _CALLED.finditer(sentence):
        before = sentence[: match.start()]
        if not match["also"] or match[0][0] not in ",(" or before.endswith(")"):
            continue
        other = _cut(match["name"], counted)
        words = words_of(before)
        names = (before[one.start() :].strip() for one in words[-MOST_WORDS:])
        name = next(
            (
                one
                for one in names
                if known.meaning(one) or (is_name(one) and _often(one, counted) >= PASSAGES)
            ),
            "",
        )
        if name and other and _key(name) != _key(other):
            yield _Seen(
                name=name,
                way="a sentence gives another name of it",
                confidence=CALLED,
                evidence=text.evidence(sentence),
                aliases=(other,),
            )


def _cut(phrase: str, counted: Mapping[str, _Run]) -> str:
    """The words a phrase begins with that could be a name: all, or a run that comes elsewhere."""
    found = words_of(phrase)
    for last in range(min(len(found), MOST_WORDS), 0, -1):
        piece = phrase[found[0].start() : found[last - 1].end()]
        whole = last == len(found)
        if (
            is_name(piece)
            and not _PLACED.search(piece)
            and (whole or _often(piece, counted) >= PASSAGES)
        ):
            return piece
    return ""


# --- what texts come back to --------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """A run of words that could be a name: how often it comes, where, and how it is written."""

    count: int = 0
    passages: set[str] = field(default_factory=set)
    written: Counter[str] = field(default_factory=Counter)
    evidence: Evidence | None = None


def _counted(texts: Iterable[Text]) -> dict[str, _Run]:
    found: dict[str, _Run] = defaultdict(_Run)
    for text in texts:
        for sentence in text.sentences:
            alone = [(one.start(), one.end()) for one in words_of(sentence)]
            for start, end in (*runs(sentence), *alone):
                one = found[_key(sentence[start:end])]
                one.count += 1
                one.passages.add(text.passage)
                one.written[sentence[start:end]] += 1
                one.evidence = one.evidence or text.evidence(sentence)
    return dict(found)


def _headed(texts: Sequence[Text], counted: Mapping[str, _Run]) -> Iterator[_Seen]:
    """Headings that the text takes up."""
    for heading in spread(*([text.headings for text in texts] or [()])):
        name = cleaned(_NUMBERED.sub("", heading))
        run = counted.get(_key(name))
        if is_name(name) and run is not None and run.count >= PASSAGES and run.evidence:
            written = run.written.most_common(1)[0][0]
            yield _Seen(name=written, way=HEADING, confidence=HEADED, evidence=run.evidence)


def _frequent(counted: Mapping[str, _Run]) -> Iterator[_Seen]:
    """Runs of words that come again and again, in several passages, and not only within others."""
    inside = _within(counted)
    for key, run in counted.items():
        own = run.count - inside[key]
        name = run.written.most_common(1)[0][0]
        telling = bool({key.split()[-1], surface(name).split()[-1]} & HEADS)
        enough = (
            " " in key
            and own >= (FEWEST if telling else FEWEST + 3)
            and len(run.passages) >= PASSAGES
        )
        people = name.istitle() and not telling
        if enough and not people and run.evidence and is_name(name) and cleaned(name) == name:
            sure = FREQUENT + min(own, 20) / 100 + (0.1 if telling else 0)
            yield _Seen(name=name, way=OFTEN, confidence=sure, evidence=run.evidence)


def _within(counted: Mapping[str, _Run]) -> Counter[str]:
    """How often each run stands only as a part of one longer run that is frequent itself."""
    inside: Counter[str] = Counter()
    for key, run in counted.items():
        words = key.split()
        if run.count < FEWEST or len(words) < 3:
            continue
        for length in range(2, len(words)):
            for start in range(len(words) - length + 1):
                part = " ".join(words[start : start + length])
                inside[part] = max(inside[part], run.count)
    return inside


def _joined(by_name: dict[str, list[_Seen]]) -> dict[str, list[_Seen]]:
    """Names that are one: an abbreviation and its long name, or two long names of which one ends
    in the other; the shorter of these is taken.
    """
    owners = {
        _key(alias): key for key, group in by_name.items() for one in group for alias in one.aliases
    }
    for key in sorted(by_name, key=len):
        owner = owners.get(key, key)
        if owner != key and owner in by_name:
            by_name[owner] += [
                replace(one, name=by_name[owner][0].name) for one in by_name.pop(key)
            ]
    shortened = [key for key in by_name if any(one.aliases for one in by_name[key])]
    for key in sorted(shortened, key=len):
        mine = {alias for one in by_name.get(key, ()) for alias in one.aliases}
        for other in [one for one in shortened if one in by_name and one.endswith(f" {key}")]:
            if mine & {alias for one in by_name[other] for alias in one.aliases}:
                name = by_name[key][0].name
                by_name[key] += [replace(one, name=name) for one in by_name.pop(other)]
    return by_name


def _key(name: str) -> str:
    """How names are compared here: a plural is its singular."""
    plain = surface(name)
    head, space, last = plain.rpartition(" ")
    shorter = [one for one in singular_or_plural(plain) if len(one) < len(plain)]
    return shorter[0] if last.endswith("s") and shorter and (space or head == "") else plain


def _common_words(texts: Iterable[Text]) -> frozenset[str]:
    """The words, as they begin a sentence, that are no proper names.

    A proper name has its capital inside sentences as well, and never goes without.
    """
    lower, capital, first = set[str](), set[str](), set[str]()
    for text in texts:
        for sentence in text.sentences:
            for number, word in enumerate(words_of(sentence)):
                kind = lower if word[0].islower() else capital if number else first
                kind.add(word[0].lower())
    return frozenset(lower | (first - capital))


def _as_written(name: str, common: Collection[str]) -> str:
    """A name as it stands inside a sentence: with capitals only where they are proper."""
    return " ".join(
        one.lower() if one[:1].isupper() and one[1:].islower() and one.lower() in common else one
        for one in name.split()
    )
