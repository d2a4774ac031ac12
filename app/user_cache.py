"""The cache of derived sound that the window and the commands share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotation.audio.cache import AudioCache
    from app.settings import Settings

BYTES_A_GB = 10**9


def user_cache(settings: "Settings | None" = None) -> "AudioCache":
    """Return the cache of the person who runs this, as large as the settings allow (those on disk by default)."""
    from annotation.audio.cache import AudioCache
    from app.settings import SettingsFile, cache_folder

    value = SettingsFile().value if settings is None else settings
    return AudioCache(cache_folder(), round(value.cache_gb * BYTES_A_GB))
