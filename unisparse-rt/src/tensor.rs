//! What every declared format offers to generic code.

use std::ops::Range;

use crate::advise::Profile;
use crate::encoding::{Encoded, Order};
use crate::estimate::Counting;
use crate::level::Kind;
use crate::mutate::Arrays;
use crate::{Advice, Describe, Duplicates, Error, Estimate, Index, Limit, Stored};

/// Something whose elements can be visited: triplets, or a tensor in any format.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sparse operand of {N} dimensions",
    label = "expected a tensor in a declared format",
    note = "the operands of a kernel stand in the order of its statement: the output, then the inputs"
)]
pub trait Source<const N: usize>: Sync {
    /// What is stored of each element.
    type Scalar: Stored;

    /// The order of [`for_each`](Source::for_each), as far as the type tells it.
    #[doc(hidden)]
    const ORDER: Order = Order::Unknown;

    /// How each level is stored, if there are arrays to lend.
    #[doc(hidden)]
    const KINDS: &'static [Kind] = &[];

    /// How each level of the arrays that are lent is stored: as [`KINDS`](Source::KINDS), or levels that are not trimmed in
    /// the place of merged ones.
    #[doc(hidden)]
    fn kinds(&self) -> &'static [Kind] {
        Self::KINDS
    }

    /// The extent of each dimension.
    fn shape(&self) -> [usize; N];

    /// An upper bound of the number of elements.
    ///
    /// Of a source outside this crate it is not asked: a visit counts its elements first, and checks that they are inside
    /// the shape.
    fn count(&self) -> usize;

    /// Whether every coordinate is known to be inside the shape, and [`count`](Source::count) is at most the number of
    /// positions that this source holds in memory, so that memory in proportion to it may be reserved.
    #[doc(hidden)]
    const IS_CHECKED: bool = false;

    /// Visits every element once, in storage order, holes left out; the same ones on every visit, inside the shape.
    /// Conversions visit more than once, and panic or fail where a source does not keep to this.
    fn for_each(&self, visit: impl FnMut([usize; N], Self::Scalar));

    /// Where to cut the visit into at most `pieces` pieces with about as many elements each: ascending borders, from 0 to
    /// the end, of what the outermost loop goes over.
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

    /// Dimensions along which the elements come in lexicographic order, and whether each coordinate comes once, where
    /// that is found by looking at them.
    #[doc(hidden)]
    fn sorted_by(&self) -> Option<([usize; N], bool)> {
        None
    }

    /// What to do where a coordinate comes twice. No declared format has duplicates.
    fn duplicates(&self) -> Duplicates {
        Duplicates::Reject
    }

    /// The values that [`lend`](Source::lend) lends, if there are arrays to lend.
    #[doc(hidden)]
    fn lent_values(&self) -> impl ExactSizeIterator<Item = Self::Scalar> + '_ {
        core::iter::empty()
    }

    /// Lends the arrays of all levels and the values.
    #[doc(hidden)]
    fn lend<'a>(&'a self, _to: &mut Arrays<'a, Self::Scalar>) {}

    /// Gives the arrays of all levels and the values away.
    #[doc(hidden)]
    fn give(self, _to: &mut Arrays<'_, Self::Scalar>)
    where
        Self: Sized,
    {
    }
}

/// What the elements of a source read as: what a kernel over it computes with.
pub type ValueOf<S, const N: usize> = <<S as Source<N>>::Scalar as Stored>::Value;

/// The elements of a source that are not zero.
struct Nonzeros<'a, S>(&'a S);

impl<S: Source<N>, const N: usize> Source<N> for Nonzeros<'_, S> {
    type Scalar = S::Scalar;
    const ORDER: Order = S::ORDER;
    const IS_CHECKED: bool = S::IS_CHECKED;

    fn shape(&self) -> [usize; N] {
        self.0.shape()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn for_each(&self, mut visit: impl FnMut([usize; N], Self::Scalar)) {
        self.0.for_each(|coordinate, value| {
            if !value.reads_zero() {
                visit(coordinate, value);
            }
        });
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.0.borders(pieces)
    }

    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; N], Self::Scalar)) {
        self.0.for_each_between(piece, |coordinate, value| {
            if !value.reads_zero() {
                visit(coordinate, value);
            }
        });
    }
}

/// `tensor` without its explicit zeros, in the same format.
///
/// # Errors
/// As [`SparseTensor::assemble`], though what fitted before fits after.
pub fn drop_zeros<F: SparseTensor<N>, const N: usize>(tensor: &F) -> Result<F, Error> {
    F::assemble(&Nonzeros(tensor), Limit::none())
}

/// What no format is: the bound of methods that exist to say why they cannot be called.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `map_values`: a query of its format compares values",
    label = "other values belong in other places",
    note = "make it anew: `Format::try_from_triplets(a.shape(), a.iter().map(|(at, value)| (at, f(value))))`"
)]
pub trait FreeValues {}

/// A tensor of `N` dimensions in a format declared with `sparse_format!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sparse format of {N} dimensions",
    note = "declare a format with `sparse_format! {{ pub format Name = |i, j| (..) {{ .. }} }}`"
)]
pub trait SparseTensor<const N: usize>: Source<N> + Encoded + Sized {
    /// The name it was declared with.
    const NAME: &'static str;

