"""Which words of a sentence tell what it is about, and when are two words the same?

Words are compared by their beginnings, so that forms match in any language that bends the end
of a word. Scripts without spaces are compared by pairs of letters.
"""

from __future__ import annotations

from collections.abc import Iterator

from consilience.answer.words import COMMON, UNSPACED, pairs, root
from consilience.names import surface

# Common words that may well be what a sentence claims, or names.
_CLAIMED_WORDS = """
ai best bin comment hay know list name need qu show si tell wo
"""
# Words that every text has besides, and that may tell something in a question.
_FURTHER_WORDS = """
above across again against ainsi almost along already although always among another around aussi
avoir away because being below came cannot car cet comme denn diesem diesen dieser dieses doing donc
done dont down durch during either elles enough eran esa ese estar estas estos ete etre even every
few fueron further gave given go goes habia han hatte hatten having hence hers herself himself
however indeed instead itself keep kein keine kept least less makes muy near neither never next ni
noch none nor nothing now nur o off often once ont others own per perhaps put quite rather sans says
see seem seems ser several since something soon sous still take taken theirs themselves thereby
therefore though through throughout thus together took toward towards tres two unas unless unos
unter upon using via vor weil well went whatever whereas whether wir within wurden yet
"""
# Words a writer uses to talk about its own text.
_TALK_WORDS = """
according answer answers aspect aspects described describes different evidence example examples
explained explains factor factors following follows important key main mention mentioned mentions
note noted notes number overall overview particular passage passages point points question reason
reasons respectively section sections shows show shown source sources stand stands state stated
states summary text various way ways
"""
_LANGUAGES = ("English", "French", "German", "Spanish")
_EVERYWHERE = frozenset(word for language in _LANGUAGES for word in COMMON[language])
PLAIN = (_EVERYWHERE - set(_CLAIMED_WORDS.split())) | frozenset(_FURTHER_WORDS.split())
"""Words that every text has, in English, French, German and Spanish."""
_SILENT = PLAIN | frozenset(_TALK_WORDS.split())


def words_of(text: str) -> Iterator[str]:
    """The words of a text as `surface` gives them; of unspaced scripts, pairs of letters."""
    for word in surface(text).split():
        if UNSPACED.search(word):
            for run in UNSPACED.findall(word):
                yield from pairs(run)
        else:
            yield word


def tellings(text: str) -> Iterator[str]:
    """The roots of the words that say what a text is about: no numbers, no common words."""
    for word in words_of(text):
        unspaced = UNSPACED.search(word)
        if unspaced or (len(word) > 2 and word.isalpha() and word not in _SILENT):
            yield root(word)
