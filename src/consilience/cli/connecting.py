"""How do two things connect? `consilience path`: chains of relations, each with its evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from consilience import render
from consilience.cli.app import AsJson, In, app, home, opened, print_json, tell
from consilience.types import Chain


@app.command()
def path(
    start: Annotated[str, typer.Argument(help="A name of the first thing.")],
    end: Annotated[str, typer.Argument(help="A name of the other.")],
    workspace: In = None,
    limit: Annotated[int, typer.Option("-n", "--limit", help="How many paths.", max=10)] = 3,
    as_json: AsJson = False,
) -> None:
    """Tell how two things of a graph connect, step by step, with the evidence of each step."""
    with opened(home(workspace), "path") as space:
        chains = space.paths(start, end, limit=limit)
    if as_json:
        print_json(render.paths_json(chains))
        return
    for place, chain in enumerate(chains, start=1):
        _print_chain(place, chain)
    if not chains:
        tell(f"nothing connects {start!r} and {end!r}")


def _print_chain(place: int, chain: Chain) -> None:
    tell(f"{place:>2}. {told(chain)}", style="bold")
    for link in chain.links:
        tell(f"    {' '.join(link.passage.text.split())}")
        tell(f"      {link.passage.id[:12]} · {link.passage.document}", style="dim")
    tell(f"    weight {chain.score:.3g} · {chain.passage.id[:12]}", style="dim")


def told(chain: Chain) -> str:
    """A chain in one line: `bell rock → (built by) → Stevenson ← (taught) ← Smeaton`."""
    parts = [chain.links[0].start]
    for link in chain.links:
        arrow = "→" if link.forward else "←"
        parts.append(f"{arrow} ({link.relation}) {arrow} {link.end}")
    return " ".join(parts)
