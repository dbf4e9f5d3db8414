"""`model-server` says clearly what is missing."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from porterlib.analyst.local.serving import start_server
from porterlib.cli.main import main
from porterlib.errors import InputError


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be read"), (b"PK\x03\x04", "not a GGUF file"), (b"", "not a GGUF file")],
)
def test_a_file_that_is_no_model_is_refused(content: bytes | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=said):
        start_server(file)
    assert main(["model-server", str(file)]) == 2


def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "xllamacpp":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"porterlib\[llamacpp\]"):
        start_server(file)
