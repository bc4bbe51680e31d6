"""What the service says of itself is true: no reply that it does not describe, and none is 5xx."""

from __future__ import annotations

import pytest
import schemathesis
from schemathesis.engine import events, from_schema
from schemathesis.python import asgi

from consilience.service.app import create_app
from consilience.service.auth import digest
from consilience.service.service import Options, Service
from consilience.workspace import open_workspace

EXAMPLES = 1
"""How many requests of each kind are made up for an address."""
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def config(examples):
    return schemathesis.Config.from_dict(
        {
            "seed": 1,
            "generation": {"max-examples": examples, "deterministic": True, "mode": "positive"},
            "phases": {"stateful": {"enabled": False}, "fuzzing": {"enabled": False}},
            "checks": {"enabled": False, **{name: {"enabled": True} for name in CHECKS}},
        }
    )


def asked(schema):
    """Ask a service all that its description allows, and more: what was asked, what was wrong."""
    count, wrong = {}, []
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            wrong.append(repr(event))
        if not isinstance(event, events.ScenarioFinished):
            continue
        count[event.label] = count.get(event.label, 0) + len(event.recorder.cases)
        for key, checks in event.recorder.checks.items():
            for check in checks:
                if check.failure_info is not None:
                    request = event.recorder.interactions[key].request
                    wrong.append(f"{check.failure_info.failure} at {request.method} {request.uri}")
    return count, wrong


def test_every_reply_is_described(made):
    with open_workspace(made) as space:
        app = create_app(Service([space], Options(upload_bytes=10_000)))
        schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config(EXAMPLES))
        try:
            count, wrong = asked(schema)
        finally:
            asgi.shutdown_lifespans()
        every = {
            f"{method.upper()} {path}"
            for path, methods in app.openapi()["paths"].items()
            for method in methods
        }
    assert not wrong, "\n".join(wrong[:20])
    assert set(count) == every
    assert sum(count.values()) > 2 * len(every)


def test_every_address_tells_its_refusals_in_one_shape(space):
    service = Service([space])
    found = create_app(service).openapi()
    service.close()
    for methods in found["paths"].values():
        for operation in methods.values():
            assert {"400", "401", "403", "404", "422", "429", "500", "503", "504"} <= set(
                operation["responses"]
            )
            if "requestBody" in operation:
                assert {"408", "411", "413", "415"} <= set(operation["responses"])
            assert operation["responses"]["400"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Error"
            }
            assert operation["summary"]
            for part in operation.get("parameters", ()):
                assert part.get("description"), part
    assert found["components"]["schemas"]["Error"]["required"] == ["error"]
    assert "HTTPValidationError" not in str(found)
    assert found["components"]["schemas"]["SearchRequest"]["properties"]["query"]["examples"]


@pytest.mark.parametrize("locked", [False, True])
def test_the_description_says_whether_a_key_is_needed(space, locked):
    keys = {digest("k" * 20): "read"} if locked else {}
    service = Service([space], Options(keys=keys))
    found = create_app(service).openapi()
    service.close()
    assert ("securitySchemes" in found["components"]) == locked
    assert ("security" in found) == locked
