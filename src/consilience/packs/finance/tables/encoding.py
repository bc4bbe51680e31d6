"""How are the numbers of a row kept with its passage? As JSON, without what goes without saying.

Numbers are texts of decimals, so that none is rounded. Which row a datum stands in is known from
its passage, but kept too: pieces of one row, and rows of one table, can then be put together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, cast

from consilience.packs.finance.data_model import Basis, Box, Datum, Kind, Period


def dumped(data: Sequence[Datum]) -> str:
    """Data as a JSON text; `loaded` gives the very same data back."""
    return json.dumps([_written(one) for one in data], ensure_ascii=False, separators=(",", ":"))


def loaded(text: str) -> tuple[Datum, ...]:
    """The data of a text that `dumped` wrote."""
    return tuple(_read(one) for one in json.loads(text)) if text else ()


def _written(datum: Datum) -> dict[str, Any]:
    stated: dict[str, Any] | bool | None = None
    if datum.stated != datum.period:
        stated = _period(datum.stated) or False
    found: dict[str, Any] = {
        "row": datum.row,
        "column": datum.column,
        "text": datum.text,
        "value": str(datum.value),
        "number": str(datum.number) if str(datum.number) != str(datum.value) else None,
        "unit": datum.unit,
        "scale": datum.scale if datum.scale != 1 else None,
        "metric": datum.metric,
        "entity": datum.entity,
        "header": datum.header,
        "label": datum.label,
        **_period(datum.period),
        "stated": stated,
        "basis": datum.basis if datum.basis != "actual" else None,
        "against": datum.against,
        "page": datum.page,
        "box": _corners(datum.box),
    }
    return {name: value for name, value in found.items() if value not in (None, "", ())}


def _period(period: Period | None) -> dict[str, Any]:
    if period is None:
        return {}
    found: dict[str, Any] = {
        "period": period.key,
        "kind": period.kind,
        "start": period.start.isoformat(),
        "end": period.end.isoformat(),
    }
    if period.year != period.end.year:
        found["year"] = period.year
    return found


def _corners(box: Box | None) -> list[float] | None:
    return None if box is None else [box.left, box.top, box.right, box.bottom]


def _read(found: Mapping[str, Any]) -> Datum:
    period = _read_period(found)
    stated = found.get("stated")
    value = Decimal(found["value"])
    corners = found.get("box")
    return Datum(
        row=found["row"],
        column=found["column"],
        text=found.get("text", ""),
        value=value,
        number=Decimal(found["number"]) if "number" in found else value,
        unit=found.get("unit", ""),
        scale=found.get("scale", 1),
        metric=found.get("metric", ""),
        entity=tuple(found.get("entity", ())),
        header=tuple(found.get("header", ())),
        label=tuple(found.get("label", ())),
        period=period,
        stated=period if stated is None else _read_period(stated or {}),
        basis=cast("Basis", found.get("basis", "actual")),
        against=cast("Basis | None", found.get("against")),
        page=found.get("page"),
        box=None if corners is None else Box(**dict(zip(_SIDES, corners, strict=True))),
    )


_SIDES = ("left", "top", "right", "bottom")


def _read_period(found: Mapping[str, Any]) -> Period | None:
    if "kind" not in found:
        return None
    end = date.fromisoformat(found["end"])
    return Period(
        kind=cast("Kind", found["kind"]),
        start=date.fromisoformat(found["start"]),
        end=end,
        year=found.get("year", end.year),
    )
