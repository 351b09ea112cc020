"""Tests reach this machine and nothing else."""

from __future__ import annotations

import socket
import threading

import pytest


@pytest.fixture(autouse=True)
def _guard_is_up() -> None:
    # Checked first, so that nothing below can reach for a real network where the guard is gone.
    guards = (socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo)
    assert [guard.__name__ for guard in guards] == ["guarded_connect", "guarded_connect_ex", "guarded_getaddrinfo"]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("203.0.113.7", 53)])  # reserved for documentation
def test_a_remote_address_is_refused_before_a_packet_leaves(address: tuple[str, int]) -> None:
    with socket.socket() as plain, pytest.raises(pytest.fail.Exception, match="tests have no network"):
        plain.connect(address)
    with socket.socket() as plain, pytest.raises(pytest.fail.Exception, match="tests have no network"):
        plain.connect_ex(address)


def test_a_remote_name_is_not_looked_up() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"example\.invalid"):
        socket.create_connection(("example.invalid", 443), timeout=1)


def test_loopback_is_reachable() -> None:
    with socket.create_server(("localhost", 0)) as server:
        accepted: list[bytes] = []

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                accepted.append(peer.recv(5))

        thread = threading.Thread(target=serve)
        thread.start()
        with socket.create_connection(server.getsockname()[:2], timeout=5) as client:
            client.sendall(b"hello")
        thread.join(timeout=5)
    assert accepted == [b"hello"]
