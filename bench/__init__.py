"""Side-by-side figures, one command each: `python -m bench NAME`. Ratios count, times are only shown."""
