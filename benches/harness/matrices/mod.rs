//! The matrices: generated ones, those of the paper that follow a rule, and real ones if present.

mod compressed;
pub(crate) mod families;
mod paper;
mod patterns;
mod recipes;

use faer::traits::num_traits;
use nalgebra_sparse::na;
use unisparse::Triplets;

pub(crate) use compressed::Compressed;
pub(crate) use recipes::{Recipe, Set, recipes};

use super::random::Random;

/// The element types that all peers have.
pub(crate) trait Element:
    unisparse::Scalar
    + Into<f64>
    + From<f32>
    + std::fmt::Display
    + Default
    + num_traits::Float
    + num_traits::NumAssign
    + na::ClosedAddAssign
    + na::ClosedMulAssign
    + faer::traits::ComplexField
    + faer::traits::Conjugate<Canonical = Self>
{
    const NAME: &'static str;
    /// The allowed error of a sum, relative to the sum of the magnitudes of its terms: libraries add in different orders.
    const TOLERANCE: f64;

    /// Returns the nearest value to `value`.
    fn rounded(value: f64) -> Self;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    const TOLERANCE: f64 = 1e-4;
    fn rounded(value: f64) -> Self {
        value as f32
    }
}
impl Element for f64 {
    const NAME: &'static str = "f64";
    const TOLERANCE: f64 = 1e-12;
    fn rounded(value: f64) -> Self {
        value
    }
}

/// Elements in some order, without duplicate coordinates or zeros.
#[derive(Clone)]
pub(crate) struct Entries<T> {
    pub shape: [usize; 2],
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub values: Vec<T>,
}

/// An order of elements.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Arrangement {
    /// Sorted by row, then by column.
    Rows,
    /// Sorted by column, then by row, as in most Matrix Market files.
    Columns,
    Shuffled,
}

impl<T: Element> Entries<T> {
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the same elements in another order.
    pub(crate) fn arranged(&self, arrangement: Arrangement) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        match arrangement {
            Arrangement::Rows => {}
            Arrangement::Columns => order.sort_by_key(|&at| self.cols[at]),
            Arrangement::Shuffled => Random(0x2545_f491_4f6c_dd1d).shuffle(&mut order),
        }
        Entries {
            shape: self.shape,
            rows: order.iter().map(|&at| self.rows[at]).collect(),
            cols: order.iter().map(|&at| self.cols[at]).collect(),
            values: order.iter().map(|&at| self.values[at]).collect(),
        }
    }

    /// Returns the transpose, sorted by row.
    pub(crate) fn transposed(&self) -> Self {
        let by_columns = self.arranged(Arrangement::Columns);
        Entries {
            shape: [self.shape[1], self.shape[0]],
            rows: by_columns.cols,
            cols: by_columns.rows,
            values: by_columns.values,
        }
    }

    pub(crate) fn triplets(&self) -> Triplets<T, 2> {
        let coordinates = self
            .rows
            .iter()
            .zip(&self.cols)
            .map(|(&i, &j)| [i as usize, j as usize]);
        let triplets = coordinates.zip(self.values.iter().copied());
        Triplets::try_from_triplets(self.shape, triplets).expect("the pattern lies in the shape")
    }
}

/// The coordinates of elements.
#[derive(PartialEq)]
pub(crate) struct Pattern {
    shape: [usize; 2],
    /// Sorted by row, without duplicates.
    places: Vec<[u32; 2]>,
}

impl Pattern {
    fn new(shape: [usize; 2], mut places: Vec<[u32; 2]>) -> Self {
        places.sort_unstable();
        places.dedup();
        Pattern { shape, places }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the greater extent.
    pub(crate) fn longest(&self) -> usize {
        self.shape[0].max(self.shape[1])
    }

    /// Adds small integers as values, which both element types represent exactly and which differ between neighbours.
    pub(crate) fn entries<T: Element>(&self) -> Entries<T> {
        let value = |at: usize| T::rounded((at.wrapping_mul(0x9e37) % 1021 + 1) as f64);
        Entries {
            shape: self.shape,
            rows: self.places.iter().map(|place| place[0]).collect(),
            cols: self.places.iter().map(|place| place[1]).collect(),
            values: (0..self.places.len()).map(value).collect(),
        }
    }
}
