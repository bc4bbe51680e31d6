"""A pack's addresses stand beside the service's own, and never in their place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from consilience.errors import UsageError
from consilience.pack import Endpoint
from consilience.service.app import create_app
from consilience.service.service import Service


@pytest.fixture
def packed(space, monkeypatch):
    """Give the pack of the workspace one address."""

    def give(path):
        endpoint = Endpoint(path=path, summary="Bees", collections=("documents",), answers=False)
        monkeypatch.setattr(
            space, "pack", replace(space.pack, web=replace(space.pack.web, endpoints=(endpoint,)))
        )
        return space

    return give


def test_an_address_of_a_pack_is_there_below_its_workspace_and_at_the_root(packed, serving):
    client = serving(packed("/find_bees"))
    for path in ("/find_bees", "/w/apiary/find_bees"):
        reply = client.post(path, json={"query": "when do bees swarm"})
        assert reply.status_code == 200
        assert {one["collection"] for one in reply.json()["results"]} == {"documents"}


@pytest.mark.parametrize(
    "path",
    ["/ask", "/search", "/status", "/files/bees", "/health", "/mcp", "/static/bees", "/", "bees"],
)
def test_an_address_of_the_service_itself_is_refused_at_the_start(packed, path):
    service = Service([packed(path)])
    with pytest.raises(UsageError, match=f"the pack 'general' has the address '{path}'.*rename it"):
        create_app(service)
    service.close()
