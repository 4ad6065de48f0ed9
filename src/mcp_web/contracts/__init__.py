"""Other systems' own tool sets, one file per system: a mapping onto the services and nothing else."""
