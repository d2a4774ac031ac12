"""Studies: who labels what, in which order, blind to the rest."""
