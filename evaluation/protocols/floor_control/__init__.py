"""START and STOP: does the agent begin, and fall silent, when it should (MultiPartyTurnBench §4, §5, App. G)."""
