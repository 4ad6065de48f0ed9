"""Document → the part asked for. Pure: text in, values out."""
