"""Numbers by which states know people, where a checksum or a strict form tells them from other numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

from stdnum import luhn, verhoeff
from stdnum.au import tfn
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn as ch_ssn
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.pl import pesel

from porterlib.egress.views import View

_NRIC_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
_NRIC_LETTERS = {
    "S": ("JZIHGFEDCBA", 0),
    "T": ("JZIHGFEDCBA", 4),
    "F": ("XWUTRQPNMLK", 0),
    "G": ("XWUTRQPNMLK", 4),
}


def is_nric(number: str) -> bool:
    """Tell whether `number` is a Singapore NRIC or FIN with its right check letter."""
    letters, offset = _NRIC_LETTERS[number[0]]
    total = offset + sum(
        weight * int(digit) for weight, digit in zip(_NRIC_WEIGHTS, number[1:8], strict=True)
    )
    return letters[total % 11] == number[8]


def _not_round(number: str) -> bool:
    return number[0] != "0" and not number.endswith("000") and luhn.is_valid(number)


# Form with optional separators, and the check of the form without them. The forms of letters and digits
# hold without word boundaries too, those of digits alone do not.
_MIXED: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]"), codicefiscale.is_valid),
    (re.compile(r"[STFG]\d{7}[A-Z]"), is_nric),
)
_BOUNDED: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?<![\w-])[A-Z]{5}\d{4}[A-Z](?![\w-])"), lambda _: True),
    (re.compile(r"(?<![\w-])\d{8}[- ]?[A-Z](?!\w)"), dni.is_valid),
    (re.compile(r"(?<![\w-])[XYZ][- ]?\d{7}[- ]?[A-Z](?!\w)"), nie.is_valid),
    (
        re.compile(r"(?<!\w)(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"),
        lambda _: True,
    ),
    (re.compile(r"(?<![\d.-])\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}(?![\d-])"), cpf.is_valid),
    (re.compile(r"(?<![\d.-])\d{2}[.]?\d{2}[.]?\d{2}[- ]?\d{3}[. ]?\d{2}(?![\d-])"), nn.is_valid),
    (re.compile(r"(?<![\d.-])756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}(?![\d-])"), ch_ssn.is_valid),
    (re.compile(r"(?<![\d.,-])\d{3}[ -]\d{3}[ -]\d{3}(?![\d.,-]|[ -]\d)"), _not_round),
    (
        re.compile(r"(?<![\d.,-])\d{3}[ -]\d{3}[ -]\d{3}(?![\d.,-]|[ -]\d)"),
        lambda number: number[0] != "0" and tfn.is_valid(number),
    ),
    (re.compile(r"(?<![\d.-])\d{6}[-+]\d{4}(?![\d-])"), luhn.is_valid),
    (re.compile(r"(?<![\d.-])\d{4}[ -]\d{4}[ -]\d{4}(?![\d-]|[ -]\d)"), verhoeff.is_valid),
    (re.compile(r"(?<![\d.-])[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}(?![\d-])"), nir.is_valid),
    (re.compile(r"(?<![\d.-])\d{11}(?![\d-])"), pesel.is_valid),
)


def has_national_id(view: View) -> bool:
    """Tell whether a view holds a state's number of a person."""
    text = view.text.upper()
    forms = _MIXED if view.compact else (*_MIXED, *_BOUNDED)
    return any(
        check(re.sub(r"[^A-Z0-9]", "", match[0])) for form, check in forms for match in form.finditer(text)
    )
