"""What is kept: one `Store` protocol, implemented over an SQLite file and over a PostgreSQL server."""
