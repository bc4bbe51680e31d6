"""How do pages of the service show places?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def place_name(passage: Json) -> str:
    """The name of a place."""
    return str(passage["metadata"].get("name") or "")


def place_facts(passage: Json, name: str) -> list[str]:
    """What a place is, its level and its price; and whether it is an invented example."""
    del name
    known = passage["metadata"]
    price, currency = known.get("price"), known.get("currency")
    facts = [known.get("type") or known.get("node_kind"), known.get("level")]
    if isinstance(price, int | float):
        amount = f"{price:,.2f}".removesuffix(".00")
        facts.append(f"{amount} {currency or ''}".strip() if price else "free")
    return [str(fact) for fact in (*facts, "invented" if known.get("invented") else "") if fact]
