"""A terminal while something runs: keys, typed text, a screen drawn in place. Knows nothing of katas."""
