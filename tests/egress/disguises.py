"""The ways a text is disguised in the tests: one for each view of the guard, and every pair of them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from urllib.parse import quote

_LOOKS = str.maketrans(
    "aceijopsxyABCEHKMOPTXINZ0123456789",
    "асеіјорѕхуАВСЕНКМОРТХΙΝΖ٠١٢٣٤٥٦٧٨٩",
)


def fullwidth(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def invisible(text: str) -> str:
    return "\u200b".join(text)


def lookalike(text: str) -> str:
    return text.translate(_LOOKS)


def spaced(text: str) -> str:
    return " ".join(text.replace(" ", ""))


def dotted(text: str) -> str:
    return "-".join(text.replace(" ", "."))


def glued(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


def parted(text: str) -> str:
    return "…".join(text.replace(" ", ""))


def bracketed(text: str) -> str:
    return "".join(f"({char})" for char in text if char != " ")


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def percent_some(text: str) -> str:
    return quote(text, safe="")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def encoded_url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


SINGLE: dict[str, Callable[[str], str]] = {
    "as given": str,
    "fullwidth": fullwidth,
    "invisible": invisible,
    "lookalike": lookalike,
    "spaced": spaced,
    "dotted": dotted,
    "glued": glued,
    "percent": percent,
    "percent_some": percent_some,
    "base64": encoded,
    "base64url": encoded_url,
}


ODD: dict[str, Callable[[str], str]] = {"parted": parted, "bracketed": bracketed}
"""Separators that no one writes; shapes without a checksum are not known behind them."""


def disguised(text: str, *, odd: bool = False) -> dict[str, str]:
    """Return `text` in each disguise and in each ordered pair of disguises."""
    ways = {**SINGLE, **ODD} if odd else SINGLE
    return {
        f"{first} > {second}": two(one(text)) for first, one in ways.items() for second, two in ways.items()
    }
