"""The pool of SearXNG instances: where they come from, which is asked next, how each is doing."""
