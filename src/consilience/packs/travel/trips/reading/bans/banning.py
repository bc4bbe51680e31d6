"""What does a text forbid in strong words, and which nouns does it rule out that no table has?

A strong ban is one without a way out: "under no circumstances", "nobody may", "must never", "will
not … ever". It is found as a clause, whoever understands it. A noun that is ruled out ("no
karaoke") and that no table knows is a word of its own: places that tell of it are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from consilience.packs.travel.atlas import Place
from consilience.packs.travel.trips.reading.sentence import either
from consilience.packs.travel.trips.reading.spoken.figures import in_figure
from consilience.understand.names import singular_or_plural, surface

_END = r"[^.;!?\n()]"
_PEOPLE = (
    r"(?:nobody(?: of us)?|no[- ]one(?: of us)?|none of (?:us|them|the \w+)|neither of (?:us"
    r"|them|the two)"
    r"|not (?:one|a single one|any) of (?:us|them)|not a soul)(?: in (?:the|our|my) \w+)?"
)
_WHO = r"(?:(?:my|our|his|her|the) )?(?:[a-z'-]+)"
_FIRMLY = (
    r"(?:\bever\b|\b(?:not )?even once\b|\bfor anything\b|\bnot for any\w*\b|\bno matter what\b"
    r"|\bwhatever happens\b|\bno exceptions?\b|\bunder any circumstances\b|\bnot a single\b)"
)
_AT_ALL = r"(?:\bat all\b|\bwhatsoever\b|\bthe (?:whole|entire) (?:week|trip|time|stay|holiday)\b)"
_STRONG = {
    # under no circumstances, on no account
    "case": rf"[^.;!?,\n]*\b(?:(?:under|in) no (?:circumstances?|case|event)|on no account"
    rf"|at no (?:point|time|moment))\b{_END}*",
    # nobody may lift him; none of us gets up before eleven
    "people": rf"\b{_PEOPLE}\s+(?:(?:may|must|shall|will|should|is to|are to|ever)\s+{_END}+"
    rf"|(?:gets?|leaves?|wakes?|rises?|goes|go|eats?|sleeps?|walks?|touch(?:es)?|enters?|sets?"
    rf"|steps?"
    rf"|moves?|sees?)\s+{_END}*?\b(?:before|after|until|ever|without|at all)\b{_END}*)",
    "forbidden": rf"\bit is (?:strictly |absolutely )?forbidden (?:for \w+ )?to [a-z]+{_END}*",
    # no local may see us
    "thing": rf"\b(?:no|not one|not a single) (?:[\w-]+ ){{1,4}}?(?:may|must|shall|is to|are to)\s+"
    rf"(?!be missed)(?:ever )?(?:not )?[a-z]+{_END}*",
    # he must never be out of sight; her mother insists that they never be together
    "never": rf"\b{_WHO} (?:must|may|shall|should|is to|are to|has to|have to) never "
    rf"(?:be |ever )?[a-z]+{_END}*|\b(?:insists?|demands?|requires?)(?: that)? "
    rf"(?:[\w']+ ){{1,7}}never (?:be |ever )?[a-z]+{_END}*",
    # I will not look at it, not even once; we will not sleep on land at all
    "will not": rf"\b{_WHO} (?:(?:will not|won't|would not|must not|mustn't|may not|shall not"
    rf"|cannot|can't|refuses? to|do(?:es)?n't|do(?:es)? not|never)\s[^.;!?\n()]{{2,60}}?{_FIRMLY}"
    rf"|(?:will not|must not|mustn't|may not|shall not|refuses? to)\s[^.;!?\n()]{{2,60}}?{_AT_ALL})"
    rf"[^.;!?,\n()]*",
    # it must not get dark
    "must not": rf"\b{_WHO} (?:must not|mustn't|may not|shall not)\s+[a-z]+{_END}*",
    # never set foot in a lift
    "imperative": rf"(?:(?<=[.;!?:]\s)|^)never (?:ever )?(?:set|enter|leave|touch|use|let|put|go"
    rf"|take"
    rf"|cross|share)\b{_END}+",
    "exception": r"\b(?:(?:i|we|he|she|they) )?(?:will not|won't) make (?:an )?exceptions?\b",
    # everything must be within 100 metres
    "all": rf"\b(?:everything|all of it|all sights|all places|all stops|all)\s+(?:must|has to"
    rf"|have to)\s+be\s+{_END}*?(?:\d|\b(?:one|two|three|four|five|ten|fifteen|twenty"
    rf"|thirty)\b){_END}*",
}
"""Bans and absolutes as people put them; each up to the end of its clause."""
_FORM = re.compile("|".join(_STRONG.values()), re.IGNORECASE)
_CUT = re.compile(
    r",?\s+(?:because|since|but|so that|so|otherwise|as (?:i|we|he|she|it)|thanks|thank you"
    r"|please)\b.*$|,\s+(?:and|then|with|we|i|that's|that is|this is|it's)\b.*$|\s+-\s.*$",
    re.IGNORECASE | re.DOTALL,
)
_HARMLESS = re.compile(
    either(r"""
