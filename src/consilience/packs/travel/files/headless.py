"""What are the columns of a table without a header? Known ones are told by what their cells hold.

Files of airports, routes, airlines, countries and aircraft as OpenFlights gives them, and lists of
places as GeoNames does. A layout holds where nearly all of the first rows fit it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.evidence.loaders.json_records import Json
from consilience.evidence.loaders.table import typed
from consilience.packs.travel.files.fields import meaning_of
from consilience.packs.travel.files.records import Role

_LOOKED_AT = 200
_FITTING = 0.95
_EMPTY = frozenset({"", "\\N", "-", "N/A"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a kind of file; `cells` are patterns that some of them fit, or are empty."""

    hint: str
    columns: tuple[str, ...]
    cells: dict[int, str]
    role: Role = "place"
    least: int = 0
    always: tuple[tuple[str, str], ...] = ()

    def fits(self, row: Sequence[str]) -> bool:
        """Whether a row has these columns."""
        if not (self.least or len(self.columns)) <= len(row) <= len(self.columns):
            return False
        return all(
            row[at].strip() in _EMPTY or re.fullmatch(pattern, row[at].strip())
            for at, pattern in self.cells.items()
        )

    def record(self, row: Sequence[str]) -> dict[str, Json]:
        """A row by the names of its columns; cells that say nothing are left out."""
        cells = zip(self.columns, (cell.strip() for cell in row), strict=False)
        found: dict[str, Json] = {
            name: cell if meaning_of(name) else typed(cell)
            for name, cell in cells
            if cell not in _EMPTY
        }
        return found | dict(self.always)


def _columns(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_DEGREES = r"-?\d{1,3}(?:\.\d+)?(?:[eE]-?\d+)?"
LAYOUTS = (
    Layout(
        hint="airports",
        columns=_columns(
            "id name city country iata icao latitude longitude altitude_feet utc_offset "
            "daylight_saving timezone type data_source"
        ),
        cells={0: r"\d+", 4: r"[A-Z0-9]{3}", 5: r"[A-Z0-9-]{3,4}", 6: _DEGREES, 7: _DEGREES},
        least=8,
    ),
    Layout(
        hint="routes",
        columns=_columns("airline airline_id from from_id to to_id codeshare stops equipment"),
        cells={1: r"\d+", 2: "[A-Z0-9]{3,4}", 3: r"\d+", 4: "[A-Z0-9]{3,4}", 5: r"\d+", 7: r"\d"},
        role="relation",
        always=(("relation", "CONNECTED_TO"), ("mode", "flight"), ("both_ways", "no")),
    ),
    Layout(
        hint="airlines",
        columns=_columns("id name alias iata icao callsign country active"),
        cells={0: r"-?\d+", 7: "[YNyn]"},
        role="row",
    ),
    Layout(
        hint="countries",
        columns=("name", "iso", "dafif"),
        cells={0: r"\D+", 1: "[A-Z]{2}", 2: "[A-Z]{2}"},
    ),
    Layout(
        hint="planes",
        columns=("name", "iata", "icao"),
        cells={1: "[A-Z0-9]{3}", 2: "[A-Z0-9]{2,4}"},
        role="row",
    ),
    Layout(
        hint="places",
        columns=_columns(
            "geonameid name asciiname alternatenames latitude longitude class feature_code "
            "country_code other_country_codes admin1code admin2code admin3code admin4code "
            "population elevation terrain timezone modified"
        ),
        cells={0: r"\d+", 4: _DEGREES, 5: _DEGREES, 6: "[A-Z]", 14: r"\d+"},
    ),
)


def layout_of(rows: Sequence[Sequence[str]]) -> Layout | None:
    """The layout that a table without a header has; None for one that is not known."""
    seen = [row for row in rows if any(row)][:_LOOKED_AT]
    for layout in LAYOUTS:
        fitting = sum(layout.fits(row) for row in seen)
        if seen and layout.fits(seen[0]) and fitting >= _FITTING * len(seen):
            return layout
    return None
