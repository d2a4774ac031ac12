"""Lanes of sound and events on one ruler: the view that every workspace shares."""
