"""The pool of SearXNG instances: where they are listed, which is asked next, the health of each."""
