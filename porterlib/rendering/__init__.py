"""Turns contracts into text that is safe to open: Markdown, CSV and JSON; pure, no files.

Untrusted text leaves this room as inert characters only: never as markup, formula or link.
"""
