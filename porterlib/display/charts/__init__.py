"""One module a subject: contract in, `Built` out."""
