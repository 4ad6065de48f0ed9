"""Rate limits that processes and replicas share, and single flight: doing the same work only once."""
