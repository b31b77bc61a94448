"""`kata watch`: grade again whenever the file is saved."""
