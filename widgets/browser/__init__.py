"""The list of a project's conversations."""
