"""How is a small BERT written as an ONNX graph? Layer by layer, from its named weights.

The graph reads `input_ids` and `attention_mask` (both int64, texts × tokens) and gives

- `sentence` (texts × width): the mean of the last states over the real tokens, divided by its
  Euclidean length,
- `tokens` (texts × tokens × width): the last states themselves, for those who compare tokens.

Three sums are made here once rather than at every run: the embedding of token type 0 goes into
the positions, the attention's 1/sqrt(width of a head) into the query weights, and query, key and
value become one product of three times the width.

Products run in 8-bit integers. For a row x of states and a column w of weights, with
a = max |x| / 127 and b = max |w| / 63,

    x · w  is computed as  a · b · Σ round(x / a) · round(w / b),  exactly in the sum.

- Rows are scaled one by one, where the usual dynamic quantisation takes one scale for a whole
  batch: a text's vector would then depend on the texts beside it (cosine 0.994 between two
  batchings of the same text; here 1). It agrees better with the original (0.996 against 0.992).
- Weights use 7 of their 8 bits: processors with AVX2 but without VNNI add two products in 16
  bits, and 2 · 255 · 63 = 32,130 still fits there.

The word table is stored as int8 with one scale per row, largest magnitude / 127.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17  # the first with LayerNormalization
IR_VERSION = 8  # the version that belongs to opset 17
INPUTS = ("input_ids", "attention_mask")
WEIGHT_LEVELS = 63
STATE_LEVELS = 127
MASKED = -1e4  # added to the attention paid to padding: exp() of it is 0

Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The sizes of the network; `limit` is how many tokens it reads."""

    layers: int
    heads: int
    width: int
    epsilon: float
    limit: int


@dataclass(slots=True)
class Graph:
    """Nodes and constants in the order in which they are written."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, NDArray[np.generic]] = field(default_factory=dict)

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: object) -> str:
        """Write a node and give the name of its output."""
        output = name or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: object, dtype: type = np.float32) -> str:
        """Keep a constant under a name and give the name; the same name again replaces it."""
        self.constants[name] = np.array(value, dtype=dtype, order="C")
        return name


def build(weights: Weights, shape: Shape) -> onnx.ModelProto:
    """The whole network as a checked ONNX model, of standard operators only."""
    graph = Graph()
    _shared_constants(graph, shape)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = _attention_bias(graph, mask)
    states = _embeddings(graph, weights, shape)
    for number in range(shape.layers):
        part = _Part(graph, weights, f"encoder.layer.{number}.", shape)
        name = "tokens" if number == shape.layers - 1 else ""
        states = _layer(part, states, bias, name)
    _pooling(graph, states, mask)
    return _model(graph, shape)


@dataclass(frozen=True, slots=True)
class _Part:
    """One layer's view of the weights: names are looked up under its prefix."""

    graph: Graph
    weights: Weights
    prefix: str
    shape: Shape

    def read(self, name: str) -> NDArray[np.float32]:
        return self.weights[self.prefix + name]

    def dense(self, states: str, name: str) -> str:
        """`states · weightᵀ + bias` of a linear layer."""
        return self.product(
            states, self.prefix + name, self.read(f"{name}.weight"), self.read(f"{name}.bias")
        )

    def product(
        self, states: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]
    ) -> str:
        """The product in 8-bit integers: see the module's first lines for the formula."""
        graph = self.graph
        scale = _or_one(np.abs(weight).max(axis=1)) / WEIGHT_LEVELS
        matrix = graph.constant(f"{name}.weight", np.rint(weight / scale[:, None]).T, np.int8)
        largest = graph.add("ReduceMax", graph.add("Abs", states), axes=[-1], keepdims=1)
        largest = graph.add("Max", largest, "tiny")
        spread = graph.add("Mul", states, graph.add("Div", "levels", largest))
        whole = graph.add("Cast", graph.add("Add", spread, "middle"), to=TensorProto.UINT8)
        sums = graph.add("MatMulInteger", whole, matrix, "zero_point")
        sums = graph.add("Mul", graph.add("Cast", sums, to=TensorProto.FLOAT), largest)
        unit = graph.constant(f"{name}.scale", scale / STATE_LEVELS)
        return graph.add("Add", graph.add("Mul", sums, unit), graph.constant(f"{name}.bias", bias))

    def normal(self, states: str, name: str, *, output: str = "") -> str:
        """Layer normalisation with the learned scale and offset."""
        scale = self.graph.constant(f"{self.prefix}{name}.weight", self.read(f"{name}.weight"))
        offset = self.graph.constant(f"{self.prefix}{name}.bias", self.read(f"{name}.bias"))
        return self.graph.add(
            "LayerNormalization",
            *(states, scale, offset),
            name=output,
            axis=-1,
            epsilon=self.shape.epsilon,
        )


