"""The word lists do not contradict themselves."""

from porterlib.evaluation.support import polarity
from porterlib.evaluation.support.lexicon import lexicon
from porterlib.evaluation.support.morphology import stem


def test_no_word_is_its_own_opposite():
    for word, pairs in lexicon().opposite.items():
        assert not {pair for pair, side in pairs if side == 0} & {
            pair for pair, side in pairs if side == 1
        }, word


def test_no_word_both_rises_and_falls():
    known = lexicon().direction
    for up, down in (("rise", "fall"), ("increase", "decrease"), ("grow", "shrink"), ("higher", "lower")):
        assert known[stem(up)] == 1
        assert known[stem(down)] == -1


def test_no_synonyms_exclude_each_other():
    known = lexicon()
    for word, others in known.implied_by.items():
        for other in others:
            if word in known.implied_by.get(other, ()):
                sides = {(pair, 1 - side) for pair, side in known.opposite.get(word, ())}
                assert not sides & known.opposite.get(other, frozenset()), (word, other)
                assert known.direction.get(word, 0) * known.direction.get(other, 0) >= 0, (word, other)


def test_denials_are_matched_as_written():
    for word in ("nothing", "neither", "hardly", "nobody", "cannot", "unlikely"):
        assert len(polarity(f"It is {word} so.").negations) == 1, word
