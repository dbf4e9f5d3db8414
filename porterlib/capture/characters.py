"""Characters that stored text may hold: no control, tag or direction-changing characters, no lone surrogates.

Nothing else is altered: the string that is stored is the string that is checked, so no Unicode normalisation
happens.
"""

from __future__ import annotations

import re

# C0 and C1 controls except tab and newline, zero-width and soft hyphens, bidi overrides and isolates,
# interlinear marks, tag characters, surrogates, noncharacters. ZWJ, ZWNJ and variation selectors stay:
# scripts need them.
_DROPPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONCEALING = re.compile("[\u202d\u202e\U000e0001\U000e0020-\U000e007f]")
_EMOJI_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Return `text` with line ends as newlines and without the characters that stored text may not hold."""
    return _DROPPED.sub("", _BREAKS.sub("\n", text))


def conceals(text: str) -> bool:
    """Tell whether raw `text` holds tag or direction-override characters, which mislead a reader."""
    return bool(_CONCEALING.search(_EMOJI_FLAG.sub("", text)))
