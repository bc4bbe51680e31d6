"""A second invented country with poor data: no prices, no hours, no kinds, other column names."""

from __future__ import annotations

import json
from pathlib import Path

from consilience.packs.travel.atlas import Atlas
from consilience.packs.travel.place_files import load
from consilience.types import Passage

SPOTS = """Label;Where;Y;X;About
Norvik;;61.20;5.10;A harbour town on the western coast with wooden houses and a fish market.
Elmdal;;61.35;6.40;A village between two lakes in the mountains, quiet outside the summer.
Storøy;;60.90;4.60;Storøy is an island off the coast, reached by ferry.
Herring Museum;Norvik;61.201;5.102;Boats and barrels. There are no stairs.
Wooden Quarter;Norvik;61.203;5.108;Lanes of white houses from 1800, steep and cobbled.
Kaia;Norvik;61.200;5.101;A restaurant on the quay with fish soup and a vegetarian stew every day.
Gull Inn;Norvik;61.202;5.103;Twelve rooms above the harbour. Dogs welcome.
Lake Path;Elmdal;61.351;6.402;A walk round the lake of two hours, flat ground all the way.
Stave Church;Elmdal;61.349;6.398;A wooden church of 1180 with carved dragons.
Dairy Cafe;Elmdal;61.350;6.401;Waffles and brown cheese. No alcohol is served.
Elmdal Lodge;Elmdal;61.352;6.405;A lodge with a sauna, eight rooms.
Seal Bay;Storøy;60.902;4.602;A beach where seals rest, loved by children.
Lighthouse Hostel;Storøy;60.899;4.598;Bunks in the keeper's house.
"""
ROUTES = (
    {"start": "Norvik", "finish": "Elmdal", "means": "bus", "takes": "1 h 40 min"},
    {"start": "Norvik", "finish": "Storøy", "means": "ferry"},
)


def write_second_country(folder: Path) -> Path:
    """Write the files of the country into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spots.csv").write_text(SPOTS, encoding="utf-8")
    lines = "\n".join(json.dumps(route, ensure_ascii=False) for route in ROUTES)
    (folder / "routes.jsonl").write_text(lines, encoding="utf-8")
    return folder


def second_atlas(folder: Path) -> Atlas:
    """The atlas of the country, from its files."""
    files = sorted(write_second_country(folder).iterdir())
    passages = [
        Passage(
            id=f"{path.stem}-{at}",
            text=block.text,
            kind=block.kind or "text",
            title=path.stem,
            collection="places",
            document=path.name,
            locator=block.locator,
            metadata=block.metadata,
        )
        for path in files
        for at, block in enumerate(load(path).blocks)
    ]
    return Atlas.of(passages)
