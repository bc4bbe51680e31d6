"""Whom does a text want to meet who cannot be met: the dead, rulers, beings of tales?

A guide, a cook, a monk or a family can be met. An emperor "in person", dinner "hosted by" a king, a
chat with somebody whose tomb is a sight: all of these belong to the past or are nobody's to give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.sentence import PLACE, Sentence, either
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

_TITLES = either("""
emperors?|empress(?:es)?|kings?|queens?|pharaohs?|tsars?|czars?|kaisers?|sultans?|shoguns?|caliphs?
maharajas?|khans?|popes?|presidents?|prime ministers?|dalai lama|crown princes?|princess(?:es)?
dowager|concubines?|mandarins?|samurai|knights?|gladiators?|vikings?|conquistadors?|cavem[ae]n
founding fathers?|revolutionary leader|dictators?
""")  # fmt: skip
_DEAD = either("""
napoleon(?: bonaparte)?|cleopatra|(?:julius )?caesar|nero|elvis(?: presley)?|shakespeare|mozart
beethoven|bach|chopin|michael jackson|john lennon|freddie mercury|bob marley|marilyn monroe
marco polo|christopher columbus|columbus|(?:mahatma )?gandhi|(?:albert )?einstein
leonardo(?: da vinci)?|da vinci|michelangelo|(?:vincent )?van gogh|picasso|frida kahlo|mother teresa
che guevara|genghis khan|kublai khan|alexander the great|(?:the )?buddha|confucius|jesus|moses|noah
king arthur|robin hood|dracula|frankenstein|harry potter|james bond|sherlock holmes|gandalf
godzilla|king kong|batman|superman|spider-?man|santa(?: claus)?|father christmas|the tooth fairy
zeus|poseidon|thor|odin|hercules|medusa|the easter bunny|bigfoot|the yeti|lady diana|princess diana
winston churchill|churchill|stalin|lenin|mao|abraham lincoln|george washington|nelson mandela
ernest hemingway|hemingway|charles darwin|darwin|socrates|plato|aristotle|joan of arc|mona lisa
bruce lee|anthony bourdain|pavarotti|maria callas|the little mermaid|peter pan|cinderella
""")  # fmt: skip
_MEALS = either("""
dinners?|lunch(?:es)?|breakfast|supper|tea|coffee|drinks?|a beer|banquet|feast|picnic|brunch
chats?|talks?|conversations?|audience|interviews?|meeting|meet-?and-?greet|handshake|selfies?
lessons?|walk|stroll|dance|duet|date|evening|game|round|cocktails?|tour|reception|seance
""")  # fmt: skip
_TOGETHER = (
    r"(?:with|hosted(?: (?:in person|personally))?(?: for us)? by|led(?: in person)? by|given by"
    r"|joined by|served by|in the company of|granted by|conducted by|taught by"
    r"|from)"
)
_MEETS = (
    r"(?:meet(?:ing)?(?: up with)?|greet(?:ing)?|interview(?:ing)?|have (?:a |an )?[a-z]+ with"
    r"|talk(?:ing)? (?:to|with)"
    r"|speak(?:ing)? (?:to|with)|chat(?:ting)? (?:to|with)|dine with|dining with|eat with"
    r"|shake hands with"
    r"|be received by|received by|bow (?:to|before)|get an autograph (?:of|from)"
    r"|sing(?:ing)? with|dance with"
    r"|play (?:chess|cards|golf|music) with|kiss|marry|question|ask)"
)
_REAL = (
    r"(?:(?:his|her|their) (?:majesty|highness|excellency|holiness),? )?(?:the )?(?:(?:late"
    r"|great|last|first|true|real|living|old|actual|reigning|current|one and only|legendary) )*"
)
_NOT_SELF = (
    r"(?!'s|s'|'|-|\s+(?:tombs?|hotel|palace|museum|statue|street|square|park|tours?|house|suite"
    r"|beds?"
    r"|size|prawns?|charles spaniel|crabs?|guides?|actors?|impersonators?|look-?alikes?"
    r"|puppets?|show"
    r"|cakes?|oranges?|ducks?|costumes?|clothes|dress\w*|robes?|cobras?|music|songs?|course|menu))"
)
_MET = re.compile(
    rf"\b(?:{_MEALS}\b[^.;!?,]{{0,30}}?\b{_TOGETHER}|{_MEETS})\s+{_REAL}"
    rf"(?P<who>{_TITLES}(?:\s+(?:(?-i:[A-Z])[\w'-]*|{PLACE}))*|{_DEAD})\b{_NOT_SELF}",
    re.IGNORECASE,
)
_MET_NAME = re.compile(
    rf"\b(?:{_MEALS}\b[^.;!?,]{{0,30}}?\b{_TOGETHER}|{_MEETS})\s+{_REAL}(?P<who>{PLACE})"
    rf"{_NOT_SELF}",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\b(?:concert|gig|performance|recital|show|speech|sermon|lecture|play|live set)s?\s"
    rf"+(?:live )?(?:by|of|with|from)\s+{_REAL}(?P<who>{_DEAD})\b"
    r"(?! (?:tribute|cover|impersonator|music|songs?|works|pieces))",
    re.IGNORECASE,
)
_HIMSELF = re.compile(
    rf"\b(?:{_TITLES}|generals?|marshals?|admirals?|captain|saint|lord|lady)"
    rf"(?:\s+(?:(?-i:[A-Z])[\w'-]*|{PLACE}))*,? (?:himself|herself|in person|in the flesh|alive)\b",
    re.IGNORECASE,
)
_BUSY = (
    r"(?:\s+(?:himself|herself|in person|in the flesh|alive|personally)|\s+(?:will |should "
    r"|must |shall )?(?:to )?"
    r"(?:sign|guide|greet|receive|cook for|sing for|teach|host|welcome|join|marry|bless)s?\b)"
)
_BUSY_NAME = re.compile(rf"(?P<who>{PLACE}){_BUSY}", re.IGNORECASE)
"""Somebody by name who is to do what only the living do."""
_PRETENDED = re.compile(
    r"\b(?:actors?|actress|costumed?|dressed (?:up )?as|impersonat\w+|look-?alikes?|tribute"
    r"|puppets?"
    r"|re-?enact\w+|wax|like an? )\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|without|isn't|nor)\b[^.;!?,]{0,25}$", re.IGNORECASE)


def rulers_asked(text: str) -> Iterator[str]:
    """Meetings with rulers, with the dead and with beings of tales, as the text puts them."""
    for form in (_MET, _PLAYED, _HIMSELF):
        for match in form.finditer(text):
            if is_meant(text, *match.span()) and not _is_played(text, match):
                yield match[0].strip()


def named_asked(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Meetings with somebody whose name stands for a place, each with that place."""
    for form in (_MET_NAME, _BUSY_NAME):
        for match in form.finditer(sentence.rest):
            whole = sentence.text[match.start() : match.end()]
            if is_meant(sentence.rest, *match.span()) and not _is_played(sentence.rest, match):
                yield whole, sentence.places(match["who"])[0].place


def _is_played(text: str, match: re.Match[str]) -> bool:
    """Whether it is said that somebody only plays the part: "an actor as emperor"."""
    around = text[max(0, match.start() - 40) : match.end() + 40]
    played = _PRETENDED.search(around)
    return played is not None and not _DENIED.search(around[: played.start()])
