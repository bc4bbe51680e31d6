"""Are there such days and so many people: 30 February, a year gone by, a stadium of fans?"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import replace

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.asides import is_aside
from consilience.packs.travel.trips.reading.counting import amount
from consilience.packs.travel.trips.reading.dating import month_number

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATES = (
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd"
        rf"|th)?\s+(?:of )?(?P<month>{_MONTHS})\b(?! \d{{1,2}}\b)(?: (?P<year>20\d\d))?",
        re.I,
    ),
    re.compile(
        rf"\b(?P<month>{_MONTHS})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d| days"
        rf"| nights)(?:,? (?P<year>20\d\d))?",
        re.I,
    ),
)
_FIGURES = re.compile(r"\b(?P<one>\d{1,2})[/.](?P<two>\d{1,2})[/.](?P<year>\d{4})\b")
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<one>\d{1,2})-(?P<two>\d{1,2})\b")
_PAST = re.compile(
    r"\b(?:in|of|for|during|from|back in|year)\s+(?:the year |summer |spring |autumn |winter |"
    rf"(?:{_MONTHS}) )*(?P<year>1\d{{3}}|20\d\d)\b(?!\s*(?:dollars|euros|usd|eur|vnd|people"
    rf"|metres|m\b|km"
    r"|places))",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\blast (?:summer|winter|spring|autumn|fall|century|decade|christmas|easter)\b", re.I
)
_CROWD = re.compile(
    r"\b(?P<count>\d{1,3}(?:[., ]\d{3})+|\d{3,}|(?:an? |one |two |ten |five "
    r"|several )?(?:thousands?"
    r"|millions?|hundreds?)(?: of)?)\s+(?:[a-z]+ )?(?:people|fans|employees|guests|students"
    r"|soldiers"
    r"|colleagues|pupils|passengers|players|members|friends|relatives|delegates|workers|visitors"
    r"|tourists|participants|of us|adults|kids|children|spectators|cousins"
    r"|travell?ers)\b(?! (?:live|come))",
    re.IGNORECASE,
)
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
    for match in [*years, *_GONE.finditer(text)][:1]:
        if not is_aside(text, *match.span()) and not _tells(text[: match.start()]):
            talk.settle(
                match[0], f"that is past, by {talk.today:%B %Y}", "planned for days to come"
            )


def _tells(before: str) -> bool:
    """Whether a time is that of something told: "we met in 2015", "built in 1802"."""
    told = (
        r"\b(?:\w+ed|met|went|was|were|saw|been|built|born|since|war|history|battle"
        r"|offensive)\b[^.;!?]{0,40}$"
    )
    return re.search(told, before, re.IGNORECASE) is not None


def _people(talk: Talk, text: str) -> None:
    group = talk.wish.group
    if _NOBODY.search(text):
        talk.settle("a trip on which nobody goes", "0 people need no plan", "a trip for two adults")
    crowd = _CROWD.search(text)
    if crowd and group.people <= _MOST and _is_many(crowd["count"]):
        talk.settle(
            f"a trip for {crowd[0]}",
            f"rooms, tables and seats are planned for up to {_MOST}",
            f"a plan for {_MOST}; book for the others alike",
        )
        talk.grant(group=replace(group, adults=_MOST, children=0))
    for match in _MINUS.finditer(text):
        talk.settle(match[0], "there are no fewer than none", f"{match['count']} {match['what']}")


def _is_many(said: str) -> bool:
    return not said[:1].isdigit() or amount(said) >= _MANY