    /// The integers in which kernels collect the coordinates of a result in this format: `u64` where a level is declared
    /// as wide as that, else `u32`.
    #[doc(hidden)]
    type Coordinate: Index;

    /// The level table: each level's expression, storage and the reason for it.
    fn describe() -> Describe;

    /// How many elements are stored, holes not counted. `O(1)`, but `O(stored)` for formats with holes.
    fn nnz(&self) -> usize;

    /// How many positions are held, holes counted.
    fn stored(&self) -> usize;

    /// The bytes that the entries of all arrays take, values included; spare capacity is not counted.
    fn bytes(&self) -> usize;

    /// The values in storage order, holes included.
    fn values(&self) -> impl ExactSizeIterator<Item = Self::Scalar> + '_;

    /// This tensor in another format.
    ///
    /// # Errors
    /// As [`assemble`](SparseTensor::assemble).
    fn convert<F: SparseTensor<N, Scalar = Self::Scalar>>(&self) -> Result<F, Error> {
        F::assemble(self, Limit::default())
    }

    /// This tensor in another format, under a limit of the caller's.
    ///
    /// # Errors
    /// As [`assemble`](SparseTensor::assemble).
    fn convert_within<F: SparseTensor<N, Scalar = Self::Scalar>>(&self, limit: Limit) -> Result<F, Error> {
        F::assemble(self, limit)
    }

    /// How large this tensor is in another format, without building it.
    ///
    /// # Errors
    /// As [`estimate_of`](SparseTensor::estimate_of).
    fn estimate<F: SparseTensor<N, Scalar = Self::Scalar>>(&self) -> Result<Estimate, Error> {
        F::estimate_of(self)
    }

    /// How large the elements of any source are in this format, without building it, and whatever the
    /// [`Limit`] on it would be.
    ///
    /// Takes a word for each element, and the time of sorting these, unless the elements come in storage order. A format
    /// with queries evaluates them.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them, `Overflow` if coordinates or the result of a
    /// query do not fit, `Limit` if a table that a query needs exceeds the default [`Limit`].
    fn estimate_of<S: Source<N, Scalar = Self::Scalar>>(source: &S) -> Result<Estimate, Error> {
        let parts = Self::profiles_of(source, &Counting::All)?;
        Ok(parts.iter().map(Profile::estimate).sum())
    }

    /// How large the elements of any source are in this format, and how long a product would take, without building it.
    ///
    /// Sizes are exact. The time is that of a model: what the loops of the format do, counted exactly, and constants of a
    /// machine of today; it is meant to compare formats with, see [`Advisor`](crate::Advisor). Takes the time and the
    /// memory of [`estimate_of`](SparseTensor::estimate_of). That a conversion would be refused is part of the advice.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them.
    fn advise<S: Source<N, Scalar = Self::Scalar>>(source: &S) -> Result<Advice, Error> {
        Advice::of::<Self, N>(source)
    }

    /// The size of each part, and what it takes to go through it; of a format that has no parts, in each case.
    #[doc(hidden)]
    fn profiles_of<S: Source<N, Scalar = Self::Scalar>>(source: &S, counting: &Counting)
    -> Result<Vec<Profile>, Error>;

    /// This tensor in another format, consumed: arrays that both formats have alike are moved, not copied.
    ///
    /// Formats with one index map, as `Csr`, `Dcsr` and `Coo`, differ in the arrays of a few levels. Only these are made
    /// anew, in one pass each; the others and the values stay where they are in memory. Between other formats, and where
    /// there are queries, the elements are assembled.
    ///
    /// # Errors
    /// As [`assemble`](SparseTensor::assemble). The tensor is lost then; [`convert`](SparseTensor::convert) keeps it.
    fn convert_into<F: SparseTensor<N, Scalar = Self::Scalar>>(self) -> Result<F, Error> {
        F::assemble_from(self, Limit::default())
    }

    /// [`convert_into`](SparseTensor::convert_into) under a limit of the caller's.
    ///
    /// # Errors
    /// As [`convert_into`](SparseTensor::convert_into).
    fn convert_into_within<F: SparseTensor<N, Scalar = Self::Scalar>>(self, limit: Limit) -> Result<F, Error> {
        F::assemble_from(self, limit)
    }

    /// [`assemble`](SparseTensor::assemble) from a source that is consumed.
    #[doc(hidden)]
    fn assemble_from<S: Source<N, Scalar = Self::Scalar>>(source: S, limit: Limit) -> Result<Self, Error> {
        Self::assemble(&source, limit)
    }

    /// Builds the storage of this format from the elements of any source.
    ///
    /// `O(n)` where the elements come in this format's storage order, else a radix sort of them:
    /// `O(n * bits)` for the bits that the level domains take. A format with queries reads the elements in logical
    /// order first, and evaluates them: a few passes and radix sorts more, over the elements and the groups.
    ///
    /// # Errors
    /// `Limit`, `Overflow` or `Duplicate`, as [`Triplets::convert`](crate::Triplets::convert) says.
    fn assemble<S: Source<N, Scalar = Self::Scalar>>(source: &S, limit: Limit) -> Result<Self, Error>;
}
