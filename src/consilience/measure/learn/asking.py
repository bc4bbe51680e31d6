"""May these labels teach here? What learning refuses to start from, and the engine that it asks.

Labels that are in error teach errors, and of a corpus that is only half indexed the other half
cannot be found: either would be kept in the workspace long after its cause is gone.
"""

from __future__ import annotations

from dataclasses import replace

from consilience.measure.conditions import patient
from consilience.measure.evaluate.checking import refuse_if_in_error, refuse_if_unfinished
from consilience.measure.values import Golden
from consilience.pipeline import Engine
from consilience.retrieve import Breakers
from consilience.workspace import Workspace


def refuse_unfit(workspace: Workspace, golden: Golden) -> None:
    """Refuse a corpus that is not indexed, and a golden set that is in error."""
    refuse_if_unfinished(workspace.catalogue)
    refuse_if_in_error(golden, workspace.catalogue)


def patient_engine(workspace: Workspace) -> Engine:
    """The engine of a workspace with the deadlines of a measurement, so that no time decides."""
    return replace(
        workspace.engine, settings=patient(workspace.engine.settings), breakers=Breakers()
    )
