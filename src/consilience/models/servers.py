"""How is a model at an address asked? Where it is, how patiently, and what to do when it fails."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from consilience.errors import MissingExtra, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a model is asked and how patiently: `timeout_s` covers a request with its retries.

    Without an address or a key, OpenAI's client uses those that it finds for itself.
    """

    url: str = ""
    key: str = field(default="", repr=False)
    timeout_s: float = 30.0
    retries: int = 2


def check_model(what: str, argument: str, example: str, *, package: str, extra: str) -> str:
    """A model's name, once it is given and its package is there; importing that comes later.

    `what` is a kind of model with the name that settings use, such as `reranker 'openai'`.
    """
    kind, name = what[:-1].rsplit(" '", 1)
    model = argument.strip()
    if not model:
        raise UsageError(f"{what} needs a model's name, e.g. `{name}:{example}`")
    if importlib.util.find_spec(package) is None:
        raise MissingExtra(f"{kind} '{name}:{model}'", extra)
    return model


def check_server(what: str, server: Server, *, setting: str, example: str) -> Server:
    """The server, if its address and key can be right; `setting` names that of the address."""
    if not re.fullmatch(r"https?://[^\s/]+(/\S*)?", server.url or example):
        raise UsageError(
            f"{what} needs the whole address of a server, not {hide_secrets(server.url)!r}: "
            f"set {setting}, e.g. to {example}"
        )
    if not (server.key.isascii() and server.key.isprintable()):
        name = setting.replace("address", "key")
        raise UsageError(f"{name} has characters that no key has; copy it again")
    return server


def connect_openai(client: Any, server: Server) -> Any:
    """A client of OpenAI's package; it insists on a key, which one's own server may not have."""
    import openai  # noqa: PLC0415 - an optional package, and slow to import

    options: dict[str, Any] = {"timeout": server.timeout_s, "max_retries": server.retries}
    options |= {"base_url": server.url} if server.url else {}
    options |= {"api_key": server.key} if server.key else {}
    try:
        return client(**options)
    except openai.OpenAIError:
        if not server.url:
            raise
        return client(**options, api_key="none")


def advise(error: BaseException, advice: Mapping[str, str], otherwise: str) -> str:
    """What to do about an error of OpenAI's client, by its class or one above it."""
    advice = {**_ADVICE, **advice}
    names = [each.__name__ for each in type(error).__mro__]
    return next((advice[name] for name in names if name in advice), otherwise)


_ADVICE: Mapping[str, str] = {
    "PermissionDeniedError": "the key may not use this model: choose another",
    "RateLimitError": "wait, or raise the limit of the account",
    "InternalServerError": "the server is in trouble: try again later",
}


def hide_secrets(url: str) -> str:
    """An address without user, password and parameters, which may be secret."""
    return re.sub(r"^([a-z]+://)?[^/]*@", r"\1", url).partition("?")[0]


def shorten(text: str, key: str, length: int) -> str:
    """A short piece of what a server said, without the key, which some servers repeat."""
    return " ".join((text.replace(key, "…") if len(key) > 4 else text).split())[:length]


def encodable(text: str) -> str:
    """A text that every server, tokenizer and file takes: no stray half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
