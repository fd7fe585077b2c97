"""Takes scipy matrices into formats of unisparse and back, and checks results and addresses."""

import sys
import numpy as np
import scipy.sparse as sp

from formats import Matrix


def address(array):
    return array.__array_interface__["data"][0]


rng = np.random.default_rng(1)
offsets = [-70, -1, 0, 1, 9]
trips = 0
for index, rows, cols in [("int32", 300, 200), ("int64", 300, 200), ("int32", 301, 201)]:
    band = sp.diags_array([rng.random(min(rows, cols)) for _ in offsets], offsets=offsets, shape=(rows, cols))
    x = rng.random(cols)
    for kind in ["csr", "csc", "coo"]:
        a = band.asformat(kind)
        arrays = ["row", "col"] if kind == "coo" else ["indptr", "indices"]
        if kind == "coo":
            a.coords = tuple(array.astype(index) for array in a.coords)
        else:
            a.indptr, a.indices = a.indptr.astype(index), a.indices.astype(index)
        for format in ["csr", "csc", "bsr", "dia", "banded"]:
            m = Matrix(a, format)
            # The elements were read from the arrays of scipy.
            assert m.read_from == [address(a.data)] + [address(getattr(a, name)) for name in arrays]
            # numpy's arrays are the operands of the kernel.
            y = np.full(rows, np.nan)
            m.multiply(x, y)
            assert np.allclose(y, a @ x) and np.array_equal(y, m @ x), (kind, format)
            values = m.address()
            back = m.move_to_scipy()
            assert (abs(back - a)).max() < 1e-15, (kind, format)
            # The values of the result are where they were, unless scipy has no such format.
            copied = format == "banded" or (format == "bsr" and rows % 2 == 1)
            assert copied or address(back.data) == values, (kind, format)
            assert back.format == ("csr" if copied else format)
            trips += 1
            if format in ["csr", "csc"]:
                back.check_format(full_check=True)
                assert back.indices.dtype == back.indptr.dtype == "int32" and back.has_canonical_format
            try:
                m @ x
                sys.exit("an empty matrix was multiplied")
            except ValueError as error:
                assert "moved into scipy" in str(error)

# Duplicates are added, indices may come in any order, and faults are errors.
a = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
assert (Matrix(a, "csc").move_to_scipy().toarray() == a.toarray()).all()
a.indices[0] = 7
try:
    Matrix(a, "csr")
    sys.exit("an index outside the shape was accepted")
except ValueError as error:
    assert "indices[0]" in str(error)
print(f"{trips} round trips: the elements are read from the arrays of scipy, and the values are moved back")
