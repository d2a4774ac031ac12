"""The project file: one SQLite database that keeps every gesture (DESIGN, the project file)."""
