//! The tasks in unisparse.

use unisparse::kernels::{mttkrp as times_khatri_rao, transpose};
use unisparse::prelude::*;

// == cg
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn cg<A: spmv<Scalar = f64> + MatrixOperations>(a: &A, b: &[f64]) -> Result<Vec<f64>, Error> {
    let scaled = |r: &[f64], d: &[f64]| -> Vec<f64> { r.iter().zip(d).map(|(r, d)| r / d).collect() };
    let (mut x, mut q, mut r, diagonal) = (vec![0.0; b.len()], vec![0.0; b.len()], b.to_vec(), a.diag()?);
    let mut p = scaled(&r, &diagonal);
    let mut rho = dot(&r, &p);
    while dot(&r, &r) > 1e-16 * dot(b, b) {
        spmv(&mut q, a, &p)?;
        let alpha = rho / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        let z = scaled(&r, &diagonal);
        let beta = dot(&r, &z) / rho;
        rho *= beta;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
    }
    Ok(x)
}

// == pagerank
sparse_kernel! {
    fn spread: next[j] += A[i, j] * share[i] where A: Csr;
}

pub(crate) fn pagerank(a: &Csr<f64>) -> Result<Vec<f64>, Error> {
    let (n, degree) = (a.shape()[0], a.row_sums()?);
    let (mut rank, mut share) = (vec![1.0 / n as f64; n], vec![0.0; n]);
    for _ in 0..50 {
        (0..n).for_each(|i| share[i] = 0.85 * rank[i] / degree[i].max(1.0));
        rank.fill((1.0 - dot(&share, &degree)) / n as f64);
        spread(&mut rank, a, &share)?;
    }
    Ok(rank)
}

// == bfs
sparse_kernel! {
    fn step: N[j] |= F[i] & A[i, j] if !seen[j] where F: SparseVec, A: Csr, N: SparseVec;
}

pub(crate) fn bfs(a: &Csr<bool>) -> Result<Vec<f64>, Error> {
    let n = a.shape()[0];
    let (mut seen, mut level, mut depth) = (vec![false; n], vec![f64::INFINITY; n], 0.0);
    let mut front = SparseVec::try_from_triplets([n], [([0], true)])?;
    while front.nnz() > 0 {
        front.iter().for_each(|([i], _)| (seen[i], level[i]) = (true, depth));
        front = step(&front, a, &seen)?;
        depth += 1.0;
    }
    Ok(level)
}

// == components
sparse_kernel! {
    fn least: next[i] min= label[j] & A[i, j] where A: Csr;
}

pub(crate) fn components(a: &Csr<u32>) -> Result<Vec<f64>, Error> {
    let mut label: Vec<u32> = (0..a.shape()[0] as u32).collect();
    loop {
        let mut next = label.clone();
        least(&mut next, &label, a)?;
        if next == label {
            return Ok(label.into_iter().map(f64::from).collect());
        }
        label = next;
    }
}

// == triangles
sparse_kernel! {
    fn count: s = L[i, k] * L[k, j] if L[i, j] where L: Csr;
}

pub(crate) fn triangles(l: &Csr<f64>) -> Result<Vec<f64>, Error> {
    Ok(vec![count(l)?])
}

// == layer
pub(crate) fn layer(w: &Csr<f32>, x: &[f32]) -> Result<Vec<f32>, Error> {
    let mut h = vec![0.0; w.shape()[0] * 64];
    spmm(&mut h, w, x)?;
    Ok(h)
}

// == galerkin
sparse_kernel! {
    fn coarse: C[a, b] = R[a, k] * A[k, l] * P[l, b] where R: Csr, A: Csr, P: Csr, C: Csr;
}

pub(crate) fn galerkin(a: &Csr<f64>, p: &Csr<f64>) -> Result<Csr<f64>, Error> {
    let r: Csr<f64> = transpose(p)?;
    coarse(&r, a, p)
}

// == mttkrp
pub(crate) fn mttkrp(x: &Csf<f64>, b: &[f64], c: &[f64]) -> Result<Vec<f64>, Error> {
    let mut m = vec![0.0; x.shape()[0] * 16];
    times_khatri_rao(&mut m, x, b, c)?;
    Ok(m)
}

// == format
sparse_format! {
    pub(crate) format Banded = |i, j| (block: i / 64, diag: j - i, lane: i % 64) { merge(block); trim(diag); }
}

pub(crate) fn format(a: &Banded<f64>, x: &[f64]) -> Result<Vec<f64>, Error> {
    let mut y = vec![0.0; a.shape()[0]];
    spmv(&mut y, a, x)?;
    Ok(y)
}
// ==
