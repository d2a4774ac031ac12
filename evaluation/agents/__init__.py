"""Agents on trial: what an agent is to the harness, the kinds of it, and small reference agents."""
