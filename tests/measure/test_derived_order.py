from consilience.measure.derived_passages import derived_in, edges_in, edges_on_path, replace_paths

QUESTION = "How is Bell Rock connected to John Smeaton?"


def test_a_path_of_the_real_graph_gives_its_edges(workspace):
    result = workspace.search(QUESTION)
    made = derived_in(result.trace.rankings)
    (path,) = [
        one for one in made.values() if one.metadata["nodes"] == ("bell", "stevenson", "smeaton")
    ]
    edges = edges_in(workspace.catalogue)
    assert len(edges) == 2
    found = workspace.catalogue.get(edges_on_path(path, edges))
    assert [one.metadata["relation"] for one in found.values()] != []
    assert [
        edges[key]
        for key in (("bell", "BUILT_BY", "stevenson"), ("stevenson", "LEARNED_FROM", "smeaton"))
    ] == list(edges_on_path(path, edges))


def test_edges_stand_in_the_place_of_their_path(workspace):
    result = workspace.search(QUESTION)
    made, edges = derived_in(result.trace.rankings), edges_in(workspace.catalogue)
    order = [(hit.passage.id, hit.score) for hit in result.hits]
    assert any(key in made for key, _ in order)
    told = replace_paths(order, made, edges)
    keys = [key for key, _ in told]
    assert not set(keys) & set(made)
    assert set(edges.values()) <= set(keys)
    assert len(set(keys)) == len(keys)
    scores = [score for _, score in told]
    assert scores == sorted(scores, reverse=True)


def test_a_path_whose_edges_are_not_there_stays(workspace, passage):
    lone = passage("p", kind="path", metadata={"nodes": ("a", "b"), "relations": ("R",)})
    assert replace_paths([("p", 1.0)], {"p": lone}, {}) == [("p", 1.0)]
    back = {("b", "R", "a"): "e"}
    assert replace_paths([("x", 2.0), ("p", 1.0)], {"p": lone}, back) == [("x", 2.0), ("e", 1.0)]
