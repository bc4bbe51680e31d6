"""Which fact of a place does a question ask for, and does a text tell it?

How deep a lake is, who drew the bridge, how many live in a town, the telephone of an inn: a text
about the place may be as near to the question as can be and still not say. Each such fact has
words by which it is asked for, and words, numbers or units by which a text tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from consilience.types import Passage
from consilience.understand.names import surface

FACT = "fact"
"""What the identifier of a fact begins with."""
_JOIN, _OR = " ~ ", " or "
_NUMBER = (
    r"(?:\d[\d,. ]*|(?:a |one |two |three |four |five |six |seven |eight |nine |ten |twelve "
    r"|twenty "
    r"|thirty |forty |fifty |hundred |several |some )+)"
)
_METRES = r"(?:k?m|metres?|meters?|kilomet(?:re|er)s?|feet|ft|miles?|storeys?|stories|floors?)\b"
_COUNTED = (
    r"rooms?|beds?|suites?|bungalows?|bunks?|dorms?|cabins?|tables?|seats?|chairs|employees"
    r"|staff|waiters|chefs|cooks|porters"
    r"|guides|guards|lifeguards|boats|lanes|holes|courts|lifts|windows|pillars|books|paintings|exhibits|species"
    r"|monks|pupils"
)
_COUNT = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty|forty"
    r"|fifty|sixty|hundred|only|dozen)[\s-]"
)
_YEAR = (
    r"\b1\d{3}s?\b|\b20\d\d\b|\bcentur(?:y|ies)\b|\byears? old\b|\byears ago\b|\bdates? (?:from"
    r"|back)"
    r"|\bdecade"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A fact: how it is asked for, and how a text tells it."""

    asked: re.Pattern[str]
    told: re.Pattern[str]


def _attribute(asked: str, told: str) -> Attribute:
    flags = re.IGNORECASE
    return Attribute(asked=re.compile(asked, flags), told=re.compile(told, flags))


