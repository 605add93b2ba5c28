"""A fetcher: workers that turn leases into outcomes, in the daemon or in a process of their own."""
