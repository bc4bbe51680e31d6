"""What does a language model do for a trip? Each of the five steps, behind the same interface.

A model is asked through pydantic-ai for typed values, and may look things up in the atlas. What it
gives is held against the atlas and the reckoned step: it may add to what is reckoned and choose
among what is known, and it may neither invent a place nor take a fault away. Where it fails, the
reckoned step does it, and the trip's account says so. No trip needs a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.packs.travel.extra import needed_for_models
from consilience.packs.travel.trips.modelled.account import Account, ModelledSteps, account_of
from consilience.packs.travel.trips.steps import Steps
from consilience.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model

__all__ = ["Account", "ModelledSteps", "account_of", "modelled_steps"]


def modelled_steps(
    settings: Settings, reckoned: Steps, *, model: Model | None = None
) -> ModelledSteps:
    """The five steps by the language model of the settings, or by another of pydantic-ai's.

    They keep one account: make them anew for each trip.
    """
    needed_for_models()
    from consilience.packs.travel.trips.modelled.asking import (  # noqa: PLC0415 - an extra
        Asker,
        Configured,
        Given,
    )
    from consilience.packs.travel.trips.modelled.days import ModelledCompose  # noqa: PLC0415
    from consilience.packs.travel.trips.modelled.faults import ModelledCheck  # noqa: PLC0415
    from consilience.packs.travel.trips.modelled.searches import ModelledPlan  # noqa: PLC0415
    from consilience.packs.travel.trips.modelled.tips import ModelledAdvise  # noqa: PLC0415
    from consilience.packs.travel.trips.modelled.wishes import ModelledAnalyse  # noqa: PLC0415

    account = Account()
    objected: dict[str, str] = {}  # places that the check found fault with, for the composer
    opening = Configured(settings) if model is None else Given(model)
    asker = Asker(opening, account, settings.answer)
    return ModelledSteps(
        analyse=ModelledAnalyse(asker, reckoned.analyse),
        plan=ModelledPlan(asker, reckoned.plan),
        compose=ModelledCompose(asker, reckoned, objected),
        advise=ModelledAdvise(asker, reckoned.advise),
        check=ModelledCheck(asker, reckoned.check, objected),
        account=account,
    )
