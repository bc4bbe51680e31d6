"""Which passages does a judgement mean? The passages of a workspace, by document and place."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from consilience.catalogue import Catalogue
from consilience.measure.golden.places import PLACES, Checks, checks_of, fits, keys_of, place_of
from consilience.measure.golden.quoting import Letters, begun_at_end, letters, stands_in, taken_up
from consilience.measure.golden.sealing import Places, is_sealed
from consilience.measure.values import Judgement
from consilience.render import preview
from consilience.types import Locator, Passage, Value

_GOOD_SHARE = 0.5
_FEW = 5


@dataclass(frozen=True, slots=True)
class Meant:
    """The passages that a judgement means, or why there are none."""

    passages: tuple[Passage, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Shelf:
    """The passages of one document, looked at as often as needed."""

    path: str
    passages: list[Passage] = field(default_factory=list)
    _letters: dict[str, Letters] = field(default_factory=dict)
    _words: dict[str, list[Passage]] = field(default_factory=dict)
    _values: dict[str, dict[Hashable, list[Passage]]] = field(default_factory=dict)
    _parts: dict[Hashable, list[Passage]] = field(default_factory=dict)
    _places: Places | None = None

    def sealing(self, quote: str) -> list[Passage]:
        """The passages that a sealed quotation is from."""
        if self._places is None:
            self._places = Places()
            for one in self.passages:
                self._places.add(one, self.letters(one))
        return self._places.holding(quote)

    def letters(self, passage: Passage) -> Letters:
        """A passage's text as quotations are compared with it."""
        known = self._letters.get(passage.id)
        if known is None:
            known = self._letters[passage.id] = letters(passage.text)
        return known

    def holding(self, quote: Letters) -> list[Passage]:
        """The passages in which a quotation stands whole.

        Those with its rarest word are looked at first. Only where that gives nothing, as when
        words are hyphenated in another way, all of them are.
        """
        if not self._words:
            for one in self.passages:
                for word in set(self.letters(one).words):
                    self._words.setdefault(word, []).append(one)
        known = [self._words[word] for word in quote.words if word in self._words]
        found = [
            one for one in min(known, key=len, default=[]) if stands_in(quote, self.letters(one))
        ]
        return found or [one for one in self.passages if stands_in(quote, self.letters(one))]

    def likely(self, judgement: Judgement) -> list[Passage]:
        """The passages that may be what a judgement means, by the first thing it says of them."""
        named: list[tuple[str, Value]] = [
            (name, value)
            for name in (*PLACES, *(name for name, _ in judgement.locator.extra))
            if (value := judgement.locator.get(name)) is not None
        ]
        for name, value in (*named, *judgement.fields.items()):
            if not isinstance(value, tuple):
                known = self._by_value(name)
                found = {one.id: one for key in keys_of(value) for one in known.get(key, ())}
                return list(found.values())
        return self.passages

    def _by_value(self, name: str) -> dict[Hashable, list[Passage]]:
        known = self._values.get(name)
        if known is None:
            known = self._values[name] = {}
            for one in self.passages:
                values = (one.locator.get(name), one.value(name))
                for key in {key for value in values if value is not None for key in keys_of(value)}:
                    known.setdefault(key, []).append(one)
        return known

    def after(self, passage: Passage) -> list[Passage]:
        """The passages with which a text that ends here may go on."""
        if not self._parts:
            for one in self.passages:
                for key in _beginnings(one.locator):
                    self._parts.setdefault(key, []).append(one)
        here = passage.locator
        found = []
        if here.part is not None:
            found += self._parts.get((_group(here), here.part + 1), [])
        if here.page is not None:
            found += self._parts.get(("page", here.page + 1), [])
        return found


