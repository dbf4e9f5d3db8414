"""Refit the support screen's weights on the development files: a script, imported by its test.

The model is a logistic regression with a ridge penalty on the named features, fitted by Newton's method in
numpy. Each of the three files weighs the same, and within it each class, so that no file's size or base rate
sets the threshold.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from porterlib.evaluation.support.align import align
from porterlib.evaluation.support.features import NAMES, features
from porterlib.evaluation.support.reading import read
from porterlib.evaluation.support.screen import compare, weights

RIDGE = 1.0
FOLDS = 10


class Pairs(NamedTuple):
    """One labelled file: claims, evidence, 1 for supported, and a group that must not be split over folds."""

    claims: list[str]
    evidence: list[str]
    labels: np.ndarray
    groups: np.ndarray


def _components(rows: list[dict]) -> list[int]:
    """Return a group number for each row, the same for rows that share a claim or an evidence sentence."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        parent.setdefault(node, node)
        while parent[node] != node:
            node = parent[node]
        return node

    for row in rows:
        parent[root("c" + row["claim"])] = root("e" + row["evidence"])
    roots = [root("c" + row["claim"]) for row in rows]
    numbers = {name: number for number, name in enumerate(sorted(set(roots)))}
    return [numbers[name] for name in roots]


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def load(folder: Path) -> dict[str, Pairs]:
    """Return the three labelled development files."""
    fever = _lines(folder / "fever_symmetric_dev.jsonl")
    wice = _lines(folder / "wice_claim_dev.jsonl")
    with (folder / "begin_dev_wow.tsv").open(encoding="utf-8", newline="") as lines:
        begin = list(csv.DictReader(lines, delimiter="\t"))
    knowledge = {text: number for number, text in enumerate(sorted({row["knowledge"] for row in begin}))}
    return {
        "fever_symmetric": Pairs(
            [row["claim"] for row in fever],
            [row["evidence"] for row in fever],
            np.array([row["label"] == "SUPPORTS" for row in fever], dtype=float),
            np.array(_components(fever)),
        ),
        "wice": Pairs(
            [row["claim"] for row in wice],
            ["\n".join(row["evidence"]) for row in wice],
            np.array([row["label"] == "supported" for row in wice], dtype=float),
            np.arange(len(wice)),
        ),
        "begin": Pairs(
            [row["response"] for row in begin],
            [row["knowledge"] for row in begin],
            np.array([row["begin_label"] == "Fully attributable" for row in begin], dtype=float),
            np.array([knowledge[row["knowledge"]] for row in begin]),
        ),
    }


def matrix(pairs: Pairs) -> np.ndarray:
    """Return the features of every pair, one row each."""
    rows = []
    for claim, evidence in zip(pairs.claims, pairs.evidence, strict=True):
        reading, part = read(claim), align(claim, evidence)
        assert part is not None
        rows.append(features(reading, part, compare(reading, part)).vector())
    return np.array(rows)


def fit(rows: np.ndarray, labels: np.ndarray, sample_weights: np.ndarray) -> np.ndarray:
    """Return the weights and, last, the intercept."""
    design = np.hstack([rows, np.ones((len(rows), 1))])
    beta = np.zeros(design.shape[1])
    ridge = np.eye(len(beta)) * RIDGE
    ridge[-1, -1] = 1e-6
    for _ in range(100):
        expected = 1 / (1 + np.exp(-design @ beta))
        gradient = design.T @ (sample_weights * (expected - labels)) + ridge @ beta
        curvature = (design * (sample_weights * expected * (1 - expected))[:, None]).T @ design + ridge
        step = np.linalg.solve(curvature, gradient)
        beta -= step
        if np.abs(step).max() < 1e-10:
            break
    return beta


def predict(beta: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the score of every row."""
    return 1 / (1 + np.exp(-(rows @ beta[:-1] + beta[-1])))


def balanced(labels: list[np.ndarray]) -> np.ndarray:
    """Return sample weights that give each file the weight of 1,000 rows, half of them to each class."""
    return np.concatenate([np.where(y == 1, 500 / (y == 1).sum(), 500 / (y == 0).sum()) for y in labels])


def shipped_beta() -> np.ndarray:
    """Return the shipped weights and, last, the intercept."""
    intercept, each = weights()
    return np.array([*each, intercept])


def pooled_fit(data: dict[str, Pairs], rows: dict[str, np.ndarray]) -> np.ndarray:
    """Return the weights fitted on all files together."""
    labels = [data[name].labels for name in data]
    return fit(np.vstack([rows[name] for name in data]), np.concatenate(labels), balanced(labels))


def pooled_scores(data: dict[str, Pairs], rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return out-of-fold scores of weights fitted on all files together."""
    scores = {name: np.zeros(len(data[name].labels)) for name in data}
    for fold in range(FOLDS):
        held = {name: data[name].groups % FOLDS == fold for name in data}
        labels = [data[name].labels[~held[name]] for name in data]
        train = np.vstack([rows[name][~held[name]] for name in data])
        beta = fit(train, np.concatenate(labels), balanced(labels))
        for name in data:
            scores[name][held[name]] = predict(beta, rows[name][held[name]])
    return scores


def weights_text(beta: np.ndarray) -> str:
    """Return the weights file."""
    return (
        json.dumps(
            {
                "about": "Weights of the support screen's score: a logistic sum of named features, fitted by "
                "tests/benchmarks/support_fit.py on the development files of WiCE, FeverSymmetric and BEGIN, "
                "each file and class weighing the same. Numbers only, no text of these files.",
                "ridge": RIDGE,
                "intercept": round(float(beta[-1]), 4),
                "weights": {
                    name: round(float(value), 4) for name, value in zip(NAMES, beta[:-1], strict=True)
                },
            },
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    files = load(Path(sys.argv[1]))
    fitted = pooled_fit(files, {name: matrix(pairs) for name, pairs in files.items()})
    Path(sys.argv[2]).write_text(weights_text(fitted), encoding="utf-8")
