"""The tool sets of other systems, one file per system: each only maps tools to services."""
