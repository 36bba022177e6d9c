"""Histograms of lengths: merged, asked, damaged."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest

import whypause


def lengths(path: Path) -> bytes:
    return whypause.merge_hours(pa.table(whypause.hours(path))["lengths"].to_pylist())


def test_sums_of_sums_are_exact_to_three_digits(logs: list[Path]) -> None:
    durations = sorted(pa.table(whypause.pauses(logs))["duration_ns"].to_pylist())
    whole = whypause.merge_hours(map(lengths, logs))
    for q in (0.5, 0.9, 0.99, 0.999, 1.0):
        exact = durations[max(0, -int(-q * len(durations) // 1) - 1)]
        assert exact <= whypause.quantile_ns(whole, q) <= exact * 1.001 + 1


def test_any_order_gives_the_same(logs: list[Path]) -> None:
    parts = [lengths(it) for it in logs[:4]]
    whole = {whypause.merge_hours(it) for it in itertools.permutations(parts)}
    assert len(whole) == 1
    halves = (whypause.merge_hours(parts[:2]), whypause.merge_hours(parts[2:]))
    assert {whypause.merge_hours(halves)} == whole


def test_nothing_is_nothing() -> None:
    assert whypause.quantile_ns(whypause.merge_hours([]), 0.5) == 0


def test_damage_is_an_error(logs: list[Path]) -> None:
    good = lengths(logs[0])
    for cut in (0, 1, 7, 8, 39, 40, len(good) // 2):
        with pytest.raises(whypause.WhypauseError):
            whypause.quantile_ns(good[:cut], 0.5)
    for at in range(40):
        changed = bytearray(good)
        changed[at] ^= 0x80
        try:
            whypause.merge_hours([good, bytes(changed)])
        except whypause.WhypauseError as error:
            assert error.hint
    for q in (-0.1, 1.1, float("nan")):
        with pytest.raises(whypause.WhypauseError):
            whypause.quantile_ns(good, q)
    with pytest.raises(TypeError):
        whypause.merge_hours(["text"])  # type: ignore[list-item]
