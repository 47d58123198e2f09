from __future__ import annotations

import os
import random
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from memori_core._ids import uuid7


def test_ids_are_version_7_and_sort_by_the_time_they_were_made() -> None:
    ids = [uuid7() for _ in range(20_000)]
    assert ids == sorted(set(ids))
    assert {(uuid.UUID(id).version, uuid.UUID(id).variant) for id in ids} == {(7, uuid.RFC_4122)}


def test_threads_never_make_the_same_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: [uuid7() for _ in range(2_000)], range(8)))
    assert len({id for ids in made for id in ids}) == 16_000


def test_a_program_that_seeds_its_generator_does_not_repeat_ids() -> None:
    def noise() -> str:
        random.seed(0)
        return uuid7()[-12:]

    assert len({noise() for _ in range(100)}) == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_sequence_of_its_own() -> None:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, uuid7()[-12:].encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(reader, 12).decode() != uuid7()[-12:]
    os.close(reader)
    os.close(writer)
