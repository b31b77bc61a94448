"""Timed mock interviews: `kata interview`. State comes from events alone; the terminal is in `live` and `screen`."""
