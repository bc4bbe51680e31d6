"""What must the trip not have, and what does somebody need? By the words of the vocabulary.

A word for a type of place rules out the type, one for a feature the feature; a theme is ruled out
by a word that means it as a whole ("no hiking"). "Not too much" is no ban.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.reading.bans.banning import banned_nouns, kept_words
from consilience.packs.travel.trips.reading.sentence import Sentence
from consilience.packs.travel.trips.reading.ways.travelling import families_in
from consilience.packs.travel.vocabulary import features_in, kinds_in, themes_in
from consilience.understand.names import surface

NEEDS = frozenset({"vegetarian", "wheelchair"})
"""Features that somebody needs once they speak of them."""
_DIETS = re.compile(
    r"\b(?P<diet>halal|kosher|gluten[- ]free|lactose[- ]free|dairy[- ]free)\b", re.I
)
_ALLERGY = re.compile(
    r"\b(?:allergic to\s+|allergy to\s+|(?=\w+ allerg(?:y"
    r"|ies)))(?P<what>(?:\w+)(?: and \w+)?)(?: allerg(?:y|ies))?",
    re.IGNORECASE,
)
_NEVER = frozenset({"children-ok", "indoor", *NEEDS})
_KEPT_THEMES = frozenset({"family", "romance", "budget"})
_STEMS = {
    "hiking": ("hik", "trek"),
    "water-sports": ("water sport", "watersport"),
    "nightlife": ("nightlife", "night life", "club", "part"),
    "art": ("art",),
    "food": ("food",),
    "shopping": ("shop",),
}
_LITTLE = re.compile(
    r"\b(?:not (?:too |so |that |very )?(?:much|many)|not a lot of|too much|too many|less|fewer"
    r"|as little|as few|hardly any|not too|not all)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_CROWDED = re.compile(r"crowd|tour|busy|queue|throng|horde|overrun|mass|packed", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\b(?:no|not|nor|none|never|nothing|without|avoid\w*|hates?|skip\w*|dislikes?|less|fewer|free"
    r"|away|except|instead|than|afraid|scared|fear|phobia|tired|sick|allerg\w*|cannot|rather|or|and)\b"
    r"|n't\b)[^.;!?]{0,40}$",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"^[ -](?!(?:or|and|nor|please|at|for|in|on|with|by|because|but|this|that|these|those|to|of|if"
    r"|as|is|are|was|were|when|where|while|anymore|again|either|today|every|each|all|any|than|then"
    r"|so|trips?|tours?|days?|activit\w+|stuff|things?|holidays?|places?|visits?|sites?|sights?|hopping"
    r"|whatsoever|ever|we|i|he|she|they|it|my|our|the|a|an|just|only|thanks?|needed|required|wanted"
    r"|necessary|pls|time|scene|life|during|from|after|before|until|except|unless|though|since)\b)"
    r"[a-z]{3,}",
    re.IGNORECASE,
)
"""A noun behind a word for a theme: "no beach bars" is no ban on beaches."""
_SPECIAL_FOOD = re.compile(
    r"\b(?:spicy|hot|fast|junk|raw|fried|fancy|weird|strange|exotic|western|expensive|heavy|greasy"
    r"|foreign|international|hotel|airline|plane|tourist|insect|frozen|rich)\s+$",
    re.IGNORECASE,
)
_NAMED_BEFORE = re.compile(r"\b(?:changing|change|switching|switch|moving|move)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    sort: str
    value: str
    word: str
    negated: bool
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.word)


@dataclass(slots=True)
class Ruled:
    """What is ruled out and needed, and in which words."""

    themes: set[str] = field(default_factory=set)
    features: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    words: frozenset[str] = frozenset()
    said: dict[str, None] = field(default_factory=dict)


def read_ruled(sentence: Sentence, places: Sequence[Place] = ()) -> Ruled:
    """What is not wanted, and what is needed; `places` say which further words tell them apart."""
    ruled = Ruled()
    words = _words(sentence.clauses)
    for one in words:
        if one.sort == "feature" and one.value in NEEDS and not one.negated:
            ruled.needs.add(one.value)
            if surface(one.word).startswith("vegan"):
                sentence.assumed.append("vegan is planned as vegetarian: ask at each table")
    _diets(sentence, ruled)
    _rule_out(sentence, words, ruled)
    taken = ruled.themes | ruled.features | ruled.types | NEEDS
    known = [range(one.start, one.end) for one in words if one.value in taken]
    ruled.words = kept_words(
        (
            one.said
            for one in banned_nouns(sentence.clauses)
            if not any(one.start in span or one.end - 1 in span for span in known)
            and not families_in(one.said)
        ),
        places,
    )
    ruled.said |= dict.fromkeys(sorted(ruled.words))
    return ruled


def _rule_out(sentence: Sentence, words: list[_Word], ruled: Ruled) -> None:
    wanted = {one.value for one in words if one.sort == "theme" and not one.negated}
    banned = [
        one
        for one in words
        if one.negated
        and one.value
        and not (one.sort == "theme" and one.value in wanted and not _means(one))
    ]
    for one in banned:
        before = sentence.rest[: one.start]
        if _NAMED_BEFORE.search(before) or _is_narrower(sentence.clauses, one):
            continue
        if _LITTLE.search(before):
            sentence.assumed.append(f"little of '{one.word}' is wanted: it has no share of its own")
            continue
        inner = any(
            other is not one and other.start <= one.start and one.end <= other.end
            and other.end - other.start > one.end - one.start and other.sort != "theme"
            for other in banned
        )  # fmt: skip
        if not inner and _takes(one, banned, ruled):
            implied = one.sort == "feature" and not _NEGATED.search(before)
            ruled.said[one.value if implied else one.word] = None


def _is_narrower(text: str, word: _Word) -> bool:
    """Whether a word says only which kind is not wanted: "no shopping malls"."""
    if word.sort == "feature":
        return False
    special = word.value == "food" and _SPECIAL_FOOD.search(text[: word.start])
    return bool(special or _COMPOUND.match(text[word.end :]))


def _takes(word: _Word, banned: Iterable[_Word], ruled: Ruled) -> bool:
    """Take a word that is not wanted; whether it rules anything out."""
    if word.sort == "feature":
        crowded = word.value != "crowds" or _CROWDED.search(word.word)
        if word.value in _NEVER or not crowded:
            return False
        ruled.features.add(word.value)
    elif word.sort == "type":
        ruled.types.add(word.value)
    else:
        others = [
            one
            for one in banned
            if one.sort != "theme" and one.start < word.end and word.start < one.end
        ]
        if word.value in _KEPT_THEMES or (others and not _means(word)):
            return False
        ruled.themes.add(word.value)
    return True


def _means(word: _Word) -> bool:
    """Whether a word stands for its whole theme: "beaches", and not "museums" for culture."""
    stems = _STEMS.get(word.value, (word.value[:5],))
    return surface(word.word).startswith(stems)


def _words(text: str) -> list[_Word]:
    themes = [
        _Word(sort="theme", value=one.theme, word=one.word, negated=one.negated, start=one.start)
        for one in themes_in(text)
    ]
    features = [
        _Word(
            sort="feature", value=one.feature, word=one.word, negated=one.negated, start=one.start
        )
        for one in features_in(text)
    ]
    types = [
        _Word(sort="type", value=one.type, word=one.word, negated=one.negated, start=one.start)
        for one in kinds_in(text)
    ]
    return [*themes, *features, *types]


def _diets(sentence: Sentence, ruled: Ruled) -> None:
    for match in sentence.find(_DIETS):
        ruled.needs.add(surface(match["diet"]).replace(" ", "-"))
    for match in sentence.find(_ALLERGY):
        known = {one.feature for one in features_in(match["what"])} - _NEVER
        if known:
            ruled.features |= known
            ruled.said[match[0].strip()] = None
        else:
            sentence.unclear.append(
                f"{match[0].strip()} (no place here tells of it: ask at each table)"
            )
