"""What does a job do to a workspace? Take files in, forget them, or index everything again."""

from __future__ import annotations

from pathlib import Path

from consilience import ingest
from consilience.service.jobs.arriving import Arrivals
from consilience.service.jobs.job import Order
from consilience.service.jobs.log import Log
from consilience.workspace import Workspace


class Stopped(Exception):
    """A job was asked to stop, and has come to a safe place."""


class Doing:
    """Does what orders say. Each may be repeated: it then does what is left."""

    def __init__(self, workspace: Workspace, arrivals: Arrivals, log: Log) -> None:
        self._workspace = workspace
        self._arrivals = arrivals
        self._log = log

    def do(self, order: Order, progress: ingest.Progress, *, again: bool) -> ingest.Report:
        """Do it; `again` where an earlier try may have done some or all of it."""
        match order.kind:
            case "add":
                return self._add(order, progress)
            case "remove":
                return self._remove(order, again=again)
            case "rebuild":
                return self._workspace.rebuild(progress=progress)

    def _add(self, order: Order, progress: ingest.Progress) -> ingest.Report:
        paths = [self._path(key) for key in order.paths]
        if order.part:
            self._arrivals.settle(order.part, paths[0])
        return self._workspace.add(
            paths, collection=order.collection, progress=progress, force=order.force
        )

    def _remove(self, order: Order, *, again: bool) -> ingest.Report:
        catalogue = self._workspace.catalogue
        roots = catalogue.roots()
        known = [key for key in order.paths if key in roots or catalogue.documents(key)]
        wanted = known if again else order.paths
        report = (
            self._workspace.remove([self._path(key) for key in wanted])
            if wanted
            else ingest.Report()
        )
        for key in order.paths if order.delete else ():
            if self._log.uploaded(key):
                self._path(key).unlink(missing_ok=True)
                self._log.forget_uploaded(key)
        return report

    def _path(self, key: str) -> Path:
        return self._workspace.folder / key
