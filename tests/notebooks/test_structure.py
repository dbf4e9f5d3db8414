"""How a committed notebook is built: prose first, small cells, the library alone, nothing that was run."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
Cell = dict[str, Any]


def cells(path: Path, kind: str = "code") -> list[Cell]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def test_every_promised_notebook_ships() -> None:
    assert {path.stem for path in NOTEBOOKS} == {
        "approvals", "decision_pipeline", "decision_walkthrough", "finance_review", "run_library",
    }  # fmt: skip


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestEach:
    def test_holds_no_trace_of_a_run(self, path: Path) -> None:
        notebook = json.loads(path.read_text())
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path))
        assert set(notebook["metadata"]) <= {"kernelspec", "language_info"}
        assert notebook["metadata"]["kernelspec"]["name"] == "python3"
        assert str(Path.home()) not in path.read_text()

    def test_begins_with_a_title_and_explains_every_section_before_its_code(self, path: Path) -> None:
        kinds = [cell["cell_type"] for cell in json.loads(path.read_text())["cells"]]
        assert kinds[0] == "markdown"
        assert source(cells(path, "markdown")[0]).startswith("# ")
        assert kinds.count("markdown") >= 0.6 * kinds.count("code")

    def test_has_small_cells_and_defines_nothing(self, path: Path) -> None:
        sizes = [len(source(cell).splitlines()) for cell in cells(path)]
        assert median(sizes) <= 3
        for cell in cells(path):
            nodes = list(ast.walk(ast.parse(source(cell))))
            assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in nodes)

    def test_imports_the_library_alone(self, path: Path) -> None:
        for cell in cells(path):
            for node in ast.walk(ast.parse(source(cell))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert all(name.split(".")[0] == "porterlib" for name in names)

    def test_has_one_cell_of_parameters(self, path: Path) -> None:
        tagged = [cell for cell in cells(path) if "parameters" in cell["metadata"].get("tags", ())]
        assert len(tagged) == 1
        assert all(isinstance(node, ast.Assign) for node in ast.parse(source(tagged[0])).body)

    def test_ids_are_unique(self, path: Path) -> None:
        ids = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
        assert len(ids) == len(set(ids))


def test_the_pipeline_checks_its_parameters_in_the_first_cell_after_them() -> None:
    code = cells(next(path for path in NOTEBOOKS if path.stem == "decision_pipeline"))
    assert "parameters" in code[0]["metadata"]["tags"]
    assert "check_parameters()" in source(code[1])


def test_the_approvals_notebook_decides_on_nothing_but_its_practice_run() -> None:
    code = cells(next(path for path in NOTEBOOKS if path.stem == "approvals"))
    own = next(number for number, cell in enumerate(code) if "workspace or practice" in source(cell))
    assert 'open_workspace(workspace or practice, "read")' in source(code[own])
    assert not any("approve(" in source(cell) for cell in code[own:])
