"""Checks on results: the support screen and the evaluator."""
