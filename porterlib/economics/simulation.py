"""Vectorised evaluation with numpy; floats are fine here because no headline figure comes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def npv_rows(rate: float, flows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of each row, its first column at time zero.

    Args:
        rate: rate per period above -1.
        flows: shape (series, periods).

    Returns:
        Shape (series,).

    """
    import numpy as np

    discount = (1.0 + rate) ** -np.arange(flows.shape[1], dtype=np.float64)
    values: NDArray[np.float64] = flows @ discount
    return values
