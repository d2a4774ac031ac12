"""Play, loop, and what each speaker sounds like."""
