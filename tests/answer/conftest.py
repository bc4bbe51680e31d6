"""The network is off in these tests: only this machine can be reached."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest


def _is_here(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a socket of the file system
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return bool(address[0] == "localhost")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("connect", "connect_ex"):
        own = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: Any, own: Any = own) -> Any:
            if not _is_here(address):
                raise OSError(f"tests must not reach {address}")
            return own(self, address)

        monkeypatch.setattr(socket.socket, name, guarded)
