"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def testdata() -> Path:
    """The logs and recordings of the project's tests."""
    return ROOT / "testdata"


@pytest.fixture(scope="session")
def log(testdata: Path) -> Path:
    """A log with safepoints and collections."""
    return testdata / "gclogs/jdk17/g1/mixed.log"


@pytest.fixture(scope="session")
def logs(testdata: Path) -> list[Path]:
    """Logs of several collectors, one JVM each."""
    return sorted((testdata / "gclogs/jdk17").glob("*/*.log"))


@pytest.fixture(scope="session")
def recording(testdata: Path) -> Path:
    """A recording whose pauses have parts."""
    return testdata / "recordings/gc-log-write-blocked/recording"


@pytest.fixture(scope="session")
def program() -> Path:
    """The program, whose answers the library's are compared with."""
    path = ROOT / os.environ.get("WHYPAUSE", "target/debug/whypause")
    if not path.exists():
        pytest.skip(f"there is no program `{path.name}` to compare with: it is not built")
    return path
