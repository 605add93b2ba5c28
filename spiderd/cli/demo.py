"""`spiderd demo`: the demonstration site, to try a crawl where there is no network."""

from __future__ import annotations

import click


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--port", metavar="N", help="Instead of 8642, or any free one; 0 = any free one.")
@click.argument("command", nargs=-1, metavar="[COMMAND]...", type=click.UNPROCESSED)
def demo(port: str | None, command: tuple[str, ...]) -> int:
    """Serve a small site on loopback, to try a crawl without a network.

    Serves until Ctrl-C; or, with a COMMAND, until that ends: it is given the site's URL as its last argument.
    """
    from spiderd.demo.__main__ import main

    return main([*(("--port", port) if port else ()), *command])
