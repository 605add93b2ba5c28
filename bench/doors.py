"""Other ways to the bed's pages: over TLS, and compressed, by a second nginx with its files below WORK/doors.

The compressed pages are made once, beside links to the originals (`gzip_static`): the server's deflate would
take as much of the processors as the crawler that is measured. The authority of the certificate is made
once, too; `authority.pem` is it alone, `bundle.pem` has the system's before it: whoever trusts ours reads the
others all the same, as every crawler does that trusts the system's.
"""

from __future__ import annotations

import gzip
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import certifi
import trustme

from bench.truth import Bed, Door

HOST = "127.0.3.1"  # the one of mix5k
WORKLOAD = "mix5k"
BUNDLE = "bundle.pem"
STATUS = 8091
TLS = Door("https", 8443, STATUS)
GZIP = Door("http", 8092, STATUS)
LEVEL = 6  # nginx's default is 1, a site that compresses beforehand takes more

CONF = """daemon off;
{user}
worker_processes 1;
pid {at}/nginx.pid;
error_log {at}/error.log crit;
events {{ worker_connections 8192; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on;
  keepalive_timeout 65; keepalive_requests 10000000; server_tokens off;
  open_file_cache max=8000 inactive=600s; open_file_cache_valid 600s; open_file_cache_errors on;
  client_body_temp_path {at}/t1; proxy_temp_path {at}/t2; fastcgi_temp_path {at}/t3;
  uwsgi_temp_path {at}/t4; scgi_temp_path {at}/t5;
  ssl_certificate {at}/server.pem; ssl_certificate_key {at}/server.pem;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:tls:1m;
  server {{ listen 127.0.0.1:{status}; location = /status {{ stub_status; }} location / {{ return 404; }} }}
  server {{ listen {host}:{tls} ssl; server_name _;
    location = / {{ root {gen}; try_files /index.html =404; }}
    location / {{ root {www}; index index.html; }} }}
  server {{ listen {host}:{gzip}; server_name _; gzip_static on; gzip_vary on;
    location = / {{ root {at}/gzip/gen; try_files /index.html =404; }}
    location / {{ root {at}/gzip/www; index index.html; }} }}
}}
"""


def authority(bed: Bed) -> Path:
    """The certificate of the authority, made with the rest where it is not there."""
    folder = bed.work / "doors"
    folder.mkdir(exist_ok=True)
    if not (folder / BUNDLE).exists():
        made = trustme.CA()
        made.issue_cert(HOST).private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
        made.cert_pem.write_to_path(folder / "authority.pem")
        system = ssl.get_default_verify_paths().cafile or certifi.where()
        (folder / BUNDLE).write_bytes(Path(system).read_bytes() + b"\n" + made.cert_pem.bytes())
    return folder / "authority.pem"


def compressed(bed: Bed) -> Path:
    """The folder of the compressed pages, made where it is not there."""
    folder = bed.work / "doors" / "gzip"
    if folder.exists():
        return folder
    making = folder.with_name(f"gzip-{time.time_ns()}")
    for url in bed.truth(WORKLOAD):
        path = unquote(urlsplit(url).path).lstrip("/")
        place = making / ("www" if path else "gen")  # the front page has no other name
        file = place / (f"{path}index.html" if path.endswith("/") or not path else path)
        if file.exists():
            continue  # a folder and its index are two URLs
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(bed.file(url))
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(bed.file(url).read_bytes(), LEVEL))
    making.rename(folder)
    return folder


@contextmanager
def opened(bed: Bed) -> Iterator[None]:
    """Run the second nginx.

    Raises:
        SystemExit: it does not start.
    """
    at = bed.work / "doors"
    authority(bed)
    compressed(bed)
    main = (bed.work / "nginx" / "nginx.conf").read_text()
    user = next((line for line in main.splitlines() if line.startswith("user ")), "")  # only root has one
    conf = CONF.format(
        user=user,
        at=at,
        gen=bed.work / "gen" / "mix",
        www=bed.work / "www" / "mix",
        host=HOST,
        status=STATUS,
        tls=TLS.port,
        gzip=GZIP.port,
    )
    (at / "nginx.conf").write_text(conf)
    server = subprocess.Popen(["nginx", "-p", str(at), "-c", str(at / "nginx.conf")])
    try:
        for door in (TLS, GZIP):
            _wait(Bed(bed.bench, bed.work, door), server)
        yield
    finally:
        server.terminate()
        server.wait(10)


def _wait(bed: Bed, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 10
    while True:
        try:
            bed.served()
        except SystemExit:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return
