"""Exhibits that tests of checking compare statements with."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.answer.checker import Verdict, check
from consilience.protocols import Check
from consilience.types import Exhibit, Form, Passage, Statement


def exhibit(mark: int, text: str, *, label: str = "Book", **more: object) -> Exhibit:
    values = {"collection": "c", "document": "d.md", "kind": "document", "title": "Notes"}
    passage = Passage(id=f"p{mark}", text=text, **{**values, **more})  # type: ignore[arg-type]
    return Exhibit(mark=mark, passage=passage, label=label, text=text)


BELL = exhibit(
    1,
    "Robert Stevenson built the Bell Rock lighthouse between 1807 and 1811 with John Rennie of the "
    "Northern Lighthouse Board. Its tower is 35 m (115 ft) tall and was first lit on 1 February "
    "1811. It cost £61,331. “The sea was never still,” he wrote, “and we kept twenty-four candles "
    "burning – all night – for the men of the U.S. brig.”",
)
EDDYSTONE = exhibit(
    2,
    "John Smeaton finished the third Eddystone tower in 1759, on a reef south of Plymouth. The "
    "income of the light fell: -3.2 % in a year. Louis de Foix had finished Cordouan before him.",
)
WOLF = exhibit(
    3,
    "name: Wolf Rock Lighthouse; country: England; first_lit: 1870; height_m: 41; range_nmi: 16",
    kind="row",
    title="lighthouses",
    metadata={
        "name": "Wolf Rock Lighthouse",
        "country": "England",
        "first_lit": 1870,
        "height_m": 41,
        "range_nmi": 16,
    },
)
EDGE = exhibit(
    4,
    "Richard Henry Brunton → (learned from) → Thomas Stevenson. Brunton went to Japan in 1868.",
    kind="edge",
)
GAME = exhibit(
    5,
    "14. Nf5 Bxf5 {a blunder; 14...Qd7 (or 14...Qc8) holds} 15. exf5 Qd7 16. Rxe7! Qxe7 17. Qd5+ "
    "Kh8 18. O-O and White wins.",
    kind="game",
)
REPORT = exhibit(
    6,
    "Net sales by region (in € millions)\nRegion | 2019 | 2018\nAsia | 3.2 | 2.9\nLosses | (1.4) | "
    "0.3\nThe norm ISO 9001 was met, and COVID-19 did no harm to the A35 line or the Fl(2) lamp.",
)
EXHIBITS = {one.mark: one for one in (BELL, EDDYSTONE, WOLF, EDGE, GAME, REPORT)}


def judged(
    text: str, form: Form = "prose", *, within: Sequence[int] = (), checks: Sequence[Check] = ()
) -> Verdict:
    return check(Statement(text=text, form=form, within=tuple(within)), EXHIBITS, checks)


def faults(text: str, form: Form = "prose") -> list[tuple[str, str]]:
    return [(one.check, one.value) for one in judged(text, form).faults]
