"""Speech engines: programs that speak, each called from outside with limits of time and size."""
