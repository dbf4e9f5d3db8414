"""One attempt: frozen contract, snapshot and economics enter, a candidate leaves.

A LangGraph state graph fans out over the five forces, joins, assesses options, writes the brief, challenges
it and checks it, with at most one repair. It never searches. Choices come from the analyst; everything that
is stored is assembled here.
"""
