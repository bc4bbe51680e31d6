"""In which forms is a time put: dates, spans of them, days of the week, months, "next week"?"""

from __future__ import annotations

from consilience.packs.travel.trips.reading.counting import NUMBER
from consilience.packs.travel.trips.reading.times.almanac import DAY, MONTH, WEEKDAY, YEAR, a_date

_TO = r"\s*(?:-|to|until|till|through|thru|and|bis|up to)\s*"
FORMS = {
    "iso": r"\b(20\d\d)-(\d\d)-(\d\d)(?:(?:\s*(?:to|until|till|-|/)\s*)(20\d\d)-(\d\d)-(\d\d))?\b",
    "spans": rf"(?:\b(?:from|between) )?\b{a_date('1')}{_TO}{a_date('2')}",
    "span": rf"(?:\b(?:from|between) )?\b{DAY.format('1')}{_TO}{DAY.format('2')}(?: of)? "
    rf"(?P<month>{MONTH}){YEAR.format('')}",
    "turned": rf"(?:\b(?:from|between) )?\b(?P<month>{MONTH}) {DAY.format('1')}{_TO}"
    rf"{DAY.format('2')}(?!\d|:| (?:days?|nights?|people)){YEAR.format('')}",
    "slashed": r"(?<![\d/.])([0-3]?\d)[/.]([0-3]?\d)(?:[/.]((?:20)?\d\d))?(?![\d/]|\.\d|,\d"
    r"|\s*(?:million|mil|k|%|usd|eur|stars?|star))",
    "single": rf"\b{a_date()}",
    "part": rf"\b(?P<which>first|second|third|last|1st|2nd|3rd) (?P<unit>week|weekend|half|days) "
    rf"(?:of|in) (?P<month>{MONTH}){YEAR.format('')}",
    "in month": rf"\b(?:on |starting |leaving |from )*(?:an? |the )?(?P<which>first |last )?"
    rf"(?P<first>{WEEKDAY}) (?:in|of) (?P<month>{MONTH}){YEAR.format('')}",
    "weekdays": rf"\b(?:(?P<next>next|this|coming) )?(?P<first>{WEEKDAY})"
    rf"(?: (?:morning|afternoon|evening|night))?{_TO}(?P<last>{WEEKDAY})",
    "stay": rf"\b(?:land|arriv\w+|get in|come in|begin\w*|start\w*)\b[^.;!?]{{0,30}}?"
    rf"\b(?P<first>{WEEKDAY})[^.;!?]{{0,60}}?\b(?:fly|leav\w+|depart\w*|back|home|return\w*|end\w*"
    rf"|finish\w*|check out)\b[^.;!?]{{0,30}}?\b(?P<last>{WEEKDAY})",
    "weekday": rf"\b(?:(?P<next>next|this|coming) |on (?:a )?|starting (?:on )?|from "
    rf"|leaving (?:on )?)"
    rf"(?P<first>{WEEKDAY})",
    "soon": r"\b(?P<what>today|tonight|tomorrow|(?:this|next|the coming|coming) (?:long )?weekend"
    r"|yesterday|last (?:week|weekend|month|year)(?! of)|next week|next month|this month"
    r"|this week)\b",
    "hence": rf"\b(?:in )?(?P<count>{NUMBER}|an?) (?P<unit>day|week|month)s?'?"
    r"(?: from (?:now|today)|'? time\b)",
    "month": rf"\b(?:(?:in|during|over|for|around|by|throughout|of|next|this|early|mid|late|end of"
    rf"|beginning of|start of|middle of)[ -]|(?<=, )|(?<=\. )|^(?=\w+(?: 20\d\d)?\s*(?:[,:;-]|$"
    rf"|for\b|with\b|trip\b)))(?:the )?"
    rf"(?P<month>{MONTH})(?! i\b| we\b| through)(?:(?: of)? (?P<year>20\d\d))?",
    "bare": r"\b(?P<month>january|february|april|june|july|august|september|october|november"
    r"|december|(?-i:March))\b(?: (?P<year>20\d\d))?",
}  # fmt: skip
"""Forms by what they are; the named parts are what the readers take."""
