"""What a check of a bundle has read and found so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from porterlib.contracts.ledger import ChainLink, Record, RecordKind
from porterlib.publication.bundle_format import BundleFinding, BundleManifest, SharedSidecar


class BundleView:
    """Files, their parsed forms, findings, and what was confirmed."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.links: list[ChainLink] = []
        self.findings: list[BundleFinding] = []
        self.checked: list[str] = []
        self.not_checked: list[str] = []
        self.known: BundleManifest | None = None
        self._sidecar: SharedSidecar | None = None
        self._confirmed = 0

    @property
    def manifest(self) -> BundleManifest:
        """Return the manifest; it was read before anything else is checked."""
        if self.known is None:
            raise LookupError("the manifest was not read")
        return self.known

    @property
    def sidecar(self) -> SharedSidecar:
        """Return the sidecar; it was read before anything else is checked."""
        if self._sidecar is None:
            raise LookupError("the sidecar was not read")
        return self._sidecar

    @sidecar.setter
    def sidecar(self, value: SharedSidecar) -> None:
        self._sidecar = value

    def add(self, code: str, place: str, message: str) -> None:
        """Keep a finding."""
        entry: dict[str, Any] = {"code": code, "place": place, "message": message}
        self.findings.append(BundleFinding.model_validate(entry))

    def confirm(self, what: str) -> None:
        """Note that a group of checks found nothing since the last one was noted."""
        if len(self.findings) == self._confirmed:
            self.checked.append(what)
        self._confirmed = len(self.findings)

    def payloads(self, kind: RecordKind) -> list[Record]:
        """Return the records of a kind whose payload is shown, in order."""
        return [link for link in self.links if link.kind == kind and isinstance(link, Record)]
