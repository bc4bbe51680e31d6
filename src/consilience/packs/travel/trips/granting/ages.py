"""May those who travel do what they are to do: children at a wheel, in clubs, on a bungee rope?

Only what is so nearly everywhere is told: nobody under 16 drives a motorbike or a car, nobody under
18 is let into a night club or a casino, and falls and dives are not for the very young.
"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.granting.talk import Talk
from consilience.packs.travel.trips.reading.people.ages import (
    ages_told,
    around,
    driven_by_the_young,
    is_apart,
)
from consilience.packs.travel.trips.reading.spoken.meaning import is_meant

_DRIVING = 16
_WORDS = {
    "night clubs and casinos": r"night ?clubs?|clubbing|casinos?|strip clubs?|bar crawls?"
    r"|pub crawls?|poker tables?|gambling",
    "jumps and falls": r"sky ?div\w+|bungee\w*|base jump\w*|parachut\w+|wing ?suit\w*",
    "dives with tanks": r"scuba(?: div\w+)?|(?:tank|wreck|deep|night|cave|boat) div\w+"
    r"|div(?:e|es|ing) (?:course|certificat\w+|licen[cs]e)",
}  # fmt: skip
_LEAST = {"night clubs and casinos": 18, "jumps and falls": 12, "dives with tanks": 8}
"""From which age people are let to it."""
_CHILD = (
    r"(?:sons?|daughters?|boys?|girls?|lads?|kids?|child(?:ren)?|toddlers?|bab(?:y|ies)|nephews?"
    r"|nieces?|grand\w+|year[- ]olds?|teenagers?|twins|he|she|they|him|her|them)"
)
_DRINKS = (
    r"(?:beers?|wine|whisk(?:e)?y|vodka|rum|gin|cocktails?|shots|rice wine|champagne|alcohol"
    r"|liquor)"
)
_SERVED = re.compile(
    rf"\b{_DRINKS}\s+(?:tasting )?for (?:our|my|the|his|her) (?:[\w-]+ ){{0,2}}?(?:sons?"
    r"|daughters?|kids?|child(?:ren)?|boys?|girls?|\w+-year-olds?)\b"
    rf"|\b(?:our|my|the) (?:[\w-]+ ){{0,2}}?(?:sons?|daughters?|kids?|child(?:ren)?|\w"
    rf"+-year-olds?)\s+(?:[\w']+ ){{0,3}}?(?:drinks?|tries|try|tastes?|gets?|has|have)\s+(?:[\w"
    rf"']+ ){{0,2}}?{_DRINKS}\b",
    re.IGNORECASE,
)
_PREGNANT = re.compile(
    r"\b(?:(?:[6-9]|six|seven|eight|nine)(?: and a half)? months? (?:pregnant|along)"
    r"|heavily pregnant"
    r"|(?:third|last) trimester|(?:2[89]|3\d) weeks pregnant)\b", re.IGNORECASE)  # fmt: skip
_HARMFUL = re.compile(
    r"\b(?:scuba(?: div\w+)?|diving(?! board)|bungee\w*|sky ?div\w+|parachut\w+|canyon(?:ing"
    r"|eering)|white[- ]?water|rafting"
    r"|motorbike loop|kite ?surf\w*|via ferrata|rock climbing|roller ?coasters?)\b",
    re.IGNORECASE)  # fmt: skip
_BLIND = re.compile(
    r"\b(?:i'm|i am|is|who is|we are|both|completely|totally|fully) (?:\w+ )?blind\b(?! (?:date"
    r"|spot))[^.;!?]{0,60}\b(?:driv(?:e|es|ing)|rides?|riding|steers?)\b"
    r"[^.;!?]{0,30}\b(?:motor\w+|cars?|scooters?|jeeps?|himself|herself|myself)\b",
    re.IGNORECASE)  # fmt: skip


def settle_ages(talk: Talk) -> None:
    """Settle what is not for people so young, or in such a state."""
    text = talk.wanted.text.replace("\u2019", "'")
    ages = ages_told(text)
    if ages:
        _driving(talk, text, ages[0])
        _bounds(talk, text, ages[0])
        _served(talk, text, ages[0])
    if _PREGNANT.search(text):
        _pregnant(talk, text)
    blind = _BLIND.search(text)
    if blind:
        reason = "whoever drives has to see the road"
        talk.settle(f"'{blind[0]}'", reason, "planned with a driver")


def _driving(talk: Talk, text: str, youngest: int) -> None:
    driven = list(driven_by_the_young(text)) if youngest < _DRIVING else []
    for what in driven[:1]:
        talk.settle(
            f"{what} driven at the age of {youngest}",
            f"nearly everywhere nobody under {_DRIVING} may drive one, and no insurance pays",
            "planned as a passenger, or by bicycle",
        )


def _bounds(talk: Talk, text: str, youngest: int) -> None:
    if any("small child" in one.wanted for one in talk.compromises):
        return
    for name, words in _WORDS.items():
        asked = [one for one in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE)
                 if _is_for_the_young(text, one)]  # fmt: skip
        if asked and youngest < _LEAST[name]:
            reason = f"{name} are for people of {_LEAST[name]} and more"
            wanted = f"{asked[0][0]} at the age of {youngest}"
            talk.settle(wanted, reason, "for the adults, or left out")


def _is_for_the_young(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence speaks of children with it, and of nothing that parts them from it."""
    near = around(text, match)
    child = re.search(rf"\b{_CHILD}\b", near, re.IGNORECASE)
    return child is not None and not is_apart(near) and is_meant(text, *match.span())


def _served(talk: Talk, text: str, youngest: int) -> None:
    served = _SERVED.search(text)
    if served and youngest < _DRIVING and is_meant(text, *served.span()):
        talk.settle(f"'{served[0]}'", "children are served no alcohol", "soft drinks for them")


def _pregnant(talk: Talk, text: str) -> None:
    for match in _HARMFUL.finditer(text):
        if is_meant(text, *match.span()) and not is_apart(around(text, match)):
            reason = "operators take nobody on it so far into a pregnancy"
            talk.settle(f"{match[0]} when heavily pregnant", reason, "left out for her")
            return
