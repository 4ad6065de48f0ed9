"""PostgreSQL with pgvector: one archive for several machines."""
