"""Which names does a statement give, and do they stand in what it cites?

A name is a run of words with capitals, with particles between ("Louis de Foix"). The first word
of a sentence has a capital anyway, so it counts only where more speaks for a name. Where nouns
have capitals too, as in German or in a title, only runs of two words or more are looked at, by
their last word. Every word of a name must stand in what is cited, in any case or number, and two
that follow one another must stand near each other in one source: Benjamin Worthylake is not there
where George Worthylake and Benjamin Franklin are.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from consilience.answer.checking.findings import Finding
from consilience.answer.checking.sources import Reading, Source
from consilience.answer.checking.words import PLAIN
from consilience.names import surface

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
_OPENERS = """
additionally afterwards accordingly alternatively apart besides consequently conversely despite
early earlier eventually finally first firstly fourth fourthly frequently generally great high
historically importantly indeed initially key large last lastly late later likewise long low major
meanwhile modern moreover nevertheless new nonetheless notably old originally otherwise overall
particularly previously recent recently regarding second secondly similarly small specifically
subsequently third thirdly today together typically ultimately unlike usually whenever wherever
young people work light water time life world man men women children nature money trade power
yes no please sometimes perhaps maybe while given based because compared concerning considering
following including depending according bien pour dans avec cette ces selon ainsi enfin ensuite
mientras cuando donde aunque segun tambien ademas entonces desde hasta heute damals dort hier
dann jedoch zudem ausserdem dabei dazu danach
"""
_APART = 4  # words within which two words of a name stand
_SIDES = frozenset(("white", "black"))
_EXEMPT = frozenset(_NO_NAMES.split())
_NEVER_FIRST = frozenset(_OPENERS.split()) | PLAIN | _EXEMPT
_PLAIN_ENDS = (
    *("ly", "ing", "ed", "tion", "sion", "ment", "ness", "ity", "ance", "ence", "ism", "ship"),
    *("ers", "ors", "ists", "ies", "ings", "ments", "tions", "sions", "ives", "als", "ful", "less"),
)
_VERB_WORDS = """
argued believed built claimed composed conquered defeated designed died directed discovered drew
established founded introduced invented joined led married noted painted patented proposed proved
published said says sold succeeded suggested thought took visited won wrote writes
"""
_GERMAN_WORDS = """
der die das und ist nicht ein eine einer einen mit von den dem des zu im wurde wurden auf für sich
als auch bei nach aus durch
"""
_PARTICLE_WORDS = "of de la le du des del della di da dos von van der den zu al bin ibn y"
_VERBS, _GERMAN, _PARTICLES = (
    frozenset(words.split()) for words in (_VERB_WORDS, _GERMAN_WORDS, _PARTICLE_WORDS)
)
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
        run = whole if strict else _trimmed(whole, text, words, known)
        if loose:
            run = _last_words(whole)
        if not any(word.capital for word in run) or (loose and len(run) < 2):
            continue
        missing = _missing(run, readings, known)
        if loose:
            missing = [word for word in missing if word is run[-1] and not _within(word, readings)]
        spelt = _POSSESSIVE.sub("", text[run[0].start : run[-1].end])
        near = _nearest(missing[0], readings) if missing else ""
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


def _trimmed(
    run: list[_Word], text: str, words: Sequence[_Word], known: Sequence[Reading]
) -> list[_Word]:
    """A run without a first word that has its capital only because a sentence begins there."""
    first = run[0]
    if not first.opens or _is_short_form(first.text):
        return run
    if _names_someone(first, run, text, words, known):
        return run
    rest = run[1:]
    while rest and not rest[0].capital:
        rest = rest[1:]
    return rest


def _names_someone(
    first: _Word, run: Sequence[_Word], text: str, words: Sequence[_Word], known: Sequence[Reading]
) -> bool:
    """Whether the first word of a sentence is a name, as far as can be told."""
    word = first.bare
    if word in _NEVER_FIRST or any(word in one.lower for one in known):
        return False
    if any(word in one.capitals for one in known) or _POSSESSIVE.search(first.text):
        return True
    if word.endswith(_PLAIN_ENDS) or len(word) < 3:
        return False
    if len(run) > 1:
        return True
    after = next((one for one in words if one.start > first.start), None)
    if after is None or text[first.end : after.start] != " " or word.endswith("s"):
        return False
    return after.text in _VERBS


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
    if len(run) == 1 and run[0].bare in _SIDES and any(one.moves for one in readings):
        exempt = _EXEMPT | _SIDES  # the two sides of a game
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


def _nearest(word: _Word, readings: Sequence[Reading]) -> str:
    """The name in the sources that is spelt most alike."""
    known = {key: spelt for one in readings for key, spelt in one.capitals.items()}
    close = difflib.get_close_matches(word.bare, known, n=1, cutoff=0.6)
    return known[close[0]] if close else ""
