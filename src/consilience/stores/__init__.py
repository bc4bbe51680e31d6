"""Which engine stores and ranks a collection's passages? One module per engine; none knows another.

`qdrant_edge` ranks by meaning and by words, `duckdb` the rows of tables, `ladybug` the nodes and
paths of a graph, `federated` what an index elsewhere finds. This package imports none of them, so
an engine is loaded only where it is used.
"""
