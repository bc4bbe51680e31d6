"""How do files come in over HTTP, and where do they stand?"""

from __future__ import annotations

from fastapi import APIRouter

from consilience.service.core import Service


def router(service: Service) -> APIRouter:
    """The addresses."""
    del service
    return APIRouter()
