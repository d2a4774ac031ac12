"""Free labelling of one conversation beside its reference lanes."""
