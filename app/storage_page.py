"""The preferences' page of what is kept on disk to be fast: how much it may be, how much it is, and emptying it."""

from collections.abc import Callable

from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLabel, QPushButton, QSizePolicy, QWidget

from annotation.audio.cache import AudioCache
from app.user_cache import BYTES_A_GB

LEAST_GB = 0.5
MOST_GB = 2_000.0


class StoragePage(QWidget):
    """Shows and empties the cache; `cache_gb` is what the user wants it to hold at most.

    Parameters
    ----------
    emptied
        Called with a sentence after the cache has been emptied.
    """

    def __init__(
        self, *, cache: AudioCache, cache_gb: float, emptied: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._cache = cache
        self._emptied = emptied
        what = QLabel(
            "Outlines and decoded sound are kept so that a conversation opens at once the next time. "
            "All of it can be made again from your audio; labels and projects are never in here."
        )
        what.setWordWrap(True)
        self._limit = QDoubleSpinBox()
        self._limit.setRange(LEAST_GB, MOST_GB)
        self._limit.setDecimals(1)
        self._limit.setSuffix(" GB")
        self._limit.setValue(cache_gb)
        self._limit.setToolTip("Beyond it, what was used longest ago is removed.")
        self._used = QLabel()
        self._used.setAccessibleName("Space in use")
        place = QLabel(str(cache.folder))
        place.setWordWrap(True)
        self.empty_button = QPushButton("&Empty now")
        self.empty_button.setToolTip("Remove everything in this folder; it is made again when it is needed.")
        self.empty_button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.empty_button.clicked.connect(self._on_empty)
        form = QFormLayout(self)
        form.addRow(what)
        form.addRow("&At most", self._limit)
        form.addRow("In use", self._used)
        form.addRow("Folder", place)
        form.addRow("", self.empty_button)
        self._show_used()

    @property
    def cache_gb(self) -> float:
        """The limit as entered, in gigabytes."""
        return self._limit.value()

    def _on_empty(self) -> None:
        freed = self._cache.shrink(0)
        self._show_used()
        self._emptied(f"{gigabytes(freed)} were freed; outlines are made again when they are needed.")

    def _show_used(self) -> None:
        used = self._cache.used_bytes()
        self._used.setText(gigabytes(used))
        self.empty_button.setEnabled(used > 0)


def gigabytes(count: int) -> str:
    """Return a number of bytes for reading: megabytes below a tenth of a gigabyte."""
    return f"{count / BYTES_A_GB:.1f} GB" if count >= BYTES_A_GB // 10 else f"{count / 10**6:.1f} MB"
