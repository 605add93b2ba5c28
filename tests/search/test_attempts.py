"""Pages that kill their reader, with real deaths."""

from __future__ import annotations

import os
import signal

import pytest

from spiderd.search.attempts import PATIENCE, Attempts


def die_at(path, number: int) -> None:
    """Be killed with a page in hand, in a process of its own."""
    child = os.fork()
    if not child:
        with Attempts(path).at(number):
            os.kill(os.getpid(), signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.fixture
def path(tmp_path):
    return tmp_path / "attempt"


@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)  # the child only dies
class TestDeaths:
    def test_a_page_that_kills_again_and_again_is_known(self, path):
        for _ in range(PATIENCE):
            assert not Attempts(path).is_deadly(7)
            die_at(path, 7)
        attempts = Attempts(path)
        assert attempts.is_deadly(7)
        assert not attempts.is_deadly(8)

    def test_it_is_still_known_after_a_good_end(self, path):
        for _ in range(PATIENCE):
            die_at(path, 7)
        Attempts(path).close()
        assert Attempts(path).is_deadly(7)

    def test_deaths_of_different_pages_do_not_add_up(self, path):
        for number in (7, 8, 7, 8, 7, 8):
            die_at(path, number)
        assert not Attempts(path).is_deadly(7)
        assert not Attempts(path).is_deadly(8)

    def test_a_death_between_pages_is_nobodys_fault(self, path):
        with Attempts(path).at(7):
            pass
        assert Attempts(path).deaths == 0

    def test_an_exception_is_no_death(self, path):
        with pytest.raises(ValueError), Attempts(path).at(7):
            raise ValueError
        assert Attempts(path).deaths == 0


def test_a_damaged_file_is_begun_anew(path):
    path.write_bytes(b"nonsense")
    assert Attempts(path).deaths == 0
