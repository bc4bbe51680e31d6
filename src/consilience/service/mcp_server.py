"""How do assistants use a workspace? By tools over MCP, at `/mcp` or over pipes.

It needs the official SDK, the `mcp` extra; without it a service has no `/mcp`.
"""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

from fastapi import APIRouter, FastAPI
from starlette.routing import Route

from consilience.service.jobs import Jobs
from consilience.service.request_guard import guard
from consilience.service.service import Service
from consilience.workspace import Workspace

ADDRESS = "/mcp"


def installed() -> bool:
    """Whether the SDK is installed."""
    return find_spec("mcp") is not None


class AnsweringService(Service):
    """A service that runs no jobs, beside the server of the same workspace or without one."""

    def _jobs(self, workspace: Workspace) -> Jobs:
        return Jobs(workspace, upload_bytes=0, resume=False)


def router(service: Service) -> APIRouter:
    """The address of the tools, where the SDK is installed."""
    if not installed():
        return APIRouter()
    from consilience.service.mcp_protocol import HttpEndpoint  # noqa: PLC0415 - an extra

    endpoint = HttpEndpoint(service)
    # POST only: without a session there is nothing to listen to, and nothing to end.
    route = Route(ADDRESS, endpoint, methods=["POST"], include_in_schema=False)
    return APIRouter(routes=[route], lifespan=endpoint.lifespan)


def tools_app(service: Service) -> FastAPI:
    """An app with the tools alone, guarded as the whole service is."""
    app = FastAPI(title="Consilience", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service
    guard(app, service)
    app.include_router(router(service))
    return app


def serve_pipes(service: Service) -> None:
    """Serve the parent process over stdin and stdout, until it closes them."""
    from consilience.service.mcp_protocol import run_stdio  # noqa: PLC0415 - an extra

    asyncio.run(run_stdio(service))
