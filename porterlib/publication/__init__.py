"""Artifacts on disk, approvals of one exact text, export bundles and their offline verification.

Text and files come from payloads whose hashes the ledger holds. Nothing is called publishable before four
roles have approved the same fingerprint.
"""
