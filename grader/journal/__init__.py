"""The journal: append-only events in one SQLite file, and what is asked of them."""
