"""Runs tasks from standard input with scipy, and prints the seconds of each."""

import sys
import time

import numpy as np
import scipy
import scipy.sparse as sp


def read(name, kind):
    return np.fromfile(f"{folder}/{name}", dtype=kind)


def rows(prefix):
    values, idx, ptr = read(prefix + "values", "f8"), read(prefix + "idx", "i4"), read(prefix + "ptr", "i4")
    matrix = sp.csr_matrix((values.astype(kind), idx, ptr), shape=(row_count, col_count))
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def ordered(result):
    result.sort_indices()
    return result


def work():
    """What is timed. Coordinates and diagonals look for duplicates, and may sort their source, unless a flag makes that unnecessary.
    Blocks and products come in no order within a row: they are brought into that of the others' results."""
    if task in ("compress", "diagonals"):
        row, col, values = read("row", "i4"), read("col", "i4"), read("values", "f8").astype(kind)
        coo = sp.coo_matrix((values, (row, col)), shape=(row_count, col_count))
        coo.has_canonical_format = task == "diagonals"
        return coo.tocsr if task == "compress" else coo.todia
    a = rows("")
    if task == "transpose":
        return a.tocsc
    if task == "blocks":
        return lambda: ordered(a.tobsr(blocksize=(size, size)))
    if task == "multiply":
        b = read("dense", "f8").astype(kind)
        b = b if size == 1 else b.reshape(col_count, size)
        return lambda: a @ b
    if task == "square":
        return lambda: ordered(a @ a)
    b = rows("other_")
    return lambda: a + b


def give(result):
    if task == "multiply":
        result.astype("f8").tofile(f"{folder}/result_values")
        return "ok"
    if task == "diagonals":
        result.data.astype("f8").tofile(f"{folder}/result_values")
        result.offsets.astype("i4").tofile(f"{folder}/result_idx")
        return result.data.shape[1]
    result.sort_indices()
    result.indptr.astype("i4").tofile(f"{folder}/result_ptr")
    result.indices.astype("i4").tofile(f"{folder}/result_idx")
    result.data.astype("f8").tofile(f"{folder}/result_values")
    return "ok"


folder = sys.argv[1]
print("scipy", scipy.__version__, flush=True)
tasks = {}
for line in sys.stdin:
    command, number, *words = line.split()
    if command == "load":
        task, scalar, row_count, col_count, size = words[0], words[1], *map(int, words[2:])
        kind = "f4" if scalar == "f32" else "f8"
        # One at a time: each holds as much memory as its operands.
        tasks = {number: work()}
        print(give(tasks[number]()), flush=True)
    else:
        clock = time.thread_time if words[0] == "thread" else time.perf_counter
        run, repeats = tasks[number], int(words[1])
        if repeats == 1:
            start = clock()
            result = run()
            seconds = clock() - start
            del result
        else:
            start = clock()
            for _ in range(repeats):
                run()
            seconds = (clock() - start) / repeats
        print(seconds, flush=True)
