"""What the example kata is timed on. Trusted side only."""

from grader.case import Case

# BLANK: what the size means, for people; the sizes themselves stand in kata.toml under [timing]
SIZE_NAME = "N"


# BLANK: the input to time: ordinary numbers, and large enough that a call takes about half a millisecond
def make(size, fill):
    """example_kata(x) on 512 rows: x (512, N)."""
    return Case("example_kata", {"x": fill(512, size)}, differentiable=("x",))


# Other entry symbols, and arguments that make() leaves out, are timed forward only:
#     OTHERS = {"with a mask": make_masked}
#     OTHER_LIMITS = {"with a mask": 5}  # where that is not the limit in kata.toml
