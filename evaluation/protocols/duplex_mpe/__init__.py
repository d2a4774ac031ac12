"""Selective participation among several people (Duplex-MPE §3, App. A); so far the order of a trial."""
