"""Which passages of places are special? Places are nodes, and ties between them are only walked."""

from consilience.kinds import Kind

KINDS = (
    Kind(name="place", role="node", prose=True),
    Kind(name="tie", role="edge", searched=False),
)
