"""Which themes is the trip for, and how much of it for each? In per cent that add up to 100.

Each theme weighs by the words around it ("mostly", "a bit of"), a little by its place in the text,
and less where it only tells who travels or how fast. Shares that are said outright are kept.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from consilience.packs.travel.trips.reading.sentence import Sentence, either
from consilience.packs.travel.trips.reading.spoken.chatter import is_remembered
from consilience.packs.travel.trips.reading.spoken.figures import in_figure
from consilience.packs.travel.vocabulary import ThemeWord, themes_in

UNSAID = ("culture", "food", "nature", "history", "relaxation", "art")
"""What a trip is for where nobody says: the first three that are not to be avoided."""
_UNSAID_SHARES = (40, 30, 30)
_WHO = frozenset({"family", "romance", "budget", "luxury"})
"""Themes that tell who travels and how, even where something else is remembered."""
_STYLES = frozenset({"budget", "luxury"})
_STYLED_SHARES = (40, 25, 20, 15)
MOST_THEMES = 6
_LEAST = 4  # per cent
_STRONG = re.compile(
    either(r"""
mostly|mainly|primarily|especially|particularly|above all|lots? of|plenty of|focus(?:ed|ing)? on
all about|heavy on|obsessed with|crazy about
love|loves|adore|passionate about|as much|most(?:ly)? of all|predominantly|first and foremost
big on|really into|a lot of|tons of|great|amazing|emphasis on|centred on|centered on|dedicated to
huge
"""),
    re.IGNORECASE,
)  # fmt: skip
_WEAK = re.compile(
    either(r"""
