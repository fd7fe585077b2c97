"""Reads the Matrix Market files that are named on standard input; prints the seconds, the number of entries and a sum of them."""
import sys
import time

import scipy.io
from scipy.io import _fast_matrix_market

_fast_matrix_market.PARALLELISM = int(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    matrix = scipy.io.mmread(line.strip())
    seconds = time.perf_counter() - start
    total = ((matrix.row + 3.0 * matrix.col) * matrix.data).sum()
    print(seconds, matrix.nnz, total, flush=True)
    del matrix
