"""What goes on in a workspace beside questions? Jobs, one at a time, each with its progress.

A job that was handed in is on disk before anybody is told so. One that was stopped or killed is
begun again when the workspace is next served; whatever it does may be done twice.
"""

from __future__ import annotations

from consilience.service.jobs.arriving import UPLOADS, Arrivals
from consilience.service.jobs.job import Job, NoJob, Order, Rebuilding
from consilience.service.jobs.working import Jobs

__all__ = [
    "UPLOADS",
    "Arrivals",
    "Job",
    "Jobs",
    "NoJob",
    "Order",
    "Rebuilding",
]
