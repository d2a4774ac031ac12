"""Conversations, floor events, documents, the project file, audio reading: the domain without a window."""
