"""May settings be chosen on these questions? What an evaluation refuses is refused here as well."""

from __future__ import annotations

from consilience.ingest.progress import Progress
from consilience.measure.evaluate.checking import refuse_if_in_error, refuse_if_unfinished
from consilience.measure.golden.resolve import resolve
from consilience.measure.seen import seen
from consilience.measure.tune.replay import Replay, replay
from consilience.measure.values import Golden
from consilience.workspace import Workspace


def prepared(workspace: Workspace, golden: Golden, *, progress: Progress | None = None) -> Replay:
    """The questions of a golden set, asked once; refused where nothing could be learned of them."""
    refuse_if_unfinished(workspace.catalogue)
    resolved = resolve(golden, workspace.catalogue)
    refuse_if_in_error(golden, workspace.catalogue)
    asked = replay(workspace.engine, resolved, progress=progress)
    asked.before = seen(workspace.folder)
    return asked
