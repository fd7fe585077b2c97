//! Graph algorithms that use kernels, on real graphs, against implementations over lists of neighbours.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use crate::common::data::shared;
use unisparse::prelude::*;
use unisparse::{ErrorKind, Triplets};

sparse_kernel! {
    fn frontier: next[j] |= front[i] & A[i, j] if !seen[j] where A: Csr | Csc | Coo | Dcsr | Lil | HiCoo | Cisr;
    fn sparse_frontier: N[j] |= F[i] & A[i, j] if !seen[j] where F: SparseVec, A: Csr, N: SparseVec;
    fn relax: d[j] min= s[i] + A[i, j] where A: Csr | Csc | Coo | Dcsc | Csb | Ell | CisrPlus;
    fn follow: next[j] = damping * A[i, j] * share[i] + rest * teleport[j] where A: Csr | Csc | Coo | Dok | Sell | BellCoo;
    fn leaving: degree[i] = A[i, j] where A: Csr;
    fn triangles: s = L[i, j] * L[j, k] * L[i, k] where L: Csr | Dcsr | Csc;
    fn closed: C[i, j] = A[i, k] * B[k, j] if M[i, j] where A: Csr, B: Csr | Csc, M: Csr | Dcsr, C: Csr;
}

const GRAPHS: [&str; 6] = [
    "paper/wiki-Vote.mtx.gz",
    "paper/p2p-Gnutella31.mtx.gz",
    "graph/polblogs.mtx.gz",
    "graph/CollegeMsg.mtx.gz",
    "graph/cage10.mtx.gz",
    "graph/4elt.mtx.gz",
];

/// The graphs with a row many times as long as the others.
const MOSTLY_PADDING: [&str; 2] = ["paper/wiki-Vote.mtx.gz", "paper/p2p-Gnutella31.mtx.gz"];

/// Returns the links of each graph that is present, without loops. Their ends determine their length, from 1 to 8.
fn graphs() -> impl Iterator<Item = (&'static str, Triplets<i64, 2>)> {
    GRAPHS.into_iter().filter_map(|name| {
        let path = shared(&format!("data/{name}"))?;
        let read: Triplets<f64, 2> = unisparse::io::read_matrix_market(path).unwrap();
        let length = |[i, j]: [usize; 2]| (i * 31 + j * 17) as i64 % 8 + 1;
        let links: BTreeSet<[usize; 2]> = read.coordinates().iter().copied().filter(|[i, j]| i != j).collect();
        let links = links.into_iter().map(|link| (link, length(link)));
        Some((name, Triplets::try_from_triplets(read.shape(), links).unwrap()))
    })
}

/// Returns the graph in a format, or `None` if it would be mostly padding, which only `Ell` of some graphs may be.
fn affordable<F: SparseTensor<2, Scalar = f64>>(name: &str, graph: &Triplets<f64, 2>) -> Option<F> {
    match graph.convert() {
        Ok(made) => Some(made),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Limit, "{name}: {error}");
            assert!(F::NAME == "Ell" && MOSTLY_PADDING.contains(&name), "{name}: {error}");
            None
        }
    }
}

/// The links that leave each node, and their lengths.
fn neighbours(graph: &Triplets<i64, 2>) -> Vec<Vec<(usize, i64)>> {
    let mut lists = vec![Vec::new(); graph.shape()[0]];
    for ([i, j], length) in graph.iter() {
        lists[i].push((j, length));
    }
    lists
}

/// The node with the most links.
fn busiest(lists: &[Vec<(usize, i64)>]) -> usize {
    (0..lists.len()).max_by_key(|&node| lists[node].len()).unwrap()
}

/// Returns the number of links from the start to each node, by a queue.
fn by_queue(lists: &[Vec<(usize, i64)>], start: usize) -> Vec<Option<usize>> {
    let mut levels = vec![None; lists.len()];
    levels[start] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, level)) = queue.pop_front() {
        for &(next, _) in &lists[node] {
            if levels[next].is_none() {
                levels[next] = Some(level + 1);
                queue.push_back((next, level + 1));
            }
        }
    }
    levels
}

