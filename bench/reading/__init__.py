"""Reading: quality against the best single methods, and speed beside an empty call."""
