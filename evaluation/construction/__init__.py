"""Building conversations whose floor events are known by construction."""
