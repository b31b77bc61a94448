"""Speed, growth and memory of a submission, measured from outside, and `kata bench`."""
