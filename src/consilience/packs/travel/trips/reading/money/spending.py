"""What may the trip cost, and in which style is it? Amounts become those for all people.

An amount counts where it has a currency, or where the words around say that it is money. What is
said to be for each person is multiplied by the people; "a day" stays by the day.
"""

from __future__ import annotations

import re
from decimal import Decimal
from statistics import median

from consilience.packs.travel.atlas import STAY, Atlas
from consilience.packs.travel.money import rate, told
from consilience.packs.travel.trips.reading.counting import amount, value
from consilience.packs.travel.trips.reading.money.currencies import (
    SIGN,
    WORD,
    codes,
    currency_of,
    unsaid,
)
from consilience.packs.travel.trips.reading.sentence import Sentence, either
from consilience.packs.travel.trips.reading.spoken.chatter import is_told
from consilience.packs.travel.trips.reading.spoken.figures import in_figure
from consilience.packs.travel.trips.types import LEVELS, Budget, Group, Level

_SCALES = {"k": 3, "thousand": 3, "grand": 3, "m": 6, "mil": 6, "million": 6, "millions": 6,
           "mio": 6, "tr": 6, "triệu": 6, "trieu": 6, "hundred": 2, "lakh": 5, "lakhs": 5, "lac": 5,
           "lacs": 5, "crore": 7, "crores": 7, "billion": 9, "billions": 9, "bn": 9}  # fmt: skip
