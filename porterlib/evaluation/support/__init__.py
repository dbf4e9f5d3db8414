"""The support screen: does a text carry a claim, and if not, what disagrees.

A claim and its evidence enter; the best matching window of the evidence is found; its numbers, dates,
negation, direction, comparatives and names are compared with the claim's, and the share of the claim's
content that stands there is weighed by how rare each word is. What leaves is a score and a list of
disagreements. The comparison is by wording: it does not understand the text, proves nothing true, and is a
screen that orders and flags, nothing more.
"""

from porterlib.evaluation.support.dates import DateMention, dates
from porterlib.evaluation.support.entities import entities
from porterlib.evaluation.support.polarity import Cue, Polarity, polarity
from porterlib.evaluation.support.quantities import Quantity, numbers, references
from porterlib.evaluation.support.screen import screen_support
from porterlib.evaluation.support.sentences import sentences
from porterlib.evaluation.support.words import content_overlap, idf, tokens

__all__ = [
    "Cue",
    "DateMention",
    "Polarity",
    "Quantity",
    "content_overlap",
    "dates",
    "entities",
    "idf",
    "numbers",
    "polarity",
    "references",
    "screen_support",
    "sentences",
    "tokens",
]
