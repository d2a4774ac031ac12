"""How well annotators agree: each measure with its counts, what was left out, and its interval."""
