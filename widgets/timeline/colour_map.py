"""From the strength of a band to a colour: 256 pixels, even to the eye.

The stops of a theme are joined in Oklab, where equal steps look equal, and spread so that lightness goes one way from
quiet to loud: what is louder is always darker on a light theme and lighter on a dark one, for every kind of sight.
Reference: B. Ottosson, A perceptual color space for image processing, 2020.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from widgets.timeline.rendering import Pixels

SIZE = 256

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


@lru_cache
def colour_table(stops: tuple[str, ...]) -> Pixels:
    """Return ``(256,)`` opaque pixels from the first stop to the last, each ``#rrggbb``, lightness changing evenly."""
    lab = _oklab_from_hex(stops)
    lightness = np.linspace(lab[0, 0], lab[-1, 0], SIZE)
    # `interp` wants its places to increase; a theme whose loud is dark goes the other way.
    order = slice(None) if lab[0, 0] < lab[-1, 0] else slice(None, None, -1)
    mixed = np.stack([np.interp(lightness, lab[order, 0], lab[order, axis]) for axis in range(3)], axis=1)
    table = _pixels_from_oklab(mixed)
    table.flags.writeable = False
    return table


def _oklab_from_hex(colours: Sequence[str]) -> NDArray[np.float64]:
    srgb = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    lab: NDArray[np.float64] = np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T
    return lab


def _pixels_from_oklab(lab: NDArray[np.float64]) -> Pixels:
    linear = np.clip((lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T, 0, 1)
    srgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(srgb * 255).astype(np.uint32).T
    pixels: Pixels = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return pixels
