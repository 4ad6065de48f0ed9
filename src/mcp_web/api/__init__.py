"""The Python API: `Web` for scripts and notebooks, `AsyncWeb` for async programs."""
