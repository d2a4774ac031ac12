"""The protocols that agents are tried under, one package each: schedule, verdict, scores."""
