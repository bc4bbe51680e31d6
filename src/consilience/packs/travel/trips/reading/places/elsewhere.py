"""Which places does a text name that the atlas does not have?

A name that is written as one, where a place stands ("a week in Xanadu", "visit Xanadu"), and the
countries and cities of the world that are much travelled to, however they are written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from consilience.packs.travel.trips.reading.ordinary import is_ordinary
from consilience.packs.travel.trips.reading.places.persons import is_person
from consilience.packs.travel.trips.reading.sentence import PLACE, USED, Sentence, either
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.vocabulary import kinds_in, months_in
from consilience.packs.travel.wording import is_unwanted
from consilience.understand.names import surface

_COUNTRIES = """
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas
bahrain bangladesh barbados belarus belgium belize bhutan bolivia botswana brazil brunei bulgaria
cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt
estonia ethiopia fiji finland france gabon gambia georgia germany ghana greece greenland grenada
guatemala guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy
jamaica japan jordan kazakhstan kenya korea kosovo kuwait kyrgyzstan laos latvia lebanon liberia
libya liechtenstein lithuania luxembourg madagascar malawi malaysia maldives mali malta mauritius
mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nepal netherlands
nicaragua niger nigeria norway oman pakistan palestine panama paraguay peru philippines poland
portugal qatar romania russia rwanda samoa senegal serbia seychelles singapore slovakia slovenia
somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo
tonga tunisia turkey turkmenistan uganda ukraine uruguay usa uzbekistan vanuatu venezuela vietnam
yemen zambia zimbabwe england scotland wales britain antarctica oceania scandinavia tuscany
provence bavaria catalonia andalusia sicily sardinia corsica crete mallorca ibiza tenerife madeira
hawaii alaska california florida texas bali java sumatra borneo lombok patagonia siberia tibet
kerala goa rajasthan zanzibar phuket okinawa hokkaido tasmania mars atlantis
venus jupiter saturn narnia wakanda hogwarts westeros mordor neverland
disneyland legoland stonehenge colosseum acropolis pompeii versailles alhambra hollywood yellowstone
yosemite serengeti kilimanjaro everest borobudur galapagos tahiti bermuda aruba oz lapland svalbard
camelot gotham asgard pandora tatooine olympus
"""
_CITIES = """
paris london rome milan venice florence naples berlin munich hamburg cologne vienna prague
budapest warsaw krakow amsterdam rotterdam brussels bruges antwerp madrid barcelona seville
valencia lisbon porto athens santorini mykonos istanbul ankara cappadocia moscow dublin edinburgh
glasgow manchester liverpool oxford cambridge zurich geneva lucerne oslo bergen stockholm
copenhagen helsinki tallinn riga vilnius reykjavik zagreb dubrovnik ljubljana belgrade sofia
bucharest kiev kyiv lyon marseille bordeaux strasbourg cannes salzburg innsbruck verona pisa
bologna turin palermo tokyo kyoto osaka hiroshima sapporo seoul busan beijing shanghai guangzhou
shenzhen chengdu macau taipei bangkok pattaya krabi ayutthaya vientiane phnompenh jakarta
yogyakarta ubud manila cebu boracay penang langkawi yangon bagan mandalay delhi mumbai jaipur agra
varanasi kolkata kathmandu pokhara colombo kandy dhaka karachi lahore dubai doha riyadh jerusalem
petra amman beirut cairo luxor marrakech fez casablanca tunis nairobi johannesburg durban lagos
accra sydney melbourne brisbane perth adelaide cairns auckland wellington queenstown toronto
vancouver montreal quebec ottawa calgary chicago boston miami seattle denver atlanta houston
dallas philadelphia washington orlando honolulu cancun tulum oaxaca havana lima cusco quito bogota
medellin cartagena santiago montevideo rio brasilia salvador
"""
_LONGER = """
new york|los angeles|san francisco|las vegas|new orleans|san diego|hong kong|luang prabang
chiang mai
chiang rai|siem reap|phnom penh|angkor wat|kuala lumpur|koh samui|ko samui|koh phangan|koh tao
vang vieng|sri lanka|new zealand|south korea|north korea|south africa|saudi arabia|costa rica
puerto rico|dominican republic|el salvador|united states|united kingdom|czech republic
the netherlands
papua new guinea|ivory coast|burkina faso|sierra leone|bosnia|cape town|mexico city|buenos aires
rio de janeiro|sao paulo|machu picchu|abu dhabi|tel aviv|addis ababa|st petersburg
saint petersburg
the alps|the maldives|the philippines|southeast asia|south america|the caribbean|the moon
the sahara
hua hin|nusa penida|gili islands|great wall|grand canyon|niagara falls|the eiffel tower
eiffel tower|taj mahal|great barrier reef|mount everest|everest base camp|statue of liberty
times square|golden gate bridge|big ben|buckingham palace|sagrada familia|the louvre|the vatican
the kremlin|red square|mount fuji|mount kilimanjaro|easter island|the amazon|amazon rainforest
the nile|the danube|the rhine|the mississippi|the ganges|lake como|the dolomites|the himalayas
the pyrenees|the andes|the rockies|the riviera|french riviera|the serengeti|masai mara
victoria falls
the galapagos|the azores|the canaries|canary islands|greek islands|the hamptons|route 66|wall street
hollywood boulevard|forbidden city|terracotta army|uluru rock|ayers rock|bora bora|the bahamas
the north pole|the south pole|north pole|south pole|the arctic|the baltics|the balkans|lake baikal
middle earth|the shire|disney world|disneyland paris|universal studios|harry potter world|area 51
the bermuda triangle|bermuda triangle|el dorado|shangri la|west africa|east africa|central america
north america|the middle east|new delhi|st moritz|el nido|siargao island|phi phi|koh lanta
"""
_KNOWN = frozenset((*_COUNTRIES.split(), *_CITIES.split())) - {
    "rio", "georgia", "petra", "perth", "oz", "pandora", "olympus"
}  # fmt: skip
_WIDE = frozenset({"europe", "asia", "africa", "america"})
_PAIRS = frozenset(one.strip() for line in _LONGER.strip().splitlines() for one in line.split("|"))
_BEFORE = either("""
in|to|into|visit|visiting|see|seeing|around|near|via|through|explore|exploring|towards|reach
include
including|from|between|skip|tour|touring|combine|want|wants
(?:[·]|days?|nights?|weeks?|weekend|holidays?|trip|stay\\w*|camp\\w*|time|honeymoon|summer) on
(?:town|city|village|island|province|region|valley|bay|kingdom|state|republic) of
(?:stop|stopover|layover|detour|nights?|days?|overnight|stay) at
(?:town|city|village|island|place|temple|beach|resort) (?:called|named)
""")  # fmt: skip
_NAME = (
    r"(?-i:[A-ZÀ-ÝĐ][^\W\d_]+(?:[ '-](?:(?:de|da|del|la|le|el|of|do|the) )?[A-ZÀ-ÝĐ][^\W\d_]+)*)"
)
_WRITTEN = re.compile(
    rf"(?:\b|(?=[{USED}])){_BEFORE}\s+(?:the\s+)?(?P<name>{_NAME})(?!\w)", re.IGNORECASE
)
_LISTED = re.compile(
    rf"\s*(?:,\s*(?:and |then |or )?|and (?:then )?|or |then |& ?|\+ ?|plus )(?:to "
    rf"|in |on )?(?P<name>{_NAME})(?!\w)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"(?:^|[.;:!?]\s+)(?P<name>{_NAME})\s*(?:,|and|then|&|or)\s+(?:the )?{PLACE}", re.IGNORECASE
)
_NEVER = re.compile(
    r"\b(?:never|not|already|yet|once)\s+(?:\w+\s){0,2}(?:to|in|seen"
    r"|visited)\s+(?:the )?$",
    re.I,
)
_NOUN = re.compile(
    r"\s+(?!(?:and|or|then|for|with|in|to|from|via|on|at|but|if|please|next|this|as|over|by|is"
    r"|are|first|where|plus|during|again|too|also|so|because|which|that|around|before|after"
    r"|when|who|we|i|maybe|instead|without|under|until|trip|holiday|weekend|vacation|tour"
    r"|itinerary|region|area|city|island|beach|bay|province|would|near|nearby|outside|beside)\b)(?-i:[a-z])",
    re.IGNORECASE,
)
_LANDMARKS = (
    r"(?:waterfall|falls|lake|caves?|river|mountain|peak|volcano|national park|nature reserve"
    r"|valley|gorge|canyon|pass|peninsula|archipelago|lagoon|bay|desert|dunes|delta|pagoda|temple"
    r"|monastery|cathedral|castle|palace|fortress|bridge|market|hot springs?|rice terraces|village"
    r"|reef|lighthouse|canal|glacier|forest|islands?|beach)"
)
_LANDMARK = re.compile(rf"\s+{_LANDMARKS}\b", re.IGNORECASE)
"""What a place is that has a name of its own: "Ban Gioc waterfall"."""
_FIRST = re.compile(
    rf"^(?P<name>{_NAME})(?:\s+{_LANDMARKS})?(?:,?\s*{USED}|,?\s+\d"
    rf"|\s+for\s+(?:{USED}|an?\b|next\b|this\b))",
    re.IGNORECASE,
)
_LASTING = re.compile(
    rf"{USED} (?P<name>{_NAME})(?=\s*(?:$|[,.;!?&+]|and\b|then\b))", re.IGNORECASE
)
"""Straight behind a length: "4 days Tbilisi and Baku"."""
_ISLAND = re.compile(
    r"(?<= on )(?P<name>[A-ZÀ-ÝĐ][a-zà-ÿđ]+(?: [A-ZÀ-ÝĐ][a-zà-ÿđ]+){1,3})(?![\w'])"
)
"""On an island: "all five nights on Ly Son"."""
_LAST = re.compile(rf",\s+(?P<name>{_NAME})\s*[.!]?\s*$", re.IGNORECASE)
_HOME = re.compile(
    r"\b(?:(?:fly(?:ing)?|coming?|travel(?:l?ing)?|arriv(?:e|ing)|we are|we're|i'm|i am|live|living"
    r"|based|family|couple|people|friends?|traveller|depart(?:ing)?|us|home)\s+(?:in\s+|over\s+)?"
    r"(?:from|in)|resident of|citizens? of|back to|home to)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LOWERED = re.compile(
    rf"(?:{USED}|\b(?:trip|holiday|vacation|weekend|tour|journey|going|go|travel))\s+(?:in|to"
    rf"|around)"
    r"\s+(?P<name>(?-i:[a-z]{4,}))\s*(?=$|[.,;!?]|and\b|for\b|with\b|please\b|" + USED + ")",
    re.IGNORECASE,
)
_STATES_WORDS = """
    style total solitude silence private advance heaven general peace luxury comfort harmony theory
    short secret bliss sync tune pairs fact particular principle return between home work school
    transit bed pyjamas pajamas springtime summertime wintertime person vain love mind tow line
    shape     retirement uniform public silence english french german spanish italian dutch greek
    church mass court hospital prison jail university college office toilet bathroom supermarket
    airport station downtown uptown heaven hell sleep shore abroad overseas backwards class print
    reality spirit full case order need trouble debt limbo exile bulk small daylight darkness
    moderation disguise tandem unison anger hiding mourning motion
