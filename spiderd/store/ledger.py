"""The ledger: all tables of one store within its open transaction.

    ledger.frontier      URLs that wait or are leased; what was ever seen
    ledger.aside         URLs that wait for a time, or until they are released
    ledger.pages         what is known of every URL that has been asked for
    ledger.visits        when each page is asked for again
    ledger.errors        those whose last try has failed
    ledger.hosts         numbers and tallies of the host queues
    ledger.directories   download directories
    ledger.tree          tallies of the directories of each host
    ledger.seeds         URLs that the crawl began with, or was given
    ledger.state         counters and the next free numbers

An outcome becomes true when one transaction has recorded the page, its links, the newly seen URLs, the
tallies and the end of the lease (`spiderd.store.outcomes`). What the parts keep in memory (counters, tallies,
host numbers) belongs to the open transaction: it is written before a commit and forgotten by an abort.
"""

from __future__ import annotations

from spiderd.store.aside import Aside
from spiderd.store.directories import Directories
from spiderd.store.environment import Environment
from spiderd.store.error_queue import ErrorQueue
from spiderd.store.frontier import Frontier, Rank
from spiderd.store.hosts import Hosts
from spiderd.store.pages import Pages
from spiderd.store.seeds import Seeds
from spiderd.store.transaction import Cursor, State, Transaction
from spiderd.store.tree import Tree
from spiderd.store.visits import Visits


class Ledger:
    """All reads and writes of one store, inside the open transaction."""

    def __init__(self, env: Environment, rank: Rank, *, counts_inlinks: bool = False) -> None:
        """Bind to an environment.

        Args:
            env: the open environment; only the caller's thread may use it.
            rank: how a waiting URL is ranked.
            counts_inlinks: keep the number of known links to each waiting URL (best-first order).
        """
        self._transaction = transaction = Transaction(env)
        self.hosts = Hosts(transaction)
        self.tree = Tree(env, transaction, self.hosts)
        self.frontier = Frontier(env, transaction, self.hosts, self.tree, rank, counts_inlinks=counts_inlinks)
        self.aside = Aside(transaction, self.frontier)
        self.pages = Pages(transaction)
        self.visits = Visits(transaction, self.pages, self.hosts)
        self.directories = Directories(transaction)
        self.seeds = Seeds(transaction)
        self.errors = ErrorQueue(transaction, self.hosts, self.tree, self.frontier, self.pages, self.visits)

    @property
    def state(self) -> State:
        """Counters and the next free numbers, to be changed in place."""
        return self._transaction.state

    def begin(self) -> None:
        """Make sure that a transaction is open."""
        self._transaction.begin()

    def commit(self) -> None:
        """Write what is kept in memory, and commit.

        Raises:
            MapFull: nothing was written; abort, grow and replay.
            DiskFull, StorageError: nothing was written.
        """
        self.tree.write()
        self.hosts.write()
        self.directories.write()
        self.visits.write()
        self._transaction.commit()
        self.hosts.forget(ids=False)
        self.directories.forget()

    def rest(self) -> None:
        """End a transaction in which nothing was written; what is kept in memory holds on."""
        self._transaction.abort()

    def abort(self) -> None:
        """Forget everything since the last commit."""
        self._transaction.abort()
        self.hosts.forget(ids=True)
        self.tree.forget()
        self.frontier.touched.clear()
        self.visits.forget()
        self.directories.forget()

    def get(self, table: str, key: bytes) -> bytes | None:
        """A row as bytes; for tables whose rows others make: `politeness`, `robots`, `shapes`."""
        return self._transaction.get(table, key)

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Write such a row."""
        self._transaction.put(table, key, value)

    def delete(self, table: str, key: bytes) -> None:
        """Delete such a row, if there is one."""
        self._transaction.delete(table, key)

    def cursor(self, table: str) -> Cursor:
        """A cursor on a table, for lists; to be closed (use it in a `with`)."""
        return self._transaction.cursor(table)
