from __future__ import annotations

import contextlib
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.moving._pickled import UNREAD, plain_data

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


@given(value=json_values, protocol=st.integers(2, pickle.HIGHEST_PROTOCOL))
def test_data_comes_out_as_it_went_in(value: Any, protocol: int):
    assert plain_data(pickle.dumps(value, protocol=protocol)) == value


@given(st.binary())
def test_other_bytes_are_a_value_error_or_data(noise: bytes):
    with contextlib.suppress(ValueError):
        plain_data(noise)


def test_nothing_in_a_pickle_runs(tmp_path: Path):
    class Harm:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "harm"),)

    assert plain_data(pickle.dumps({"data": "x", "harm": Harm()})) == {"data": "x", "harm": UNREAD}
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=r"pickle exhausted"):
        plain_data(pickle.dumps(["x"])[:-1])