"""
_STATES = frozenset(_STATES_WORDS.split())
_AROUND_WORDS = """
    a an and are at beautiful best but can classic visit visiting see seeing tour touring trip
    travel travelling explore exploring go going come for from great i in is lovely me my of on only
    or our please plan planning romantic solo some spend stay sunny the then this to two us we
    wonderful with christmas easter monday tuesday wednesday thursday friday saturday sunday weekend
    week days day honeymoon holiday holidays vacation family budget luxury cheap spring summer
    autumn winter fall
"""
_AROUND = frozenset(_AROUND_WORDS.split())
_WORDS = re.compile(r"[^\W\d_]+")
_DEMONYM = re.compile(r"(?:[^Aa]ish|ese|(?<!As)ian|French|German|Dutch|Greek|Swiss|Thai|Muslim)$")
_TITLES = frozenset(
    ["UNESCO", "USD", "EUR", "GBP", "VND", "Instagram", "Airbnb", "ATM", "VIP", "BBQ", "Michelin"]
)


def is_elsewhere(key: str) -> bool:
    """Whether a name (as `surface` spells it) is that of a place much travelled to."""
    return key in _KNOWN or key in _PAIRS or f"the {key}" in _PAIRS


def unknown_places(
    sentence: Sentence, told: Collection[str] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of places that are not in the atlas: those to go to, and where people come from.

    `told` are the words that places tell; with them, a word in small letters that is none of these
    nor an ordinary one is a name as well, where days are said to be spent.
    Call when everything that is understood has been taken out of the sentence.
    """
    away: dict[str, str] = {}
    home: dict[str, str] = {}
    found = {
        *_written(sentence, told),
        *_famous(sentence),
        *_lowered(sentence, told),
        *_islands(sentence),
    }
    refused = {surface(name) for start, name in found if _is_refused(sentence, start, name)}
    for start, name in sorted(found):
        if (
            surface(name) in refused
            or _is_recalled(sentence, start, start + len(name))
            or _NEVER.search(sentence.rest[:start])
            or surface(name) in _WIDE
        ):
            continue
        comes = _HOME.search(sentence.rest[:start]) or _is_departure(sentence.rest, start, name)
        (home if comes else away).setdefault(surface(name), name)
    longer = [one for one in away if any(one != two and f" {one} " in f" {two} " for two in away)]
    return (
        tuple(name for key, name in away.items() if key not in longer),
        tuple(name for key, name in home.items() if key not in away),
    )


