"""The seam of small questions: choose among offered ids, rate on an anchored scale, write one sentence.

An analysis asks, an analyst answers, and the application assembles every contract from the answers. An id that
was not offered cannot be expressed. Two analysts share the seam: `OfflineAnalyst` answers by the rules of
`policy`, a local chat model answers the same questions with these rules as its stand-in.
"""

from porterlib.analyst.base import (
    Analyst,
    Choice,
    ChooseQuestion,
    Offer,
    RateQuestion,
    Rating,
    Sentence,
    WriteQuestion,
)
from porterlib.analyst.offline import OfflineAnalyst

__all__ = [
    "Analyst",
    "Choice",
    "ChooseQuestion",
    "Offer",
    "OfflineAnalyst",
    "RateQuestion",
    "Rating",
    "Sentence",
    "WriteQuestion",
]
