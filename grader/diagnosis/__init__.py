"""Naming the mistake: the bank of known mistakes, the inputs that tell them apart, and what else can be said."""
