"""Hostile servers on loopback: HTTP with any bytes at any pace, TLS with a private authority, DNS that changes its mind.

`127.0.0.2` plays the public server, `127.0.0.1` the machine that must not be reached.
"""

from __future__ import annotations

import datetime as dt
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from porterlib.errors import CaptureRefused

PUBLIC = "127.0.0.2"
Reply = bytes | Iterable[bytes] | Callable[[], Iterable[bytes]]


def answer(body: bytes = b"", status: str = "200 OK", media: str = "text/html", **headers: str) -> bytes:
    """An HTTP/1.1 answer with right length unless `Content_Length` says otherwise."""
    fields = {"Content-Type": media, "Content-Length": str(len(body)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def redirect(to: str, status: str = "302 Found") -> bytes:
    return answer(b"x", status, Location=to)


class Server:
    """Serves one reply a path, and keeps what it was asked."""

    def __init__(self, address: str = PUBLIC, context: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, Reply] = {}
        self.requests: list[str] = []
        self.names: list[str | None] = []
        self._context = context
        if context is not None:
            context.sni_callback = lambda _, name, __: self.names.append(name)
        self._socket = socket.create_server((address, 0))
        self.port = self._socket.getsockname()[1]
        self._stopped = False
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True
        socket.create_connection(self._socket.getsockname()).close()
        self._thread.join(5)
        self._socket.close()

    def _accept(self) -> None:
        while not self._stopped:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(10)
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            asked = b""
            while b"\r\n\r\n" not in asked:
                part = connection.recv(4096)
                if not part:
                    return
                asked += part
                if asked.startswith(b"\x16"):  # a TLS greeting to a server that speaks none
                    connection.sendall(answer(b"", "400 Bad Request"))
                    return
            self.requests.append(asked.decode("latin-1"))
            path = asked.split(b" ")[1].decode()
            reply = self.pages.get(path, answer(b"none", "404 Not Found"))
            for piece in [reply] if isinstance(reply, bytes) else reply() if callable(reply) else reply:
                connection.sendall(piece)
        except OSError:
            return  # the client went away, as a refusing client does
        finally:
            connection.close()


def dripping(head: bytes, piece: bytes, pause_s: float, count: int = 10_000) -> Callable[[], Iterable[bytes]]:
    """A reply that comes in small pieces with pauses."""

    def pieces() -> Iterable[bytes]:
        yield head
        for _ in range(count):
            time.sleep(pause_s)
            yield piece

    return pieces


class NameServer:
    """A UDP name server that gives the next answer of a list at each question."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        self._answers = answers
        self.questions: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = self._socket.getsockname()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as poke:
            poke.sendto(b"", self.address)
        self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        while (received := self._socket.recvfrom(512))[0]:
            message, client = received
            labels, at = [], 12
            while length := message[at]:
                labels.append(message[at + 1 : at + 1 + length].decode())
                at += length + 1
            name = ".".join(labels)
            self.questions.append(name)
            left = self._answers.get(name, [[]])
            addresses = left.pop(0) if len(left) > 1 else left[0]
            records = b"".join(
                b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address)
                for address in addresses
            )
            head = message[:2] + struct.pack(">HHHHH", 0x8180, 1, len(addresses), 0, 0)
            self._socket.sendto(head + message[12 : at + 5] + records, client)


class UdpResolver:
    """A resolver that asks one name server for A records."""

    def __init__(self, server: tuple[str, int]) -> None:
        self._server = server

    def resolve(self, host: str, timeout_s: float) -> list[str]:
        labels = b"".join(bytes([len(label)]) + label.encode() for label in host.split("."))
        question = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(timeout_s)
            asking.sendto(question, self._server)
            try:
                reply = asking.recv(512)
            except TimeoutError as error:
                raise CaptureRefused("dns_timeout") from error
        count = struct.unpack(">H", reply[6:8])[0]
        at = len(question)
        return [
            socket.inet_ntoa(reply[at + 16 * index + 12 : at + 16 * index + 16]) for index in range(count)
        ]


def certify(folder: Path, names: dict[str, str]) -> tuple[Path, dict[str, ssl.SSLContext]]:
    """Make an authority and a server context for each label; return the authority's file and the contexts."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = dt.datetime.now(dt.UTC)

    def make(
        subject: str,
        key: ec.EllipticCurvePrivateKey,
        issuer: str,
        signer: ec.EllipticCurvePrivateKey,
        ca: bool,
    ) -> object:
        named = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)])
        by = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)])
        builder = x509.CertificateBuilder(by, named, key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - dt.timedelta(days=1)).not_valid_after(
            now + dt.timedelta(days=2)
        )
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        )
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        if ca:
            usage = dict.fromkeys(
                ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
                 "encipher_only", "decipher_only"), False)  # fmt: skip
            builder = builder.add_extension(
                x509.KeyUsage(**usage, key_cert_sign=True, crl_sign=True), critical=True
            )
        else:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False
            )
        return builder.sign(signer, hashes.SHA256())

    def pem(thing: object) -> bytes:
        return thing.public_bytes(serialization.Encoding.PEM)  # type: ignore[attr-defined, no-any-return]

    authority = ec.generate_private_key(ec.SECP256R1())
    ca_file = folder / "authority.pem"
    ca_file.write_bytes(pem(make("Test authority", authority, "Test authority", authority, ca=True)))
    contexts = {}
    for label, name in names.items():
        key = ec.generate_private_key(ec.SECP256R1())
        file = folder / f"{label}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + pem(make(name, key, "Test authority", authority, ca=False)))
        contexts[label] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[label].load_cert_chain(file)
    return ca_file, contexts