ATTRIBUTES: Mapping[str, Attribute] = {
    "depth": _attribute(
        r"\bhow (?:many \w+ )?deep\b|\b(?:the |maximum |greatest |average )depth\b"
        r"|\bdeepest point\b",
        rf"{_NUMBER}\s*(?:-| )?{_METRES} (?:deep|down|below)|\bdepths? of\b|\bdeep as\b"
        rf"|\bdeep[^.]{{0,25}}\d+ ?{_METRES}|\b(?:knee|waist|chest)[- ](?:deep|high)|shallow",
    ),
    "height": _attribute(
        r"\bhow (?:many (?:met\w+|feet|storeys|floors) )?(?:high|tall) (?:is|was|are|does)\b"
        r"|\bhow many (?:met(?:re|er)s|feet|ft) (?:high|tall)\b|\b(?:the|exact|its) (?:height"
        r"|elevation"
        r"|altitude) (?:of|above)\b|\b(?:height|elevation|altitude) (?:in|of)\b",
        rf"\d[\d,. ]*\s*-?{_METRES}|{_NUMBER}(?:-| )?(?:metres?|storeys?|floors?)",
    ),
    "length": _attribute(
        r"\bhow many (?:kilo)?(?:met(?:re|er)s|miles|km|feet) long\b|\bhow long is the (?:bridge"
        r"|tunnel"
        r"|beach|cave|wall|river|coast|street|line) \b(?:in|exactly)|\blength in\b"
        r"|\bthe length of\b",
        rf"{_NUMBER}\s*-?{_METRES}",
    ),
    "width": _attribute(r"\bhow (?:many \w+ )?wide\b|\bthe width\b", rf"{_METRES} (?:wide|across)"),
    "area": _attribute(
        r"\bhow many (?:hectares|acres|square)\b|\b(?:area|size) in (?:hectares|acres|square|km)\b",
        r"\b(?:hectares?|acres?|square|sq|km2|km²)\b",
    ),
    "speed": _attribute(
        r"\bhow fast\b(?!er)|\b(?:top |average |maximum |exact )?speed\b|\bkm/h\b|\bkph\b|\bmph\b",
        r"\bkm/h\b|\bkph\b|\bmph\b|\b(?:kilomet(?:re|er)s|miles|megabits?) (?:an?|per)\b|\bmbps\b"
        r"|\bmegabits?\b|\bfast (?:wi-?fi|internet|line)\b",
    ),
    "weight": _attribute(
        r"\bhow (?:heavy|much does \S+(?: \S+){0,3} weigh)\b|\bhow many (?:tons|tonnes|kilos|kg)\b",
        r"\b(?:tons?|tonnes?|kilos?|kg|kilograms?|weigh\w*)\b",
    ),
    "year": _attribute(
        r"\b(?:in )?(?:which|what) (?:year|century|decade)\b|\bsince what year\b|\bhow old is\b"
        r"|\bwhen (?:was|were|did) (?:(?!\b(?:i|we|you)\b).){3,60}?\b(?:built|build|opened"
        r"|first open"
        r"|founded|completed|constructed|finished|established|inaugurated|discovered|erected|made"
        r"|planted|painted|invented|renovated|restored)\b",
        _YEAR,
    ),
    "maker": _attribute(
        r"\bwho (?:\w+ )?(?:designed|design|drew|engineered|architected|sculpted|sculptured|carved"
        r"|built|constructed|planned|painted)\b|\b(?:architect|designer|engineer|sculptor|builder"
        r"|contractor|landscape artist)s?\b|\b(?:which|what) (?:[\w-]+ ){0,3}(?:firm|company"
        r"|factory"
        r"|studio|office|bureau|foundry|artist|builder)\b[^?]{0,40}\b(?:built|designed|drew|made"
        r"|mixed|cast"
        r"|supplied|constructed|painted|engineered)\b",
        r"\b(?:design\w*|architect\w*|engineer\w*|sculpt\w*|carved by|built by|work of|drawn by"
        r"|builder\w*"
        r"|plans? of|planned by|commissioned|raised by|had it built|painted by|made by|cast by)\b",
    ),
    "director": _attribute(
        r"\bwho (?:\w+ )?(?:directed|directs|choreographed|composed|produced|produces|scripted)\b"
        r"|\b(?:director|choreographer|composer|producer|playwright)s?\b",
        r"\b(?:direct(?:ed|or)|choreograph\w*|compos(?:ed|er)|produc(?:ed|er)|playwright)\b",
    ),
    "winner": _attribute(
        r"\bwho (?:\w+ )?(?:won|came (?:first|second|third|last)|finished first)\b|\bwinners? of\b",
        r"\b(?:won by|winners?|champions?|prize went)\b",
    ),
    "names of the animals": _attribute(
        r"\bnames? of (?:the|their|all the|its) (?:\w+ )?(?:giraffe|elephant|tiger|lion|bear|monkey"
        r"|horse|buffalo|dolphin|turtle|crocodile|parrot|dog|cat|animal)(?:e?s)?\b"
        r"|\b(?:giraffe|elephant|tiger|lion|bear|horse|dog|cat|animal)s? (?:called|named)\b",
        r"\b(?:called|named)\b",
    ),
    "owner": _attribute(
        r"\bwho (?:owns|is the (?:owner|manager|head chef|chef|director))\b|\bname of the (?:owner"
        r"|manager|chef|director|head|cook|guide)\b|\bwho is the boss\b",
        r"\b(?:own(?:s|ed|er|ers)|run by|runs|belongs?|family|manager|chef|director|grandmother"
        r"|couple)\b",
    ),
    "cost of building": _attribute(
        r"\b(?:cost|costs|expensive|spent|spend|pay|paid|price)\b[^?.]{0,50}\b(?:to (?:build"
        r"|construct|make"
        r"|restore|renovate|erect)|on (?:building|construction|restor\w+|renovat\w+))\b"
        r"|\b(?:construction"
        r"|building|restoration) (?:costs?|budget|price)\b|\bhow much (?:did"
        r"|was)[^?]{0,50}\b(?:build"
        r"|construct|restore|renovate)\b",
        r"\b(?:cost|spent|paid|funds?|billion|million)\b[^.]{0,60}\b(?:build|built|construct\w*"
        r"|restor\w+)"
        r"|\b(?:build|built|construct\w*|restor\w+)\b[^.]{0,60}\b(?:cost|billion|million|funds?)",
    ),
    "population": _attribute(
        r"\bpopulation\b|\binhabitants\b|\bresidents\b|\bcensus\b|\bhow many (?:\w+ )?(?:people"
        r"|souls"
        r"|locals|families) (?:live|are living|reside|dwell)\b",
        r"\b(?:population|inhabitants|residents|census)\b|\d[\d,. ]+ people|people live",
    ),
    "number of visitors": _attribute(
        r"\bhow many (?:\w+ )?(?:visitors|tourists|people|guests|pilgrims) (?:visit|come|came|go"
        r"|visited|a "
        r"year|each|every|per|annually|last)\b|\b(?:visitor|attendance) (?:numbers|figures"
        r"|statistics)\b",
        r"\b(?:million|thousand\w*|\d[\d,.]{3,}) (?:of )?(?:visitors|tourists|people|guests"
        r"|pilgrims)\b",
    ),
    "number of rooms or seats": _attribute(
        rf"\bhow many (?:[\w-]+ )?(?:{_COUNTED})\b",
        rf"{_COUNT}(?:(?!VND|dong|for|an?|and)\b[\w-]+ ){{0,2}}(?:{_COUNTED})\b|\bone-room\b",
    ),
    "telephone": _attribute(
        r"\b(?:tele)?phone (?:number|no)\b|\b(?:tele|mobile )?phone of\b|\bcontact (?:number"
        r"|details)\b"
        r"|\bwhatsapp\b|\bhotline\b|\bnumber (?:of|for) (?:the )?(?:reception|front desk|hotel"
        r"|restaurant"
        r"|office)\b|\bfront[- ]desk (?:phone|number)\b|\bring (?:them|the hotel|the reception)\b",
        r"\b(?:tele)?phone|\bcall\b|\+\d{2}|\btel\b|\b\d{3,4}[ -]\d{3}|whatsapp|hotline",
    ),
    "address on the net": _attribute(
        r"\be-?mail(?: address)?\b(?! bounces)|\bweb ?site\b|\bweb address\b|\burl\b"
        r"|\binstagram (?:handle"
        r"|account)\b|\bfacebook page\b",
        r"\be-?mail|@|\bwww\b|https?:|web ?site|\bonline\b",
    ),
    "password": _attribute(r"\bpass(?:word|code)\b|\bpin code\b", r"\bpass(?:word|code)\b"),
    "rule on pets": _attribute(
        r"\b(?:pets?|dogs?|puppy|puppies|cats?|kittens?|beagle|labrador|poodle|terrier|spaniel"
        r"|retriever"
        r"|dachshund|parrot|hamster)\b[^?.]{0,30}\b(?:allowed|welcome|accepted|permitted"
        r"|friendly|along"
        r"|with us|stay)\b|\b(?:bring|take|accept|allow|welcome"
        r"|permit)s? (?:in )?(?:\w+ ){0,3}?(?:pets?|dogs?"
        r"|puppy|puppies|cats?|kittens?|beagle|labrador|poodle|terrier|spaniel|retriever"
        r"|dachshund|parrot"
        r"|hamster)\b|\bpet[- ](?:friendly|policy)\b",
        r"\bpets?\b|\bdogs?\b|\bcats?\b(?! ba)|\banimals?\b",
    ),
    "check-out time": _attribute(
        r"\b(?:late |latest |early |earliest )?check(?:-| )?(?:out|in)\b(?! luggage)|\bvacate\b",
        r"\bcheck(?:-| )?(?:out|in)\b",
    ),
    "stars": _attribute(
        r"\bmichelin\b|\bhow many stars\b|\b(?:google|tripadvisor|booking) (?:rating|score"
        r"|reviews?)\b"
        r"|\bstar rating\b",
        r"\bmichelin\b|\bstars?\b(?!fish)|\brated\b|\brating",
    ),
    "statistics": _attribute(
        r"\b(?:exact figure|statistics?|death toll|(?:crime|murder|accident) rate"
        r"|how many (?:\w+ )?(?:accidents|deaths"
        r"|drownings|died"
        r"|drowned|crimes|robberies|shark attacks))\b",
        r"\b(?:per cent|percent|%|deaths?|died|drowned|drownings?|accidents? a year)\b",
    ),
    "house price": _attribute(
        r"\b(?:flat|house|apartment|villa|land|plot|condo|property"
        r"|bedroom)\b[^?.]{0,40}\b(?:to buy|for sale"
        r"|buy outright|purchase)\b|\b(?:buy|purchase|buying|purchasing) (?:an? "
        r"|some )?(?:[\w-]+ ){0,2}"
        r"(?:flat|house|apartment|villa|land|plot|condo|property)\b|\bproperty prices?\b"
        r"|\bhouse prices?\b",
        r"\bfor sale\b|\breal estate\b|\bproperty\b",
    ),
}  # fmt: skip
"""The facts by what they are called."""


