"""What is resident of the store's file is let go of, and nothing of it is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spiderd.store.environment import Environment
from spiderd.store.residence import Residence, mappings

MIB = 1024 * 1024


def resident(file: Path) -> int:
    """Bytes of a file that are resident in this process."""
    lines = Path("/proc/self/smaps").read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if line.endswith(str(file)))
    rss = next(line for line in lines[begin:] if line.startswith("Rss:"))
    return int(rss.split()[1]) * 1024


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux")
def test_the_map_is_let_go_of_when_much_of_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "data.mdb"
    rows = {b"%04d" % number: os.urandom(100_000) for number in range(200)}
    with Environment(tmp_path) as env:
        watch = Residence(file, most=MIB)
        with env.begin() as txn:
            for key, value in rows.items():
                txn.put(key, value, db=env.tables["robots"])
        with env.begin(write=False) as txn:
            assert all(txn.get(key, db=env.tables["robots"]) == value for key, value in rows.items())
            assert resident(file) > 10 * MIB
            assert not Residence(file, most=1 << 40).trim()
            assert watch.trim()
            watch.close()
            assert resident(file) < MIB
            assert all(txn.get(key, db=env.tables["robots"]) == value for key, value in rows.items())


def test_only_a_map_that_loses_nothing_counts(tmp_path: Path) -> None:
    with Environment(tmp_path):
        assert len(mappings(str(tmp_path / "data.mdb"))) == 1
        assert mappings(str(tmp_path / "lock.mdb")) == []  # it is written through memory
    assert mappings(str(tmp_path / "data.mdb")) == []