def _is_departure(rest: str, start: int, name: str) -> bool:
    """Whether "from X" stands alone, without a "to" behind: where people come from."""
    before, behind = rest[:start], rest[start + len(name) :]
    opened = re.search(r"(?<!far )(?<!away )\bfrom (?:the )?$", before, re.IGNORECASE)
    return bool(opened) and not re.match(r"\s+(?:to|via|through)\b", behind, re.IGNORECASE)


def _written(sentence: Sentence, told: Collection[str] | None) -> Iterator[tuple[int, str]]:
    """Names that are written as such: where a place stands, and in a list behind one."""
    rest = sentence.rest
    if rest.isupper():
        return
    ends = [match.end() for match in sentence.find(PLACE)]
    for form in (_WRITTEN, _FIRST, _LAST, _LASTING, _LEADING):
        for match in form.finditer(rest):
            for start, name in _names(rest, match, told):
                if form in (_FIRST, _LAST) and " " not in name:
                    continue
                if form is _LASTING and _is_told(name, told):
                    continue
                ends.append(start + len(name))
                yield start, name
    while ends:
        listed = _LISTED.match(rest, ends.pop())
        for start, name in _names(rest, listed, told) if listed else ():
            ends.append(start + len(name))
            yield start, name


def _names(rest: str, match: re.Match[str], told: Collection[str] | None) -> list[tuple[int, str]]:
    return [
        (start, name)
        for start, name in _proper(match["name"], match.start("name"))
        if not _NOUN.match(rest, start + len(name))
        or (_LANDMARK.match(rest, start + len(name)) and not _is_told(name, told))
    ]


