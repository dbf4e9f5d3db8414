"""Numbers and addresses that name a person, an account or a card.

Checksummed identifiers (cards, IBAN) are looked for at every position, even without separators around them.
Numbers without a checksum are taken by shape, so public numbers that share the shape are set apart: years,
dates, amounts grouped by thousands, ISIN and LEI.
"""

from __future__ import annotations

import re

from stdnum import iban, isin, lei, luhn

from porterlib.egress.confusables import digits_for_letters
from porterlib.egress.national import has_national_id
from porterlib.egress.views import View

_EMAIL = re.compile(r"[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}", re.I)
_SPOKEN_EMAIL = re.compile(
    r"\b[\w.-]{2,40}\s*[\[({]\s*at\s*[\])}]\s*[\w-]{2,40}\s*[\[({]?\s*(?:dot|\.)\s*[\])}]?\s*[a-z]{2,10}\b",
    re.I,
)
_GLUED_EMAIL = re.compile(
    r"\w@\w{2,60}(?:com|org|net|edu|gov|int|info|io|eu|uk|de|fr|ch|at|nl|be|lu|it|es|pt|ie|se|dk|fi|no|pl"
    r"|us|ca|au|in|sg|hk|jp)",
    re.I,
)
_DIGITS = re.compile(r"\d{12,}")
_IBAN_START = re.compile(r"(?=([A-Z]{2}\d{2}[A-Z0-9]{11,30}))", re.I)
_SSN = re.compile(r"(?<!\d)(?<!\d-)(?:\d{3}([-. /_])\d{2}\1\d{4}|\d{3}-\d{6}|\d{5}-\d{4})(?!\d|-\d)")
_LONG_NUMBER = re.compile(r"(?<![\d.,])\d{9,}(?![\d]|[.,]\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d+(?:[ .\-_/·|,:;*~]{1,9}\d+){2,}(?![\w])")
_THOUSANDS = re.compile(r"^\d{1,3}(?:([ .,'’\u202f])\d{3})+(?:[.,]\d{1,2})?$")
_DATE = re.compile(
    r"^(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?$"
)
_PHONE_SHAPE = re.compile(
    r"(?<![\w./-])(?:(?:\+|00)\s?\d{1,3}[ .()\-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .\-]\d{2,8}){1,5}"
    r"(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?![\w/])"
    r"|(?<!\w)\(\d{2,4}\)\s?\d[\d .\-]{4,12}\d|(?<!\w)\+\d[\d ().\-]{6,18}\d"
)
_PHONE_WORD = re.compile(
    r"\b(?:phones?|tel|telephone|mobile|cell|fax|whatsapp|dial|(?:call|ring|text|reach) me)\b", re.I
)
_CALL_WORD = re.compile(r"\b(?:call|ring|contact|reach|answering at|messages to)\b", re.I)
# Words that lead to a number to dial wherever it stands: "receiving messages to 612 345 678".
_LED_TO = re.compile(
    r"\b(?:call(?:ed|ing|s)?|ring(?:ing)?|answer(?:ed|ing|s)?|messages?|texts?|sms|voicemails?|fax(?:es)?)"
    r"(?: (?:me|us|him|her|them|back))* (?:at|to|on) $",
    re.I,
)
_ACCOUNT_WORD = re.compile(
    r"(?:account|acct|a/c|iban|routing|sort code|passport|licen[cs]e|ssn|ssid|social security|itin|tax\w* ?"
    r"(?:payer|id)?|nric"
    r"|\bfin\b|\bpan\b|\btin\b|customer|client|card|policy) ?\w{0,2} ?(?:numbers?|nos?\.?|ids?|#|is"
    r"|:)?[^\w]{0,3}(?:\w+ ){0,4}?"
    r"([A-Z]{0,2}\d[\dA-Z*-]{5,})",
    re.I,
)
_YEARS = re.compile(r"(?<!\d)(?:(?:19|20)\d{2}){3,}(?!\d)")
_YEAR = re.compile(r"^(?:19|20)\d{2}$")
_PHONE_REGIONS = (
    "US",
    "GB",
    "DE",
    "FR",
    "CH",
    "NL",
    "ES",
    "IT",
    "SE",
    "PT",
    "AT",
    "DK",
    "SG",
    "AU",
    "IN",
    "HK",
)
# First digits of the card networks: Visa, Mastercard, Amex, Discover, JCB, Diners, UnionPay, Maestro.
_CARD_START = re.compile(
    r"^(?:4|5[0-8]|6|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720|131)|3[47]|30[0-5]|3[689]|35|1800)"
)


