"""Turns a strategic technology question into a decision a board can challenge."""
