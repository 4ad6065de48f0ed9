"""The store: one `Store` protocol, implemented for a SQLite file and for a PostgreSQL server."""
