"""An answer that ends on its way is an error, not half an answer."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from consilience.serialization import encode_json, event_to_plain
from consilience.types import Withdrawn
from consilience.workspace import remote
from consilience.workspace.remote import Gone, RemoteClient


class Cutting(BaseHTTPRequestHandler):
    """Says the first line of an answer and hangs up."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        line = encode_json(event_to_plain(Withdrawn(reason="the model failed"))) + b"\n"
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(line)

    def log_message(self, *_):
        pass


@pytest.fixture
def owner():
    server = HTTPServer(("127.0.0.1", 0), Cutting)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/w/apiary"
    yield RemoteClient(address=address, secret="s", name="`consilience serve` (process 1)")
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_ends_before_the_answer_is_whole_is_told(owner):
    events = remote.read_events(owner.stream("events", {}))
    assert isinstance(next(events), Withdrawn)
    with pytest.raises(Gone, match="before the answer was whole"):
        next(events)


def test_also_to_callers_that_are_asynchronous(owner, space):
    class Through(remote.RemoteWorkspace):
        def __init__(self):
            self._is_same = True

        def _send_question(self, *_args, **_more):
            return owner.stream("events", {})

    async def read():
        return [event async for event in Through().events("bees")]

    with pytest.raises(Gone, match="before the answer was whole"):
        asyncio.run(read())
