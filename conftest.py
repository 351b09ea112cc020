"""What every test, doctest and notebook runs under: no network but loopback, and no byte-by-byte look at pictures."""

from __future__ import annotations

import ipaddress
import socket
from typing import NoReturn

import pytest

_NOT_COMPARED = ("stderr", "image/svg+xml", "text/html")
"""Outputs whose bytes change without a change of meaning (progress, ids in SVG and HTML); nbval compares the rest."""
Host = str | bytes | None
Address = tuple[str | bytes, int] | tuple[str | bytes, int, int, int] | str | bytes
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
_patch = pytest.MonkeyPatch()


def pytest_configure() -> None:
    """Take the network away before anything is collected; servers on this machine stay reachable."""
    _take_the_network_away()


def pytest_runtest_setup() -> None:
    """Take it away again before each test: a plugin for the same purpose (pytest-socket) gives it back after each."""
    _take_the_network_away()


def pytest_unconfigure() -> None:
    """Give the network back."""
    _patch.undo()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Tell nbval's notebooks what not to compare."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += _NOT_COMPARED


def _take_the_network_away() -> None:
    _patch.setattr(socket.socket, "connect", guarded_connect)
    _patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    _patch.setattr(socket, "getaddrinfo", guarded_getaddrinfo)


def guarded_connect(self: socket.socket, address: Address) -> None:
    """Connect to this machine only."""
    _refuse_remote(self.family, address)
    _connect(self, address)


def guarded_connect_ex(self: socket.socket, address: Address) -> int:
    """Connect to this machine only."""
    _refuse_remote(self.family, address)
    return _connect_ex(self, address)


def guarded_getaddrinfo(host: Host, *arguments: object, **options: object) -> object:
    """Look up the names of this machine only."""
    if not _is_local(host):
        _blocked(host)
    return _getaddrinfo(host, *arguments, **options)


def _refuse_remote(family: int, address: Address) -> None:
    if family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple) and not _is_local(address[0]):
        _blocked(address)


def _is_local(host: Host) -> bool:
    text = host.decode() if isinstance(host, bytes) else host
    if text is None or text in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _blocked(target: object) -> NoReturn:
    pytest.fail(f"tests have no network, and {target!r} was asked for. Serve it on loopback or script the reply.")
