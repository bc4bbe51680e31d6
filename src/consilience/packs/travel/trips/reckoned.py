"""Which steps need no language model? All five, reckoned."""

from __future__ import annotations

from consilience.packs.travel.trips.advising import advise
from consilience.packs.travel.trips.analysing import analyse
from consilience.packs.travel.trips.checking import check
from consilience.packs.travel.trips.composing import compose
from consilience.packs.travel.trips.planning import plan_retrieval
from consilience.packs.travel.trips.steps import Steps

STEPS = Steps(analyse=analyse, plan=plan_retrieval, compose=compose, advise=advise, check=check)
