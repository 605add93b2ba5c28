"""What an import really loads; that layers keep to their contracts, import-linter shows from the source."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import tui

ALLOWED_TO_THE_DASHBOARD = {"spiderd"} | {
    f"spiderd.{name}" for name in ("errors", "paths", "printable", "protocol", "states", "units", "locate")
}


def loaded_by(*statements: str) -> set[str]:
    """Names of all modules that are there after these statements, in an interpreter of their own."""
    code = "\n".join([*statements, "import sys", "print(*sys.modules)"])
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_the_command_line_starts_without_what_only_a_crawl_needs():
    loaded = loaded_by("import spiderd.cli")
    assert "spiderd.cli" in loaded
    assert not loaded & {"trio", "httpx", "lmdb", "textual", "starlette", "hypercorn", "selectolax"}


def test_the_daemon_needs_no_dashboard():
    loaded = loaded_by("import spiderd.daemon.running", "import spiderd.fetcher.process")
    assert "spiderd.coordinator.coordinator" in loaded
    assert not loaded & {"textual", "tui", "spiderd.cli"}  # click and rich come with httpx


def test_a_fetcher_has_no_store_and_no_api():
    loaded = loaded_by("import spiderd.fetcher.process")
    assert not loaded & {"lmdb", "spiderd.store", "spiderd.api", "spiderd.coordinator", "starlette"}


def test_the_dashboard_loads_the_protocol_and_nothing_of_the_crawler():
    modules = [module.name for module in pkgutil.walk_packages(tui.__path__, "tui.")]
    loaded = loaded_by(*(f"import {name}" for name in modules))
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.split(".")[0] == "spiderd"}
    assert ours <= ALLOWED_TO_THE_DASHBOARD
    assert "lmdb" not in loaded


def test_the_demonstration_site_needs_the_standard_library_only():
    loaded = loaded_by("import spiderd.demo.__main__")
    installed = {
        name.split(".")[0]
        for name in loaded
        if name.split(".")[0] not in {*sys.stdlib_module_names, "spiderd"}
    }
    beside = loaded_by("import argparse, http.server, subprocess")  # what an installation loads by itself
    assert installed <= {name.split(".")[0] for name in beside}
    assert {name for name in loaded if name.startswith("spiderd.")} == {
        "spiderd.demo",
        "spiderd.demo.__main__",
        "spiderd.demo.server",
    }