/// The same by the kernel, level by level.
fn by_frontiers<A: SparseTensor<2, Scalar = bool> + frontier>(a: &A, start: usize) -> Vec<Option<usize>> {
    let nodes = a.shape()[0];
    let (mut levels, mut seen, mut front) = (vec![None; nodes], vec![false; nodes], vec![false; nodes]);
    (levels[start], seen[start], front[start]) = (Some(0), true, true);
    for level in 1.. {
        let mut next = vec![false; nodes];
        frontier(&mut next, &front, a, &seen).unwrap();
        for node in (0..nodes).filter(|&node| next[node]) {
            assert!(!seen[node], "{}: {node} is reached twice", A::NAME);
            (levels[node], seen[node]) = (Some(level), true);
        }
        if !next.contains(&true) {
            break;
        }
        front = next;
    }
    levels
}

/// The same with fronts that are sparse vectors.
fn by_sparse_frontiers(a: &Csr<bool>, start: usize) -> Vec<Option<usize>> {
    let nodes = a.shape()[0];
    let (mut levels, mut seen, mut level) = (vec![None; nodes], vec![false; nodes], 0);
    let mut front = SparseVec::try_from_triplets([nodes], [([start], true)]).unwrap();
    while front.nnz() > 0 {
        for ([node], _) in front.iter() {
            assert!(!seen[node], "{node} is reached twice");
            (levels[node], seen[node]) = (Some(level), true);
        }
        front = sparse_frontier(&front, a, &seen).unwrap();
        level += 1;
    }
    levels
}

#[test]
fn breadth_first() {
    for (name, graph) in graphs() {
        let lists = neighbours(&graph);
        let start = busiest(&lists);
        let expected = by_queue(&lists, start);
        assert!(expected.iter().flatten().any(|&level| level > 2), "{name}");
        let linked = graph.map(|_| true);
        macro_rules! each {
            ($($format:ident)*) => {$(
                assert_eq!(by_frontiers::<$format<bool>>(&linked.convert().unwrap(), start), expected, "{name} {}", stringify!($format));
            )*};
        }
        each!(Csr Csc Coo Dcsr Lil HiCoo Cisr);
        assert_eq!(
            by_sparse_frontiers(&linked.convert().unwrap(), start),
            expected,
            "{name}"
        );
    }
}

/// Returns the length of the shortest path to each node, by a heap.
fn dijkstra(lists: &[Vec<(usize, i64)>], start: usize) -> Vec<i64> {
    let mut ways = vec![i64::MAX; lists.len()];
    ways[start] = 0;
    let mut heap = BinaryHeap::from([Reverse((0, start))]);
    while let Some(Reverse((way, node))) = heap.pop() {
        if way > ways[node] {
            continue;
        }
        for &(next, length) in &lists[node] {
            if way + length < ways[next] {
                ways[next] = way + length;
                heap.push(Reverse((way + length, next)));
            }
        }
    }
    ways
}

/// The same by the kernel, over all links until nothing changes.
fn bellman_ford<A: SparseTensor<2, Scalar = f64> + relax>(a: &A, start: usize) -> Vec<f64> {
    let mut ways = vec![f64::INFINITY; a.shape()[0]];
    ways[start] = 0.0;
    for _ in 0..ways.len() {
        let before = ways.clone();
        relax(&mut ways, &before, a).unwrap();
        if ways == before {
            return ways;
        }
    }
    panic!("{}: ways without end", A::NAME);
}

#[test]
fn shortest_paths() {
    for (name, graph) in graphs() {
        let lists = neighbours(&graph);
        let start = busiest(&lists);
        let far = |way| if way == i64::MAX { f64::INFINITY } else { way as f64 };
        let expected: Vec<f64> = dijkstra(&lists, start).into_iter().map(far).collect();
        assert!(expected.iter().any(|way| way.is_finite() && *way > 4.0), "{name}");
        let lengths = graph.map(|length| length as f64);
        macro_rules! each {
            ($($format:ident)*) => {$(
                if let Some(a) = affordable::<$format<f64>>(name, &lengths) {
                    assert_eq!(bellman_ford(&a, start), expected, "{name} {}", stringify!($format));
                }
            )*};
        }
        each!(Csr Csc Coo Dcsc Csb Ell CisrPlus);
    }
}

/// Returns PageRank after some steps, computed from the lists.
fn surfed(lists: &[Vec<(usize, i64)>], damping: f64, steps: usize) -> Vec<f64> {
    let nodes = lists.len() as f64;
    let mut rank = vec![1.0 / nodes; lists.len()];
    for _ in 0..steps {
        let stuck: f64 = (0..lists.len())
            .filter(|&node| lists[node].is_empty())
            .map(|node| rank[node])
            .sum();
        let mut next = vec![(1.0 - damping + damping * stuck) / nodes; lists.len()];
        for (node, links) in lists.iter().enumerate() {
            for &(to, _) in links {
                next[to] += damping * rank[node] / links.len() as f64;
            }
        }
        rank = next;
    }
    rank
}

