"""The demonstration site: a small book of spiders, shipped with the program and served on loopback.

Standard library only; it knows nothing of the crawler that crawls it. `python -m spiderd.demo` serves it.
"""
