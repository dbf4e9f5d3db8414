"""Letters and digits that look like Latin ones, folded to them.

A hand-kept subset of what Unicode TR 39 lists as confusable with ASCII, in the scripts that are typed in
practice. Marks are stripped and decimal digits of every script become ASCII digits.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LOOKALIKES = {
    "a": "аɑαᴀӕ",
    "b": "ьʙɓƅ",
    "c": "сϲᴄⅽ",
    "d": "ԁⅾᴅđɗ",
    "e": "еєҽεᴇɛ",
    "f": "ғſꜰƒ",
    "g": "ɡցǥɢ",
    "h": "һհнʜħ",
    "i": "іıιɪɩ",
    "j": "јϳᴊ",
    "k": "кκᴋ",
    "l": "ⅼʟӏłǀ",
    "m": "мⅿᴍ",
    "n": "ոпɴη",
    "o": "оοօᴏσøө",
    "p": "рρᴘþ",
    "q": "ԛգզ",
    "r": "гᴦʀɾ",
    "s": "ѕꜱʂ",
    "t": "тτᴛŧ",
    "u": "υսᴜцʋ",
    "v": "νѵᴠⅴѵ",
    "w": "ѡшԝᴡω",
    "x": "хχⅹ×",
    "y": "уγүʏ",
    "z": "ᴢʐ",
    "A": "АΑᎪ",
    "B": "ВΒᏴᏏ",
    "C": "СϹᏟⅭ",
    "D": "ᎠⅮĐ",
    "E": "ЕΕᎬ",
    "F": "Ϝ",
    "G": "ԌᏀ",
    "H": "НΗᎻ",
    "I": "ІΙⅠӀ",
    "J": "ЈᎫ",
    "K": "КΚKᏦ",
    "L": "ᏞⅬŁ",
    "M": "МΜᎷⅯ",
    "N": "Ν",
    "O": "ОΟՕ〇Ø",
    "P": "РΡᏢ",
    "Q": "Ԛ",
    "R": "ᎡᏒ",
    "S": "ЅᏚՏ",
    "T": "ТΤᎢ",
    "U": "Ս",
    "V": "ѴᏙⅤ",
    "W": "ԜᎳ",
    "X": "ХΧⅩ",
    "Y": "УΥҮ",
    "Z": "ΖᏃ",
    "3": "зЗӠƷ",
    "4": "Ч",
    "6": "бႦ",
    "8": "Ȣ",
    "ss": "ß",
    "ae": "æ",
    "oe": "œ",
}
_TABLE = {ord(look): plain for plain, looks in _LOOKALIKES.items() for look in looks}
_LOWERED = {
    ord(look.lower()): plain.lower()
    for plain, looks in _LOOKALIKES.items()
    if plain.isupper()
    for look in looks
    if look.lower() != look and len(look.lower()) == 1
}
"""Small letters of the capitals that look like Latin ones."""
_LEET = str.maketrans(
    {"0": "o", "1": "l", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "|": "l"}
)
_LEET_I = {**_LEET, ord("1"): "i", ord("!"): "i", ord("|"): "i"}
_DIGIT_LOOKS = str.maketrans("OolIi|ZzSsbGBqg", "001111225566899")


@lru_cache(maxsize=1024)
def fold(text: str) -> str:
    """Return `text` with look-alikes as ASCII letters, digits of all scripts as ASCII, marks removed."""
    if text.isascii():
        return text
    folded = text.translate(_TABLE)
    plain = "".join(char for char in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(char))
    plain = plain.translate(_TABLE)
    return plain if plain.isascii() else "".join(map(_digit, plain))


def fold_lowered(text: str) -> str:
    """Return `text` folded, a small letter read as what its capital looks like: `ν` as n, which alone looks like v.

    A name disguised with look-alikes and then written small reads so; `fold` reads each letter as it looks.
    """
    return text if text.isascii() else fold(text.translate(_LOWERED))


def letters_for_digits(text: str) -> tuple[str, str]:
    """Return `text` with digits read as letters; 1 may stand for l or i, so there are two readings."""
    return text.translate(_LEET), text.translate(_LEET_I)


def digits_for_letters(text: str) -> str:
    """Return `text` with letters read as the digits they imitate."""
    return text.translate(_DIGIT_LOOKS)


def _digit(char: str) -> str:
    if char.isascii():
        return char
    value = unicodedata.decimal(char, None)
    return str(value) if value is not None else char