\b(?:miss|missed|forget|forgotten|fail|wait|believe|complain|regret|know|knows|tell|told|needs?
|cry|laugh|notice|starve|blame)\b
^you\b
\b(?:trust|find out|hungry|far (?:from|away)|without (?:trying|seeing|tasting)|dogs?|pets?|cats?)\b
\bstop (?:talking|raving|smiling|eating|singing|dreaming)\b|\bbe (?:able|back|home|disappointed)\b
\b(?:has|have|had|never|ever|'ve) (?:ever |never )?(?:been|had|seen|tried|done|heard|met|visited
|left)\b
\b(?:mind|minds|cares?|bothers?|worry|worries)\b
\b(?:go wrong|live without|do without|get enough|say no|resist|thank|decide|choose|promise|have)\b
\b(?:bored?|boring|rushed?|hurried|stressful|too \w+|late for|budget|cost|spend|exceed|expensive)\b
\b(?:swim|drive|ride|ski|dance|sing|cook|speak|read|surf)\s*(?:$|[,.;]| at all| well| yet)
\b(?:enough|fit|a problem|the case|sure|easy|relaxed|vegetarian|vegan|halal|booked|arranged
|planned)\b
\bmy (?:boss|mother-in-law|ex|doctor|wife|husband) (?:must|may|should) (?:never
|not) (?:know|find|see)
"""),
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"\b(?:more|less|fewer|longer|over|above) (?:than )?(?:\$|€|£)?[\w.,]+ ?"
    r"(?:k\b|thousand|million|cit\w+|towns?|days?|weeks?|nights?|dollars?|usd|euros?|eur|dong|vnd"
    r"|pounds?|bucks)\b|(?:\$|€|£)\d",
    re.IGNORECASE,
)
"""Bounds that other readers keep: money, days, cities."""
_PAST = re.compile(
    r"\b(?:was|were|had|did|used to|last (?:time|year|week|month)|as a child|back then|always said"
    r"|at home|at work|at school)\b",
    re.IGNORECASE,
)

_NOUN = re.compile(
    r"\b(?:no|without(?: any)?|avoid(?:ing)?|skip(?:ping)?|hates?|loathes?|(?:don't|do not|doesn't"
    r"|does not) want(?: any| to see)?|zero|keep (?:us|me) away from|nowhere with)\s+"
    r"(?P<noun>[a-z]{4,}(?:[ -][a-z]{4,})?)(?=\s*(?:[,.;!?)]|$|please\b|at all\b|whatsoever\b|or\b"
    r"|and no\b|thanks\b|for (?:me|us)\b))",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    """
rush rushing problem problems hurry stress worries worry issue issues idea ideas need needs
preference preferences limit limits matter doubt reason money budget time times more less ways
chance plan plans kids children pets pressure frills fuss nonsense luck interest fancy stuff
thing things anything drama surprises surprise sweat joke kidding regrets exceptions exception
excuses questions strings guarantee mistake mistakes compromise compromises replacements
substitutes swaps changes change deal dice trouble choice clue sense hassle planes point
restrictions restriction requirements allergies allergy experience rain sleep sleeping people
person tourists anyone anybody everyone steps stairs walking early late morning mornings nights
packing moving cities city towns town days places hotels hotel food name names
""".split()  # noqa: SIM905 - read more easily so
)
_MANY = 0.08  # of all places: a word that so many tell of says too little to leave them out
_DENIED = re.compile(
    r"\b(?:no|not|without|never|nor|instead of|free of|banned|ended|stopped|away from|far from|than"
    r"|neither|rather than)\b[^.;!?]{0,30}$|n't\b[^.;!?]{0,30}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """What is ruled out: a clause or a noun as it is said, and where it begins."""

    said: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.said)


def strong_bans(text: str) -> Iterator[Ban]:
    """The clauses of a text that forbid something without a way out; figures of speech are none."""
    end = 0
    for match in _FORM.finditer(text):
        said = _CUT.sub("", match[0]).strip(" ,:-")
        if match.start() < end or len(said.split()) < 3:
            continue
        around = _clause(text, match.start(), match.end())
        if (
            _HARMLESS.search(said)
            or _BOUNDED.search(said)
            or _PAST.search(around)
            or in_figure(text, match.start())
        ):
            continue
        end = match.end()
        yield Ban(said=said, start=match.start())


def _clause(text: str, start: int, end: int) -> str:
    """The sentence around a span."""
    first = max(text.rfind(one, 0, start) for one in ".;!?\n") + 1
    last = min((at for one in ".;!?\n" if (at := text.find(one, end)) >= 0), default=len(text))
    return text[first:last]


def banned_nouns(text: str) -> Iterator[Ban]:
    """The nouns that are ruled out by themselves, as they are said; no abstract ones."""
    for match in _NOUN.finditer(text):
        words = surface(match["noun"]).split()
        if not _VAGUE & set(words):
            yield Ban(said=match["noun"], start=match.start("noun"))


def noun_told_of(place: Place, words: frozenset[str]) -> str:
    """The first of some nouns that a place tells of; empty where it tells of none."""
    if not words:
        return ""
    told = " ".join((place.name, place.type, *place.offers, *place.serves, place.text))
    for word in sorted(words):
        for match in re.finditer(_stem(word), told, re.IGNORECASE):
            if not _DENIED.search(told[: match.start()]):
                return word
    return ""


def kept_words(nouns: Iterable[str], places: Sequence[Place]) -> frozenset[str]:
    """Of some nouns those by which places can be told apart: told of by some, and not by many."""
    found = set[str]()
    for noun in nouns:
        telling = sum(bool(noun_told_of(one, frozenset({noun}))) for one in places)
        if 0 < telling <= max(2, _MANY * len(places)):
            found.add(surface(noun))
    return frozenset(found)


def _stem(noun: str) -> str:
    forms = {surface(noun), *singular_or_plural(surface(noun))}
    return rf"\b(?:{'|'.join(re.escape(one) for one in sorted(forms))})\b"
