"""`python -m spiderd` is `spiderd`."""

from __future__ import annotations

from spiderd.cli import main

if __name__ == "__main__":
    main()
