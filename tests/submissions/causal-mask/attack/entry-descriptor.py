# verdict: unusable
# kind: odd entry symbols
# stopped-by: an entry symbol must be callable
"""The entry symbols are class attributes that act as descriptors."""

class Descriptor:
    def __get__(self, instance, owner=None):
        return lambda *args: None


causal_mask = Descriptor()
masked_softmax = staticmethod(Descriptor())
