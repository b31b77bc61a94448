"""Renderers: pure functions of a Verdict. Nothing here grades, reads the journal or asks what a terminal can show."""