_SCALE = (
    r"(?:\s?(?:thousand|grand|millions?|mio|mil|triệu|trieu|hundred|lakhs?|lacs?|crores?"
    r"|billions?)\b"
    r"|(?:k|m|tr|bn)\b)"
)
_FIGURE = r"\d{1,2}(?:,\d{2})+,\d{3}\b|\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_WORDED = (
    rf"(?:a|{_ONES}|ten|eleven|twelve|fifteen|eighteen|(?:twenty|thirty|forty|fifty|sixty|seventy"
    rf"|eighty|ninety)(?:[ -](?:{_ONES}))?)\b"
)
_INDIAN = re.compile(r"la(?:kh|c)|crore", re.IGNORECASE)
_SKIPPED = (
    r"(?:[\s,(]*(?:excluding|excl\.?|not including|not counting|without|plus|before|besides"
    r"|on top of"
    r"|apart from)\s+(?:the )?(?:international |our |my )?(?:flights?|airfares?|plane tickets?"
    r"|visas?)\)?)"
)
_FOR_EACH = either(r"""
per person|a person|per head|a head|each person|each|p\.?p\b\.?|apiece|per adult|for each of us
per traveller|per traveler|/ ?person|/ ?pax|per pax|per capita
""")  # fmt: skip
_FOR_ALL = either(r"""
in total|total|altogether|all in|all-in|for (?:the )?(?:two|three|four|five|six|both|all) of us
for both|for (?:two|2|three|3|four|4|five|5)(?! (?:days|nights|weeks))|for everyone|for everybody
for all of us|for the whole trip|for the whole family
for the family|combined|between us|for the trip|overall
""")  # fmt: skip
_A_DAY = r"(?:a|per|each|every|/)\s?day|daily|/\s?d\b"
_A_NIGHT = r"(?:a|per|each|/)\s?night|nightly"
_AROUND = (
    rf"(?:\s*(?:,?\s*(?:{_FOR_EACH}|{_FOR_ALL})|,?\s*(?:{_A_DAY})|,?\s*(?:{_A_NIGHT})"
    rf"|max(?:imum)?\b)){{0,3}}"
)
_LIMIT = either("""
under|below|less than|up to|max|maximum|at most|no more than|not more than|within|around|about
roughly|approximately|approx|only|just|spend|spending|afford|budget of|budget is|budget's|budget
budget around|budget about|budget:|have|on|for|costs?|cheaper than|limit of|limit is|limit
""")  # fmt: skip
_OPENED = re.compile(
    r"(?:under|below|less than|up to|max(?:imum)?|at most|no more than|not more than|within|spend"
    r"(?:ing)?|afford|budget(?: of| is| around| about|:|'s| max| under)?(?: about| around"
    r"| roughly)?"
    r"|costs? (?:under|less than|at most)?|cheaper than|limit(?: of| is)?|luxury (?:at|for|on)"
    r"|trip (?:for|on|at)|on|for)(?: just| only| about| around| roughly| approximately"
    r"| a total of| max)?\s*$",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"(?:under|below|less than|spend|afford|budget|cost|cheaper|limit|luxury (?:at|for"
    r"|on))[^,.;]*$",
    re.IGNORECASE,
)
_NOT_MONEY = re.compile(
    r"^[\s-]*(?:days?|nights?|weeks?|months?|hours?|hrs?|minutes?|mins?|people|ppl|persons?"
    r"|of us|adults?|pax"
    r"|kids?|children|friends?|km|kilomet|miles?|cities|city|places?|stops?|stars?\b|star\b"
    r"|years?|%"
    r"|per cent|percent|couples?|travell?ers|bases?|towns?|sights?|museums?|beaches|visits?|rooms?"
    r"|met(?:re|er)s?|feet|yards?|steps?|degrees?|grams?|kg|kilos?|°|calories|m (?:of|from|away)\b"
    r"|[:/]\d|st\b|nd\b|rd\b|th\b|\d)",
    re.IGNORECASE,
)  # fmt: skip
_COUNTED = re.compile(
    r"^\s*(?:of\s+)?(?:[a-z-]+\s+)?(?!(?:is|as|this|plus|max|less|across|bucks|us|always|its"
    r"|towards|perhaps|unless|was|has|does|things)\b)"
    r"[a-z-]{2,}s\b",
    re.IGNORECASE,
)
"""Things behind a number that has no currency: "a thousand bowls", "two million motorbikes"."""
_PRICE = re.compile(
    r"\b(?:an?|the|one|no|each|every|any|per|my|our|usual) (?:\w+ )?(?:meal|dish|room|dinner|lunch"
    r"|breakfast"
    r"|ticket|drink|beer|pint|coffee|massage|taxi|bowl|entry|night|bed|flat|rent|burger|pizza"
    r"|sandwich"
    r"|cappuccino|latte|haircut|suit)s? (?:\w+ ){0,4}?(?:is|are|was|were|costs?|for|under|over"
    r"|than|most"
    r"|about|around)\s*$",
    re.IGNORECASE,
)
"""What says before an amount that it is the price of one thing, not of the trip."""
_FOR_THING = re.compile(
    r"\s*(?:for|on) (?:the |an? |our |my )?(?:[\w-]+ ){0,2}?(?:lessons?|class(?:es)?|massages?"
    r"|tickets?|gifts?"
    r"|shopping|suits?|tailor\w*|visas?|flights?|dress(?:es)?|souvenirs?|diving|dives?|cruise"
    r"|tips?|permits?"
    r"|taxis?|meals?|dinner)\b",
    re.IGNORECASE,
)
"""What says behind an amount that it is for one thing."""
_CORRECTED = re.compile(
    r"\b(?:sorry|i mean(?:t)?|make (?:that|it)|no,? wait|wait|correction|oops|scratch that"
    r"|or rather"
    r"|actually|in fact|let's say|let us say|better say|no,? no)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
"""What takes back the amount before it."""
_BUDGET_WORD = re.compile(
    r"\b(?:my |our |the |a |total |overall |maximum |max )*budget(?:s)?\s*(?:of|is|around|about"
    r"|:|=|-|would be|under"
    r"|up to|max|for (?:the|all|everything))?",
    re.IGNORECASE,
)


_NOTHING = re.compile(
    r"\b(?:for free(?! (?:entry|admission|walking|tours?))|(?:entirely|completely|totally) free"
    r"|(?:a |an? (?:all|completely) )free (?:trip|holiday|vacation|week|weekend|journey)"
    r"|(?:pay|spend|cost|costs|costing|paying|spending) (?:absolutely )?(?:nothing|zero)"
    r"|(?:without|not) (?:paying|spending) (?:anything|a (?:cent|penny|dime)|any money)"
    r"|(?:with|have|having|got|on) (?:absolutely )?(?:no money|zero (?:money|budget))(?: at all)?"
    r"|without (?:any |a penny of )?money|zero budget|budget (?:of|is) (?:nothing|zero)"
    r"|(?:not a|without a) (?:single )?(?:penny|cent|dime)|free of (?:charge|cost))\b",
    re.IGNORECASE,
)
"""What says that nothing at all may be spent."""
_MINUS = re.compile(r"(?:\b(?:minus|negative)\s*|(?<![\w\d])[-−])$", re.IGNORECASE)


def _nothing(sentence: Sentence, atlas: Atlas) -> list[Budget]:
    """A budget of nothing, where the words say so."""
    for match in sentence.find(_NOTHING):
        before = sentence.rest[: match.start()]
        if re.search(
            r"\b(?:entry|sights?|museums?|things|cancel\w*|kids|children|breakfast|lunch|dinner"
            r"|drinks?|pool"
            r"|wi-?fi|bikes?|parking|transfers?|pick-?up|water|coffee)[^,.;]*$",
            before,
            re.IGNORECASE,
        ) or re.match(r"\s+on (?:\w+)", sentence.rest[match.end() :]):
            continue
        sentence.use(*match.span())
        return [Budget(amount=Decimal(0), currency=atlas.currency or "USD", said=match[0])]
    return []


def read_budget(sentence: Sentence, atlas: Atlas, group: Group) -> Budget | None:
    """What may be spent by all; the first amount that is one of the whole trip or a day."""
    found: list[tuple[int, bool, Budget]] = []
    for match in list(sentence.find(_money(atlas.currency))):
        low = match.start("low")
        if in_figure(sentence.text, low) or _PRICE.search(sentence.text[: match.start()]):
            continue
        if not _is_money(sentence, match):
            continue
        budget = _budget(sentence, atlas, group, match)
        before = _BUDGET_WORD.search(sentence.rest[: match.start()])
        between = sentence.rest[before.end() : match.start()] if before else ""
        near = before is not None and re.fullmatch(r"[^,;.]{0,8}", between)
        start = before.start() if before and near else match.start()
        if _CORRECTED.search(sentence.text[: match.start()]):
            found.clear()
        sentence.use(start, match.end())
        if budget is not None:
            found.append((_rank(sentence, match), budget.per == "day", budget))
    ordered = sorted(found, key=lambda one: one[:2])
    chosen = _chosen(sentence, [one for *_, one in ordered])
    return chosen or next(iter(_nothing(sentence, atlas)), None)


def _rank(sentence: Sentence, match: re.Match[str]) -> int:
    """How far an amount is from the budget: 0 for a total, 2 for what is told or for a thing."""
    if _FOR_THING.match(sentence.text, match.end()):
        return 2
    if is_told(sentence.text, match.start("low"), match.end()):
        return 2
    return 0 if re.search(_FOR_ALL, match["around"] or "", re.IGNORECASE) else 1


def _chosen(sentence: Sentence, found: list[Budget]) -> Budget | None:
    """The first of the amounts; what another one says is told as not counted."""
    if not found:
        return None
    first, *others = found
    sentence.unclear += [
        f"{one.said} (counted is {first.said} for all)"
        for one in others
        if one.per == first.per and one.amount != first.amount
    ]
    return first


def _money(local: str) -> re.Pattern[str]:
    unit = rf"{SIGN}|(?:{codes(local)}|{WORD})(?!\w)"
    figure = rf"(?:{_FIGURE}|{_WORDED}(?=(?: and a half)?\s?(?:{_SCALE}|{WORD})))"
    return re.compile(
        rf"(?<![\w.,])(?P<sign>(?:{SIGN}"
        rf"|(?:{codes(local)})\s?))?\s?(?P<low>{figure})(?P<half> and a half)?"
        rf"(?P<lowscale>{_SCALE})?"
        rf"(?:\s?(?:{SIGN})?\s?(?:-|to|and"
        rf"|or)\s?(?:{SIGN})?\s?(?P<high>{_FIGURE})(?P<highscale>{_SCALE})?"
        rf"(?![\s-]*(?:days?|nights?|people|of us|weeks?|kids|adults)))?"
        rf"\s?(?P<unit>{unit})?(?P<around>{_AROUND})(?:{_SKIPPED})?",
        re.IGNORECASE,
    )


def _is_money(sentence: Sentence, match: re.Match[str]) -> bool:
    if match["sign"] or match["unit"]:
        return True
    before, behind = sentence.rest[: match.start()], sentence.rest[match.end() :]
    if _NOT_MONEY.match(behind):
        return False
    rated = re.search(rf"{_A_DAY}|{_FOR_EACH}|{_A_NIGHT}", match["around"] or "", re.IGNORECASE)
    scaled = match["lowscale"] or match["highscale"]
    opened = _OPENED.search(before)
    if opened and (_STRONG.search(before[opened.start() :]) or rated):
        return True
    if scaled and not rated and _COUNTED.match(behind):
        return False
    if scaled or rated:
        return True
    figure = (match["high"] or match["low"]).replace(",", "").replace(".", "")
    return bool(opened) and figure.isdigit() and int(figure) >= 100 and not _is_year(figure)


def _is_year(figure: str) -> bool:
    return len(figure) == 4 and figure.startswith("20")


def _budget(sentence: Sentence, atlas: Atlas, group: Group, match: re.Match[str]) -> Budget | None:
    around = match["around"] or ""
    total, said = _figure(match), match[0].strip()
    if _MINUS.search(sentence.rest[: match.start()]):
        total, said = Decimal(0), f"minus {said}"
    code = currency_of(match["sign"] or "", atlas.currency) or currency_of(
        match["unit"] or "", atlas.currency
    )
    if not code and _INDIAN.search(match["lowscale"] or match["highscale"] or ""):
        code = "INR"
    if not code:
        code = unsaid(total, atlas.currency, atlas.rates)
        sentence.assumed.append(f"'{said}' has no currency: taken as {code}")
    if re.search(_A_NIGHT, around, re.IGNORECASE):
        sentence.nightly = (total, code, said)
        return None
    daily = re.search(_A_DAY, around, re.IGNORECASE) or re.match(
        rf"[^.;]{{0,12}}\b(?:{_A_DAY})", sentence.rest[match.end() :], re.IGNORECASE
    )
    if re.search(_FOR_EACH, around, re.IGNORECASE) and group.people != 1:
        whole = total * group.people
        sentence.assumed.append(
            f"'{said}' for each of {group.people} is {told(whole, code)} for all"
        )
        total = whole
    elif group.people > 1 and not re.search(_FOR_ALL, around, re.IGNORECASE):
        sentence.assumed.append(f"'{said}' is taken as for all {group.people} together")
    return Budget(amount=total, currency=code, per="day" if daily else "trip", said=said)


def _figure(match: re.Match[str]) -> Decimal:
    side = "high" if match["high"] else "low"
    figure = match[side]
    number = amount(figure) if figure[0].isdigit() else Decimal(value(figure))
    scale = (match[f"{side}scale"] or match["highscale"] or "").strip().casefold()
    if scale and "." in figure and figure.count(".") == 1 and figure.replace(".", "").isdigit():
        number = Decimal(figure)  # 1.125k
    if match["half"] and side == "low":
        number += Decimal("0.5")
    return number * Decimal(10) ** _SCALES.get(scale, 0)


_LEVELS: dict[Level, str] = {
    "luxury": either(r"""
money is no (?:object|issue|problem)|money no object|no budget limit|unlimited budget
no limit on budget
(?:cost|price|money|budget) (?:doesn't|does not|is not|isn't) (?:matter|an issue|a problem)
luxur\w+|(?:five|5)[ -]stars?|high[ -]end|upscale|splurge|splurging|lavish|premium|posh
fancy hotels?
no expense spared|spare no expense|top[ -]end|first[ -]class hotels?|exclusive resorts?|deluxe
best hotels"""),
    "mid-range": either(r"""
mid[ -]?range|mid[ -]?level|middle[ -]range|mid[ -]budget|moderate(?:ly priced)?(?: budget)?
(?:three|3|four|4)[ -]stars?
medium budget|average budget|nothing (?:too )?fancy|not too (?:expensive|fancy|pricey)
reasonably priced|comfortable hotels?
mid[ -]priced|reasonable budget|comfortable but not luxurious|not luxurious|decent hotels?
average prices?|mid(?:dle)?[ -]class(?: hotels?)?"""),
    "budget": either(r"""
shoestring|cheap(?:ly|est|er)?|backpack\w*|hostels?|low[ -]budget|low[ -]cost|tight budget
small budget|limited budget
on a budget
budget (?:trip|travel\w*|holiday|hotels?|option|friendly|getaway|break|weekend|tour|stay
|itinerary)|inexpensive|economical
affordabl[ey]|frugal|thrifty|as little (?:money )?as possible|little money|not much money|broke
penny|dorms?|student budget|budget(?= *(?:[,.;]|$))
budget[ -]conscious|budget[ -]friendly"""),
}  # fmt: skip
_NOT = re.compile(r"\b(?:no|not|without|avoid|nothing|don't want|don't need)(?: \w+){0,2} $", re.I)


def read_level(sentence: Sentence, atlas: Atlas) -> Level | None:
    """The style that is asked for, or that the price of a night allows."""
    said = _said_level(sentence)
    if sentence.nightly is None:
        return said
    total, code, words = sentence.nightly
    worth = rate(code, atlas.currency, atlas.rates) if atlas.currency else None
    usual = _usual_nights(atlas)
    if worth is None or not usual:
        sentence.unclear.append(words)
        return said
    allowed = [level for level, price in usual.items() if price <= total * worth]
    level = said if said in allowed else allowed[-1] if allowed else next(iter(usual))
    price = told(usual[level], atlas.currency)
    sentence.assumed.append(f"'{words}' is taken as {level} level: usual there is {price} a room")
    return level


def level_said(text: str) -> Level | None:
    """The style that a text says, whatever it may cost."""
    return _said_level(Sentence(text))


def _usual_nights(atlas: Atlas) -> dict[Level, Decimal]:
    """What a room costs at each level that has any, the lowest first."""
    prices: dict[Level, list[Decimal]] = {one: [] for one in LEVELS}
    for one in atlas.places.values():
        for level in LEVELS:
            if one.kind == STAY and one.price and one.level == level:
                prices[level].append(one.price)
    return {level: median(found) for level, found in prices.items() if found}


def _said_level(sentence: Sentence) -> Level | None:
    """The style that is said; with several, the one said first."""
    found: list[tuple[int, Level]] = []
    for level, words in _LEVELS.items():
        for match in sentence.find(rf"\b{words}\b"):
            if not _NOT.search(sentence.rest[: match.start()]):
                found.append((match.start(), level))
                if level == "mid-range":
                    sentence.use(*match.span())
    mid = [one for one in found if one[1] == "mid-range"]
    return min(mid or found)[1] if found else None
