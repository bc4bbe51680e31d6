"""Which places of the atlas does a text name, under any of their names, well spelt or nearly?

The longest name counts, and no word belongs to two. "Da Nang" is "Danang". A name that is made of
ordinary words ("Old Town", "Nice") counts where it is written as a name, or stands where a place
does. A word that is nearly a name, where a place would stand, is read as that, and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.reading.ordinary import is_ordinary
from consilience.packs.travel.trips.reading.places.elsewhere import is_elsewhere
from consilience.packs.travel.trips.reading.places.nicknames import Nicknames
from consilience.packs.travel.trips.reading.places.persons import is_person
from consilience.packs.travel.trips.reading.sentence import Mention, Sentence, either
from consilience.packs.travel.trips.reading.spelling import ALIKE, SURE, nearest
from consilience.understand.names import surface

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_LONGEST = 8
_SQUEEZED = 5  # letters of a name that is known without its spaces
_ORDER = ("city", "region", "country", "attraction", "activity", "area", "airport", "stay", "food")
_LEADS = either("""
in|to|into|from|visit|visiting|see|seeing|around|near|via|through|at|of|skip|skipping|avoid
include
including|then|and|or|explore|exploring|towards|reach|reaching|between|not|without|except|love
with
""")  # fmt: skip
_LEAD = re.compile(rf"\b{_LEADS}\s+(?:the\s+)?$", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[.,;:!?)/&-]|(?:and|then|or|for|with|to|via|in|on|but)\b)", re.I)
_TAIL = re.compile(r"\s+(?:city|town|province)\b", re.IGNORECASE)
_BROKEN = re.compile(r"[,;!?:()/]")
_PARTED = re.compile(r"[,;.!?:()/]")
_SMALL_WORDS = "a an and at by for from i in is my no not of on or our the then to via we with"
_SMALL = frozenset(_SMALL_WORDS.split())
_GUESSED = 4  # words of a name that may be misspelt
_DOTS = re.compile(r"[.!?]\s*$|^\s*$")


@dataclass(frozen=True, slots=True)
class _Word:
    key: str
    start: int
    end: int


def name_places(sentence: Sentence, atlas: Atlas) -> None:
    """Find the places of a text, put them in, and tell what was read otherwise than it stands."""
    text = sentence.text
    words = [
        _Word(surface(one[0].removesuffix("'s")), one.start(), _end(one))
        for one in _WORD.finditer(text)
    ]
    index = atlas.reckoned("names", names_of)
    taken = [False] * len(words)
    found = list(_exact(text, words, index, taken))
    found += _called(text, words, atlas, taken, found)
    guesses = list(_nearly(text, words, index, taken))
    apart = [one for one in found if not any(_covers(guess[0], one[0]) for guess in guesses)]
    chosen = _choose([*apart, *guesses], atlas, sentence)
    for one in chosen:
        if one.guessed:
            sentence.assumed.append(f"read '{one.said}' as {atlas.places[one.place].name}")
    sentence.name(tuple(sorted(chosen, key=lambda one: one.start)))


def names_of(atlas: Atlas) -> Mapping[str, tuple[str, ...]]:
    """All names of places, with and without "the" and spaces, and the places that have them."""
    index: dict[str, dict[str, None]] = {}
    for name, ids in atlas.named.items():
        known = dict.fromkeys(one for one in ids if atlas.places[one].kind in _ORDER)
        if not known or not name:
            continue
        bare = name.removeprefix("the ")
        if bare != name and all(map(is_ordinary, bare.split())):
            index.setdefault(name, {}).update(known)
            continue
        squeezed = bare.replace(" ", "")
        for form in (name, bare, squeezed if len(squeezed) >= _SQUEEZED else name):
            index.setdefault(form, {}).update(known)
    return {name: tuple(ids) for name, ids in (_beginnings(atlas, index) | index).items()}


def _beginnings(
    atlas: Atlas, index: Mapping[str, Mapping[str, None]]
) -> dict[str, dict[str, None]]:
    """Names without the ordinary words at their end, where only one place begins so."""
    found: dict[str, dict[str, None]] = {}
    for place in atlas.places.values():
        whole = surface(place.name).removeprefix("the ").split()
        words = list(whole)
        while words and is_ordinary(words[-1]):
            words.pop()
        begins = " ".join(words)
        if place.kind in _ORDER and words != whole and len(words) > 1:
            found.setdefault(begins, {})[place.id] = None
    return {begins: ids for begins, ids in found.items() if len(ids) == 1 and begins not in index}


def _end(word: re.Match[str]) -> int:
    return word.end() - 2 if word[0].endswith("'s") else word.end()


def _called(
    text: str,
    words: Sequence[_Word],
    atlas: Atlas,
    taken: list[bool],
    found: Sequence[tuple[Mention, tuple[str, ...]]],
) -> list[tuple[Mention, tuple[str, ...]]]:
    """Sights by a part of their name, where only one is called so here or in the cities named."""
    named = {atlas.city_of(ids[0]) or ids[0] for _, ids in found}
    sights = Nicknames.of(atlas, named)
    called: list[tuple[Mention, tuple[str, ...]]] = []
    for length in range(_GUESSED, 0, -1):
        for first in range(len(words) - length + 1):
            inside = words[first : first + length]
            start, end = inside[0].start, inside[-1].end
            if any(taken[first : first + length]) or _PARTED.search(text[start:end]):
                continue
            titled = all(text[one.start].isupper() for one in inside)
            place = sights.one([one.key for one in inside], titled=titled)
            if place:
                taken[first : first + length] = [True] * length
                called.append(
                    (Mention(start=start, end=end, place="", said=text[start:end]), (place,))
                )
    return called


def _windows(words: Sequence[_Word], taken: Sequence[bool]) -> Iterator[tuple[int, int]]:
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            if not any(taken[first : first + length]):
                yield first, first + length


def _exact(
    text: str, words: Sequence[_Word], index: Mapping[str, tuple[str, ...]], taken: list[bool]
) -> Iterator[tuple[Mention, tuple[str, ...]]]:
    for first, last in _windows(words, taken):
        key = " ".join(one.key for one in words[first:last])
        squeezed = key.replace(" ", "")
        ids = index.get(key) or (index.get(squeezed) if len(squeezed) >= _SQUEEZED else None)
        start, end = words[first].start, words[last - 1].end
        if not ids or any(taken[first:last]) or not _is_meant(text, key, start, end):
            continue
        if _BROKEN.search(text[start:end]):
            continue
        taken[first:last] = [True] * (last - first)
        if tail := _TAIL.match(text, end):
            end = tail.end()
        yield Mention(start=start, end=end, place="", said=text[start:end]), ids


def _is_meant(text: str, key: str, start: int, end: int) -> bool:
    """Whether a name of ordinary words is meant as a name here."""
    if key.startswith("the ") or not all(is_ordinary(one) for one in key.split()):
        return True
    said = text[start:end]
    titled = all(one[0].isupper() or one in ("of", "the", "and") for one in said.split())
    alone = " " not in said and _DOTS.search(text[:start])
    if titled and (not alone or _ENDS.match(text, end)):
        return True
    lead = _LEAD.search(text[:start])
    definite = lead is not None and " " in said and lead[0].rstrip().endswith("the")
    return definite or bool(" " not in said and lead and _ENDS.match(text, end))


def _nearly(
    text: str, words: Sequence[_Word], index: Mapping[str, tuple[str, ...]], taken: list[bool]
) -> Iterator[tuple[Mention, tuple[str, ...]]]:
    """Names with typing errors: in words that are written as names or stand where a place does.

    A name that was found may be the beginning of a longer one with an error in it.
    """
    exact = tuple(taken)
    for length in range(min(_GUESSED, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            window = range(first, first + length)
            if any(taken[one] and not exact[one] for one in window) or all(
                exact[one] for one in window
            ):
                continue
            inside = words[first : first + length]
            partly = any(exact[one] for one in window)
            if not _may_be_misspelt(text, inside, partly=partly):
                continue
            name = nearest(
                " ".join(one.key for one in inside), index, alike=SURE if partly else ALIKE
            )
            if name is None:
                continue
            taken[first : first + length] = [True] * length
            start, end = inside[0].start, inside[-1].end
            guess = Mention(start=start, end=end, place="", said=text[start:end], guessed=True)
            yield guess, index[name]


def _covers(one: Mention, other: Mention) -> bool:
    return one.start <= other.start and other.end <= one.end


def _may_be_misspelt(text: str, words: Sequence[_Word], *, partly: bool) -> bool:
    keys = [one.key for one in words]
    if is_elsewhere(" ".join(keys)) or all(map(is_ordinary, keys)):
        return False
    if {keys[0], keys[-1]} & _SMALL or _PARTED.search(text[words[0].start : words[-1].end]):
        return False
    if is_person(text, words[0].start, words[-1].end):
        return False
    titled = all(text[one.start].isupper() for one in words)
    if titled:
        return True
    lead = _LEAD.search(text[: words[0].start]) is not None
    return lead and not partly and not is_ordinary(keys[0]) and not is_ordinary(keys[-1])


def _choose(
    found: Iterable[tuple[Mention, tuple[str, ...]]], atlas: Atlas, sentence: Sentence
) -> list[Mention]:
    """The place that each name means: a city first, then one in a city that is named as well."""
    found = list(found)
    cities = {ids[0] for _, ids in found if len(ids) == 1 and atlas.places[ids[0]].kind == "city"}
    chosen = []
    for mention, ids in found:
        ranked = sorted(ids, key=lambda one: _rank(atlas, one, cities))
        first, kind = ranked[0], atlas.places[ranked[0]].kind
        equal = [one for one in ranked[1:] if _rank(atlas, one, cities)[:2] == _rank(
            atlas, first, cities)[:2]]  # fmt: skip
        if equal and kind != "city":
            where = atlas.places.get(atlas.city_of(first))
            sentence.assumed.append(
                f"'{mention.said}' is taken as the one in {where.name if where else first}; "
                f"{len(equal)} more have that name"
            )
        chosen.append(
            Mention(
                start=mention.start,
                end=mention.end,
                place=first,
                said=mention.said,
                guessed=mention.guessed,
            )
        )
    return chosen


def _rank(atlas: Atlas, place: str, cities: set[str]) -> tuple[int, bool, str]:
    known = atlas.places[place]
    return _ORDER.index(known.kind), atlas.city_of(place) not in cities, place
