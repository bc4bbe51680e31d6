"""Connections on which nothing is asked are closed; those that ask are not."""

from __future__ import annotations

import socket
import threading
import time
from http.client import HTTPConnection

import pytest
import uvicorn

from consilience.service import server as listening
from consilience.service.app import create_app
from consilience.service.service import Service


@pytest.fixture
def port(space, monkeypatch):
    """A server that waits only a moment for requests."""
    monkeypatch.setattr(listening, "IDLE_S", 0.2)
    config = uvicorn.Config(create_app(Service([space])), port=0, http=listening.IdleProtocol)
    config.log_level = "warning"
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("said", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "])
def test_who_asks_nothing_whole_is_let_go(port, said):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as silent:
        silent.sendall(said)
        assert silent.recv(100) == b""


def test_who_asks_one_thing_after_the_other_is_answered(port):
    visitor = HTTPConnection("127.0.0.1", port, timeout=20)
    visitor.connect()
    first = visitor.sock
    for _ in range(4):
        visitor.request("GET", "/health")
        reply = visitor.getresponse()
        assert reply.read()
        assert reply.status == 200
        time.sleep(0.05)
    assert visitor.sock is first
    visitor.close()


def test_serve_listens_with_such_patience(space, monkeypatch):
    made = []
    monkeypatch.setattr(listening._Server, "run", lambda self, sockets: made.append(self.config))
    place = listening.Listener("127.0.0.1", 0)
    listening.listen(Service([space]), place, ready=lambda: None)
    place.socket.close()
    assert made[0].http is listening.IdleProtocol
