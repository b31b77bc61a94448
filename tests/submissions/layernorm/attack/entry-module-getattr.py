# verdict: unusable
# kind: odd entry symbols
# stopped-by: entry symbols are looked up in the namespace that the file defines
"""The entry symbol exists only for whoever asks the module for it."""

def __getattr__(name):
    return lambda *args, **kwargs: (lambda x: x)
