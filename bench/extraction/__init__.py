"""Extraction: quality and CPU time against the installed peers, and the training of the block model."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the workers of the server
