"""The digest of a revision: it tells a changed row, and a row whose predecessor is gone, from what was entered.

Each revision's digest covers its own content and the digest of the revision before it of the same subject and person,
so that one document's log is a chain: a flipped byte that leaves valid JSON, a row that vanished with its page and two
rows exchanged all break it at the place. Chains of different documents know nothing of each other, so that one can be
removed on request without touching the rest.
"""

import hashlib
from collections.abc import Sequence

FIRST = ""
"""What stands in for the digest before a document's first revision."""


def digest_of(previous: str, values: Sequence[str | None]) -> str:
    """Return 32 hexadecimal digits over the digest before and the values of a row.

    Parameters
    ----------
    previous
        Digest of the revision before in the same document, `FIRST` for its first.
    values
        id, subject, person, at, label, undoes, added, removed, circumstances, as the row holds them.
    """
    digest = hashlib.sha256()
    for value in (previous, *values):
        if value is None:
            digest.update(b"-")
        else:
            data = value.encode()
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.hexdigest()[:32]