a (?:little )?bit of|a little|a touch of|a dash of|a pinch of|occasional(?:ly)?|maybe|possibly
perhaps|some|a hint of|one or two|a couple of|a few|if possible|if there is time|on the side
with a side of|plus a
"""),
    re.IGNORECASE,
)  # fmt: skip
_CUT = re.compile(
    r"[,.;:!?(]|\bbut\b|\band (?=a |some|maybe|perhaps|possibly|the occasional)|\bwith (?=a "
    r"|some)|\bplus\b",
    re.I,
)
_ASIDE = re.compile(
    r"my (?:wife|husband|girlfriend|boyfriend|partner|fianc)|for two|two of us|couple|spouse"
    r"|loved one|kids?\b|child|bab(?:y|ies)"
    r"|toddler|year|son\b|daughter|grand|teen|slow|unhurried|leisure|easy|laid|quiet|calm"
    r"|rest\b|budget|cheap|luxur|star|fancy|shoestring"
    r"|backpack|hostel|affordab|little one|boys|relaxed|nephew|niece|views|pictures|local life"
    r"|famil|student|homestay",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?P<share>\d{1,3})\s?(?:%|per ?cent|percent)\s*(?:of |for |on |is |the |time |to "
    r"|trip )*(?:\w+\s)?$",
    re.I,
)
_BEHIND = re.compile(
    r"^\w*\s*[:=(-]?\s*(?P<share>\d{1,3})\s?(?:%|per ?cent|percent)", re.IGNORECASE
)
_HALF = re.compile(
    r"\b(?:half(?: of (?:it|the (?:time|trip)))?|50[/ -]50)\s(?:on |for |of )?(?:\w+\s)?$",
    re.IGNORECASE,
)


_HALF_BEHIND = re.compile(r"^\w*,? half (?:of )?(?:the|our|my) (?:time|trip|days|holiday)", re.I)
_STROLL = re.compile(
    r"\b(?:flat|level|even|easy|gentle|short|little|leisurely|slow)(?:,? \w+)? $", re.IGNORECASE
)


def read_themes(sentence: Sentence, avoided: Collection[str]) -> Mapping[str, int]:
    """The mix of themes in per cent; what nobody says is told to be assumed."""
    words = [
        one
        for one in themes_in(sentence.clauses)
        if not one.negated
        and not _is_stroll(sentence.rest, one)
        and not in_figure(sentence.text, one.start)
        and (one.theme in _WHO or not is_remembered(sentence.text, one.start))
    ]
    if not words:
        chosen = [one for one in UNSAID if one not in avoided][: len(_UNSAID_SHARES)]
        mix = dict(zip(chosen, _UNSAID_SHARES, strict=True))
        listed = ", ".join(f"{theme} {share} %" for theme, share in mix.items())
        sentence.assumed.append(f"no theme is said: {listed}")
        return mix
    if {one.theme for one in words} <= _STYLES or (
        len({one.theme for one in words}) == 1 and all(_ASIDE.match(one.word) for one in words)
    ):
        return _styled(sentence, words[0].theme, avoided)
    said: dict[str, int] = {}
    weights: dict[str, float] = {}
    behind = _is_behind(sentence.rest, words)
    for order, one in enumerate(words):
        share = _share(sentence.rest, one, behind=behind)
        if share is not None:
            said.setdefault(one.theme, share)
        weight = _weight(sentence.rest, one) * max(0.6, 1 - 0.06 * order)
        again = weights.get(one.theme)
        weights[one.theme] = weight if again is None else max(again, weight) + 0.2
    return percentages(_mixed(weights, said))


def _is_behind(text: str, words: Sequence[ThemeWord]) -> bool:
    """Whether per cent stand behind their words ("food 40 %") more often than before them."""
    behind = sum(_BEHIND.match(text[one.start + len(one.word) :]) is not None for one in words)
    before = sum(
        _BEFORE.search(text[max(0, one.start - 40) : one.start]) is not None for one in words
    )
    return behind > before


def _styled(sentence: Sentence, style: str, avoided: Collection[str]) -> dict[str, int]:
    """A mix where nothing but the style of the trip is said."""
    others = [one for one in UNSAID if one not in avoided][: len(_UNSAID_SHARES)]
    sentence.assumed.append(f"no theme but {style} is said: {', '.join(others)} as well")
    return dict(zip((style, *others), _STYLED_SHARES, strict=True))


def _share(text: str, word: ThemeWord, *, behind: bool) -> int | None:
    """The per cent that stand before or behind a word, as the text has them."""
    before = text[max(0, word.start - 40) : word.start]
    after = text[word.start + len(word.word) :]
    found = _BEHIND.match(after) if behind else _BEFORE.search(before)
    if found:
        return int(found["share"])
    return 50 if _HALF.search(before) or _HALF_BEHIND.match(after) else None


def _is_stroll(text: str, word: ThemeWord) -> bool:
    """Whether it tells how one walks, not that one hikes: "flat walks only", "short walks"."""
    walked = word.theme == "hiking" and word.word.casefold().startswith("walk")
    return walked and _STROLL.search(text[: word.start]) is not None


def _weight(text: str, word: ThemeWord) -> float:
    near = text[max(0, word.start - 45) : word.start]
    segment = near[max((one.end() for one in _CUT.finditer(near)), default=0) :]
    behind = re.match(
        r"\w*[^,.;]{0,12}\b(?:if possible|on the side|maybe|if there is time)",
        text[word.start :],
        re.I,
    )
    aside = 0.5 if _ASIDE.match(word.word) else 1.0
    if _WEAK.search(segment) or behind:
        return 0.4 * aside
    return (2.5 if _STRONG.search(segment) else 1.0) * aside


def _mixed(weights: Mapping[str, float], said: Mapping[str, int]) -> dict[str, float]:
    """Shares said outright, and what is left of a hundred for the other themes."""
    total = sum(said.values())
    if not said or total <= 0:
        return dict(weights)
    if total >= 100 or len(said) == len(weights):
        return {theme: float(share) for theme, share in said.items()}
    rest = {theme: weight for theme, weight in weights.items() if theme not in said}
    whole = sum(rest.values())
    shared = {theme: (100 - total) * weight / whole for theme, weight in rest.items()}
    return {**said, **shared}


def percentages(weights: Mapping[str, float]) -> dict[str, int]:
    """Weights as whole per cent that add up to 100, the greatest first, the least left out."""
    kept = sorted((-weight, theme) for theme, weight in weights.items() if weight > 0)[:MOST_THEMES]
    while len(kept) > 1 and -kept[-1][0] * 100 < _LEAST * -sum(weight for weight, _ in kept):
        kept.pop()
    whole = -sum(weight for weight, _ in kept)
    exact = [(-weight * 100 / whole, theme) for weight, theme in kept]
    shares = {theme: int(part) for part, theme in exact}
    left = 100 - sum(shares.values())
    for _, theme in sorted((int(part) - part, theme) for part, theme in exact)[:left]:
        shares[theme] += 1
    return shares
