"""Which words does every text of a language have, and when are two words forms of one?

The commonest words of a few languages, the months, the scripts that part no words by spaces, and
the beginnings by which words are compared. Words are given as `surface` makes them: in lower case,
without accents; only the months are spelt as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from consilience.understand.names import surface

BEGINNING = 6
"""Letters of a word that are compared: most forms of a word share them, in many languages."""
ROOT = 5
"""The same where more is to be taken for the same: a true sentence must not fail by a form."""
_SHORT = 4  # letters of words that tell something

# Words that only ask, or join others.
_JOINING_WORDS = {
    "English": """a about an and any are as at be been but by can could did do does for from had
        has have he her his how i if in into is it its many me much my not of on or our shall she
        should so some such tell than that the their them then there these they this those to was
        we were what when where which who whom whose why with would you your""",
    "German": """am an das dem den der des die ein eine einem einen einer eines es im in ist mit
        oder sind und vom von wann warum was welche welcher welches wer wie wo zu zum zur""",
    "French": """a au aux dans de des du en est et la le les on ou par pour pourquoi quand que quel
        quelle quelles quels qui quoi sur un une""",
    "Spanish": """al como con cual cuales cuando cuanto cuantos de del donde el en es la las los
        por que quien un una y""",
}
# Words besides that say little of what a question is about.
_FURTHER_WORDS = {
    "English": """after against all also among around because become becomes before behind being
        best between both called come comes during each else ever get gets getting give given goes
        going happen happened happens here him just know like list made make makes making may might
        more most must name need no one only other out over please same say show still thing things
        through too toward towards under until up us use used very want wants way while will
        within without yes""",
    "German": """aber alle als auch auf aus bei bin bis dass diese er fur gibt habe haben hat ich
        ihr kann konnen man mehr muss nach nicht sein sich sie soll uber um war waren wenn werden
        wieso wird wurde""",
    "French": """ai avec ce ces cette comment elle etait il ils je leur leurs lui mais ne nous pas
        plus qu sa se ses son sont vous""",
    "Spanish": """entre era esta este fue ha hay lo mas no para pero porque se si sin sobre son su
        sus""",
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
_LINKING_WORDS = """
a an and as at by for from in into is of on or the to with de del der des die das du el la le
les im al un une von vom zu zur op van het een do da
"""
_MONTH_NAMES = {
    "English": "January February March April May June July August September October November "
    "December",
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}

# Words that stand for what was said before, and words that go on from it at the start.
_LEANING_WORDS = """
he her hers him his it its she their theirs them these they this those
er sie ihn ihm ihr ihnen dessen deren diese dieser dieses
elle ils elles lui leur celui celle ceux celles cela
ella ellos ellas esto eso este ese
"""
_OPENING_WORDS = "and but or so then und aber oder dann et mais ou puis y pero o entonces"
_NEGATING_WORDS = """
no none not nor never neither nobody nothing without cannot isn wasn aren weren don doesn didn won
wouldn couldn shouldn hasn haven hadn
kein keine keinen keiner nicht nie niemals niemand nichts ohne
aucun aucune jamais pas personne rien sans
ningun ninguna nadie nunca jamas sin tampoco
"""
_APPROXIMATE_WORDS = """
about almost approximately around circa ca nearly roughly some half quarter
etwa fast rund ungefahr knapp halbe
environ presque pres demi
aproximadamente casi cerca unos unas medio media
"""
NEGATING = frozenset(_NEGATING_WORDS.split())
"""Words of English, German, French and Spanish that deny."""
APPROXIMATE = frozenset(_APPROXIMATE_WORDS.split())
"""Words of these languages that say that a number is rounded."""
LEANING = frozenset(_LEANING_WORDS.split())
"""Pronouns of English, German, French and Spanish."""
OPENING = frozenset(_OPENING_WORDS.split())
"""Words that begin a question which goes on from another."""
JOINING = frozenset(word for words in _JOINING_WORDS.values() for word in words.split())
"""Words of English, German, French and Spanish that only ask, or join others."""
COMMON: Mapping[str, frozenset[str]] = {
    language: frozenset((*words.split(), *_JOINING_WORDS.get(language, "").split()))
    for language, words in _FURTHER_WORDS.items()
}
"""The commonest words of each language."""
LINKING = frozenset(_LINKING_WORDS.split())
"""Words that only tie the next word to the one before: `of`, `in`, `the`."""
MONTHS: Mapping[str, tuple[str, ...]] = {
    language: tuple(names.split()) for language, names in _MONTH_NAMES.items()
}
"""The months in each language, in order, as they are spelt."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
"""Letters of scripts that part no words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


def language_of(texts: Iterable[str]) -> str:
    """The language that texts are written in, by their commonest words; empty if not clear."""
    words = [word for text in texts for word in surface(text).split()]
    shares = {name: count / max(1, len(words)) for name, count in _counts(words).items()}
    first, second = sorted(shares, key=lambda name: -shares[name])[:2]
    clear = shares[first] >= 0.2 and shares[first] >= 1.5 * shares[second]
    return first if clear else ""


def is_english(text: str) -> bool:
    """Whether a text has common words of English, and no more of any other language."""
    counts = _counts(surface(text).split())
    return 0 < counts["English"] == max(counts.values())


def _counts(words: Sequence[str]) -> dict[str, int]:
    return {name: sum(word in common for word in words) for name, common in COMMON.items()}


def pairs(letters: str) -> Iterator[str]:
    """What scripts without spaces are compared by: each two letters that follow one another."""
    return (letters[at : at + 2] for at in range(max(1, len(letters) - 1)))


def beginning(word: str) -> str:
    """What a word is compared by: its first six letters."""
    return word[:BEGINNING]


def beginnings(text: str) -> set[str]:
    """The beginnings of the longer words of a text."""
    return {beginning(word) for word in surface(text).split() if len(word) >= _SHORT}


def stem(word: str) -> str:
    """The beginning of a word without a plural's s."""
    return beginning(word[:-1] if len(word) > 3 and word.endswith("s") else word)


def root(word: str) -> str:
    """A shorter beginning; a word of no more letters loses a plural or possessive s."""
    if len(word) > ROOT:
        return word[:ROOT]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
