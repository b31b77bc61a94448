"""`kata dev`: the tools for authors of katas: checks, and a new kata to begin with."""
