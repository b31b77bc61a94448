# verdict: unusable
# kind: odd entry symbols
# stopped-by: an entry symbol must be callable
"""The entry symbol is a property object."""

LayerNorm = property(lambda self: None)
