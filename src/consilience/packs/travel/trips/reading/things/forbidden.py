"""What does a text ask for that nobody can promise, or that no plan may hold?

A promise of weather, of luck or of being alone can be given by nobody. What the law forbids nearly
everywhere, and meetings with people who are long dead or never lived, are not planned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.spoken.asides import is_aside

_PROMISED = re.compile(
    r"\b(?:guarantee[ds]?|guaranteeing|promise (?:me|us|that|sun\w*|no)|(?:must|please|to) promise"
    r"|assure (?:me|us)|100 ?(?:%|per cent|percent) (?:sure|certain|safe|sun\w*)|without fail"
    r"|(?:no|not a single|zero) (?:drops? of rain|rain (?:whatsoever|ever|at all))"
    r"|nothing (?:can|may|must) go wrong)\b(?P<what>[^.;!?]{0,40})",
    re.IGNORECASE,
)
_OTHERS = (
    r"(?:tourists?|people|visitors?|persons?|human beings?|humans?|souls?|travell?ers?|guests?"
    r"|strangers?|foreigners?|living souls?)"
)
_NOT_ONE = (
    r"(?:no|without(?: any| a single)?|zero|not (?:a|one)(?: single)?|not (?:even )?one|nobody)"
)
_ALONE = re.compile(
    rf"\b(?:{_NOT_ONE} (?:single )?{_OTHERS} (?:at all|anywhere|whatsoever|else|in sight"
    r"|around us|present)"
    rf"|{_NOT_ONE} (?:single )?other (?:single )?{_OTHERS}|{_NOT_ONE} {_OTHERS} (?:but|except"
    r"|besides|apart from) us"
    r"|(?:nobody|no one|no-one|not a soul|not one person|no people) (?:else|but us|except us"
    r"|other than us|apart from us)"
    r"(?=\s*(?:$|[.,;!?)]|in (?!our|my)|on |at |there|around|inside|near|allowed|about|but"
    r"|and (?:no|the)))"
    r"|not a (?:living )?soul (?:in|at|on|around|anywhere|to be seen)"
    r"|(?:ban|remove|clear|evict|keep out|send away|throw out|empty) (?:it |them )?(?:out "
    rf"|of )?(?:all |every )?(?:the |of )?(?:other )?{_OTHERS}"
    r"|(?:emptied|cleared|completely empty|deserted|closed off) (?:of|from|for) (?:all"
    r"|everyone|everybody|others?|other|people|tourists|us)"
    r"|all to (?:ourselves|myself|ourself)|(?:entire|whole) (?:\w+ ){1,3}?(?:to"
    r"|for) (?:ourselves|myself|us alone|me alone)"
    r"|close[sd]? (?:it )?(?:down )?(?:only |just )?for (?:us|me) (?:alone|only)"
    r"|closed to (?:everyone|everybody|the public) (?:else|but us|except us))\b",
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
