"""Reports on what was crawled: what site owners look for, read from the store.

    kinds                     which reports there are, and the columns of each
    material                  the store and the archive as of one moment, walked in pieces
    findings                  the file that findings are put into, and read from in order
    pages, titles, counts,    each of these is told of pages and files what it finds
    copies, near, hosts
    edges                     links that lead to certain pages: broken, redirects, orphans, mixed
    since                     this crawl against an earlier one
    building                  one walk over the store for all reports that are wanted
    html, plots               one page that needs nothing else

An audit walks the pages once and the links once, whatever the number of reports. Nothing is kept in memory
but pieces of a stated size; what must be sorted or grouped goes through `findings` (SQLite). The daemon may
go on meanwhile: reads are short transactions (see `spiderd.store.snapshot`).
"""
