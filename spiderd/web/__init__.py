"""The search page for browsers: search, results, cached text, and the crawl as it goes.

    backend     what the pages need of a crawl, whoever provides it
    app         which path shows what
    views       what is shown, as plain values
    guard       who may read, by which name, and what a browser may do with the pages
    stream      the status as it changes
    serving     on a TCP port, within the bounds of the API's server

Two walls stand between what was crawled and a browser. The templates escape whatever they are given, and the
policy that comes with each page lets it load one style sheet and one script of ours and run nothing else.
Everything works without that script.
"""
