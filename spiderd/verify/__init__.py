"""Verifying: every relation between the tables of the store, and between the store and the archive."""

from spiderd.verify.checking import verify
from spiderd.verify.mending import Mending
from spiderd.verify.repair import repair

__all__ = ["Mending", "repair", "verify"]
