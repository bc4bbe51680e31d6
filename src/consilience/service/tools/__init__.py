"""How do assistants use a workspace? By tools, over MCP, at `/mcp` or over pipes.

It needs the official SDK, the `mcp` extra; without it a service has no `/mcp`.
"""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from fastapi import APIRouter, FastAPI
from starlette.routing import Route

from consilience.service.core import Service
from consilience.service.guard import guard
from consilience.service.jobs import Jobs
from consilience.workspace import Workspace

ADDRESS = "/mcp"


def installed() -> bool:
    """Whether the SDK is there."""
    return find_spec("mcp") is not None


class Answering(Service):
    """A service that only answers, beside whoever serves the same workspace, or instead."""

    def _jobs(self, workspace: Workspace) -> Jobs:
        return _Idle(workspace, upload_bytes=0)


class _Idle(Jobs):
    """No jobs: what came in elsewhere is left to whoever took it in."""

    def _take_up(self) -> None:
        """Nothing is taken up."""


def router(service: Service) -> APIRouter:
    """The address of the tools, where the SDK is installed; it is made ready with the app."""
    if not installed():
        return APIRouter()
    from consilience.service.tools.protocol import Endpoint  # noqa: PLC0415 - an extra

    endpoint = Endpoint(service)
    # By POST alone: without a session there is nothing to listen to, and nothing to end.
    route = Route(ADDRESS, endpoint, methods=["POST"], include_in_schema=False)
    return APIRouter(routes=[route], lifespan=endpoint.running)


def tools_app(service: Service) -> FastAPI:
    """The tools alone, guarded as the whole service is."""
    app = FastAPI(title="Consilience", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.spaces = tuple(service.spaces)
    guard(app, service)
    app.include_router(router(service))
    return app


def serve_pipes(service: Service) -> None:
    """Serve whoever started this process, over stdin and stdout, until they hang up."""
    from consilience.service.tools.protocol import over_pipes  # noqa: PLC0415 - an extra

    asyncio.run(over_pipes(service))
