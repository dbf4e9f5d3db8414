"""Canonical JSON against the published RFC 8785 vectors, and the chain's own encoding on top of it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porterlib.errors import LedgerError
from porterlib.hashing import canonical_json, digest
from porterlib.ledger.chain import decode_payload, encode_payload, payload_digest

CASES = ("arrays", "french", "structures", "unicode", "values", "weird")


@pytest.mark.parametrize("case", CASES)
def test_canonical_json_equals_the_published_vectors(shared_dir: Path, case: str) -> None:
    folder = shared_dir / "data" / "security" / "canonical_json"
    value = json.loads((folder / f"input_{case}.json").read_bytes())
    expected = bytes.fromhex((folder / f"outhex_{case}.txt").read_text())
    assert canonical_json(value) == expected
    assert canonical_json(value) == (folder / f"output_{case}.json").read_bytes()


def test_payload_digest_is_the_domain_separated_digest_of_the_value() -> None:
    payload = {"b": [1, 2.5, None], "a": "Å"}
    assert payload_digest(encode_payload(payload, "a test")) == digest("payload", payload)
    assert digest("payload", payload) != digest("record", payload)


@pytest.mark.parametrize(
    "value",
    [Decimal("1.5"), b"bytes", float("nan"), float("inf"), 2**53, "\ud800", {1: "a"}, {"a", "b"}],
    ids=["decimal", "bytes", "nan", "infinity", "large integer", "surrogate", "number as name", "set"],
)
def test_a_payload_without_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(LedgerError, match="has no canonical JSON"):
        encode_payload({"value": value}, "a query record")


def test_a_bottomless_payload_is_refused_both_ways() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(LedgerError, match="canonical"):
        encode_payload({"deep": deep}, "a test")
    with pytest.raises(ValueError, match="deep"):
        decode_payload('{"a":' + "[" * 100_000 + "]" * 100_000 + "}")
    while deep:  # taken apart by hand, since freeing it at once would recurse as deeply
        deep = deep.pop()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abé€", max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abz", max_size=3), json_values, max_size=5))
def test_what_is_read_back_encodes_to_the_same_text(payload: dict[str, Any]) -> None:
    text = encode_payload(payload, "a test")
    assert encode_payload(decode_payload(text), "a test") == text


def test_whole_floats_beyond_the_safe_integers_survive() -> None:
    text = encode_payload({"big": 1e16, "huge": 1e300}, "a test")
    assert text == '{"big":10000000000000000,"huge":1e+300}'
    assert decode_payload(text) == {"big": 1e16, "huge": 1e300}
