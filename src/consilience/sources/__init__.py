"""Who ranks a collection's passages? One module per engine; none knows another.

`memory` is the reference: slow, obvious, right. `qdrant_edge` ranks by meaning and by words,
`duckdb` ranks the rows of tables, `ladybug` the nodes and paths of a graph. This module imports
none of them, so that an engine is loaded only by who uses it.
"""
