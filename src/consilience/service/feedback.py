"""How do people react to results, and how do two settings compare?"""

from __future__ import annotations

from fastapi import APIRouter

from consilience.service.core import Service


def router(service: Service) -> APIRouter:
    """The addresses."""
    del service
    return APIRouter()
