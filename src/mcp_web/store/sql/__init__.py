"""The statements of the stores, written once for every engine that speaks SQL."""
