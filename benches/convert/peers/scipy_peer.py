"""Converts with scipy what it is told on standard input, and says how many seconds that took."""

import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp


def read(name, kind):
    return np.fromfile(f"{folder}/{name}", dtype=kind)


folder = sys.argv[1]
print("scipy", scipy.__version__, flush=True)
for line in sys.stdin:
    command, task, *words = line.split()
    if command == "load":
        kind, rows, cols, size = words[0], *map(int, words[1:])
        row, col = read("row", "i4"), read("col", "i4")
        values = read("values", "f8").astype("f4" if kind == "f32" else "f8")
        if task not in ("compress", "diagonals"):
            source = sp.csr_matrix((values, col, read("ptr", "i4")), shape=(rows, cols))
            source.has_sorted_indices = source.has_canonical_format = True
        print("ok", flush=True)
        continue
    if task == "compress":
        work = sp.coo_matrix((values, (row, col)), shape=(rows, cols)).tocsr
    elif task == "diagonals":
        # It looks for duplicates unless told that there are none, and may sort its source.
        coo = sp.coo_matrix((values.copy(), (row.copy(), col.copy())), shape=(rows, cols))
        coo.has_canonical_format = True
        work = coo.todia
    elif task == "transpose":
        work = source.tocsc
    else:
        work = lambda: source.tobsr(blocksize=(size, size))
    if command == "time":
        clock = time.thread_time if words[0] == "thread" else time.perf_counter
        start = clock()
        result = work()
        print(clock() - start, flush=True)
        del result
    else:
        result = work()
        if task == "diagonals":
            width = result.data.shape[1]
            result.data.astype("f8").tofile(f"{folder}/result_values")
            result.offsets.astype("i4").tofile(f"{folder}/result_idx")
            print(width, flush=True)
            continue
        result.sort_indices()
        result.indptr.astype("i4").tofile(f"{folder}/result_ptr")
        result.indices.astype("i4").tofile(f"{folder}/result_idx")
        result.data.astype("f8").tofile(f"{folder}/result_values")
        print("ok", flush=True)
