"""Does a clause ask for something, or does it only tell: of home, of the past, of a habit?

"They hike in the Rockies every month", "in Brazil it will be 40 degrees", "last time I tried in
Perth": nobody wants to go there. A text is parted into clauses, and the clause that something
stands in is judged by its verbs and times. One that asks ("a week in Brazil") does not tell.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consilience.packs.travel.trips.reading.sentence import either

_PARTS = re.compile(
    r"[.;!?()\[\]\n:]+(?=\s|$|[A-Z(])|\s-+\s|\.{2,}|,(?!\d{3})"
    r"|\b(?:but|because|so that|whereas|although|though|while|which|so)\b"
    r"|\band (?=(?:i|we|they|he|she|then|want|would|please|maybe)\b)",
    re.IGNORECASE,
)
"""What ends a clause."""
_PERSON = either("""
kids?|children|boys?|girls?|famil(?:y|ies)|wife|husband|missus|mother|father|mum|mom|dad|parents
twins|guys
lads|team|neighbou?rs?|sisters?|brothers?|sons?|daughters?|friends?|mates?|colleagues?|boss|uncle
aunt
cousins?|grandma|grandpa|granny|grandmother|grandfather|grandparents|girlfriend|boyfriend|partner
knees|legs
feet|doctor|dentist|therapist|teacher|ex|fianc[eé]e?|in-laws|dog|cat
""")
_WHO = (
    r"(?:i|we|he|she|they|you|it|nobody|everyone|everybody|who|grandpa|grandma|mum|mom|dad|mother"
    rf"|father|granny|auntie?|uncle|(?:my|our|his|her|their|the) (?:[\w']+ )?{_PERSON})"
)
_WHOSE = rf"(?:{_WHO}|(?:my|our|his|her|their) (?:[\w']+ )?\w+)"
_ADVERBS = (
    r"(?:(?:\w+ly|once|also|just|only|even|already|never|ever|still|both|all|almost|first|always"
    r"|often|then)\s+)*"
)
_IRREGULAR = either("""
was|were|had|went|came|saw|met|did|got|took|made|found|left|flew|drove|rode|swam|ate|drank|slept
spent|lost|broke|bought|grew|fell|ran|sat|told|said|felt|kept|paid|sold|won|wrote|heard|learnt
taught
caught|brought|began|stood|been|seen|done|gone|fought|thought|hurt|wore|threw|froze|became|led|held
built|chose|shook|stuck|sang|shot|sought|hid|knew|gave
""")
_PAST = (
    r"(?:(?!need|feed|speed|proceed|exceed|succeed|agreed|decided|planned|wanted|hoped|wished"
    r"|booked"
    rf"|picked|fancied|dreamed|aged|hundred|sacred|naked|named|called)\w{{2,}}ed|{_IRREGULAR})"
)
_TRADES = either("""
chef|cook|teacher|nurse|doctor|engineer|student|driver|farmer|baker|lawyer|pilot|carpenter|plumber
barista
accountant|photographer|musician|waiter|waitress|librarian|professor|dentist|vet|gardener|designer
builder
electrician|fisherman|policeman|firefighter|priest|pastor|writer|journalist|translator|programmer
developer
pensioner|retired|banker|architect|pharmacist|midwife|social worker|au pair
""")
_YEARLY = (
    r"every (?:other |single |second )?(?:month|year|weekend|summer|winter|spring|autumn|fall"
    r"|christmas|easter|season|school holiday|other day|time|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)s?"
)
_SURELY_TELLS = re.compile(
    rf"\b(?:{_YEARLY}|last (?:time|year|month|week|summer|winter|spring|autumn|fall|christmas"
    rf"|easter"
    r"|trip|holiday|vacation|decade|century)(?! (?:of|in|before)\b)|(?:years?|months?|weeks?"
    r"|ages) ago"
    r"|used to|grew up|grown up|back (?:home|then|when)|at home|back in the (?:day|days)|(?:my"
    r"|our) home"
    r"|(?:live|lives|living|lived|work|works|working|worked|teach|teaches|study|studies|studied"
    r"|born"
    r"|raised|based|reside|resides|stationed) (?:here |now |nearby |over )?(?:in|near|at|outside)"
    rf"|(?:when|whenever) {_WHO} (?:was|were|lived|had|went)|since (?:then|i|we)"
    r"|(?:once|twice|three times|four times) a (?:week|month|year)|most (?:weekends|summers|winters"
    r"|years)|the other (?:day|week)|(?:as )?(?:a )?(?:kid|child|student|teenager) (?:in|at)"
    r"|(?:our|my) (?:honeymoon|wedding|gap year|year abroad|exchange year) (?:was|in))\b",
    re.IGNORECASE,
)
"""What tells of a habit, of home or of the past whatever else is said."""
_GOING = """
want|need|plan|go|fly|land|arrive|start|stay|leave|drive|travel|take|do|see|visit|spend|love|like
prefer
think|end|finish|come|head|get|begin|hope|wish|look|move|return|sleep|continue|cross|cruise|hop
stop|also
then|all|both|two|three|four|five|six|meet|book|choose|pick|decide|expect|intend|mean|try|bring
celebrate
marry|seek|search|ask|request|propose|suggest|add|include|combine|consider|fancy|dream|enter|exit
depart
will|can|could|should|must|have|has|had|am|are|is|was|were|would|may|might|shall|don't|do|does
cannot|can't
won't|reach|explore|tour|walk|ride|cycle|trek|hike|swim|dive|eat|relax|rest|celebrate|split|base
change
"""
_TELLS = re.compile(
    rf"\b(?:i|we|he|she|they|it) (?:\w+ly )?(?!{either(_GOING)}(?:s|es|ing)?\b)[a-z]{{3,}}\b"
    r"|\bit (?:would|'d|will|'ll) (?:\w+ )?(?:costs?|be|take)\b|\byears? (?:of|on|in|at|as)\b"
    r"|^\s*(?:just |newly |recently )?(?!guided|relaxed|unhurried|located)\w{3,}ed in\b"
    r"|^\s*(?:the )?(?:weather|traffic|rents?|winters?|life|prices|politics) (?:here |back )?in\b"
    r"|\b(?:is|are|was|were) (?:the|an?|my|our) (?:\w+ ){0,2}?\w+ (?:in|at|from)\b"
    rf"|\b(?-i:[A-Z][a-z]+) (?:once |already |never |just )?(?:(?:once|already) \w+ed"
    rf"|{_IRREGULAR})\b"
    rf"|\b(?:i am|i'm|we are|we're|he is|he's|she is|she's|my \w+ is)(?: an?| the| both| two)?"
    rf"(?: \w+)? {_TRADES}s? (?:in|at|near|from)\b"
    r"|\b(?:grandma|grandpa|granny|mum|mom|dad|grandparents|friends|family) (?:back |over )?in\b"
    rf"|\b{_WHOSE}(?:'ve|'d|'s| have| has)? {_ADVERBS}{_PAST}\b"
    rf"|\b(?:when|whenever|if|each time|every time) {_WHO} {_ADVERBS}(?:go|goes|get|gets|am|are|is"
    r"|come|comes|do|does|take|takes|drive|drives|leave|leaves|cross|crosses|walk|walks)\b"
    r"|\b(?:usually|normally|always|often|sometimes|whenever|typically|generally|regularly)\b"
    r"|\b(?:it|weather|there|today|now)(?:'s|'ll be| is| was| will be| gets| are)? (?:\w+ ){0,3}?"
    r"(?:-?\d+ ?(?:degrees|c\b|f\b|°)|raining|snowing|freezing|cold|hot|winter|summer|dark|gr[ae]y"
    r"|minus \w+|pouring|boiling|snow|rain|drizzl\w+)\b"
    r"|\b(?:says|thinks|swears|claims|jokes|reckons|keeps saying|calls (?:it|me|us)|laughs?)\b"
    rf"|\b{_WHO} (?:have|has|own|owns|run|runs|hike|hikes|ski|skis|surf|surfs|fish|fishes|sail"
    rf"|sails"
    r"|climb|climbs|cycle|cycles|commute|commutes|farm|farms|keep|keeps|call|calls|know|knows|cook"
    r"|cooks)\b(?! (?:until|off|(?:\w+ )?(?:\d|one|two|three|four|five|six"
    r"|seven|eight|nine|ten|a week|a fortnight|a month|a long|a few|some|time|to|up to))\b)"
    r"|^\s*(?:here |back |over |up |down |out )?in (?-i:[A-Z])[\w ]{2,25}? (?:an?|the|our|my|you"
    r"|people"
    r"|everything|nobody|everyone|it|they|one|two) (?:[\w']+ ){0,3}?(?:is|are|costs?|has|have"
    r"|gets?|takes?"
    r"|pay|pays|eat|close|closes|starts?|ends?|opens?)\b"
    r"|\b(?:my|our|his|her|their|a|the) (?:[\w']+ ){0,2}?(?:boss|office|friends?|mates?|sister"
    r"|brother"
    r"|cousins?|aunt|uncle|flat|house|apartment|job|school|company|firm|team|colleagues?|branch"
    r"|club"
    r"|gym|doctor|dentist|kitchen|garden|cafe|café|pub|farm|shop|neighbou?rs?|grandparents|grandma"
    r"|grandmother|mother|mum|mom|dad|father|family|wedding|clients?|customers?|bakery|street"
    r"|winters?|hospital|bank|factory|clinic|lab|call cent(?:re|er)|mine|ministry|summers?|weather"
    r"|traffic|climate|supermarket|university|marathon|choir|parish|village)"
    r" (?:back |over |here |down |up )?(?:in|at|from|near|outside|of)\b"
    r"|\b(?:greetings|hello|hi|hugs|regards|cheers|writing|typing|calling|love) (?:\w+ )?from\b"
    r"|\bback in\b(?! (?:\w+ )?(?:\d|time|by))|\bhere in\b|\bup here\b|\bdown here\b",
    re.IGNORECASE,
)
"""What tells, unless the clause asks."""
_WANTS = (
    r"want|wants|wanted|would like|would love|'d like|'d love|'d prefer|wish|please|pls|could you"
    r"|can you|would you|plan|planning|planned|hope|hoping|hoped|take us|take me|book|booked"
    r"|include"
    r"|including|add|need|needs|must|dream|dreaming|dreamt|let's|show us|show me|looking for|fancy"
    r"|fancied|decided|agreed|suggest|arrange|organi[sz]e|thinking of|longing|keen|combine|squeeze"
    r"|can we|could we|shall we|may we|how about|what about|require|request|wondering"
)
_SURELY_ASKS = re.compile(rf"(?<!don't )(?<!\w)(?:{_WANTS})\b(?! (?:to work|a break from))", re.I)
_ASKS = re.compile(
    rf"(?<!\w)(?:{_WANTS}|visit|visiting|see|seeing|explore|exploring|tour|touring|(?<!when i )"
    r"(?<!when we )(?:go|going|head|heading|fly|flying|drive|driving|travel|travelling|continue|on"
    r"|off"
    r"|over|across|return|cruise|hop|ferry|bus|train) to|stay(?:ing)? in|(?:days?|nights?|weeks?"
    r"|months?"
    r"|weekend|fortnight|stop(?:over)?|stay|trip|tour|holiday|holidays|vacation|break|getaway"
    r"|honeymoon"
    r"|visit|detour|excursion|city) (?:in|to|at|around|of|through|via)|ending in|starting in|finish"
    r"(?:ing)? in|then|via|plus|next stop)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\s*(?:and |or )?(?:in|at|here in|over in|back in|up in|down in|for)\b", re.I)
_LISTED = 5  # words at most of a further thing in a list
_WORD = re.compile(r"\w+")
_SUBJECT = re.compile(
    r"\s+(?:is|was|has|had|can|isn't|wasn't|will|won't|does|doesn't|gets|gave|taught|feels?|looks?"
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|winter|summer|spring|autumn) is)\b(?! (?:next|first|last|fine|ok|okay|included|on (?:the"
    r"|our)"
    r"|where|what|our|my|also|enough"
    r"|(?:the|an?|all|one) (?:\w+ )?(?:must|reason|highlight|dream|point|priority|thing|goal|aim"
    r"|plan|base"
    r"|stop|place|wish|destination|start|end|finish|we)))",
    re.IGNORECASE,
)
"""What says something of a place: "Perth is dull", "Brazil can wait"."""
_LEADS = re.compile(
    r"\b(?:in|to|at|around|near|of|from|through|and|or|\d+)\s+(?:the\s+)?$", re.IGNORECASE
)


def is_told(text: str, start: int, end: int) -> bool:
    """Whether what stands there is in a clause that tells, and does not ask."""
    clauses = _clauses(text)
    at = next((one for one, (low, high) in enumerate(clauses) if low <= start < high), None)
    if at is None:
        return False
    low, high = clauses[at]
    if _asks(text[low:high]):
        return False
    if _SUBJECT.match(text, end) and not _LEADS.search(text[low:start]):
        return True
    return _tells_at(text, clauses, at)


def is_remembered(text: str, start: int) -> bool:
    """Whether it stands in a clause that names a habit, home or a time gone by."""
    clause = next((text[low:high] for low, high in _clauses(text) if low <= start < high), "")
    return _SURELY_TELLS.search(clause) is not None and _judged(clause) is True


def _tells_at(text: str, clauses: tuple[tuple[int, int], ...], at: int) -> bool:
    """Whether a clause tells; one without a verb is as the one it belongs to."""
    clause = text[slice(*clauses[at])]
    if _judged(clause) is not None:
        return _judged(clause) is True
    if _OPENS.match(clause) and at + 1 < len(clauses):
        between = text[clauses[at][1] : clauses[at + 1][0]]
        if between.strip() in (",", ""):
            return _judged(text[slice(*clauses[at + 1])]) is True
    if at and "(" in text[clauses[at - 1][1] : clauses[at][0]]:
        behind = text[slice(*clauses[at + 1])].strip() if at + 1 < len(clauses) else ""
        around = text[slice(*clauses[at - 1])].strip()
        return (_judged(around) or _judged(f"{around} {behind}")) is True
    listed = len(_WORD.findall(clause)) <= _LISTED
    if at and listed and text[clauses[at - 1][1] : clauses[at][0]].strip() == ",":
        return _tells_at(text, clauses, at - 1)
    return False


def _asks(clause: str) -> bool:
    return _judged(clause) is False


@lru_cache(maxsize=256)
def _judged(clause: str) -> bool | None:
    """True for a clause that tells, False for one that asks, None for one that does neither."""
    if _SURELY_TELLS.search(clause):
        return _SURELY_ASKS.search(clause) is None
    if _ASKS.search(clause):
        return False
    return True if _TELLS.search(clause) else None


@lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    """The clauses of a text, each from its first letter to the end."""
    found: list[tuple[int, int]] = []
    begins = 0
    for match in _PARTS.finditer(text):
        if text[begins : match.start()].strip():
            found.append((begins, match.start()))
        begins = match.end()
    if text[begins:].strip():
        found.append((begins, len(text)))
    return tuple(found)
