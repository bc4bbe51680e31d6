"""Which words of a sentence tell what it is about, and when are two words the same?

Words are compared by their beginnings, so that forms match in any language that bends the end
of a word. Scripts without spaces are compared by pairs of letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.names import surface

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
_SHORT = 5  # letters that a longer word is compared by
# Words that every text has, in English, French, German and Spanish.
_COMMON_WORDS = """
a about above across after again against all almost along already also although always am among an
and another any are around as at away be because been before being below between both but by came
can cannot could did do does doing done down during each either else enough even ever every few for
from further gave get give given go goes had has have having he hence her here hers herself him
himself his how however i if in indeed instead into is it its itself just keep kept least less like
made make makes many may me might more most much must my near neither never next no none nor not
nothing now of off often on once one only or other others our out over own per perhaps put quite
rather same say says see seem seems several shall she should since so some something soon still such
take taken than that the their theirs them themselves then there thereby therefore these they thing
things this those though through throughout thus to together too took toward towards two under
unless until up upon us use used using very via was way we well went were what whatever when where
whereas whether which while who whom whose why will with within without would yet you your
le la les un une des du de et ou mais donc car ni ne pas plus que qui quoi dont par pour dans sur
sous avec sans est sont etait ete etre avoir ont ce cet cette ces il elle ils elles on nous vous se
son sa ses leur leurs au aux en comme ainsi aussi tres
der die das den dem des ein eine einer eines einem einen und oder aber denn nicht kein keine ist
sind war waren wird werden wurde wurden hat haben hatte hatten mit von vom zu zum zur im am auf aus
bei nach vor uber unter fur durch um als wie auch nur noch sich er sie es wir ihr man dass wenn weil
dieser diese dieses diesem diesen
el los las una unos unas y o pero ni no que quien cual por para con sin sobre entre es son era eran
fue fueron ser estar ha han habia como mas muy su sus lo al del este esta estos estas ese esa
"""
# Words a writer uses to talk about its own text.
_TALK_WORDS = """
according answer answers aspect aspects described describes different evidence example examples
explained explains factor factors following follows important key main mention mentioned mentions
note noted notes number overall overview particular passage passages point points question reason
reasons respectively section sections shows show shown source sources stand stands state stated
states summary text various way ways
"""
COMMON = frozenset(_COMMON_WORDS.split())
_SILENT = COMMON | frozenset(_TALK_WORDS.split())


def words_of(text: str) -> Iterator[str]:
    """The words of a text as `surface` gives them; of unspaced scripts, pairs of letters."""
    for word in surface(text).split():
        if _UNSPACED.search(word):
            for run in _UNSPACED.findall(word):
                yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            yield word


def stem(word: str) -> str:
    """What a word is compared by: its beginning, without a plural or possessive s."""
    if len(word) > _SHORT:
        return word[:_SHORT]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def tellings(text: str) -> Iterator[str]:
    """The stems of the words that say what a text is about: no numbers, no common words."""
    for word in words_of(text):
        unspaced = _UNSPACED.search(word)
        if unspaced or (len(word) > 2 and word.isalpha() and word not in _SILENT):
            yield stem(word)
