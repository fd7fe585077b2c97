//! The tasks in sprs and ndarray, and by hand where sprs has nothing for them.

use ndarray::{Array2, ArrayView2};
use sprs::CsMat;
use sprs::binop::mul_mat_same_storage;
use sprs::prod::{mul_acc_mat_vec_csc, mul_acc_mat_vec_csr};

// == cg
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn cg(a: &CsMat<f64>, b: &[f64]) -> Vec<f64> {
    let scaled = |r: &[f64], d: &[f64]| -> Vec<f64> { r.iter().zip(d).map(|(r, d)| r / d).collect() };
    let diagonal = a.diag().to_dense().to_vec();
    let (mut x, mut r) = (vec![0.0; b.len()], b.to_vec());
    let mut p = scaled(&r, &diagonal);
    let mut rho = dot(&r, &p);
    while dot(&r, &r) > 1e-16 * dot(b, b) {
        let mut q = vec![0.0; b.len()];
        mul_acc_mat_vec_csr(a.view(), &p[..], &mut q[..]);
        let alpha = rho / dot(&p, &q);
        x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
        let z = scaled(&r, &diagonal);
        let beta = dot(&r, &z) / rho;
        rho *= beta;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
    }
    x
}

// == pagerank
pub(crate) fn pagerank(a: &CsMat<f64>) -> Vec<f64> {
    let degree: Vec<f64> = a.outer_iterator().map(|row| row.data().iter().sum()).collect();
    let n = a.rows();
    let (mut rank, mut share) = (vec![1.0 / n as f64; n], vec![0.0; n]);
    for _ in 0..50 {
        (0..n).for_each(|i| share[i] = 0.85 * rank[i] / degree[i].max(1.0));
        rank.fill((1.0 - dot(&share, &degree)) / n as f64);
        mul_acc_mat_vec_csc(a.transpose_view(), &share[..], &mut rank[..]);
    }
    rank
}

// == bfs
pub(crate) fn bfs(a: &CsMat<f64>) -> Vec<f64> {
    let mut level = vec![f64::INFINITY; a.rows()];
    let (mut front, mut depth) = (vec![0], 0.0);
    level[0] = 0.0;
    while !front.is_empty() {
        depth += 1.0;
        let mut next = Vec::new();
        for i in front {
            for &j in a.outer_view(i).expect("a row").indices() {
                if level[j] == f64::INFINITY {
                    level[j] = depth;
                    next.push(j);
                }
            }
        }
        front = next;
    }
    level
}

// == components
pub(crate) fn components(a: &CsMat<f64>) -> Vec<f64> {
    let mut label = vec![f64::INFINITY; a.rows()];
    for start in 0..a.rows() {
        let mut left = vec![start];
        while let Some(i) = left.pop() {
            if label[i] == f64::INFINITY {
                label[i] = start as f64;
                left.extend(a.outer_view(i).expect("a row").indices());
            }
        }
    }
    label
}

// == triangles
pub(crate) fn triangles(l: &CsMat<f64>) -> Vec<f64> {
    let square = l * l;
    vec![
        mul_mat_same_storage::<f64, f64, f64, _, _, _, _>(&square, l)
            .data()
            .iter()
            .sum(),
    ]
}

// == layer
pub(crate) fn layer(w: &CsMat<f32>, x: ArrayView2<'_, f32>) -> Array2<f32> {
    w * &x
}

// == galerkin
pub(crate) fn galerkin(a: &CsMat<f64>, p: &CsMat<f64>) -> CsMat<f64> {
    &(&p.transpose_view().to_csr() * a) * p
}
// ==
