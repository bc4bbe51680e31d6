"""What does a text ask for that nobody can promise, or that no plan may hold?

A promise of weather, of luck or of being alone can be given by nobody. What the law forbids nearly
everywhere, and meetings with people who are long dead or never lived, are not planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.asides import is_aside

_PROMISED = re.compile(
    r"\b(?:guarantee[ds]?|guaranteeing|promise (?:me|us|that|sun\w*|no)|(?:must|please|to) promise"
    r"|assure (?:me|us)|100 ?(?:%|per cent|percent) (?:sure|certain|safe|sun\w*)|without fail"
    r"|(?:no|not a single|zero) (?:drops? of rain|rain (?:whatsoever|ever|at all))"
    r"|nothing (?:can|may|must) go wrong)\b(?P<what>[^.;!?]{0,40})",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\b(?:(?:no|without(?: any)?|zero|not a single|not one) (?:other |single )?(?:tourists?"
    r"|people|visitors?|persons?|human beings?|souls?|travell?ers?)(?: at all| anywhere| whatsoever"
    r"| else)|no other (?:tourists?|people|visitors?|travell?ers?|guests?|human beings?)"
    r"|nobody else"
    r"|no one else|(?:ban|remove|clear) (?:out )?(?:all )?(?:the )?(?:other )?(?:tourists|people"
    r"|visitors)|all to (?:ourselves|myself|ourself)|completely (?:empty|deserted) of"
    r"|close[sd]? (?:it )?(?:down )?(?:only |just )?for (?:us|me) (?:alone|only))\b",
    re.IGNORECASE,
)
_UNLAWFUL = re.compile(
    r"\b(?:cocaine|heroin|meth(?:amphetamine)?|ecstasy pills?|lsd|(?:buy|buying|sell|selling|take"
    r"|taking|do|doing|deal|dealing|smoke|smoking|score|scoring|get|getting|find|try|trying)\s+"
    r"(?:some |hard |illegal |soft )?(?:drugs?|weed|marijuana|cannabis|opium|pot)(?! ?stores?"
    r"| shop)"
    r"|prostitut\w*|brothels?|sex (?:tourism|workers?|with)|smuggl\w+|poach(?:ing|ers?)"
    r"|trophy hunting|(?:shoot|shooting)\s+(?:an? |the |some )*(?:wild|endangered|rare|protected)\b"
    r"|(?<!\w )(?:hunt|hunting|kill|killing)\s+(?:an? |the |some |wild |endangered |rare "
    r"|big )*(?!for\b|down\b|photos?|pictures?|bargains?|video|range|film)[a-z]{4,}"
    r"|(?:fake|forged) (?:passports?|visas?|documents?|money)|counterfeit money|launder\w*"
    r"|(?:il|un)legal(?:ly)?\b(?! ?(?:museum|history))|steal(?:ing)?|rob(?:bing)? (?:a|the)|ivory"
    r"|tiger (?:bone|wine)|bear bile|cock ?fight\w*|dog ?fight\w*|without (?:a |any )?(?:passport"
    r"|visa)s? (?:or|and|across)|without paying the|drunk driving|drive drunk|bomb\w*(?= (?:a"
    r"|the)\b)"
    r"|human trafficking|bribe\w*|break(?:ing)? into|trespass\w*)\b",
    re.IGNORECASE,
)
_LIVING = re.compile(
    r"\b(?:meet|dine with|dinner with|lunch with|tea with|talk to|speak (?:to|with)|interview"
    r"|audience with|shake hands with|see)\s+(?P<who>[^.;!?,]{3,40}?)\s*(?:in person|himself"
    r"|herself"
    r"|themselves|alive|in the flesh|face to face)\b|\b(?:attend|witness|join|fight in|watch"
    r"|live)\s+"
    r"(?:the |in )*(?:coronation|funeral|wedding|battle|siege|reign|court) of\b"
    r"|\btime[- ](?:travel\w*|machine)\b|\bback in time to\b"
    r"|\b(?:ride|riding|fly on|tame|feed)\s+(?:an? |the )?(?:real |flying )?(?:dragons?|unicorns?"
    r"|pegasus|phoenix|magic carpet)\b|\b(?:ghosts?|living gods?) in person\b",
    re.IGNORECASE,
)


def promises_asked(text: str) -> Iterator[str]:
    """Promises that nobody can give, as the text puts them."""
    for form in (_PROMISED, _ALONE):
        for match in form.finditer(text):
            if not re.search(
                r"\b(?:no|not|n't|can't|cannot)\s+(?:need\s+)?$", text[: match.start()]
            ):
                yield match[0].strip(" ,")
                break


def unlawful_asked(text: str) -> Iterator[str]:
    """What is against the law nearly everywhere, as the text puts it."""
    for match in _UNLAWFUL.finditer(text):
        if not is_aside(text, *match.span()):
            yield match[0].strip()


def bygone_asked(text: str) -> Iterator[str]:
    """Meetings with the dead, events of the past and beings of tales, as the text puts them."""
    for match in _LIVING.finditer(text):
        if not is_aside(text, *match.span()):
            yield match[0].strip()
