"""What holds for all tests: laws are tried on the same examples each time, however busy the machine is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("spiderd", deadline=None, derandomize=True)
settings.load_profile("spiderd")
