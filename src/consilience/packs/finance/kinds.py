"""Which passages of reports are special? Rows and calculations, which carry their cells."""

from consilience.kinds import Kind

KINDS = (
    Kind(name="row", hidden=frozenset({"cells", "ticker"})),
    Kind(name="calculation", hidden=frozenset({"cells", "operands"})),
)
