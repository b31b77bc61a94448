"""The untrusted side: what runs in the zygote and in the workers it forks.

Only `protocol` and `arena` are shared with the trusted side. Nothing in this folder may import anything else of
`grader`, and nothing secret (references, properties, seeds, expected values) may ever enter it.
"""
