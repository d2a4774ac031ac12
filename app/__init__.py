"""Windows, wiring, settings, tasks, sound output and the command line."""
