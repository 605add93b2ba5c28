"""C38: the store grows while others read it, whatever becomes of the readers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import trio

from spiderd.store import environment, thread
from spiderd.store.environment import Environment
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.step import Step
from spiderd.store.thread import StoreThread
from spiderd.urls import key_hash
from spiderd.verify import verify
from tests.cases.crashing import ROOT, site
from tests.crawl.harness import daemon_process, wait_until
from tests.web.server import threaded_site

KEYS = 200_000
BATCH = 2_000
MIB = 1024 * 1024

POLL = """
import sys
from pathlib import Path
from spiderd.store.reader import StoreReader
with StoreReader(Path(sys.argv[1])) as reader:
    last = -1
    for line in sys.stdin:
        known = reader.state().counters.known
        assert known >= last, (known, last)
        last = known
        print(known, flush=True)
"""
HOLD = """
import lmdb, sys
env = lmdb.open(sys.argv[1], readonly=True, create=False, max_dbs=64)
with env.begin() as view:
    print(view.stat()["entries"], flush=True)
    sys.stdin.readline()
print("let go", flush=True)
sys.stdin.readline()
"""


@contextmanager
def reader(program: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that reads the store; told what to do by lines."""
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def ask(process: subprocess.Popen[str]) -> str:
    """Send a line, and read one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


@pytest.fixture
def small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map of one MiB, grown only when there is no room left at all."""
    monkeypatch.setattr(environment, "HEADROOM", 0)
    monkeypatch.setitem(Environment.__init__.__kwdefaults__, "map_size", MIB)


def batch(number: int, size: int = BATCH) -> Found:
    """URLs of a batch."""
    urls = [f"http://a.test/{number}/{n}" for n in range(size)]
    return Found(b"".join(map(key_hash, urls)), urls, 1)


async def add(store: StoreThread, number: int) -> int:
    """Add a batch as the crawl does; how many URLs the store knows then."""
    effects = await store.perform(Step(now=0.0, adds=[batch(number)]))
    assert effects.added == [[True] * BATCH]
    return effects.counters.known


@pytest.mark.trio
@pytest.mark.usefixtures("small_map")
async def test_c38_a_map_that_grows_under_readers_loses_no_batch(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = StoreThread(lambda: open_ledger(folder, "breadth", sync=False), interval=0.05)
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            await nursery.start(store.run)
            await add(store, 0)
            await store.flush()
            two = [stack.enter_context(reader(POLL, folder)) for _ in range(2)]
            for number in range(1, KEYS // BATCH):
                assert await add(store, number) == (number + 1) * BATCH
                if number % 10 == 0:
                    await store.flush()
                    for process in two:
                        assert int(await trio.to_thread.run_sync(ask, process)) == (number + 1) * BATCH
            store.close()
    with Environment(folder) as env, env.begin(write=False) as txn:
        assert txn.stat(db=env.tables["frontier"])["entries"] == KEYS
        assert env.bytes_used() > 8 * MIB  # so that the map has been doubled several times
    assert sound(tmp_path)


def sound(data_dir: Path) -> bool:
    """Whether the walk over all tables finds nothing."""
    (data_dir / "pages").mkdir(exist_ok=True)
    return not verify(data_dir).problems


@pytest.mark.trio
async def test_c38_a_reader_killed_in_its_transaction_is_swept_and_its_pages_are_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread, "SWEEP_EVERY", 0.0)
    store = StoreThread(lambda: open_ledger(tmp_path / "store", "breadth", sync=False), interval=0.0)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        await churn(store, 1)
        with reader(HOLD, tmp_path / "store") as process:
            assert await trio.to_thread.run_sync(process.stdout.readline)
            assert await readers(store) >= 1
            process.send_signal(signal.SIGKILL)
            process.wait()
        await churn(store, 20)
        assert await readers(store) == 0
        grown = await size(store)
        await churn(store, 60)
        assert await size(store) <= 1.3 * grown
        store.close()


@pytest.mark.trio
async def test_c38_growth_is_bounded_once_an_idle_reader_has_let_go(tmp_path: Path) -> None:
    store = StoreThread(lambda: open_ledger(tmp_path / "store", "breadth", sync=False), interval=0.0)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        await churn(store, 5)
        before = await size(store)
        with reader(HOLD, tmp_path / "store") as process:
            assert await trio.to_thread.run_sync(process.stdout.readline)
            await churn(store, 60)
            held = await size(store)
            assert held > 1.5 * before  # nothing can be used again as long as it looks
            assert await trio.to_thread.run_sync(ask, process) == "let go"
            await churn(store, 60)
            assert await size(store) <= 1.1 * held
        store.close()


async def churn(store: StoreThread, rounds: int) -> None:
    """Write and write over, a commit each time."""
    for _ in range(rounds):
        await store.change(rewrite)


def rewrite(ledger: Ledger) -> None:
    """Change a hundred rows."""
    for number in range(100):
        ledger.put("robots", b"%d" % number, os.urandom(1000))


async def size(store: StoreThread) -> int:
    """Bytes of the data file in use."""
    return await store.call(lambda _: store._env.bytes_used())


async def readers(store: StoreThread) -> int:
    """How many processes the lock file knows as readers."""
    told = await store.call(lambda _: store._env._env.readers())
    return sum(line.split()[0] != str(os.getpid()) for line in told.splitlines()[1:])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at descriptors in /proc")
def test_c38_a_helper_has_nothing_of_the_daemon_s_in_its_hands(tmp_path: Path) -> None:
    """Neither the store, which only the daemon may touch, nor its lock, which must end with it."""
    with threaded_site(site(400)) as pages:
        arguments = ("--processes", "2", "--threads", "4", "--delay", "10ms", "--follow", "host")
        with daemon_process(tmp_path, *arguments, pages.url("/")) as process:
            wait_until(lambda: len(pages.requests) > 20, process)
            children = {int(pid) for pid in children_of(process.pid)}
            assert len(children) >= 2
            own = descriptors(process.pid)
            assert any("store/data.mdb" in name for name in own)
            for child in children:
                held = [name for name in descriptors(child) if str(tmp_path) in name]
                assert not {str(tmp_path / name) for name in ("lock", "store/journal")} & set(held), held
                store = [name for name in held if "data.mdb" in name]
                assert not store or b"search" in command_line(child), held  # the indexer reads by itself
            process.send_signal(signal.SIGKILL)
            process.wait()
        # the lock is free at once, whatever the helpers still do
        with daemon_process(tmp_path, *arguments) as again:
            wait_until((tmp_path / "spiderd.sock").exists, again)


def children_of(pid: int) -> list[str]:
    """The children of a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()  # each thread has the children that it has started
    return [child for task in tasks for child in (task / "children").read_text().split()]


def command_line(pid: int) -> bytes:
    """What a process was started with."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def descriptors(pid: int) -> list[str]:
    """What the descriptors of a process lead to."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return found
