"""What a pack adds stands beside what the service has itself, and never in its place."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import APIRouter, Request
from mcp import Client

from consilience.errors import UsageError
from consilience.pack import Endpoint, KindView, Web
from consilience.service.app import create_app
from consilience.service.mcp_protocol import make_server
from consilience.service.mcp_tools import Tool, ToolResult, WorkspaceArguments, tools_of
from consilience.service.pages import reply
from consilience.service.service import Service

SERVICE = Path(__file__).parents[2] / "src" / "consilience" / "service"
PAGE = (
    '{% extends "base.html" %}{% block body %}<p id="swarms">{{ found.swarms }}</p>{% endblock %}'
)
HTML = {"accept": "text/html"}


def router(service):
    routes = APIRouter()

    @routes.get("/w/{name}/swarms")
    async def swarms(request: Request, name: str):
        space = service.space(name)
        return reply(
            request, {"swarms": f"<{space.name}>"}, f"{space.workspace.pack.name}/swarms.html"
        )

    return routes


class Count(ToolResult):
    number: int

    def text(self):
        return f"{self.number} swarms"


def tools(service):
    async def count(toolbox, given):
        return Count(number=len(toolbox.space(given.workspace).workspace.catalogue.documents()))

    return (
        Tool(
            name="count_swarms",
            title="Count",
            summary="Counts swarms.",
            takes=WorkspaceArguments,
            gives=Count,
            call=count,
            instructions="- `count_swarms` counts.",
        ),
    )


def clashing_tools(service):
    return [replace(tool, name="search") for tool in tools(service)]


def taken_router(service):
    routes = APIRouter()
    routes.add_api_route("/w/{name}/status", lambda: None, methods=["GET"])
    return routes


@pytest.fixture
def give(space, monkeypatch, tmp_path):
    (tmp_path / "swarms.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "swarms.css").write_text(".kind-row { --kind: red; }", encoding="utf-8")

    def web(**changes):
        added = Web(
            routes=f"{__name__}:router",
            templates=tmp_path,
            static=tmp_path,
            css="swarms.css",
            menu=(("swarms", "Swarms"),),
            tools=f"{__name__}:tools",
            kinds={"row": KindView(label="Harvest", facts=lambda passage, name: ["picked"])},
        )
        monkeypatch.setattr(space, "pack", replace(space.pack, web=replace(added, **changes)))
        return space

    return web


def test_a_route_of_a_pack_is_json_and_a_page_with_its_menu_and_style(give, serving):
    client = serving(give())
    assert client.get("/w/apiary/swarms").json() == {"swarms": "<apiary>"}
    page = client.get("/w/apiary/swarms", headers=HTML).text
    assert '<p id="swarms">&lt;apiary&gt;</p>' in page
    assert '<a href="/w/apiary/swarms" aria-current="page">Swarms</a>' in page
    [style] = re.findall(r'href="(/static/general/[^"]+)"', page)
    assert "--kind: red" in client.get(style).text


def test_a_pack_says_how_its_kinds_are_shown(give, serving):
    page = serving(give()).get("/w/apiary/search", params={"q": "Oak 2024"}, headers=HTML).text
    assert "Harvest" in page
    assert "picked" in page


def test_a_tool_of_a_pack_is_offered_and_called(give):
    service = Service([give()])

    async def call():
        async with Client(make_server(service)) as client:
            return await client.call_tool("count_swarms", {})

    assert asyncio.run(call()).content[0].text == "3 swarms"
    assert "count_swarms" in tools_of(service)
    service.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools": f"{__name__}:clashing_tools"}, "has a tool 'search'"),
        ({"routes": f"{__name__}:taken_router"}, "has the address '/w/{name}/status'"),
    ],
)
def test_what_the_service_has_itself_is_refused(give, serving, changes, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        serving(give(**changes))


def test_the_service_names_no_pack():
    words = re.compile(r"\b(chess|games?|travel|trips?|finance|research)\b", re.IGNORECASE)
    for path in sorted(SERVICE.rglob("*")):
        if path.suffix in {".py", ".html", ".css", ".js"}:
            found = words.findall(path.read_text(encoding="utf-8"))
            assert not found, (path.name, found)


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
    unknown = client.post("/find_bees?mergers=true", json={"query": "when do bees swarm"})
    assert unknown.status_code == 422
    assert "`mergers` is not a parameter of POST /find_bees" in unknown.json()["error"]["message"]


@pytest.mark.parametrize(
    "path",
    ["/ask", "/search", "/status", "/files/bees", "/health", "/mcp", "/static/bees", "/", "bees"],
)
def test_an_address_of_the_service_itself_is_refused_at_the_start(packed, path):
    service = Service([packed(path)])
    with pytest.raises(UsageError, match=f"the pack 'general' has the address '{path}'.*rename it"):
        create_app(service)
    service.close()