/// The same by the kernel.
fn ranked<A: SparseTensor<2, Scalar = f64> + follow>(a: &A, degree: &[f64], damping: f64, steps: usize) -> Vec<f64> {
    let nodes = degree.len();
    let teleport = vec![1.0 / nodes as f64; nodes];
    let mut rank = teleport.clone();
    for _ in 0..steps {
        let share = |(&rank, &degree): (&f64, &f64)| if degree > 0.0 { rank / degree } else { 0.0 };
        let share: Vec<f64> = rank.iter().zip(degree).map(share).collect();
        let stuck: f64 = (0..nodes)
            .filter(|&node| degree[node] == 0.0)
            .map(|node| rank[node])
            .sum();
        let before = rank.clone();
        follow(
            &mut rank,
            damping,
            a,
            &share,
            1.0 - damping + damping * stuck,
            &teleport,
        )
        .unwrap();
        let total: f64 = rank.iter().sum();
        assert!((total - 1.0).abs() < 1e-9, "{}: {total}", A::NAME);
        assert_ne!(rank, before, "{}", A::NAME);
    }
    rank
}

#[test]
fn page_rank() {
    let (damping, steps) = (0.85, 15);
    for (name, graph) in graphs() {
        let expected = surfed(&neighbours(&graph), damping, steps);
        let links = graph.map(|_| 1.0);
        let mut degree = vec![f64::NAN; expected.len()];
        leaving(&mut degree, &links.convert::<Csr<f64>>().unwrap()).unwrap();
        let check = |own: Vec<f64>, format: &str| {
            for (node, (own, rank)) in own.iter().zip(&expected).enumerate() {
                assert!(
                    (own - rank).abs() <= 1e-12 * rank,
                    "{name} {format}: {node} {own} {rank}"
                );
            }
        };
        macro_rules! each {
            ($($format:ident)*) => {$(
                if let Some(a) = affordable::<$format<f64>>(name, &links) {
                    check(ranked(&a, &degree, damping, steps), stringify!($format));
                }
            )*};
        }
        each!(Csr Csc Coo Dok Sell BellCoo);
    }
}

/// Returns the links as `[i, j]` with `i < j`, whatever their direction was.
fn upper(graph: &Triplets<i64, 2>) -> Triplets<i64, 2> {
    let links: BTreeSet<[usize; 2]> = graph.coordinates().iter().map(|&[i, j]| [i.min(j), i.max(j)]).collect();
    Triplets::try_from_triplets(graph.shape(), links.into_iter().map(|link| (link, 1))).unwrap()
}

#[test]
fn triangles_of_graphs() {
    for (name, graph) in graphs() {
        let links = upper(&graph);
        let mut later = vec![BTreeSet::new(); links.shape()[0]];
        for &[i, j] in links.coordinates() {
            later[i].insert(j);
        }
        let common = |&[i, j]: &[usize; 2]| later[i].intersection(&later[j]).count() as i64;
        let expected: i64 = links.coordinates().iter().map(common).sum();
        assert!(expected > 0 || !name.contains("wiki"), "{name}");
        assert_eq!(
            triangles(&links.convert::<Csr<i64>>().unwrap()).unwrap(),
            expected,
            "{name}"
        );
        assert_eq!(
            triangles(&links.convert::<Dcsr<i64>>().unwrap()).unwrap(),
            expected,
            "{name}"
        );
        assert_eq!(
            triangles(&links.convert::<Csc<i64>>().unwrap()).unwrap(),
            expected,
            "{name}"
        );

        let rows: Csr<i64> = links.convert().unwrap();
        let masked = [
            closed(&rows, &rows, &rows).unwrap(),
            closed(
                &rows,
                &rows.convert::<Csc<i64>>().unwrap(),
                &rows.convert::<Dcsr<i64>>().unwrap(),
            )
            .unwrap(),
        ];
        for c in masked {
            let c: Csr<i64> = c;
            assert_eq!(c.values().iter().sum::<i64>(), expected, "{name}");
            assert!(c.values().iter().all(|&count| count > 0), "{name}");
        }
    }
}
