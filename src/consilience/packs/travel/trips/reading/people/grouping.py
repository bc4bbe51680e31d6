"""Who travels: how many adults and children, and how do they call themselves?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.packs.travel.trips.reading.counting import NUMBER, value
from consilience.packs.travel.trips.reading.sentence import Sentence, either
from consilience.packs.travel.trips.reading.spoken.chatter import is_remembered
from consilience.packs.travel.trips.types import Group

_CHILD = either("""
kids?|children|child|toddlers?|bab(?:y|ies)|infants?|sons?|daughters?|boys?|girls?|teenagers?
teens?
grandchildren|grandkids?|little ones?|grandson|granddaughter|nephews?|nieces?
""")  # fmt: skip
_YOUNG = (
    r"(?:small|young|little|older|older|teenage|lovely|of our|of my|energetic|primary-school"
    r"|school-age|under-fives|noisy)"
)
_KIN = either("""
mother|father|mum|mom|dad|sister|brother|aunt|uncle|grandmother|grandfather|grandma|grandpa|cousin
mother-in-law|father-in-law|best friend|colleague
""")  # fmt: skip
_PARTNER = either(r"""
my wife|my husband|my girlfriend|my boyfriend|my partner|my fianc[eé]e?|my spouse|my better half
his wife|her husband|wife and i|husband and i|honeymoon\w*|newlyweds?|anniversary|just married
(?<!of )couple(?! (?:of|more))|the two of us|both of us|just us two
for two(?! (?:days|nights|weeks|people|adults|kids|friends|cities|more|full|whole))
two lovebirds|girlfriend and i|boyfriend and i|partner and i
(?:me|i|myself)(?: and|,| &| \+)(?: the)? (?:wife|husband|girlfriend|boyfriend|partner|fianc[eé]e?)
""")  # fmt: skip
_SOLO = either("""
solo|alone|by myself|on my own|just me|only me|for myself|single travell?er|party of one
for one person
one person|travelling single|me,? myself,? (?:and|&) i|on my tod|by my lonesome|nobody but me
only myself|just myself|just the one of (?:me|us)|travelling by myself|all by myself|table for one
(?:one|single|lone|a|1) (?:(?:single|lone|solitary|middle-aged|young|old|retired|tired
|happy) )?(?:bloke
|lad|chap|dude|soul|male|female|pax|guy|woman|lady|man|gal|adult|traveller|traveler|pensioner|nurse
|teacher|engineer|photographer|widow|widower|bachelor|retiree)(?= (?:only|alone|travelling|traveling
|from)\\b|\\s*(?:[,.;!?:)(]|$))
for one(?! (?:day|week|night|person|city|of|base|place))
""")  # fmt: skip
_FRIENDS = (
    r"(?:friends|mates|buddies|girlfriends|girls|guys|lads|colleagues|classmates|coworkers"
    r"|students|backpackers)"
)
_FELLOWS = either(r"""
trainees|apprentices|interns|pupils|team-?mates|employees|teachers|nurses|soldiers|players|scouts
members|guests|clients|volunteers|cadets|residents|monks|singers|musicians|dancers
""")  # fmt: skip
"""People of one trade or body."""
_WITH_ME = (
    rf"\b(?P<count>{NUMBER})\s+(?:\w+\s){{0,2}}?(?:{_FELLOWS}|{_FRIENDS}|cousins|sisters|brothers"
    r"|aunts|uncles|relatives|neighbou?rs|others|women|men|people|adults)"
    r",?\s+(?:(?:and|plus|&) (?:i|me|myself)|besides me)\b"
)
"""So many people and the one who writes."""
_PEOPLE = (
    r"(?:people|ppl|persons|adults|travell?ers|pax|guests|participants|of us|grown-?ups"
    r"|seniors|pensioners|women|men|ladies)"
)
_AGES = re.compile(
    r"(?:\baged?|\bages|\b(?:kids|children|boys|girls|sons|daughters|child|son|daughter)\s*\("
    r"|\b(?:kids|children):?\s(?=\d{1,2}\s*(?:,|and|&)\s*\d{1,2}\b(?! ?(?:days|nights|weeks))))\s*"
    r"(?P<ages>\d{1,2}(?:\s*(?:,|and|&|/)+\s*\d{1,2}\b"
    r"(?![ -]?(?:d\b|full|whole|days?|nights?|weeks?|adults?|people|persons)))*)\b",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"\b(?P<ages>(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?:(?:-? ?(?:years?|yrs?)[ -]old)?\s*(?:,|and|&)\s*(?:an? )?(?:\d{1,2}|two|three|four"
    r"|five|six|seven"
    r"|eight|nine|ten))*)[ -](?:years?|yrs?|yo)(?:[ -]olds?)?\b"
    r"(?! (?:in|of|ago|around|across|through|together|married)\b)",
    re.IGNORECASE,
)
_ELDERS = re.compile(
    r"\b(?:my|our|the|both|elderly|his|her|with) (?:\w+ )?(?:grandparents|parents|in-laws)\b", re.I
)
_RELATIVE = re.compile(
    rf"\b(?:(?:my|our|the|his|her|one|a) (?:\w+ )?|and |with |plus ){_KIN}\b", re.IGNORECASE
)
_SPOKEN_OF = re.compile(
    r"\s+(?:(?:always|still|also|already|never|only|once|even|will|would)\s+)*(?:says|said|thinks?"
    r"|thought|told|tells|insists|claims|swears|worries|worried|recommended|recommends|suggested"
    r"|asks"
    r"|asked|keeps (?:saying|telling|asking)|calls|called|gave|raised|taught|knows|reckons|lives"
    r"|lived"
    r"|died|works|worked|(?:is|stays|be|was) (?:calm|happy|proud|worried|jealous|at home|envious"
    r"|watching|dead|born|from|convinced|right|wrong|a good|the one who)|can(?:'t| not"
    r"|not)? (?:sleep"
    r"|relax)|believes|warned|promised|complains|used to|would (?:say|kill|laugh|cry|be)|grew up"
    r"|minds|looks after|feeds|waters|has the (?:dog|cat|kids))\b|\s+(?:at|back) home\b"
    r"|'s (?!birthday\b"
    r"|\d+(?:st|nd|rd|th)\b)(?:\w+ )?(?:recipe|cooking|kitchen|advice|old|house|place|dog|cat|voice"
    r"|opinion|idea|words|friend|sake|photos?|diary|map|book)\b",
    re.IGNORECASE,
)
"""What people who stay at home do: "my mother says", "my grandmother is calm"."""
_ADULT_AGE = 18
_MYSELF = re.compile(
    r"\b(?:i'm|i am|i've|i have|i was|i turn|leaves? me|gives? me|let me|myself)\b"
    r"(?! (?:plan\w*|look\w*|organi[sz]\w+|think\w*|arrang\w+|writ\w+|ask\w*|book\w*"
    r"|help\w*|know))",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:we|we're|we'd|we've|us|our|ours|they|them|with (?:my|a)|my (?!own|self|budget|trip"
    r"|holiday|birthday|first|next|last)\w+|romantic|honeymoon|couples?|together|people|persons"
    r"|pax|for two)\b",
    re.IGNORECASE,
)
_LISTED_KIN = re.compile(
    rf"(?:^|[,(]|\band|&|\+)\s*{_KIN}\b(?=\s*(?:\(\d+\)\s*)?(?:,|\band\b|&|\+|$))", re.IGNORECASE
)


@dataclass(slots=True)
class _Count:
    adults: int = 0
    children: int = 0
    kind: str = ""


def read_group(sentence: Sentence) -> Group:
    """The people of a wish; nothing said is two adults, and told."""
    count = _Count()
    children = _children(sentence)
    total = _total(sentence)
    count.children = children or 0
    _kind(sentence, count)
    if total is not None:
        _of_total(count, total, children)
    elif count.kind == "friends" and not count.adults:
        count.adults = 4
        sentence.assumed.append("how many friends is not said: four adults taken")
    _relatives(sentence, count, total)
    if total is None and _is_alone(sentence, count):
        sentence.assumed.append("one adult travels: nobody else is spoken of")
        return Group(adults=1, kind="solo")
    if count.kind == "family" and not count.adults and total is None:
        count.adults = 1 if count.children and _is_one(sentence) else 2
        if count.children:
            sentence.assumed.append(f"{count.adults} of the people are adults")
        if children is None and not count.children:
            count.children = 2
            sentence.assumed.append("the family is taken as two adults and two children")
    if count.kind == "" and not count.adults and not count.children and total is None:
        sentence.assumed.append("two adults travel")
        return Group()
    if not count.adults and count.children and total is None:
        count.adults = 1 if _is_one(sentence) else 2
        sentence.assumed.append(f"{count.adults} of the people are adults")
    return Group(adults=count.adults, children=count.children, kind=count.kind)


def _is_alone(sentence: Sentence, count: _Count) -> bool:
    """Whether somebody speaks of themselves ("I'm 22", "leaves me"), and of nobody else."""
    if count.kind or count.adults or count.children or sentence.has(_TOGETHER):
        return False
    return sentence.has(_MYSELF)


def _is_one(sentence: Sentence) -> bool:
    """Whether one adult speaks of the children alone."""
    form = r"\b(?:i|i'm|me|my|single (?:mum|mom|dad|parent|father|mother))\b"
    return sentence.has(form) and not sentence.has(r"\b(?:we|our|us)\b")


def _of_total(count: _Count, total: tuple[int, bool], children: int | None) -> None:
    """Share out a number of people that is said, which may be that of the adults alone."""
    number, adults = total
    if adults:
        count.adults = number
        return
    if count.kind == "family" and children is None:
        count.children = max(0, number - 2)
    count.adults = max(0, number - count.children)


def _children(sentence: Sentence) -> int | None:
    """How many children are said; None where none are."""
    if sentence.has(r"\btwins\b"):
        return 2
    numbered = list(
        sentence.find(rf"\b(?P<count>{NUMBER})\s+(?:{_YOUNG}\s){{0,2}}{_CHILD}\b(?! trip| weekend)")
    )
    found = sum(value(one["count"]) for one in numbered if not _grown(one[0]))
    ages = _told_ages(sentence)
    young = [age for age in ages if age < _ADULT_AGE]
    if found or young:
        return max(found, len(young))
    single = (
        rf"\b(?:(?:our|my|a|an|the|his|her|one)\s+(?:\w+\s)?|(?:and|with|plus)\s+)"
        rf"(?:{_CHILD_ONE})\b"
    )
    singles = list(sentence.find(single))
    if singles:
        return len(singles)
    if sentence.has(
        r"\b(?:kids|children|toddlers|grandchildren|grandkids|teenagers|little ones|sons"
        r"|daughters)\b"
    ) and not (
        sentence.has(
            r"\b(?:no|without|leaving the|leave the|child-?free|away from the) (?:\w+ )?(?:kids"
            r"|children)\b"
        )
    ):
        sentence.assumed.append("how many children is not said: two taken")
        return 2
    return None


_CHILD_ONE = (
    "kid|child|toddler|baby|infant|son|daughter|little one|teenager|teen|grandson"
    r"|granddaughter|little boy|little girl|nephew|niece|(?:girl|boy)(?= (?:of|aged) \d)"
)


def _told_ages(sentence: Sentence) -> list[int]:
    """The ages that are told, each figure once."""
    found: dict[int, list[int]] = {}
    for form in (_AGES, _YEARS):
        for one in sentence.find(form):
            start = one.start("ages")
            if not any(begins <= start < ends for begins, (ends, *_) in found.items()):
                found[start] = [one.end("ages"), *_ages(one["ages"])]
    return [age for _, *ages in found.values() for age in ages]


def _grown(said: str) -> bool:
    return bool(re.search(r"\b(?:girls|boys|teens)\b", said) and re.search(r"\bgirls\b", said))


def _ages(said: str) -> list[int]:
    return [value(one) for one in re.findall(r"\d{1,2}|[a-z]{3,}", said.casefold()) if one not in
            ("and", "year", "years", "old", "yrs", "olds")]  # fmt: skip


def _total(sentence: Sentence) -> tuple[int, bool] | None:
    """A number of people that is said outright, and whether it is that of the adults."""
    for match in sentence.find(_WITH_ME):
        return value(match["count"]) + 1, False
    forms = (
        (rf"\b(?P<count>{NUMBER})\s+(?:\w+\s)?adults?\b", True),
        (
            rf"\b(?:family|group|party|team|bunch|gang|crew) of (?:about )?(?P<count>{NUMBER})\b",
            False,
        ),
        (rf"\b(?P<count>{NUMBER})[ -](?:\w+ )?{_PEOPLE}\b", False),
        (rf"\bus (?P<count>{NUMBER})\b", False),
        (rf"\bwe(?:'re| are) (?P<count>{NUMBER})\b(?! (?:days?|nights?|weeks?|months?))", False),
        (rf"\bfor (?P<count>{NUMBER})(?=\s*(?:$|[.,;!?]|with\b|in\b|and\b|on\b|under\b))", False),
    )
    for form, adults in forms:
        for match in sentence.find(form):
            return value(match["count"]), adults
    return _friends_total(sentence)


def _friends_total(sentence: Sentence) -> tuple[int, bool] | None:
    """Friends by number: "three friends" are three, "with three friends" are four."""
    several = _fellows_total(sentence)
    if several:
        return several, False
    for match in sentence.find(rf"\b(?P<count>{NUMBER})\s+(?:\w+\s){{0,2}}?{_FRIENDS}\b"):
        before, behind = sentence.rest[: match.start()], sentence.rest[match.end() :]
        joined = re.search(r"\b(?:with|and|plus|me,?|taking|bringing)\s+(?:my )?$", before, re.I)
        also = joined or re.match(r",? and (?:i|me|myself)\b", behind, re.IGNORECASE)
        return value(match["count"]) + bool(also), True
    if sentence.has(
        r"\b(?:a|my|one) (?:best |old |good |close )?(?:friend|mate|buddy|colleague)\b"
    ):
        return 2, True
    return None


def _fellows_total(sentence: Sentence) -> int:
    """People by their trades, added up: "thirty pupils and two teachers"; 0 where none are."""
    form = rf"\b(?P<count>{NUMBER})\s+(?:\w+\s)?{_FELLOWS}\b"
    found = list(sentence.find(form))
    if not found:
        return 0
    brings = re.search(
        r"\b(?:with|bring(?:ing)?|tak(?:e|ing)|me and|i and|plus)\s+(?:my )?$",
        sentence.rest[: found[0].start()],
        re.IGNORECASE,
    )
    return sum(value(one["count"]) for one in found) + bool(brings)


def _kind(sentence: Sentence, count: _Count) -> None:
    if sentence.has(rf"\b{_SOLO}\b") and not sentence.has(r"\b(?:let|leave|left) \w+ alone\b"):
        count.kind = "solo"
        count.adults = 1
    if sentence.has(rf"\b{_PARTNER}"):
        count.kind, count.adults = "couple", 2
    if sentence.has(r"\b(?:two|2|both|us) parents\b"):
        count.kind, count.adults = "family", 2
    if sentence.has(r"\b(?:two|2|three|3|four|4) couples\b"):
        match = next(sentence.find(rf"\b(?P<count>{NUMBER}) couples\b"))
        count.kind, count.adults = "friends", 2 * value(match["count"])
    if (
        sentence.has(
            r"\b(?:friends?|mates|buddies|lads|girls'?|stag|hen"
            r"|bachelor(?:ette)?)\b(?! and family)"
        )
        and count.kind != "couple"
    ):
        count.kind = "friends"
    family = sentence.has(
        r"\bfamil(?:y|ies)\b(?![ -](?:run|owned|friend))|\b(?:grandparents|in-laws|parents)\b"
    )
    if count.children or family:
        count.kind = "family"


def _relatives(sentence: Sentence, count: _Count, total: tuple[int, bool] | None) -> None:
    """Parents, grandparents and single relatives who come along."""
    if total is not None:
        return
    kin = {
        one.end()
        for form in (_RELATIVE, _LISTED_KIN)
        for one in sentence.find(form)
        if not _stays(sentence, one)
    }
    elders = [one for one in sentence.find(_ELDERS) if not _stays(sentence, one)]
    if count.kind == "solo":
        kin = {
            one for one in kin if re.search(r"\b(?:with|and|plus) [^,.;]*$", sentence.rest[:one])
        }
        elders = []
    more = 2 * len(elders) + len(kin)
    if not more:
        return
    count.kind = count.kind or "family"
    if not count.adults:
        together = sentence.has(r"\b(?:we|us|our|ours)\b") and count.children
        count.adults = 2 if together or sentence.has(r"\b(?:we|us) \(?(?:two|2)\b") else 1
        listed = not elders and not sentence.has(_RELATIVE)
        if listed and not sentence.has(r"\b(?:me|i|i'm|myself|we|us)\b"):
            count.adults = 0  # "mum, dad and a girl of 8"
    count.adults += more


def _stays(sentence: Sentence, kin: re.Match[str]) -> bool:
    """Whether somebody is only spoken of, and does not come along."""
    return _SPOKEN_OF.match(sentence.rest, kin.end()) is not None or is_remembered(
        sentence.text, kin.start()
    )
