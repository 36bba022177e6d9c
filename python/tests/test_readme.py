"""What README.md shows is run: each block of Python, one after the other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def test_its_examples_run(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("h1", "h2"):
        folder = tmp_path / "logs" / f"host={host}"
        folder.mkdir(parents=True)
        shutil.copy(log, folder)
        (folder / log.name).rename(folder / "gc.log")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 3
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert (tmp_path / "pauses.parquet").stat().st_size > 1000