class Corpus:
    """All passages of a workspace, read once.

    `places` gives each passage's place as one who is lenient sees it, `at` the ids at each.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.shelves: dict[str, Shelf] = {}
        self.places: dict[str, Hashable] = {}
        self.at: dict[Hashable, list[str]] = {}
        for collection in catalogue.counts():
            for passage in catalogue.each(collection):
                shelf = self.shelves.setdefault(passage.document, Shelf(passage.document))
                shelf.passages.append(passage)
                place = (passage.document, place_of(passage.locator))
                self.places[passage.id] = place
                self.at.setdefault(place, []).append(passage.id)
        self._words: dict[str, list[Passage]] = {}
        self._copies: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        self._name(catalogue)

    def _name(self, catalogue: Catalogue) -> None:
        """Know every document by its name; of copies, the one that passages are cited from."""
        cited: dict[str, str] = {}
        records = {one.path: one.sha256 for one in catalogue.documents()}
        for path in self.shelves:
            cited.setdefault(records.get(path, "") or path, path)
        for path in dict.fromkeys((*records, *self.shelves)):
            home = path if path in self.shelves else cited.get(records.get(path, "") or path, path)
            self._copies[_spelt(path)] = home
            self._ends.setdefault(PurePosixPath(_spelt(path)).name, []).append(_spelt(path))

    def __iter__(self) -> Iterator[Passage]:
        for shelf in self.shelves.values():
            yield from shelf.passages

    def holding(self, quote: Letters) -> list[Passage]:
        """The passages of all documents in which a quotation stands whole."""
        if not self._words:
            for one in self:
                for word in set(self.shelves[one.document].letters(one).words):
                    self._words.setdefault(word, []).append(one)
        likely = min((self._words.get(word, []) for word in quote.words), key=len, default=[])
        return [one for one in likely if stands_in(quote, self.shelves[one.document].letters(one))]

    def named(self, document: str) -> tuple[list[Shelf], str]:
        """The document of this path or end of a path, or why it is not one; all for ``."""
        if not document:
            return list(self.shelves.values()), ""
        wanted = _spelt(document)
        known = [wanted] if wanted in self._copies else self._ending(wanted)
        paths = sorted({self._copies[one] for one in known})
        if len(paths) > 1:
            told = ", ".join(paths[:_FEW]) + (", …" if len(paths) > _FEW else "")
            return [], f"{len(paths)} documents end in {document!r} ({told}); give more of the path"
        if not paths:
            near = difflib.get_close_matches(wanted, self._names(), n=1, cutoff=0.5)
            hint = f"; the nearest is {near[0]!r}" if near else ""
            return [], f"there is no document {document!r}{hint}"
        shelf = self.shelves.get(paths[0])
        return ([shelf], "") if shelf else ([], f"{paths[0]} holds no text")

    def _ending(self, wanted: str) -> list[str]:
        named = self._ends.get(PurePosixPath(wanted).name, [])
        return [one for one in named if one.endswith("/" + wanted)]

    def _names(self) -> list[str]:
        return [*self._ends, *self._copies]

    def find(self, judgement: Judgement) -> Meant:
        """The passages that a judgement means, or why there are none."""
        shelves, reason = self.named(judgement.document)
        if reason:
            return Meant(reason=reason)
        checks = checks_of(judgement)
        if not judgement.quote:
            likely = [one for shelf in shelves for one in shelf.likely(judgement)]
            meant = [one for one in likely if fits(one, checks)]
            return Meant(tuple(meant)) if meant else Meant(reason=_misfit(shelves, judgement))
        if is_sealed(judgement.quote):
            return _unsealed(shelves, judgement, checks)
        wanted = letters(judgement.quote)
        if not wanted.row:
            return Meant(reason=f"the quotation {judgement.quote!r} has no letter or digit")
        meant = [one for shelf in shelves for one in quoting(wanted, shelf, checks)]
        return Meant(tuple(meant)) if meant else Meant(reason=_unquoted(shelves, judgement))


# --- quotations -------------------------------------------------------------------------


def _unsealed(shelves: Sequence[Shelf], judgement: Judgement, checks: Checks) -> Meant:
    found = [one for shelf in shelves for one in shelf.sealing(judgement.quote)]
    meant = tuple(one for one in found if fits(one, checks))
    if meant:
        return Meant(meant)
    where = shelves[0].path if len(shelves) == 1 else "the workspace"
    told = "stands elsewhere in it" if found else "is not there; is it another edition?"
    return Meant(reason=f"{where}: the sealed quotation {told}")


def quoting(wanted: Letters, shelf: Shelf, checks: Checks) -> list[Passage]:
    """The passages that hold a quotation; where it is cut in two, those with a good share of it."""
    whole = [one for one in shelf.holding(wanted) if fits(one, checks)]
    if whole:
        return whole
    for one in shelf.passages:
        for share in begun_at_end(wanted, shelf.letters(one)):
            pieces = _rest(wanted, [(one, share)], shelf)
            if any(fits(piece, checks) for piece, _ in pieces):
                most = max(part for _, part in pieces)
                least = min(most, _GOOD_SHARE * len(wanted))
                return [piece for piece, part in pieces if part >= least]
    return []


def _rest(
    wanted: Letters, so_far: list[tuple[Passage, int]], shelf: Shelf
) -> list[tuple[Passage, int]]:
    """The passages over which a quotation runs, with how much of it each has; none if it breaks."""
    done = sum(part for _, part in so_far)
    if done == len(wanted):
        return so_far
    seen = {one.id for one, _ in so_far}
    for following in shelf.after(so_far[-1][0]):
        part = taken_up(wanted, done, shelf.letters(following))
        if part and following.id not in seen:
            found = _rest(wanted, [*so_far, (following, part)], shelf)
            if found:
                return found
    return []


def _group(locator: Locator) -> Hashable:
    return ("part", replace(locator, part=None))


def _beginnings(locator: Locator) -> list[Hashable]:
    """The keys under which a passage is found as one that goes on with another."""
    keys: list[Hashable] = []
    if locator.part is not None:
        keys.append((_group(locator), locator.part))
    if locator.page is not None and locator.part in (None, 1):
        keys.append(("page", locator.page))
    return keys


# --- reasons ----------------------------------------------------------------------------


def _misfit(shelves: Sequence[Shelf], judgement: Judgement) -> str:
    """The first thing asked of a place that nothing there meets."""
    left = [one for shelf in shelves for one in shelf.passages]
    where = shelves[0].path if len(shelves) == 1 else "the workspace"
    for told, check in checks_of(judgement).items():
        kept = [one for one in left if check(one)]
        if not kept:
            return f"nothing in {where} stands {told}" + _instead(told, left, judgement)
        left = kept
    return f"{where} holds no text"


def _instead(told: str, left: Sequence[Passage], judgement: Judgement) -> str:
    if not told.startswith("with "):
        return ""
    known = sorted({name for one in left for name in one.metadata})
    missing = [name for name in judgement.fields if name not in known]
    return f"; its fields are {', '.join(known)}" if missing and known else ""


def _unquoted(shelves: Sequence[Shelf], judgement: Judgement) -> str:
    """Why a quotation was not found: another place, or other words."""
    wanted = letters(judgement.quote)
    elsewhere = [one for shelf in shelves for one in shelf.holding(wanted)]
    if elsewhere:
        place = str(elsewhere[0].locator) or "another place"
        told = _misfit_of(elsewhere, judgement)
        return f"the quotation stands at {place}, which is not {told}"
    if judgement.locator != Locator() or judgement.fields:
        checks = checks_of(judgement)
        fitting = [one for shelf in shelves for one in shelf.passages if fits(one, checks)]
        if not fitting:
            return _misfit(shelves, judgement)
    nearest = _nearest(judgement.quote, [one for shelf in shelves for one in shelf.passages])
    return f"the quotation is not there{nearest}"


def _misfit_of(passages: Sequence[Passage], judgement: Judgement) -> str:
    checks = checks_of(judgement).items()
    return next((told for told, check in checks if not any(map(check, passages))), "there")


def _nearest(quote: str, passages: Sequence[Passage]) -> str:
    """The text that shares most words with a quotation, to see what became of it."""
    wanted = set(quote.casefold().split())
    shares = [len(wanted & set(one.text.casefold().split())) for one in passages]
    if not any(shares):
        return ""
    best = passages[shares.index(max(shares))]
    return f"; the nearest is {preview(best, quote)!r}"


def _spelt(path: str) -> str:
    """A path as it is compared: one kind of slash, one way to write an accent."""
    return unicodedata.normalize("NFC", path.replace("\\", "/").removeprefix("./"))