def find_identifier(view: View) -> str | None:
    """Return the rule of the first identifier in a view, or nothing."""
    if _has_email(view):
        return "email"
    if not any(map(str.isdigit, view.text)):
        return None  # all others hold digits
    checks = (
        (_has_iban, "iban"),
        (_has_card, "card"),
        (_has_ssn, "ssn"),
        (has_national_id, "national_id"),
        (_has_phone, "phone"),
        (_has_account, "account_number"),
    )
    return next((rule for check, rule in checks if check(view)), None)


def _has_email(view: View) -> bool:
    return any(form.search(view.text) for form in (_EMAIL, _SPOKEN_EMAIL, _GLUED_EMAIL))


def _has_iban(view: View) -> bool:
    text = re.sub(r"[^A-Za-z0-9]", "", view.text) if not view.compact else view.text
    for match in _IBAN_START.finditer(text.upper()):
        if any(
            iban.is_valid(match[1][:length], check_country=False) for length in range(15, len(match[1]) + 1)
        ):
            return True
    return False


def _has_card(view: View) -> bool:
    """Tell whether any 12 to 19 digits in a row, separators left out, form a card number."""
    text = re.sub(r"[\W_]", "", view.text)
    text = _YEARS.sub(" ", text)  # a list of years runs together into a long number
    for run in (*_DIGITS.findall(text), *_DIGITS.findall(_imitated(text))):
        for start in range(len(run) - 11):
            if _CARD_START.match(run[start:]) and any(
                luhn.is_valid(run[start : start + size]) for size in range(12, min(19, len(run) - start) + 1)
            ):
                return True
    return False


def _imitated(text: str) -> str:
    """Return runs of mostly digits with their letters read as digits."""
    return re.sub(
        r"[0-9A-Za-z|]{12,40}",
        lambda match: (
            digits_for_letters(match[0]) if sum(map(str.isdigit, match[0])) * 2 > len(match[0]) else match[0]
        ),
        text,
    )


def _has_ssn(view: View) -> bool:
    return not view.compact and bool(_SSN.search(view.text))


def _has_phone(view: View) -> bool:
    if view.compact:
        return False
    for match in _PHONE_SHAPE.finditer(view.text):
        around = view.text[max(0, match.start() - 30) : match.end() + 15]
        number = match[0].strip()
        # Amounts have the same groups, but are mostly round: "answering a margin call on 12 500 000".
        led_to = not number.endswith("000") and bool(_LED_TO.search(view.text[: match.start()]))
        if _is_phone(number, phone_near=led_to or bool(_PHONE_WORD.search(around)), around=around):
            return True
    return False


def _is_phone(number: str, *, phone_near: bool, around: str) -> bool:
    digits = re.sub(r"\D", "", number)
    groups = re.findall(r"\d+", re.sub(r"(?:x|ext\.?)\s?\d+$", "", number))
    if not 7 <= len(digits) <= 20 or _DATE.match(number) or all(map(_YEAR.match, groups)):
        return False
    if phone_near or number.startswith(("+", "00", "(")):
        return True
    if _THOUSANDS.match(number):
        return False
    telling = number.startswith("0") or len(groups) >= 3 or [len(group) for group in groups] == [3, 4]
    telling = telling or bool(_CALL_WORD.search(around))
    return telling and any(_possible(number, region) for region in _PHONE_REGIONS)


def _is_amount_or_years(number: str, groups: list[str]) -> bool:
    return bool(_THOUSANDS.match(number)) or all(map(_YEAR.match, groups))


def _possible(number: str, region: str) -> bool:
    import phonenumbers  # its tables load only when something looks like a number to dial

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_possible_number(parsed))


def _has_account(view: View) -> bool:
    if view.compact:
        return False
    public = re.sub(r"\b[A-Z0-9]{12}\b|\b[A-Z0-9]{20}\b", _without_public_code, view.text)
    if _LONG_NUMBER.search(public) or any(map(_is_spelled_out, _GROUPED.findall(public))):
        return True
    return any(sum(map(str.isdigit, number)) >= 6 for number in _ACCOUNT_WORD.findall(public))


def _without_public_code(match: re.Match[str]) -> str:
    return "" if isin.is_valid(match[0]) or lei.is_valid(match[0]) else match[0]


def _is_spelled_out(number: str) -> bool:
    """Tell whether nine or more digits stand in small groups that are neither date, amount nor years."""
    groups = re.findall(r"\d+", number)
    if _DATE.match(number) or _is_amount_or_years(number, groups) or sum(map(len, groups)) < 9:
        return False
    return max(map(len, groups)) <= 2 or (
        len(groups) >= 3 and len({len(group) for group in groups[:-1]}) == 1
    )
