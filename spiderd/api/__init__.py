"""The local API: HTTP/1.1 and JSON over a unix socket.

What flows where: `listening` gives the socket, `server` accepts and bounds connections, `guard` bounds
requests, `routes` names the endpoints, and all of them talk to the crawl through `crawl.Crawl` alone.
"""
