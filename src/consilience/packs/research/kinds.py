"""Which passages of papers are special? Cited works and citations are only walked."""

from consilience.kinds import Kind

KINDS = (
    Kind(name="work", role="node", searched=False),
    Kind(name="citation", role="edge", searched=False),
)
