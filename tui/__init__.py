"""spider-tui: the dashboard that attaches to a running spiderd and steers it.

    connection   what is known about the line to the daemon (no I/O)
    client       the calls of the local API
    link         keeps the line up and feeds the model
    model        what the screen shows
    keys         the one table of keys: bindings, key bar, help and palette come from it
    widgets      one widget a file; they draw the model and know nothing of the network
    views        one file a tab
    screens      the dashboard and the boxes that open over it
    app          puts them together

The crawl never depends on any of this: the dashboard only reads, and asks.
"""
