"""The pool of SearXNG instances: their list, their order and their health."""
