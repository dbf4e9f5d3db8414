"""The verbs: frame, plan, acquire, calculate, supervise, approve, and resume; each one call, each committed.

This is the one place that wires ledger, capture, search, analyst and supervision together. A verb takes the
writer lease, commits what it did and releases the lease when it returns.
"""
