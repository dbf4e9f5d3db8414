"""Frozen contracts that cross between stages, one file a subject.

What enters is validated once, at the boundary; inside, a contract is trusted. Nothing here computes, reads
files or knows how it is displayed.
"""
