"""The fast way to canonical JSON gives the bytes of the full RFC 8785 implementation, or its refusal."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from porterlib.hashing import canonical_json

_TEXT = st.text(max_size=12) | st.text(
    st.characters(min_codepoint=0xD000, max_codepoint=0x10FFFF), max_size=4
)
_NUMBERS = (
    st.integers(-(2**54), 2**54)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(-1e-3, 1e-3)
    | st.decimals(-10, 10, places=4).map(float)
    | st.integers(10**13, 10**18).map(float)
)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4) | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


def _outcome(write: Any, value: Any) -> bytes | type[Exception]:
    try:
        return write(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        return type(error)  # a lone surrogate in a key has no UTF-16 form to sort by, so both refuse it


@given(_VALUES)
def test_every_json_value_is_written_or_refused_as_the_standard_has_it(value: Any) -> None:
    assert _outcome(canonical_json, value) == _outcome(rfc8785.dumps, value)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, Decimal("1.5"), b"bytes", {1: "a"}, 2**53, -(2**53), "\ud800", {"\ud800": 1}, object()],
)  # fmt: skip
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises((rfc8785.CanonicalizationError, UnicodeEncodeError)):
        canonical_json([value])


def test_the_examples_of_the_standard() -> None:
    assert canonical_json([56.0, 333333333.33333329, 1e30, 4.50, 2e-3, 1e-27, -0.0, 1e21, 1e-7]) == (
        b"[56,333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,1e-7]"
    )
    keys = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\u00f6": 7}
    assert list(canonical_json(keys).decode()[1:-1].split(",")) == [
        '"\\r":2', '"1":4', '"\x80":6', '"\u00f6":7', '"\u20ac":1', '"\U0001f600":5', '"\ufb33":3',
    ]  # fmt: skip
    assert (
        canonical_json('\u20ac$\x0f\nA\'B"\\\\"/\x7f')
        == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'.encode()
    )
