"""The finance review runs from top to bottom for each documented example, and reads as it should."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "finance_review.ipynb"


def read() -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def shown(notebook: nbformat.NotebookNode) -> str:
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "\n".join(str(o.get("text", o.get("data", {}).get("text/plain", ""))) for o in outputs)


def test_notebook_is_committed_clean_and_in_house_style() -> None:
    cells = read().cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert cells[0].cell_type == "markdown"
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert sum("parameters" in cell.metadata.get("tags", []) for cell in code) == 1
    assert sorted(len(cell.source.splitlines()) for cell in code)[len(code) // 2] <= 3
    for cell in code:
        assert "def " not in cell.source
        assert "class " not in cell.source
        imports = [line for line in cell.source.splitlines() if line.startswith(("import ", "from "))]
        assert all(line.startswith("from porterlib") for line in imports)


@pytest.mark.parametrize(
    ("sector", "figure"), [("bank", "10,888,429.75"), ("insurance", "EUR"), ("quant", "USD")]
)
def test_notebook_runs(sector: str, figure: str) -> None:
    notebook = read()
    parameters = next(c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    parameters.source = parameters.source.replace('sector = "bank"', f'sector = "{sector}"')
    NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    text = shown(notebook)
    assert figure in text
    assert "synthetic figures" in text
    assert "they need a new signature" in text
    assert "probability of a loss" in text
