"""`spiderd pause | resume | stop`: whether the crawl goes on."""

from __future__ import annotations

import click

from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.cli.process import Process
from spiderd.client import Client
from spiderd.errors import Unavailable
from spiderd.protocol import StateReply


@click.command()
@asks_daemon
@json_option
def pause(client: Client, *, as_json: bool) -> None:
    """Let nothing more be fetched until resume.

    What is in flight still finishes. The pause outlasts a restart of the daemon.
    """
    _tell(client.pause(), as_json=as_json)


@click.command()
@asks_daemon
@json_option
def resume(client: Client, *, as_json: bool) -> None:
    """Go on after pause."""
    _tell(client.resume(), as_json=as_json)


@click.command()
@asks_daemon
@click.option(
    "--timeout", default=60.0, show_default=True, help="Seconds to wait for the end; 0 = do not wait."
)
@json_option
def stop(client: Client, timeout: float, *, as_json: bool) -> None:
    """Stop the daemon; the next start goes on from there.

    Waits until everything is committed and the process has ended.
    """
    pid = client.hello().pid
    with Process(pid) as daemon:
        _tell(client.stop(), as_json=as_json)
        if timeout and not daemon.wait(timeout):
            raise Unavailable(
                f"the daemon (pid {pid}) is still busy after {timeout:g} s; it goes on stopping"
            )


def _tell(answer: StateReply, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    else:
        click.echo(f"{answer.state} ({answer.reason})" if answer.reason else answer.state)
