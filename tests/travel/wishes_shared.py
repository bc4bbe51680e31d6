"""What tests of wishes share: a made-up archipelago, and how a text is read there."""

from __future__ import annotations

import asyncio
from datetime import date
from functools import cache

from atlas_shared import make_atlas, place_passage, way_passage

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.trips.analysing import analyse
from consilience.packs.travel.trips.types import Wish

TODAY = date(2026, 11, 16)  # a Monday


@cache
def velmora() -> Atlas:
    """Eight cities in euros, south of the equator."""
    return make_atlas()


@cache
def quillas() -> Atlas:
    """Three islands in yen, with names of ordinary words and accents."""
    where = {"currency": "JPY", "region": "northern-quillas"}
    found = [
        place_passage("quillas", "Quillas", "country"),
        place_passage("northern-quillas", "Northern Quillas", "region"),
        place_passage("southern-quillas", "Southern Quillas", "region"),
        place_passage(
            "kepala", "Kepala", "city", aliases=("The Capital",), lat=20.0, lon=10.0, **where
        ),
        place_passage("nice", "Nice", "city", lat=20.3, lon=10.2, **where),
        place_passage(
            "ile-doree",
            "Île Dorée",
            "city",
            aliases=("Golden Isle",),
            lat=19.0,
            lon=10.0,
            currency="JPY",
            region="southern-quillas",
        ),
        place_passage(
            "old-town",
            "Old Town",
            "attraction",
            type="neighbourhood",
            city="kepala",
            price=0,
            **where,
        ),
        place_passage(
            "white-beach",
            "White Beach",
            "attraction",
            type="beach",
            city="ile-doree",
            price=0,
            currency="JPY",
            region="southern-quillas",
        ),
        place_passage(
            "kepala-central-market",
            "Central Market",
            "attraction",
            type="market",
            city="kepala",
            price=0,
            **where,
        ),
        place_passage(
            "nice-central-market",
            "Central Market",
            "attraction",
            type="market",
            city="nice",
            price=0,
            **where,
        ),
        place_passage(
            "kepala-inn",
            "Kepala Inn",
            "stay",
            level="mid-range",
            city="kepala",
            price=9000,
            **where,
        ),
        way_passage("kepala", "nice", "speedboat", 60, 1500, currency="JPY"),
        way_passage("kepala", "ile-doree", "domestic flight", 45, 9000, currency="JPY"),
    ]
    return Atlas.of(found)


def read(text: str, atlas: Atlas | None = None) -> Wish:
    """The wish that a text is, in Velmora where no other atlas is given."""
    return asyncio.run(analyse(text, atlas or velmora(), today=TODAY))
