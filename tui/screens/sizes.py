"""At which sizes the screens change: a class of each screen for the style sheet."""

from __future__ import annotations

HORIZONTAL = [(0, "-w0"), (60, "-w60"), (80, "-w80"), (100, "-w100"), (120, "-w120")]
VERTICAL = [(0, "-h0"), (12, "-h12"), (20, "-h20"), (30, "-h30"), (40, "-h40"), (50, "-h50")]
