//! Conjugate gradients, on one machine or on several.

use unisparse::prelude::*;

use super::vector::Vector;

/// The residual, relative to the right side, at which a solver stops.
pub(crate) const TOLERANCE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 5000;

/// A preconditioner: writes an approximation of `A⁻¹ r`, where `r` is the second argument, to the first.
pub(crate) type Precondition<'a> = dyn Fn(&mut [f64], &[f64]) -> Result<(), Error> + 'a;

/// A matrix that such vectors can be multiplied by.
pub(crate) trait Multiply<V: Vector> {
    /// Sets `y` to the product with `x`.
    fn multiply(&self, y: &mut V, x: &V) -> Result<(), V::Error>;
}

impl<A: spmv<Scalar = f64>> Multiply<Vec<f64>> for A {
    fn multiply(&self, y: &mut Vec<f64>, x: &Vec<f64>) -> Result<(), Error> {
        spmv(y, self, x)
    }
}

/// Solves `A x = b` for any format by conjugate gradients, from `x = 0`. Returns `x`, and the norm of the residual after each iteration,
/// relative to that of `b`.
pub(crate) fn cg<V: Vector, A: Multiply<V>>(
    a: &A,
    b: &V,
    tolerance: f64,
    precondition: &Precondition<'_>,
) -> Result<(V, Vec<f64>), V::Error> {
    let mut x = b.clone();
    x.elements_mut().fill(0.0);
    let (mut r, length) = (b.clone(), dot(b, b).sqrt());
    let mut residuals = vec![1.0];
    if length == 0.0 {
        return Ok((x, residuals));
    }
    let (mut z, mut q) = (x.clone(), x.clone());
    precondition(z.elements_mut(), r.elements())?;
    let (mut p, mut rz) = (z.clone(), dot(&r, &z));
    while residuals.last().is_some_and(|last| *last > tolerance) && residuals.len() <= MOST_ITERATIONS {
        a.multiply(&mut q, &p)?;
        let step = rz / dot(&p, &q);
        add(&mut x, step, &p);
        add(&mut r, -step, &q);
        precondition(z.elements_mut(), r.elements())?;
        let before = std::mem::replace(&mut rz, dot(&r, &z));
        let (p, z) = (p.elements_mut(), z.elements());
        p.iter_mut().zip(z).for_each(|(p, z)| *p = z + rz / before * *p);
        residuals.push(dot(&r, &r).sqrt() / length);
    }
    Ok((x, residuals))
}

/// Adds `factor` times `more` to `x`.
fn add<V: Vector>(x: &mut V, factor: f64, more: &V) {
    let (x, more) = (x.elements_mut(), more.elements());
    x.iter_mut().zip(more).for_each(|(x, more)| *x += factor * more);
}

fn dot<V: Vector>(x: &V, y: &V) -> f64 {
    x.total(products(x.elements(), y.elements()))
}

/// Returns the sum of the products of the elements.
pub(crate) fn products(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
