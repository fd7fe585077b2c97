"""The tasks in scipy. Reads names of tasks, and prints the seconds of each and a sum that says what came out."""

import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph, linalg


# == cg
def cg(a, b):
    return linalg.cg(a, b, rtol=1e-8, maxiter=10**5, M=sp.diags_array(1 / a.diagonal()))[0]


# == pagerank
def pagerank(a):
    n, degree = a.shape[0], a.sum(axis=1)
    rank = np.full(n, 1 / n)
    for _ in range(50):
        share = np.divide(0.85 * rank, degree, where=degree > 0, out=np.zeros(n))
        rank = a.T @ share + (1 - share @ degree) / n
    return rank


# == bfs
def bfs(a):
    return csgraph.shortest_path(a, unweighted=True, indices=0)


# == components
def components(a):
    count, label = csgraph.connected_components(a)
    first = np.full(count, len(label))
    np.minimum.at(first, label, np.arange(len(label)))
    return first[label]


# == triangles
def triangles(l):
    return (l @ l).multiply(l).sum()


# == layer
def layer(w, x):
    return w @ x


# == galerkin
def galerkin(a, p):
    return p.T @ a @ p


# == mttkrp
def mttkrp(x, b, c):
    m = np.zeros((x.shape[0], 16))
    i, j, k = x.coords
    np.add.at(m, i, x.data[:, None] * b[j] * c[k])
    return m


# ==
def load(name):
    return sp.load_npz(f"{sys.argv[1]}/{name}.npz")


def dense(extents):
    """Numbers that every program makes in the same way."""
    count = int(np.prod(extents))
    return ((np.arange(count) * 7919 % 1000) / 1000 + 0.001).reshape(extents)


graph, symmetric, solve = load("graph").tocsr(), load("symmetric").tocsr(), load("solve").tocsr()
weights, stencil, aggregate, tensor = load("weights").tocsr(), load("stencil").tocsr(), load("aggregate").tocsr(), load("tensor")
lower = sp.tril(symmetric, -1).tocsr()
wide = dense((weights.shape[1], 64)).astype("float32")
arguments = {
    "cg": (solve, dense((solve.shape[0],))),
    "pagerank": (graph,),
    "bfs": (symmetric,),
    "components": (symmetric,),
    "triangles": (lower,),
    "layer": (weights, wide),
    "galerkin": (stencil, aggregate),
    "mttkrp": (tensor, dense((tensor.shape[1], 16)), dense((tensor.shape[2], 16))),
}
print("ready", flush=True)
for line in sys.stdin:
    name = line.strip()
    start = time.process_time()
    result = globals()[name](*arguments[name])
    seconds = time.process_time() - start
    # The places of elements of a sparse result differ from those in other libraries.
    period = 1 if sp.issparse(result) else 7
    result = np.asarray(result.data if sp.issparse(result) else result, dtype="float64").ravel()
    result = np.where(np.isfinite(result), result, -1)
    print(seconds, (result * (1 + np.arange(result.size) % period)).sum(), flush=True)
