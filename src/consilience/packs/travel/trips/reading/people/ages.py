"""How old are those who travel, and what are the young ones among them to do themselves?

An age is read from "a nine-year-old", "aged 9", "our son is seven", "who turned 13", "Jonas will be
14", "our daughter (10)" and "eight months old". What somebody so young is to ride or to drive
counts where they do it on their own, not where they sit behind somebody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.counting import value
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

_NUMBER = (
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen)"
)
_CHILD = (
    r"(?:sons?|daughters?|boys?|girls?|lads?|kids?|child(?:ren)?|toddlers?|bab(?:y|ies)"
    r"|nephews?|nieces?"
    r"|grandsons?|granddaughters?|grandchild(?:ren)?|brother|sister|stepson|stepdaughter|teenagers?"
    r"|teens?|youngest|eldest|twins?|little ones?|pupils?|students?|cousin|godson|goddaughter|\w"
    r"+[- ]year[- ]olds?)"
)
_IS = (
    r"(?:(?:who )?(?:is|are|was|'s|will be|turns?|turned|just turned|has (?:just )?turned"
    r"|is turning|becomes)"
    r"(?: (?:only|just|now|already|about|nearly|almost))*)"
)
_NO_MORE = (
    r"(?!\s*(?:months?|days?|nights?|weeks?|hours?|people|persons|euros?|dollars|%|kilos?|kg|km|cm"
    r"|metres|am\b|pm\b"
    r"|o'clock|of (?:us|them)|rooms?|cities|stops?|:\d|\.\d|/))"
)
_FORMS = (
    re.compile(rf"\b(?P<age>{_NUMBER})[ -](?:years?|yrs?|yr|yo|y/o)(?:[ -]olds?)?\b"
               r"(?! (?:in|of|ago|around|together|married|anniversary))", re.IGNORECASE),
    re.compile(rf"\b(?:aged?|age of|ages)\s+(?P<age>{_NUMBER})\b{_NO_MORE}", re.IGNORECASE),
    re.compile(rf"\b{_CHILD}(?:,? (?-i:[A-Z])[\w-]+)?,? {_IS} (?P<age>{_NUMBER})\b{_NO_MORE}",
               re.IGNORECASE),
    re.compile(rf"\b{_CHILD}(?: (?-i:[A-Z])[\w-]+)?,? \(?(?P<age>{_NUMBER})(?=\s*[),.])"),
    re.compile(rf"\b(?-i:[A-Z])[\w-]+,? (?:(?:who )?(?:is|will be|turns|turned|just turned))"
               rf" (?:only |just )?(?P<age>{_NUMBER})\b{_NO_MORE}"),
    re.compile(rf"\b(?:he|she)(?:'s| is| will be| turns| turned| just turned) (?:only |just |now )?"
               rf"(?P<age>{_NUMBER})\b{_NO_MORE}", re.IGNORECASE),
)  # fmt: skip
_PAIR = re.compile(
    rf"\b{_CHILD}(?: of| are|,|:)? \(?(?:aged? )?(?P<one>{_NUMBER}) ?(?:,|and|&|\+) ?(?P<two>"
    rf"{_NUMBER})\b{_NO_MORE}",
    re.IGNORECASE,
)
_MONTHS = re.compile(rf"\b{_NUMBER}[ -]months?(?:[ -]old| of age)", re.IGNORECASE)
_SMALL = re.compile(r"\b(?:newborn|infant|baby|babies|toddlers?)\b", re.IGNORECASE)
_TEENS = re.compile(r"\b(?:primary[- ]school|grade[- ]school|kindergarten)\w*\b", re.IGNORECASE)

_THEY = (
    rf"(?:he|she|they|(?:our|my|the|his|her|both|two|little|young|an?) (?:[\w-]+ ){{0,2}}?{_CHILD}"
    r"|the (?:little )?(?:boy|girl|kid)s?|"
    r"(?!(?:My|Our|The|We|For|In|And|But|If|His|Her|Their)\b)(?-i:[A-Z])[a-zé]+)"
)
_MOTOR = (
    r"(?:motor ?bikes?|motor ?cycles?|scooters?|mopeds?|vespas?|\d{2,4} ?cc\b(?: (?:hire "
    r"|rental )?(?:bike|motorbike|motorcycle|scooter|machine))?|jeeps?|cars?"
    r"|quads?(?: bikes?)?|atvs?|jet ?skis?|dirt bikes?|hire bike|rental bike|harley"
    r"|motor ?boats?|speedboats?"
    r"|trucks?|vans?|helicopters?|(?:small )?planes?|honda \w+)"
)
_DRIVES = re.compile(
    rf"\b(?P<who>{_THEY}),?\s+(?:(?:\([^)]*\)|[\w'-]+),? ){{0,4}}?(?:rid(?:e|es|ing)|driv(?:e"
    r"|es|ing)"
    r"|steer(?:s|ing)?"
    r"|pilot(?:s|ing)?|flies|fly(?:ing)?|takes?|rents?|hires?|ha(?:s|ve)|gets?)\b"
    rf"(?P<how>[^.;!?]{{0,70}}?)\b"
    rf"(?P<what>{_MOTOR})"
    r"(?P<more>[^.;!?]{0,60})",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    rf"\b(?P<what>{_MOTOR})(?P<how>[^.;!?]{{0,20}}?)\s+(?:for|of) (?:his|her|our|my"
    rf"|the) (?:own\b|(?:[\w-]+ ){{0,2}}?{_CHILD})"
    r"(?P<more>[^.;!?]{0,40})",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:own|alone|solo|by (?:him|her|them)sel(?:f|ves)|(?:him|her)self|on (?:his|her|their) own"
    r"|driv(?:e|es|ing)|behind the wheel|at the wheel|handlebars?|licen[cs]e|unaccompanied)\b",
    re.IGNORECASE,
)
_CARRIED = re.compile(
    r"\b(?:pillion|behind (?:me|us|him|her|my|his|an?|the|dad|mum|mom)(?! wheel)|on the back"
    r"|at the back|back seat|passengers?|with (?:an? |his |her |our |my )?(?:private |own )?"
    r"(?:easy rider|driver|guide|dad|father|mum|mom)|side ?car|as a passenger|child seat|toy"
    r"|electric train|bicycle|balance bike)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|without|never|n't|refuses?)\b[^.;!?]{0,20}$", re.IGNORECASE)

_OTHERS = re.compile(
    r",? (?:and |while )?(?:we|i|us|my (?:wife|husband)|his father|his mother)\b", re.IGNORECASE
)

_APART = re.compile(
    r"\b(?:without (?:the|our|him|her|them)|baby ?sit\w*|grandma|grandpa|grandparents|nanny"
    r"|(?:while|and) (?:the|our|my|he|she|they)(?: \w+)? (?:stays?|waits?|sleeps?|plays?"
    r"|swims?|snorkels?|minds?|looks? after)|while (?:the|our|he|she|they)"
    r"|adults only|just (?:us|me|the two)|we two|my (?:wife|husband) and i|for (?:me|us)\b"
    r"|i (?:want|would|do|dive)|in turn|kids'? club)\b",
    re.IGNORECASE,
)
_PRONOUNS = ("he", "she", "they")
_PERSON = re.compile(
    rf"\b(?:{_CHILD}|husband|wife|dad|father|mum|mom|mother|partner|boyfriend|girlfriend|uncle"
    r"|aunt|friends?"
    r"|grandpa|grandma|guide|driver|hubby|missus)\b",
    re.IGNORECASE,
)


def ages_told(text: str) -> list[int]:
    """The ages of everybody whose age is told, the youngest first; months are none."""
    found = {one.start("age"): value(one["age"]) for form in _FORMS for one in form.finditer(text)}
    pairs = [value(one[key]) for one in _PAIR.finditer(text) for key in ("one", "two")]
    ages = [
        *pairs,
        *found.values(),
        *(0 for _ in _MONTHS.finditer(text)),
        *(1 for _ in _SMALL.finditer(text)),
    ]
    return sorted([*ages, *(9 for _ in _TEENS.finditer(text))])


def driven_by_the_young(text: str) -> Iterator[str]:
    """What a child is to drive or to ride alone, as it is said."""
    for form in (_DRIVES, _GIVEN):
        for match in form.finditer(text):
            whole = match[0].removesuffix(match["more"]) + _OTHERS.split(match["more"])[0]
            if not is_meant(text, *match.span("what")) or not _SELF.search(whole):
                continue
            if form is _DRIVES and not _is_young(text, match):
                continue
            carried = _CARRIED.search(whole)
            if carried is None or _NOT.search(whole[: carried.start()]):
                yield match["what"].strip()


def _is_young(text: str, match: re.Match[str]) -> bool:
    """Whether the one who drives is a child: by the word, by name and age, or spoken of last."""
    who, before = match["who"], text[: match.start()]
    if who.casefold() in _PRONOUNS:
        spoken = [one[0] for one in _PERSON.finditer(before)]
        return bool(spoken) and re.fullmatch(_CHILD, spoken[-1], re.IGNORECASE) is not None
    if re.search(rf"\b{_CHILD}$", who, re.IGNORECASE):
        return True
    name = re.escape(who)
    aged = rf"\b{_CHILD},? {name}\b|\b{name},? (?:\(?{_NUMBER}\b|{_IS} {_NUMBER}\b|aged)"
    if re.search(aged, text, re.IGNORECASE):
        return True
    pronoun = re.search(
        r"\b(?:he|she)\s+(?:[\w'-]+ ){0,3}?[\w'-]+$", text[: match.start("how")], re.IGNORECASE
    )
    spoken = [one[0] for one in _PERSON.finditer(before)]
    return bool(pronoun and spoken and re.fullmatch(_CHILD, spoken[-1], re.IGNORECASE))


def is_apart(sentence: str) -> bool:
    """Whether a sentence parts the children from what the adults do."""
    return _APART.search(sentence) is not None


def around(text: str, match: re.Match[str]) -> str:
    """The sentence around a match."""
    before = re.split(r"[.;!?]\s", text[: match.start()])[-1]
    return before + re.split(r"[.;!?](?:\s|$)", text[match.start() :])[0]
