"""What tests of the travel pack may not do: ask a model that is not theirs."""

from __future__ import annotations

import pytest


@pytest.fixture
def nobody_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No request leaves for a model but the one that a test made."""
    models = pytest.importorskip("pydantic_ai.models")
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", False)
