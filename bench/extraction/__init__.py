"""Extraction: quality and CPU time against the installed peers, and the training of the block model."""
