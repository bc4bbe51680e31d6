"""When are two spellings one name? Whatever their case, hyphens, number, or side of the Atlantic.

A name is compared by its key: lower-case words without punctuation, long words in the singular and
in one of the two ways to spell English. A key is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from consilience.understand.names import surface

# British endings and letters first, each with what is compared instead. Only long words have them:
# `our` and `four` are no `or` and `for`.
_SPELLINGS = tuple(
    (re.compile(british), common)
    for british, common in (
        (r"(?<=[a-z]{2})is(?=(?:e|ed|er|ing|able|ation|ational)$)", "iz"),
        (r"ys(?=(?:e|ed|er|ing)$)", "yz"),
        (r"(?<=[a-z]{2})our(?=(?:ed|ing|al|able|ite|hood|ly)?$)", "or"),
        (r"(?<=[bt])re$", "er"),
        (r"(?<=cent)r(?=(?:ed|ing)$)", "er"),
        (r"(?<=[a-z])ll(?=(?:ed|ing|er)$)", "l"),
        (r"ogue$", "og"),
        (r"(?<=gram)me$", ""),
        (r"fence$", "fense"),
        (r"(?<=dg)e(?=ment)", ""),
        (r"scedastic", "skedastic"),
        (r"artef", "artif"),
        (r"^(?:ae|oe)(?=[a-z]{4})", "e"),
    )
)
_REMEMBERED = 10_000
_BEGINNING = 6  # letters that forms of a word share
_SHORTEST = 5  # letters of a word that is compared in the singular and in one spelling
_IRREGULAR = {"biases": "bias", "criteria": "criterion", "indices": "index", "matrices": "matrix"}
_SINGULARS = (
    ("analyses", "analysis"),
    ("theses", "thesis"),
    ("ies", "y"),
    *((several, several.removesuffix("es")) for several in ("sses", "xes", "ches", "shes")),
)
# Words of English that are short names as well: such a name counts as it is spelt in the table.
_ORDINARY_WORDS = """
a about acme act aid all also am an and any are arm art as ask at ate bad bar bart be bet best big
both but by can car care cart case cat cell chat cit cite cite code come cope core could crop cup
data dear did die dim do does due ear ease eat edit else em even ever face fact fall far fast fate
feel few fine fir first fit for form free from gap gas get give go good grace had has have he her
here him his hit how i ice if ill in into is it its job key kind last late law lead left less let
life like line lip list live log long loo loss low made main make man map mar march mark mars mask
mass may me mean mice mind mob more most must my near need net new next no nor not now nuts of off
old on once one only or other our out over own pace part pass past pat path pay per pin plan play
plus port race ran rate re real rest ride right rip rise role run safe same save say scale se sea
see set shall she should side sin single site six size so some soon spin star step such sum sure
take tar tell ten test than that the their them then there they this those time tip to too top trap
true try two type up us use van var very was way we well were what when where which who why wide
will win wise with work would yes you your
"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
# Those of them that only join others, and are never a name unless they are spelt as one.
_FUNCTION_WORDS = """
a all am an and any are as at be but by can do for from had has have he her his how i if in into is
it its may me my no nor not of off on or our out over own per re she so than that the their them
then they this those to too up us was we were what when who will with you your
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_FRAMING_WORDS = "what is are s define explain meaning of does mean stand for"
_FRAMING = frozenset(_FRAMING_WORDS.split())


@lru_cache(maxsize=_REMEMBERED)
def key_of(name: str) -> str:
    """How a name is compared: `Two-Stage_Least Squares` and `two stage least square` are one."""
    return " ".join(map(_word, surface(name).split()))


def keys_of_last(word: str) -> tuple[str, ...]:
    """The keys that a word may have at the end of a name: `rcts` may be several of an `rct`."""
    key = _word(word)
    several = len(key) > 2 and key.endswith("s") and not key.endswith("ss")
    return (key, key[:-1]) if several and len(word) < _SHORTEST else (key,)


def speaks(word: str, text: str) -> bool:
    """Whether a text has a word or phrase, or another form of a word: `censoring`, `censored`."""
    key, said = key_of(word), key_of(text)
    if f" {key} " in f" {said} " or " " in key or len(key) < _BEGINNING:
        return f" {key} " in f" {said} "
    return any(one[:_BEGINNING] == key[:_BEGINNING] for one in said.split())


def abbreviates(short: str, name: str) -> bool:
    """Whether a key may stand for a name: a code, `2sls`, or letters of it in their order."""
    long = surface(name)
    return not short.isalpha() or (f" {short[:1]}" in f" {long}" and in_order(short, long))


def in_order(letters: Iterable[str], text: str) -> bool:
    """Whether a text has these letters in this order, whatever stands between them."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


def ordinary(word: str) -> bool:
    """Whether a word of English is meant by itself, unless something says otherwise."""
    return word in _ORDINARY


def function(word: str) -> bool:
    """Whether a word only joins others: `its`, `or`."""
    return word in _FUNCTION


def framing(word: str) -> bool:
    """Whether a word only asks what something is: `what is …`, `meaning of …`."""
    return word in _FRAMING


def plain_words(name: str) -> set[str]:
    """The words of a name, long ones in the singular, as they are spelt on its side."""
    words = surface(name).split()
    return {_singular(word) if len(word) >= _SHORTEST else word for word in words}


@lru_cache(maxsize=_REMEMBERED)
def _word(word: str) -> str:
    if len(word) < _SHORTEST:
        return word
    word = _singular(word)
    for british, common in _SPELLINGS:
        word = british.sub(common, word)
    return word


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for several, one in _SINGULARS:
        if word.endswith(several):
            return word.removesuffix(several) + one
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")
