"""Is everything there? Each workspace, and each of its sources."""

from __future__ import annotations

from fastapi import APIRouter

from consilience.service.core import Service


def router(service: Service) -> APIRouter:
    """The addresses."""
    del service
    return APIRouter()
