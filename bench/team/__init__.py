"""A team's server under load and faults."""
