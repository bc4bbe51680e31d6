"""How are embedders of others used by name, and what does every embedder guarantee?

`fastembed:<model>` runs a model of the fastembed list on this machine, downloading it once.
`openai:<model>` asks a server with the OpenAI interface: the one at the setting `models.address`,
or the client's own default. Every embedder refuses texts over its limit, embeds equal texts once,
and returns unit vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.errors import ModelError
from consilience.models.model_cards import Lazy
from consilience.models.servers import Server, advise, check_model, connect_openai
from consilience.protocols import Embedder, Vectors
from consilience.settings import Settings

REMOTE_LIMIT = 8191
BYTES_PER_TOKEN = 3


def open_fastembed(argument: str, settings: Settings) -> Embedder:
    """A model by its name in fastembed's list; loaded, and maybe downloaded, at first use."""
    name = check_model(
        "embedder 'fastembed'",
        argument,
        "BAAI/bge-small-en-v1.5",
        package="fastembed",
        extra="fastembed",
    )

    def load() -> Any:
        from fastembed import TextEmbedding  # noqa: PLC0415 - an optional package

        return TextEmbedding(model_name=name)

    return FastEmbed(name, load, batch=settings.models.batch)


def open_openai(argument: str, settings: Settings) -> Embedder:
    """A model by its name at a server; the API key is found by the client, as it documents."""
    name = check_model(
        "embedder 'openai'", argument, "text-embedding-3-small", package="openai", extra="openai"
    )
    return Remote(name, Server(url=settings.models.address, retries=3), batch=settings.models.batch)


