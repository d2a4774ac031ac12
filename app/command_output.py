"""What commands print: sentences to stderr, and with ``--json`` one document to stdout."""

import json
from collections.abc import Sequence
from typing import Any

import click


def say_all(sentences: Sequence[str]) -> None:
    """Print sentences to stderr."""
    for sentence in sentences:
        click.echo(sentence, err=True)


def print_json(document: Any) -> None:
    """Print one JSON document; a figure that is no number has no place in it."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
