"""Precision, recall, macro-F1 and AUC of a yes-or-no score, in numpy."""

from __future__ import annotations

import numpy as np


def counts(labels: np.ndarray, said: np.ndarray, cls: int = 1) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one class; 0 where a ratio has no denominator."""
    hit = float(((said == cls) & (labels == cls)).sum())
    precision = hit / max(float((said == cls).sum()), 1.0)
    recall = hit / max(float((labels == cls).sum()), 1.0)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-12)


def macro_f1(labels: np.ndarray, said: np.ndarray) -> float:
    """Return the mean F1 of both classes."""
    said = np.asarray(said, dtype=float)
    return (counts(labels, said, 0)[2] + counts(labels, said, 1)[2]) / 2


def auc(labels: np.ndarray, scores: np.ndarray) -> float:
    """Return the chance that a positive scores above a negative, ties counting half."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    higher = (positive[:, None] > negative[None, :]).mean()
    return float(higher + (positive[:, None] == negative[None, :]).mean() / 2)


def best_threshold(labels: np.ndarray, scores: np.ndarray) -> float:
    """Return the threshold of best macro-F1 on these rows."""
    return float(max(np.unique(np.round(scores, 3)), key=lambda t: macro_f1(labels, scores >= t)))


def held_out_decisions(
    labels: np.ndarray, scores: np.ndarray, groups: np.ndarray, folds: int = 10
) -> np.ndarray:
    """Return yes or no for each row by the threshold that was best on the other folds."""
    said = np.zeros(len(labels))
    for fold in range(folds):
        held = groups % folds == fold
        said[held] = scores[held] >= best_threshold(labels[~held], scores[~held])
    return said


def bootstrap_difference(
    labels: np.ndarray, ours: np.ndarray, theirs: np.ndarray, groups: np.ndarray, rounds: int = 400
) -> tuple[float, float]:
    """Return the 95 % interval of the AUC difference, drawing whole groups with a fixed seed."""
    rng = np.random.default_rng(20260101)
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    differences = []
    for _ in range(rounds):
        rows = np.concatenate([members[at] for at in rng.integers(0, len(members), len(members))])
        differences.append(auc(labels[rows], ours[rows]) - auc(labels[rows], theirs[rows]))
    low, high = np.percentile(differences, [2.5, 97.5])
    return float(low), float(high)
