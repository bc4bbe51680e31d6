"""What does an owner look at? What is held, how it is set, how well it was measured."""

from __future__ import annotations

from fastapi import APIRouter

from consilience.service.core import Service


def router(service: Service) -> APIRouter:
    """The addresses."""
    del service
    return APIRouter()
