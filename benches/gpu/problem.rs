//! A product: a matrix times a vector, or times dense columns.

use unisparse::Triplets;
use unisparse::kernels::{spmm, spmv};
use unisparse::prelude::*;

use crate::harness::matrices::{Element, Entries};

/// The element types of a comparison.
pub(crate) trait Real: Element {}

impl Real for f32 {}
impl Real for f64 {}

pub(crate) struct Problem<T> {
    pub(crate) triplets: Triplets<T, 2>,
    pub(crate) csr: Csr<T>,
    pub(crate) columns: usize,
    /// The dense operand, row-major.
    pub(crate) x: Vec<T>,
    /// The result of the processor.
    expected: Vec<f64>,
    /// The sum of the magnitudes of the terms of each element.
    magnitudes: Vec<f64>,
}

impl<T: Real> Problem<T> {
    pub(crate) fn new(entries: &Entries<T>, columns: usize) -> Result<Self, String> {
        let triplets = entries.triplets();
        let csr: Csr<T> = triplets.convert().map_err(|error| error.to_string())?;
        let [rows, cols] = entries.shape;
        let x: Vec<T> = (0..cols * columns)
            .map(|at| T::rounded((at % 17) as f64 / 8.0 - 1.0))
            .collect();
        let product = |csr: &Csr<T>, x: &[T]| -> Result<Vec<f64>, String> {
            let mut y = vec![T::rounded(0.0); rows * columns];
            let done = match columns {
                1 => spmv(&mut y, csr, x),
                _ => spmm(&mut y, csr, x),
            };
            done.map_err(|error| error.to_string())?;
            Ok(y.into_iter().map(Into::into).collect())
        };
        let expected = product(&csr, &x)?;
        let absolute = |number: T| T::rounded(Into::<f64>::into(number).abs());
        let magnitudes = product(
            &csr.clone().map_values(absolute),
            &x.iter().copied().map(absolute).collect::<Vec<T>>(),
        )?;
        Ok(Problem {
            triplets,
            csr,
            columns,
            x,
            expected,
            magnitudes,
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.triplets.shape()[0]
    }

    /// Returns the bytes of the dense operand and of the result.
    pub(crate) fn bytes_of_vectors(&self) -> usize {
        (self.x.len() + self.rows() * self.columns) * size_of::<T>()
    }

    /// Compares a result with that of the processor.
    pub(crate) fn check(&self, found: &[f64]) -> Result<(), String> {
        if found.len() != self.expected.len() {
            return Err(format!("{} elements, not {}", found.len(), self.expected.len()));
        }
        let all = found.iter().zip(&self.expected).zip(&self.magnitudes).enumerate();
        for (at, ((found, expected), magnitude)) in all {
            let difference = (found - expected).abs();
            if difference.is_nan() || difference > T::TOLERANCE * magnitude {
                return Err(format!("{found}, not {expected}, at {at}"));
            }
        }
        Ok(())
    }
}