def asked_facts(text: str, names: Sequence[str]) -> Iterator[str]:
    """The identifiers of the facts that a question asks of what it names."""
    for name, one in ATTRIBUTES.items():
        if names and one.asked.search(text):
            yield _JOIN.join((FACT, name, _OR.join(names)))


def fact_of(identifier: str) -> tuple[str, tuple[str, ...]] | None:
    """The fact and the names of its place; None where an identifier stands for something else."""
    kind, *parts = identifier.split(_JOIN)
    return (parts[0], tuple(parts[1].split(_OR))) if kind == FACT else None


def tells(passage: Passage, identifier: str) -> bool:
    """Whether a passage about the place, or a sentence that names it or follows one that does,
    tells the fact.
    """
    found = fact_of(identifier)
    if found is None:
        return False
    name, names = found
    told = ATTRIBUTES[name].told
    if _is_about(passage, names):
        return bool(told.search(_without(passage.text, names)))
    sentences = re.split(r"(?<=[.!?])\s+|\n", passage.text)
    pairs = (f"{one} {other}" for one, other in pairwise(["", *sentences]))
    return any(
        told.search(one) for one in pairs if any(f" {n} " in f" {surface(one)} " for n in names)
    )


def _is_about(passage: Passage, names: tuple[str, ...]) -> bool:
    fields = {surface(str(passage.metadata.get(one, ""))) for one in ("node", "about", "name")}
    heads = f" {surface(' '.join((passage.title, *passage.locator.section)))} "
    return not fields.isdisjoint(names) or any(f" {one} " in heads for one in names)


def _without(text: str, names: tuple[str, ...]) -> str:
    """A text without its first line, which names the place: what follows tells of it."""
    first, _, rest = text.partition("\n")
    return rest if rest and any(one in surface(first) for one in names) else text
