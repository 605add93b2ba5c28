"""spiderd: a crawler daemon that is never lost when the machine dies."""

__version__ = "0.1.0"
