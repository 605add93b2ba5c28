"""The store: frontier, leases, pages, links, hosts, directories, counters and the seen-hash trie in LMDB."""