def _is_told(name: str, told: Collection[str] | None) -> bool:
    """Whether a name is one word that places tell: a people or a style, more than a place."""
    return " " not in name and (told is None or surface(name) in told)


def _proper(name: str, start: int) -> Iterator[tuple[int, str]]:
    """A name without what stands around one; nothing where all its words are ordinary ones."""
    words = list(_WORDS.finditer(name))
    if all(_plain(one[0]) for one in words):
        return
    while _is_around(words[0][0]):
        words.pop(0)
    while _is_around(words[-1][0]):
        words.pop()
    if words:
        first, last = words[0].start(), words[-1].end()
        yield start + first, name[first:last]


def _plain(word: str) -> bool:
    short = word.isupper() and len(word) < 4
    if _DEMONYM.search(word):
        return True
    return short or word in _TITLES or is_ordinary(surface(word))


def _is_around(word: str) -> bool:
    """Whether a word in capitals stands around a name, rather than in it: "Visit Ly Son Island".

    "Son" is an ordinary word as well, and a part of the name.
    """
    key = surface(word)
    known = _DEMONYM.search(word) or word in _TITLES or (word.isupper() and len(word) < 4)
    return (
        bool(known) or key in _AROUND or (_plain(word) and bool(kinds_in(key) or months_in(word)))
    )


def _is_refused(sentence: Sentence, start: int, name: str) -> bool:
    """Whether a name is that of a person, or is said not to be wanted, here for all the text."""
    end = start + len(name)
    return is_person(sentence.text, start, end) or is_unwanted(sentence.text, start, end)


def _is_recalled(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a name is only compared with, remembered, lived in or ruled out."""
    if _HOME.search(sentence.rest[:start]) is not None:
        return False
    return is_aside(sentence.text, start, end)


def _lowered(sentence: Sentence, told: Collection[str] | None) -> Iterator[tuple[int, str]]:
    """Words in small letters where days are said to be spent, that nothing here tells."""
    if told is None:
        return
    for match in _LOWERED.finditer(sentence.rest):
        key = surface(match["name"])
        if key not in told and key not in _STATES and not is_ordinary(key):
            yield match.start("name"), match["name"]


def _islands(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Names of several words that one is "on"."""
    for match in () if sentence.rest.isupper() else _ISLAND.finditer(sentence.rest):
        for start, name in _proper(match["name"], match.start("name")):
            if " " in name:
                yield start, name


def _famous(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Places that much is travelled to, however they are written."""
    words = list(_WORDS.finditer(sentence.rest))
    for number, word in enumerate(words):
        pair = words[number : number + 3]
        for length in (3, 2):
            key = surface(" ".join(one[0] for one in pair[:length]))
            if len(pair) >= length and key in _PAIRS:
                yield word.start(), sentence.rest[word.start() : pair[length - 1].end()]
        if surface(word[0]) in _KNOWN:
            yield word.start(), word[0]
