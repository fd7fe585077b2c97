//! What elements are read from: the trait of all sources, checked counts, the elements of any format, and lent arrays.

mod bounds;
mod duplicates;
mod elements;
pub(crate) mod lend;
mod transposed;
mod walk;
mod within;

pub(crate) use bounds::{check_coordinate, check_inside, checked_count, outside};
pub use duplicates::Duplicates;
pub(crate) use duplicates::twice;
pub use elements::{Elements, equal, same_elements};
pub(crate) use transposed::Transposed;
pub use within::Within;

use core::ops::Range;

use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Order, Tree};
use crate::limit::Limit;
use lend::Arrays;

/// A source of elements to visit: triplets, or a tensor in any format.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sparse operand of {N} dims",
    label = "expected a tensor in a declared format",
    note = "the operands of a kernel stand in the order of its statement: the output, then the inputs",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`"
)]
pub trait Source<const N: usize>: Sync {
    /// The stored type of an element.
    type Scalar: Stored;

    /// The order of [`for_each`](Source::for_each), if the type determines it.
    #[doc(hidden)]
    const ORDER: Order = Order::Unknown;

    /// The kind of each level, if there are arrays to lend.
    #[doc(hidden)]
    const KINDS: &'static [Kind] = &[];

    /// Returns the kind of each level of the arrays that are lent: [`KINDS`](Source::KINDS), or the same with untrimmed levels
    /// in place of merged ones.
    #[doc(hidden)]
    fn kinds(&self) -> &'static [Kind] {
        Self::KINDS
    }

    /// Returns the extent of each dim.
    fn shape(&self) -> [usize; N];

    /// Returns an upper bound of the number of elements.
    ///
    /// Not called for sources outside this crate: for these, a visit counts the elements first and checks that they are inside
    /// the shape.
    fn count(&self) -> usize;

    /// Whether every coordinate is known to be inside the shape on every visit, and [`count`](Source::count) is at most the number
    /// of positions that this source holds in memory, so that memory proportional to it may be reserved.
    ///
    /// Only for the tensors of this crate and of generated code: arrays made from their coordinates are not checked again, and
    /// unchecked accesses rely on these.
    #[doc(hidden)]
    const IS_CHECKED: bool = false;

    /// Whether a coordinate may be repeated, as in triplets.
    #[doc(hidden)]
    const HAS_DUPLICATES: bool = false;

    /// Visits every element once, in storage order and without holes. Every visit must yield the same elements, inside the
    /// shape: conversions visit several times, and panic or fail otherwise.
    fn for_each(&self, visit: impl FnMut([usize; N], Self::Scalar));

    /// Returns ascending borders that cut the visit into at most `pieces` pieces with about equal numbers of elements. The
    /// borders range from 0 to the number of iterations of the outermost loop.
    #[doc(hidden)]
    fn borders(&self, _pieces: usize) -> Vec<usize> {
        vec![0, 1]
    }

    /// Visits the elements between two of the [`borders`](Source::borders), in the order of
    /// [`for_each`](Source::for_each).
    ///
    /// # Panics
    /// If `piece` is not between borders of this source.
    #[doc(hidden)]
    fn for_each_between(&self, piece: Range<usize>, visit: impl FnMut([usize; N], Self::Scalar)) {
        if !piece.is_empty() {
            self.for_each(visit);
        }
    }

    /// Converts the elements to any format.
    ///
    /// ```
    /// # use unisparse_rt as unisparse;
    /// use unisparse::{Error, Source, SparseTensor};
    /// # use unisparse::Triplets;
    ///
    /// /// The matrix times a number, in a format that the caller chooses.
    /// fn scaled<F>(a: &impl Source<2, Scalar = f64>, by: f64) -> Result<F, Error>
    /// where
    ///     F: SparseTensor<2, Scalar = f64>,
    /// {
    ///     let mut scaled: F = a.convert()?;
    ///     scaled.update(|_, value| by * value)?;
    ///     Ok(scaled)
    /// }
    /// # let a = Triplets::try_from_triplets([2, 3], [([1, 2], 0.5)])?;
    /// # let b: Triplets<f64, 2> = scaled(&a, 4.0)?;
    /// # assert_eq!(b.get([1, 2]), Some(2.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Limit` if the storage would take more than the default [`Limit`], `Overflow` if an index or pointer does not fit its
    /// declared width or the result of a query does not fit, `Duplicate` if there are duplicates and the policy refuses them.
    fn convert<F: Target<N, Self::Scalar>>(&self) -> Result<F, Error>
    where
        Self: Sized,
    {
        F::from_source(self, Limit::default())
    }

    /// As [`convert`](Source::convert), under the caller's limit.
    ///
    /// # Errors
    /// As [`convert`](Source::convert).
    fn convert_within<F: Target<N, Self::Scalar>>(&self, limit: Limit) -> Result<F, Error>
    where
        Self: Sized,
    {
        F::from_source(self, limit)
    }

    /// Counts the elements by their coordinates in a dim, shifted right by `shift` bits, without a visit, and returns
    /// `true`, if an array holds these coordinates.
    #[doc(hidden)]
    fn count_coordinates(&self, _dim: usize, _shift: u32, _counts: &mut [u32]) -> bool {
        false
    }

    /// Scans the elements for an order of dims by which they ascend lexicographically. Also returns whether each
    /// coordinate occurs once.
    #[doc(hidden)]
    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        None
    }

    /// Returns the policy for repeated coordinates. Declared formats never have duplicates.
    fn duplicates(&self) -> Duplicates {
        Duplicates::Reject
    }

    /// Returns the values that [`lend`](Source::lend) lends, if there are arrays to lend.
    #[doc(hidden)]
    fn lent_values(&self) -> impl ExactSizeIterator<Item = Self::Scalar> + '_ {
        core::iter::empty()
    }

    /// Lends the arrays of all levels and the values.
    #[doc(hidden)]
    fn lend<'a>(&'a self, _to: &mut Arrays<'a, Self::Scalar>) {}

    /// Moves the arrays of all levels and the values out.
    #[doc(hidden)]
    fn give(self, _to: &mut Arrays<'_, Self::Scalar>)
    where
        Self: Sized,
    {
    }
}

/// What the elements of a source are converted to: a tensor in any format that has as many dims and the same element type.
#[diagnostic::on_unimplemented(
    message = "a source of {N} dims with elements of `{T}` cannot be converted to `{Self}`",
    note = "convert to a format with {N} dims and elements of `{T}`",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = a.convert()?`"
)]
pub trait Target<const N: usize, T: Stored>: Sized {
    /// Builds the storage from the elements of a source, of at most the bytes of the limit.
    ///
    /// # Errors
    /// As [`convert`](Source::convert).
    fn from_source<S: Source<N, Scalar = T>>(source: &S, limit: Limit) -> Result<Self, Error>;
}

/// The scalar type that the elements of a source read as, in which kernels compute.
pub type ValueOf<S, const N: usize> = <<S as Source<N>>::Scalar as Stored>::Value;

/// A tensor that is cut into parts, each with arrays of its own.
pub trait Partitioned<const N: usize, const M: usize>: Source<N> {
    /// One part.
    type Part: Tree<N, M>;
    /// Returns the parts, in storage order.
    fn parts(&self) -> &[Self::Part];
}
