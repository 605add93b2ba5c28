"""The search engine over what has been crawled: an index that follows the store, and answers from it.

    text, language, pdf     a page as it was fetched -> what it says
    analysis                what it says -> words, the same for pages and for queries
    places, schema          where the index lies, and what is in it
    indexer                 the process that follows the store (`writing` does the work)
    graph, ranking, anchors links between pages -> PageRank, and what others call a page
    query, matching         what somebody typed -> what is asked of the index
    engine                  the answer (`ordering`, `snippets`, `suggesting`)
    searcher                the process that answers; `looking` tells of one page

The index is derived: whatever happens to it, it can be built anew from store and archive.
"""
