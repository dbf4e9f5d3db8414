"""How much of a page is read, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

from porterlib.errors import CaptureRefused


@dataclass(frozen=True)
class CaptureLimits:
    """Caps on one page; a page beyond a cap is refused, except that long text is cut and says so."""

    wire_bytes: int = 2_000_000
    """Bytes of the body as sent, or of the file."""
    decoded_bytes: int = 8_000_000
    """Bytes after content decoding."""
    ratio: int = 60
    """Decoded bytes for each byte sent; looked at above `ratio_floor` only, as small pages pack well."""
    ratio_floor: int = 262_144
    """Decoded bytes below which the ratio is not looked at."""
    text_chars: int = 500_000
    """Characters of extracted text that are kept."""
    deadline_s: float = 20.0
    """Seconds for resolving, connecting, all redirects and the body together."""
    redirects: int = 5
    """Redirects that are followed."""

    def check_wire(self, count: int) -> None:
        """Refuse a body of more than `wire_bytes`."""
        if count > self.wire_bytes:
            raise CaptureRefused("body_too_large", f"more than {self.wire_bytes:,} bytes")

    def check_decoded(self, count: int, wire: int) -> None:
        """Refuse a body that unpacks to too much, absolutely or for its size on the wire."""
        if count > self.decoded_bytes:
            raise CaptureRefused(
                "decoded_too_large", f"more than {self.decoded_bytes:,} bytes after decoding"
            )
        if count > self.ratio_floor and count > self.ratio * max(wire, 1):
            raise CaptureRefused("compression_ratio", f"more than {self.ratio} bytes out of one")