def _shared_constants(graph: Graph, shape: Shape) -> None:
    head = shape.width // shape.heads
    graph.constant("one", 1.0)
    graph.constant("half", 0.5)
    graph.constant("root_two", np.sqrt(2.0))
    graph.constant("masked", MASKED)
    graph.constant("tiny", 1e-12)
    graph.constant("levels", STATE_LEVELS)
    graph.constant("middle", 128.5)  # a cast drops the fraction, so half is added to round
    graph.constant("zero_point", 128, np.uint8)
    graph.constant("axis_0", [0], np.int64)
    graph.constant("axis_1", [1], np.int64)
    graph.constant("axis_2", [2], np.int64)
    graph.constant("axes_1_2", [1, 2], np.int64)
    graph.constant("apart", [0, 0, 3, shape.heads, head], np.int64)
    graph.constant("joined", [0, 0, shape.width], np.int64)


def _attention_bias(graph: Graph, mask: str) -> str:
    """0 for a real token, `MASKED` for padding, shaped texts × 1 × 1 × tokens."""
    absent = graph.add("Sub", "one", mask)
    return graph.add("Unsqueeze", graph.add("Mul", absent, "masked"), "axes_1_2")


def _embeddings(graph: Graph, weights: Weights, shape: Shape) -> str:
    table = weights["embeddings.word_embeddings.weight"]
    scales = _or_one(np.abs(table).max(axis=1, keepdims=True)) / 127
    graph.constant("words", np.rint(table / scales), np.int8)
    graph.constant("words.scale", scales)
    whole = graph.add("Cast", graph.add("Gather", "words", "input_ids"), to=TensorProto.FLOAT)
    words = graph.add("Mul", whole, graph.add("Gather", "words.scale", "input_ids"))
    positions = weights["embeddings.position_embeddings.weight"][: shape.limit]
    graph.constant("positions", positions + weights["embeddings.token_type_embeddings.weight"][0])
    length = graph.add("Slice", graph.add("Shape", "input_ids"), "axis_1", "axis_2", "axis_0")
    places = graph.add("Slice", "positions", "axis_0", length, "axis_0")
    part = _Part(graph, weights, "embeddings.", shape)
    return part.normal(graph.add("Add", words, places), "LayerNorm")


def _layer(part: _Part, states: str, bias: str, name: str) -> str:
    """Attention, then the feed-forward part; each is added to its input and normalised."""
    graph = part.graph
    heard = part.dense(_attention(part, states, bias), "attention.output.dense")
    states = part.normal(graph.add("Add", heard, states), "attention.output.LayerNorm")
    wide = _gelu(graph, part.dense(states, "intermediate.dense"))
    narrow = part.dense(wide, "output.dense")
    return part.normal(graph.add("Add", narrow, states), "output.LayerNorm", output=name)


def _attention(part: _Part, states: str, bias: str) -> str:
    """softmax(queries · keysᵀ + bias) · values, for all heads at once."""
    graph, shape = part.graph, part.shape
    scale = np.float32(np.sqrt(shape.width // shape.heads))
    weight = [part.read(f"attention.self.{each}.weight") for each in ("query", "key", "value")]
    offset = [part.read(f"attention.self.{each}.bias") for each in ("query", "key", "value")]
    weight[0], offset[0] = weight[0] / scale, offset[0] / scale
    name = f"{part.prefix}attention.self"
    three = part.product(states, name, np.concatenate(weight), np.concatenate(offset))
    apart = graph.add("Reshape", three, "apart")
    query, key, value = (
        graph.add("Gather", apart, graph.constant(f"pick_{index}", index, np.int64), axis=2)
        for index in range(3)
    )
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    scores = graph.add("Add", graph.add("MatMul", query, key), bias)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    return graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), "joined")


def _gelu(graph: Graph, states: str) -> str:
    """GELU(x) = x · (1 + erf(x / sqrt 2)) / 2, in the order that onnxruntime fuses."""
    error = graph.add("Erf", graph.add("Div", states, "root_two"))
    return graph.add("Mul", graph.add("Mul", states, graph.add("Add", error, "one")), "half")


def _pooling(graph: Graph, states: str, mask: str) -> None:
    real = graph.add("Unsqueeze", mask, "axis_2")
    total = graph.add("ReduceSum", graph.add("Mul", states, real), "axis_1", keepdims=0)
    mean = graph.add("Div", total, graph.add("ReduceSum", mask, "axis_1", keepdims=1))
    length = graph.add("Max", graph.add("ReduceL2", mean, axes=[1], keepdims=1), "tiny")
    graph.add("Div", mean, length, name="sentence")


def _or_one(largest: NDArray[np.float32]) -> NDArray[np.float32]:
    """A row of zeros has no scale of its own; any will do."""
    return np.where(largest == 0, np.float32(1), largest)


def _model(graph: Graph, shape: Shape) -> onnx.ModelProto:
    def tensor(name: str, kind: int, *sizes: str | int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, sizes)

    body = helper.make_graph(
        graph.nodes,
        "sentence_encoder",
        [tensor(name, TensorProto.INT64, "texts", "length") for name in INPUTS],
        [
            tensor("sentence", TensorProto.FLOAT, "texts", shape.width),
            tensor("tokens", TensorProto.FLOAT, "texts", "length", shape.width),
        ],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
    )
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model
