"""Construction of conversations, and later detectors, agents and protocols: everything that is run and scored."""
