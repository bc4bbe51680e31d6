"""How do other commands of this machine reach a workspace that is served?"""

from __future__ import annotations

from fastapi import APIRouter

from consilience.service.core import Service


def router(service: Service) -> APIRouter:
    """The addresses."""
    del service
    return APIRouter()
