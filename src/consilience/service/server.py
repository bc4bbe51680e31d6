"""Where does the service listen, how do other commands find it, and how does it end?

Once it listens, every workspace says so in the note beside its lock, so that other commands go
through it. On a signal it takes no more requests, stops jobs at a safe place, and lets answers
that are being written finish.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from consilience.errors import UsageError
from consilience.service.app import create_app
from consilience.service.service import Service

GRACE_S = 5
"""Seconds in which answers that are under way may finish."""
NEAR_PORTS = 20
"""Ports tried after the wanted one, where any near it will do."""
IDLE_S = 10.0
"""Seconds after which a connection without a request is closed."""
_CONNECTIONS = 512  # more at a time are refused
_BACKLOG = 256
_NAMES = ("127.0.0.1", "::1", "localhost")


class Listener:
    """A place at which to listen, taken at once, so that it is known early that it is free."""

    def __init__(self, host: str, port: int, *, near: bool = False) -> None:
        self.host = host
        ports = range(port, min(port + NEAR_PORTS, 65535) + 1) if near and port else (port,)
        for tried in ports:
            try:
                self.socket = _bind(host, tried)
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE or tried == ports[-1]:
                    raise UsageError(_describe_failure(host, tried, error)) from error
        self.port: int = self.socket.getsockname()[1]

    @property
    def address(self) -> str:
        """Where this machine reaches it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def names(self) -> frozenset[str]:
        """The names by which it may be called: any, where other machines reach it."""
        return frozenset((*_NAMES, self.host)) if self.loopback else frozenset()


def listen(service: Service, place: Listener, *, ready: Callable[[], None]) -> None:
    """Serve until a signal comes; `ready` is called once it listens."""
    config = uvicorn.Config(
        create_app(service),
        http=IdleProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=GRACE_S,
    )
    _Server(config, service, place, ready).run(sockets=[place.socket])


class IdleProtocol(H11Protocol):
    """A connection that is closed when no request comes: many of them would shut others out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection begins; it does not wait for a request without end."""
        super().connection_made(transport)
        self._seen: object = None
        self.loop.call_later(IDLE_S, self._check_idle)

    def _check_idle(self) -> None:
        """Close it when nothing happened since the last check."""
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle
        idle = cycle is None or cycle.response_complete
        if idle and self._seen is cycle:
            self.transport.close()
            return
        self._seen = cycle if idle else None
        self.loop.call_later(IDLE_S, self._check_idle)


class _Server(uvicorn.Server):
    """Announces its address to other commands, and stops jobs before it waits for answers."""

    def __init__(
        self, config: uvicorn.Config, service: Service, place: Listener, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._service = service
        self._place = place
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then announce the address."""
        await super().startup(sockets)
        for name, space in self._service.spaces.items():
            address = f"{self._place.address}/w/{name}"
            space.workspace.announce(address, self._service.options.secret)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Withdraw the address, stop jobs at a safe place, let answers finish."""
        for server in self.servers:
            server.close()
        spaces = self._service.spaces.values()
        for space in spaces:
            space.workspace.withdraw()
        await asyncio.gather(*(asyncio.to_thread(space.jobs.close) for space in spaces))
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop in good order, which is no failure; a second Ctrl-C does not wait."""
        del frame
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def _bind(host: str, port: int) -> socket.socket:
    family, kind, *_, where = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(where)
        bound.listen(_BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


def _describe_failure(host: str, port: int, error: OSError) -> str:
    """Why nothing can listen there, and what to do."""
    if isinstance(error, socket.gaierror):
        return f"--host {host} is not known ({error.strerror}); give an address of this machine"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; stop what listens there, or choose another --port"
    if error.errno == errno.EACCES:
        return f"--port {port} needs rights that you do not have; choose one from 1024 on"
    return f"cannot listen on {host}, port {port}: {error.strerror}; choose other --host, --port"