class FastEmbed:
    """An `Embedder` over fastembed's small interface, which `load` gives.

    Limit and counts come from the model's own tokenizer, with its cutting turned off.
    """

    def __init__(self, model: str, load: Callable[[], Any], *, batch: int = 32) -> None:
        self._model_name = model
        self._batch = max(1, batch)
        self._opened = Lazy(lambda: self._open(load))

    @property
    def name(self) -> str:
        """`fastembed:<model>`."""
        return f"fastembed:{self._model_name}"

    @property
    def dimensions(self) -> int:
        """The length of a vector, as the model states it."""
        return int(self._opened.get().model.embedding_size)

    @property
    def limit(self) -> int:
        """Where the model's tokenizer would cut."""
        return self._opened.get().limit

    def count(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, special ones among them, before any cutting."""
        return [len(each.ids) for each in self._opened.get().tokenizer.encode_batch(list(texts))]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order; a text over the limit is refused, none is cut."""

        def run(some: list[str]) -> Vectors:
            model = self._opened.get().model
            rows = list(model.passage_embed(some, batch_size=self._batch))
            return self._unit(rows, count=len(some))

        return embed_distinct(self, texts, run)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question; the model's tokenizer cuts what is over the limit."""
        vector: Vectors = self._unit(list(self._opened.get().model.query_embed(text)), count=1)[0]
        return vector

    def _unit(self, rows: Sequence[object], *, count: int) -> Vectors:
        return unit_rows(rows, count=count, dimensions=self.dimensions, name=self.name)

    def _open(self, load: Callable[[], Any]) -> _Opened:
        try:
            model = load()
            return _Opened(model, *_whole_tokenizer(model))
        except Exception as error:
            # fastembed raises whatever its download, onnxruntime or tokenizer raised.
            raise ModelError(
                f"embedder {self.name!r} could not be loaded ({type(error).__name__}: {error}); "
                f"check the name in fastembed's list of models, and that it can be downloaded"
            ) from error


@dataclass(frozen=True, slots=True)
class _Opened:
    model: Any
    tokenizer: Any
    limit: int


def _whole_tokenizer(model: Any) -> tuple[Any, int]:
    """A copy of the model's tokenizer that does not cut, and where the original cuts."""
    own = model.model.tokenizer
    limit = int(own.truncation["max_length"])
    copy = type(own).from_str(own.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy, limit


class Remote:
    """An `Embedder` at a server with the OpenAI interface.

    The server's tokenizer is not known, so tokens are estimated: a third of the UTF-8 bytes,
    rounded up, which is above the true count of ordinary prose. `limit` is 8,191.
    """

    limit = REMOTE_LIMIT

    def __init__(self, model: str, server: Server, *, batch: int = 32) -> None:
        self._model = model
        self._server = server
        self._batch = max(1, batch)
        self._client = Lazy(lambda: _connect(server))
        self._dimensions: int | None = None

    @property
    def name(self) -> str:
        """`openai:<model>`: a server may move without its vectors changing."""
        return f"openai:{self._model}"

    @property
    def dimensions(self) -> int:
        """The length of a vector; the server is asked once if it has not answered yet."""
        return self._dimensions or len(self.embed_query("dimensions"))

    def count(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens: bytes of UTF-8 / 3, rounded up."""
        return [-(-len(_bytes(text)) // BYTES_PER_TOKEN) for text in texts]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, in order; a text over the limit is refused, none is cut."""

        def run(some: list[str]) -> Vectors:
            starts = range(0, len(some), self._batch)
            return np.concatenate([self._ask(some[at : at + self._batch]) for at in starts])

        return embed_distinct(self, texts, run)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question; what is over the limit is not sent."""
        start = _bytes(text)[: self.limit * BYTES_PER_TOKEN].decode("utf-8", "ignore")
        vector: Vectors = self._ask([start])[0]
        return vector

    def _ask(self, texts: Sequence[str]) -> Vectors:
        readable = [_bytes(text).decode() or " " for text in texts]  # servers refuse empty texts
        answer = self._request(readable)
        try:
            by_place = {item.index: item.embedding for item in answer.data}
            rows = [by_place[place] for place in range(len(by_place))]
        except (AttributeError, TypeError, KeyError) as error:
            raise ModelError(
                f"{self._place} did not answer with embeddings ({type(error).__name__}: {error}); "
                f"check the setting models.address"
            ) from error
        vectors = unit_rows(rows, count=len(texts), dimensions=self._dimensions, name=self.name)
        self._dimensions = vectors.shape[1]
        return vectors

    def _request(self, texts: list[str]) -> Any:
        import openai  # noqa: PLC0415 - an optional package

        try:
            return self._client.get().embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
        except (openai.OpenAIError, ValueError) as error:  # ValueError: the answer is not JSON
            advice = advise(error, _ADVICE, "check models.address")
            raise ModelError(f"{self._place} failed: {error}; {advice}") from error

    @property
    def _place(self) -> str:
        where = f" at {self._server.url}" if self._server.url else ""
        return f"embedder {self.name!r}{where}"


def _connect(server: Server) -> Any:
    import openai  # noqa: PLC0415 - an optional package

    return connect_openai(openai.OpenAI, server)


_ADVICE: Mapping[str, str] = {
    "APITimeoutError": "it did not answer in time: try again, or a smaller models.batch",
    "APIConnectionError": "see that the server runs and that models.address is right",
    "AuthenticationError": "set the environment variable OPENAI_API_KEY to a valid key",
    "NotFoundError": "check the model's name and that models.address ends as the server wants",
    "BadRequestError": "the server refuses these texts: it may read fewer tokens",
    "OpenAIError": "check the environment variable OPENAI_API_KEY and models.address",
}


def _bytes(text: str) -> bytes:
    """UTF-8; what cannot be written in it (a stray half of a pair) becomes a question mark."""
    return text.encode("utf-8", "replace")


UNIT = 1e-6  # a vector shorter than this has no direction


def embed_distinct(
    embedder: Embedder, texts: Sequence[str], run: Callable[[list[str]], Vectors]
) -> Vectors:
    """A row for each text, in order: equal ones are embedded once, long ones are refused."""
    different, places = distinct(texts)
    if not different:
        return np.empty((0, embedder.dimensions), dtype=np.float32)
    refuse_long(different, embedder.count(different), limit=embedder.limit, name=embedder.name)
    return run(different)[places]


def distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """The different texts in order of appearance, and for each text its place among them."""
    places: dict[str, int] = {}
    order = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(order, dtype=np.intp)


def refuse_long(texts: Sequence[str], counts: Sequence[int], *, limit: int, name: str) -> None:
    """Raise `ModelError` for the first text over the limit: a cut text could not be found."""
    for text, count in zip(texts, counts, strict=True):
        if count > limit:
            raise ModelError(
                f"a text of {count} tokens is longer than the {limit} that {name!r} reads; "
                f"split it first: {text[:60]!r}…"
            )


def unit_rows(rows: object, *, count: int, dimensions: int | None, name: str) -> Vectors:
    """Rows of length 1 from what a model answered; nonsense and no direction are a `ModelError`."""
    vectors = checked_rows(rows, count=count, dimensions=dimensions, name=name)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or bool((lengths < UNIT).any()):
        raise _nonsense(name, "a vector without a direction (zero, NaN or infinite)")
    unit: Vectors = vectors / lengths
    return unit


def checked_rows(rows: object, *, count: int, dimensions: int | None, name: str) -> Vectors:
    """The rows that an embedder answered; `ModelError` when they are nonsense: not numbers, too few
    or too many, another number of dimensions, NaN.
    """
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise _nonsense(name, f"vectors that are not rows of numbers ({error})") from error
    if vectors.ndim != 2 or len(vectors) != count:
        raise _nonsense(name, f"an answer of shape {vectors.shape} to {count} texts")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise _nonsense(name, f"{vectors.shape[1]} dimensions where there were {dimensions}")
    if not np.isfinite(vectors).all():
        raise _nonsense(name, "a vector without a direction (NaN or infinite)")
    return vectors


def _nonsense(name: str, what: str) -> ModelError:
    return ModelError(f"embedder {name!r} gave {what}; check that it is an embedding model")
