"""Which engine stores and ranks a collection's passages? One module per engine; none knows another.

`memory` is the reference: slow, obvious, right. `qdrant_edge` ranks by meaning and by words,
`duckdb` the rows of tables, `ladybug` the nodes and paths of a graph. This package imports none of
them, so an engine is loaded only where it is used.
"""
