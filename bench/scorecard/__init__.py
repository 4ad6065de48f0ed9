"""The scorecard: what the product claims, measured beside its peers in one run."""
