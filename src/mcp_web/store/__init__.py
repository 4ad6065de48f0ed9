"""The door to disks: one `Store` protocol, an embedded SQLite file or a PostgreSQL server behind it."""
