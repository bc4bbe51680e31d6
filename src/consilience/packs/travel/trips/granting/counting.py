"""Are there such days and so many people: 30 February, a year gone by, a stadium of fans?"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.counting import amount, value
from consilience.packs.travel.trips.reading.money.currencies import WORD
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.packs.travel.trips.reading.times.almanac import MONTH, month_number

_DATES = (
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd"
        rf"|th)?\s+(?:of )?(?P<month>{MONTH})\b(?! \d{{1,2}}\b)(?: (?P<year>20\d\d))?",
        re.I,
    ),
    re.compile(
        rf"\b(?P<month>{MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d| days"
        rf"| nights)(?:,? (?P<year>20\d\d))?",
        re.I,
    ),
)
_FIGURES = re.compile(r"\b(?P<one>\d{1,2})[/.](?P<two>\d{1,2})[/.](?P<year>\d{4})\b")
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<one>\d{1,2})-(?P<two>\d{1,2})\b")
_PAST = re.compile(
    r"\b(?:in|of|for|during|from|back in|year)\s+(?:the year |summer |spring |autumn |winter |"
    rf"(?:{MONTH}) )*(?P<year>1\d{{3}}|20\d\d)\b(?!\s*(?:dollars|euros|usd|eur|vnd|people"
    rf"|metres|m\b|km"
    r"|places))",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\blast (?:summer|winter|spring|autumn|fall|century|decade|christmas|easter)\b", re.I
)
_WORDED = (
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|(?:an? |one |two |three |five "
    r"|six )?hundred)"
    r"(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?"
)
_CROWD = re.compile(
    r"\b(?P<count>\d{1,3}(?:[., ]\d{3})+|\d{3,}|(?:an? |one |two |ten |five "
    r"|several )?(?:thousands?"
    r"|millions?|hundreds?)(?: of)?)\s+(?:[a-z]+ )?(?:people|fans|employees|guests|students"
    r"|soldiers"
    r"|colleagues|pupils|passengers|players|members|friends|relatives|delegates|workers|visitors"
    r"|tourists|participants|of us|adults|kids|children|spectators|cousins"
    r"|travell?ers|singers|choristers|musicians|dancers|actors|monks|nuns|priests|pilgrims"
    r"|parishioners|teachers|professors|scouts|cadets|cyclists|bikers|motorcyclists|runners"
    r"|athletes"
    r"|swimmers|divers|sailors|veterans|nurses|doctors|lawyers|engineers|farmers|ladies|gentlemen"
    r"|men|women|girls|boys|lads|mates|blokes|retirees|pensioners|seniors|residents|villagers"
    r"|neighbou?rs|partners|staff|staffers|team-?mates|supporters|schoolchildren|voices|heads|souls"
    r"|pax|attendees|teenagers|toddlers|grandchildren|volunteers|dealers|salespeople|managers"
    r"|photographers|backpackers|holidaymakers|conscripts|recruits|troops|clowns|bridesmaids)\b"
    r"(?! (?:live|come|visit|a (?:day|year)|per (?:day|year)|every))",
    re.IGNORECASE,
)
_FOLK = re.compile(
    r"\b(?P<count>\d{2,}|\d{1,3}(?:[., ]\d{3})+)\s+(?:[a-z]+ )?(?!(?:dinners|flowers|towers"
    r"|rivers|scooters"
    r"|kilometers|meters|centimeters|papers|numbers|dollars|corners|orders|letters|restaurants"
    r"|elephants"
    r"|plants|monuments|events|presents|apartments|documents|moments|continents|tents|cents|burgers"
    r"|beers|skewers|layers|oysters|colou?rs|floors|doors|tigers|waters|posters|stickers|centers"
    r"|litres|liters|acres|users|followers|visitors|giants|percents|covers|hours|tours|errors"
    r"|rollers"
    r"|charters|quarters|containers|computers|peppers|lobsters|photos|trailers|variants"
    rf"|elements|guilders|{WORD})\b)"
    r"(?P<who>[a-z]{3,}(?:ants|ents|ers|ors|ists|ians|smen|mates|ees|folk))\b",
    re.IGNORECASE,
)
"""People by their trade: "120 accountants"."""
_BODY = re.compile(
    r"\b(?:class|choir|orchestra|band|troupe|regiment|battalion|school|congregation|parish"
    r"|club|coach"
    r"|delegation|squad|company|brigade|association|cohort|bus ?load|wedding party|convoy"
    r"|tour group"
    r"|staff|crowd|society|faculty|department|workforce|army|platoon|tribe|clan|guild|union)\s"
    r"+of\s+"
    rf"(?!(?:19|20)\d\d\b)(?:about |some |around |over |nearly )?(?P<count>\d{{2,}}|\d{{1,3}}"
    rf"(?:[., ]\d{{3}})+|{_WORDED})\b"
    r"(?! (?:years|rooms|euros|dollars|days|nights))",
    re.IGNORECASE,
)
"""A body of people by its number: "a class of 85"."""
_WHOLE_BODY = re.compile(
    r"\b(?:for|with|bring(?:ing)?|tak(?:e|ing)|us,|we,|we are|we're)\s+(?:our|my|the|an?)\s"
    r"+(?:(?:whole|entire|complete|full)\s+)"
    r"?(?P<body>regiment|battalion|brigade|army|army division|marching band|symphony orchestra"
    r"|warship'?s? crew)\b"
    r"|\b(?:our|my|the) (?:whole|entire|complete) (?P<more>village|town|school|company|stadium"
    r"|parish"
    r"|congregation|university|factory|street|neighbou?rhood)\b(?=[^.;!?]{0,30}\b(?:com(?:e|es"
    r"|ing)|travels?"
    r"|flies|fly|joins?|goes|sleeps?|wants?|of \d))",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(
    r"\b(?:city|town|village|place|country|population|home|island|capital|among|statues?"
    r"|tombs?|stadium"
    r"|graves?) (?:of|to|for|the)?\s*(?:about |some |over )?(?:[\w.,]+ )?$"
    r"|\b(?:visit(?:ing)?|see|teach(?:es)?|taught|met|built|dug|killed|carved|fed|lost)\b[^.;!?]"
    r"{0,30}$",
    re.IGNORECASE,
)
"""What tells that so many people live or lived somewhere, and do not travel."""
_NOBODY = re.compile(
    r"\b(?:nobody|no one|no-one) (?:travels?|goes|comes|is (?:going|coming|travel\w+))\b", re.I
)
_MINUS = re.compile(
    r"(?:\b(?:minus|negative)\s+|(?<![\w-])[-−])(?P<count>\d+|one|two|three|four|five|six|seven"
    r"|ten)\s+"
    r"(?P<what>days?|nights?|weeks?|people|adults?|persons?|travell?ers?|friends)\b",
    re.IGNORECASE,
)
_LEAP = 2028  # a year with every day that any has
_MANY = 100
_MOST = 20


def settle_counts(talk: Talk) -> None:
    """Settle days that no calendar has, years gone by, and numbers that no trip has."""
    text = talk.wanted.text
    _no_such_day(talk, text)
    _gone_by(talk, text)
    _people(talk, text)


def _no_such_day(talk: Talk, text: str) -> None:
    wrong = [one for form in _DATES for one in form.finditer(text) if not _exists(one)]
    for form in (_FIGURES, _ISO):
        wrong += [one for one in form.finditer(text)
                  if not {int(one["one"]), int(one["two"])} & set(range(1, 13))
                  or max(int(one["one"]), int(one["two"])) > 31]  # fmt: skip
    for match in wrong[:1]:
        month = match.groupdict().get("month")
        instead = "planned without a date: say one"
        if month and talk.wish.starts_on is None:
            number = month_number(month)
            talk.grant(month=number)
            instead = f"some days of {month.capitalize()}"
        talk.settle(match[0], "no calendar has that day", instead)


def _exists(match: re.Match[str]) -> bool:
    month = month_number(match["month"])
    return 1 <= int(match["day"]) <= monthrange(int(match["year"] or _LEAP), month)[1]


def _gone_by(talk: Talk, text: str) -> None:
    told = [one for one in talk.compromises if " ago" in one.reason]
    if talk.today is None or told:
        return
    years = [one for one in _PAST.finditer(text) if int(one["year"]) < talk.today.year]
    years = [one for one in years if _is_time(text, one)]
    for match in [*years, *_GONE.finditer(text)][:1]:
        if not is_aside(text, *match.span()) and not _tells(text[: match.start()]):
            talk.settle(
                match[0], f"that is past, by {talk.today:%B %Y}", "planned for days to come"
            )


def _is_time(text: str, match: re.Match[str]) -> bool:
    """Whether "from 1968" and "of 1902" are a time of travel: behind days, a month or a trip."""
    if not re.match(r"(?:from|of)\b", match[0], re.IGNORECASE):
        return True
    timed = rf"(?:days?|nights?|weeks?|trip|holiday|year|summer|winter|spring|autumn|{MONTH})\s+$"
    months = re.search(rf"\b(?:{MONTH}|year)\b", match[0], re.IGNORECASE) is not None
    return months or re.search(rf"\b{timed}", text[: match.start()], re.IGNORECASE) is not None


def _tells(before: str) -> bool:
    """Whether a time is that of something told: "we met in 2015", "built in 1802"."""
    told = (
        r"\b(?:\w+ed|met|went|was|were|saw|been|built|born|since|war|history|battle|offensive"
        r"|did|left"
        r"|came|grew|fought|got|broke|took|made|bought|sold|lost|won|began|taught|wrote|fell"
        r"|stood|held"
        r"|kept|ran|sat|gave|found|had|became|drove|flew|rode|swam|ate|drank|spent|dates?|dating"
        r"|vintage|film|song|album|novel|photo\w*|class)\b[^.;!?]{0,40}$"
    )
    return re.search(told, before, re.IGNORECASE) is not None


def _people(talk: Talk, text: str) -> None:
    group = talk.wish.group
    if _NOBODY.search(text):
        talk.settle("a trip on which nobody goes", "0 people need no plan", "a trip for two adults")
    if (crowd := _crowd(text)) and group.people <= _MOST:
        talk.settle(
            f"a trip for {crowd}",
            f"rooms, tables and seats are planned for up to {_MOST}",
            f"a plan for {_MOST}; book for the others alike",
        )
        talk.grant(group=replace(group, adults=_MOST, children=0))
    for match in _MINUS.finditer(text):
        talk.settle(match[0], "there are no fewer than none", f"{match['count']} {match['what']}")


def _crowd(text: str) -> str:
    """More people than a plan is for, as they are put; empty for none."""
    for match in _CROWD.finditer(text):
        if _is_many(match["count"], _MANY) and not _TOLD_OF.search(text[: match.start()]):
            return match[0]
    for match in _FOLK.finditer(text):
        if _is_many(match["count"], _MANY) and not _TOLD_OF.search(text[: match.start()]):
            return match[0]
    for match in _BODY.finditer(text):
        if _is_many(match["count"], _MOST + 1) and not _TOLD_OF.search(text[: match.start()]):
            return f"a {match[0]}"
    for match in _WHOLE_BODY.finditer(text):
        if not is_aside(text, *match.span()):
            return f"a whole {match['body'] or match['more']}"
    return ""


def _is_many(said: str, least: int) -> bool:
    if said[:1].isdigit():
        return amount(said) >= least
    return bool(re.search(r"hundred|thousand|million", said, re.I)) or value(said) >= least
