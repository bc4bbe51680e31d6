"""Which words of a question say what it is about, and in which language is it asked?

The commonest words of a few languages are known; every other word of three letters or more, or
with a digit in it, tells something. Words are compared as `surface`, and forms of a word by
their beginning, as relevance does. Spellings are compared by the standard library's `difflib`: a
few thousand words of what was found are all there is to compare with.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from consilience.names import other_number, surface

BEGINNING = 6
"""Letters of a word that are compared: most forms of a word share them, in many languages."""
_ALIKE = 0.8  # two spellings of one word: one slip in five letters
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMMON_WORDS = {
    "English": """a about after all also an and any are as at be been before best between both but
        by can could did do does each else ever for from get give had has have he her here him his
        how i if in into is it its just know like list made make many may me might more most much
        must my name need no not of on one only or other our out over please same say shall she
        should show so some such tell than that the their them then there these they thing things
        this those to too under until up us use used very was way we were what when where which
        while who whom whose why will with without would yes you your""",
    "German": """aber alle als am an auch auf aus bei bin bis das dass dem den der des die diese
        ein eine einem einen einer eines er es fur gibt habe haben hat ich ihr im in ist kann
        konnen man mehr mit muss nach nicht oder sein sich sie sind soll uber um und von vom wann
        war waren warum was welche welcher welches wenn wer werden wie wieso wird wo wurde zu zum
        zur""",
    "French": """a ai au aux avec ce ces cette comment dans de des du elle en est et etait il ils
        je la le les leur leurs lui mais ne nous on ou par pas plus pour pourquoi qu quand que quel
        quelle quelles quels qui quoi sa se ses son sont sur un une vous""",
    "Spanish": """al como con cual cuales cuando cuanto cuantos de del donde el en entre era es esta
        este fue ha hay la las lo los mas no para pero por porque que quien se si sin sobre son su
        sus un una y""",
    "Italian": """al alla che chi come con cosa cui da dal dei del della delle di dove e era gli ha
        i il in la le lo ma nel nella non per perche piu quale quali quando quanto se si sono su
        sul tra un una""",
    "Portuguese": """ao aos as com como da das de do dos e ela ele em era foi ha mais mas na nas nao
        no nos o onde os ou para pela pelo por porque qual quais quando quanto que quem se sua
        sao um uma""",
    "Dutch": """aan als bij dat de deze die dit door een en er het hoe hoeveel ik in is kan met naar
        niet of om ook op over te tot uit van voor waar waarom wanneer wat welke werd wie wordt
        zijn""",
}
_COMMON = {name: frozenset(words.split()) for name, words in _COMMON_WORDS.items()}
_ALL_COMMON = frozenset(word for words in _COMMON.values() for word in words)
_LINKING_WORDS = """
a an and as at by for from in into is of on or the to with de del der des die das du el la le
les im al un une von vom zu zur op van het een do da
"""
_LINKING = frozenset(_LINKING_WORDS.split())
_ENDINGS = frozenset({"s", "es", "d", "ed", "ing", "r", "er", "ers", "ly", "al", "ous"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question: as it is spelt, where it stands, and how it is compared."""

    text: str
    start: int
    end: int
    key: str

    @property
    def telling(self) -> bool:
        """Whether it says what the question is about."""
        short = len(self.key) < 3 and self.key.isascii() and not self._numbered
        return bool(self.key) and not short and self.key not in _ALL_COMMON

    @property
    def linking(self) -> bool:
        """Whether it only ties the next word to the one before: `of`, `in`, `the`."""
        return self.key in _LINKING

    @property
    def forms(self) -> tuple[str, ...]:
        """Itself, and in the other number: `keeper`, `keepers`."""
        return (self.key, *other_number(self.key))

    def same_as(self, key: str) -> bool:
        """Whether another word, by its key, is this one or a form of it: `prove`, `proved`."""
        short, long = sorted((key, self.key), key=len)
        ending = long[len(short) :] if long.startswith(short) else None
        return ending == "" or (len(short) >= 4 and ending in _ENDINGS)

    @property
    def _numbered(self) -> bool:
        return any(letter.isdigit() for letter in self.key)


def words_of(text: str) -> list[Word]:
    """The words of a text in order; `keeper's` is compared as `keeper`."""
    found = []
    for match in _WORD.finditer(text):
        key = surface(match[0]).partition(" ")[0]
        found.append(Word(match[0], match.start(), match.end(), key))
    return found


def language_of(texts: Iterable[str]) -> str:
    """The language that texts are written in, by their commonest words; empty if not clear."""
    words = [word for text in texts for word in surface(text).split()]
    counts = {
        name: sum(word in common for word in words) / len(words) if words else 0.0
        for name, common in _COMMON.items()
    }
    first, second = sorted(counts, key=lambda name: -counts[name])[:2]
    clear = counts[first] >= 0.2 and counts[first] >= 1.5 * counts[second]
    return first if clear else ""


def share_in(words: Collection[Word], text: str) -> float:
    """The share of the words' letters that stand in words which a text has too."""
    have = {one[:BEGINNING] for one in surface(text).split()}
    total = sum(len(word.key) for word in words)
    met = sum(len(word.key) for word in words if word.key[:BEGINNING] in have)
    return met / total if total else 0.0


def vocabulary(texts: Sequence[str]) -> dict[str, str]:
    """The words of texts, by how they are compared, as they are spelt; names alone in capitals."""
    known: dict[str, str] = {}
    for text in texts:
        for word in words_of(text):
            spelt = re.split("['’]", word.text)[0]
            if len(word.key) > 2 and (word.key not in known or spelt.islower()):
                known[word.key] = spelt
    return known


def respelt(word: Word, known: Mapping[str, str]) -> str:
    """The nearest spelling that the evidence has; empty if none is near. Numbers are kept.

    An ordinary word may differ by one slip, or it is another word (`constant`, `consultant`); a
    name by more, for names are heard and seldom read.
    """
    if any(letter.isdigit() for letter in word.key):
        return ""
    for near in get_close_matches(word.key, known, n=3, cutoff=_ALIKE):
        if not known[near].islower() or _one_slip(word.key, near):
            return known[near]
    return ""


def _one_slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, wrong, or two exchanged make all the difference."""
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])
