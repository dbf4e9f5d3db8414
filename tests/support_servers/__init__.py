"""Servers on loopback that tests talk to over real sockets."""
