"""The cache of derived sound that the window and the commands share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotation.audio.cache import AudioCache


def user_cache() -> "AudioCache":
    """Return the cache of the person who runs this, which the window uses too."""
    from annotation.audio.cache import AudioCache
    from app.settings import cache_folder

    return AudioCache(cache_folder())
