"""Measurements side by side with what people use today: ``python -m benchmarks NAME [--json] [--full]``."""
