//! The interface of every declared format to generic code.

use std::ops::Range;

use crate::describe::Describe;
use crate::element::{Index, Stored};
use crate::error::Error;
use crate::format::{Encoded, Order};
use crate::limit::Limit;
use crate::model::estimate::Counting;
use crate::model::{Advice, Estimate, Profile};
use crate::refill::{Places, displaced, values_of};
use crate::source::{Source, Target};

/// The elements of a source without zeros.
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

/// Returns `tensor` without its explicit zeros, in the same format.
///
/// # Errors
/// As [`SparseTensor::assemble`], though what fitted with the zeros also fits without them.
pub fn drop_zeros<F: SparseTensor<N>, const N: usize>(tensor: &F) -> Result<F, Error> {
    F::assemble(&Nonzeros(tensor), Limit::none())
}

/// Replaces all values.
fn replace<F: SparseTensor<N>, const N: usize>(tensor: &mut F, values: &[F::Scalar]) -> Result<(), Error> {
    for (position, (old, &new)) in tensor.values().zip(values).enumerate() {
        if !F::keeps_place(old, new) {
            return Err(displaced(F::NAME, position, [old, new]));
        }
    }
    let mut new = values.iter();
    tensor.visit_values(|value| {
        if let Some(new) = new.next() {
            *value = *new;
        }
    });
    Ok(())
}

/// A trait without implementations: the bound of methods that exist only to explain why they cannot be called.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `map_values`: a query of its format compares values",
    label = "other values belong in other places",
    note = "make it anew: `Format::try_from_triplets(a.shape(), a.iter().map(|(at, value)| (at, f(value))))`"
)]
pub trait FreeValues {}

/// A tensor of `N` dims in a format declared with `sparse_format!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sparse format of {N} dims",
    note = "declare a format with `sparse_format! {{ pub format Name = |i, j| (..) {{ .. }} }}`",
    note = "if the type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`"
)]
pub trait SparseTensor<const N: usize>: Source<N> + Encoded + Sized {
    /// The name of the format as declared.
    const NAME: &'static str;

    /// The integer type in which kernels collect the coordinates of a result in this format: `u64` if a level is declared
    /// that wide, else `u32`.
    #[doc(hidden)]
    type Coordinate: Index;

    /// Returns the level table: each level's expression, its storage and the reason for it.
    fn describe() -> Describe;

    /// Returns the number of stored elements, excluding holes. `O(1)`, but `O(stored)` for formats with holes.
    fn nnz(&self) -> usize;

    /// Returns the number of stored positions, including holes.
    fn stored(&self) -> usize;

    /// Returns the bytes of the entries of all arrays, including values but not spare capacity.
    fn bytes(&self) -> usize;

    /// Returns the values in storage order, including holes.
    fn values(&self) -> impl ExactSizeIterator<Item = Self::Scalar> + '_;

    /// Iterates over the elements, in storage order, without holes: the same as the method `iter` that each format has.
    ///
    /// ```
    /// # use unisparse_rt as unisparse;
    /// # use unisparse::{SparseTensor, Triplets};
    /// fn greatest<A: SparseTensor<2, Scalar = f64>>(a: &A) -> Option<f64> {
    ///     a.iter().map(|(_, value)| value).reduce(f64::max)
    /// }
    /// let a = Triplets::try_from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], 4.0)])?;
    /// assert_eq!(greatest(&a), Some(4.0));
    /// # Ok::<(), unisparse::Error>(())
    /// ```
    fn iter(&self) -> impl Iterator<Item = ([usize; N], Self::Scalar)> + '_ {
        self.fiber([])
    }

    /// Iterates over the elements whose coordinates lie in a range for each dim, in storage order, without holes. Ranges
    /// may reach beyond the shape.
    ///
    /// Levels of which the ranges determine the coordinates are searched: dense ones in `O(1)` below each node above, levels with
    /// an `idx` array in `O(log n)`. Levels that depend on a query, and levels whose
    /// coordinate another level determines, are visited as a whole.
    fn within(&self, ranges: [Range<usize>; N]) -> impl Iterator<Item = ([usize; N], Self::Scalar)> + '_;

    /// Iterates over the coordinates and positions of the elements in a box, in storage order. With `holes`, also over those of
    /// holes where an element with the coordinate of the position would be stored.
    #[doc(hidden)]
    fn positions(&self, ranges: [Range<usize>; N], holes: bool) -> impl Iterator<Item = ([usize; N], usize)> + '_;

    /// Passes every value to `visit`, in the order of [`values`](SparseTensor::values).
    #[doc(hidden)]
    fn visit_values(&mut self, visit: impl FnMut(&mut Self::Scalar));

    /// Returns whether an element may have the value `new` in place of `old`: whether all queries of the format that compare
    /// values give the same for both.
    #[doc(hidden)]
    fn keeps_place(_old: Self::Scalar, _new: Self::Scalar) -> bool {
        true
    }

    /// Replaces the value of each element by what `value` returns for its coordinate and its old value. No array of coordinates
    /// changes. `O(stored)`, and memory for as many values.
    ///
    /// ```
    /// # use unisparse_rt as unisparse;
    /// # use unisparse::{Source, SparseTensor, Triplets};
    /// # fn example<A: SparseTensor<2, Scalar = f64>>(mut a: A) -> Result<(), unisparse::Error> {
    /// a.update(|[i, j], value| if i == j { value + 1.0 } else { value })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// In a format with holes, an element that becomes zero becomes a hole.
    ///
    /// # Errors
    /// `Structure` if a query of the format compares values, and places a new value elsewhere than the old one. Then the tensor
    /// is unchanged.
    fn update(&mut self, mut value: impl FnMut([usize; N], Self::Scalar) -> Self::Scalar) -> Result<(), Error> {
        let mut values: Vec<Self::Scalar> = self.values().collect();
        for (at, position) in self.positions(self.shape().map(|extent| 0..extent), false) {
            values[position] = value(at, values[position]);
        }
        replace(self, &values)
    }

    /// Replaces the value of each element by `value`; holes stay holes. Time, memory and errors as for
    /// [`update`](SparseTensor::update).
    ///
    /// # Errors
    /// As [`update`](SparseTensor::update).
    fn fill(&mut self, value: Self::Scalar) -> Result<(), Error> {
        self.update(|_, _| value)
    }

    /// Replaces all values by those of a source with elements at the same coordinates, as a time step or an iteration of
    /// Newton's method needs it: nothing is sorted, and no array of coordinates changes. Elements that the source does not have
    /// become zero. Repeated coordinates of the source are combined by its [`Duplicates`](crate::Duplicates) policy.
    ///
    /// `O(stored)` if the source has the same elements in the same order. Other elements are searched for one by one, as
    /// [`get`](SparseTensor::get) does. Takes memory for as many values as are stored.
    ///
    /// In a format with holes, an element that becomes zero becomes a hole. A later call finds it again only if each hole has
    /// a coordinate of its own, as in dense blocks; the rows of an `Ell` are padded by holes without coordinates.
    ///
    /// # Errors
    /// `Shape` if the shapes differ, `Structure` if the source has an element where the tensor has no place for it, or if a
    /// query of the format compares values and gives other places, `Duplicate` if the policy refuses a repeated coordinate.
    /// Then the tensor is unchanged.
    fn refill<S: Source<N, Scalar = Self::Scalar>>(&mut self, source: &S) -> Result<(), Error> {
        let places = Places {
            shape: self.shape(),
            stored: self.stored(),
            elements: self.positions(self.shape().map(|extent| 0..extent), false),
            find: |at: [usize; N]| {
                let point = at.map(|at| at..at.saturating_add(1));
                self.positions(point, true).next().map(|(_, position)| position)
            },
        };
        let values = values_of(places, source)?;
        replace(self, &values)
    }

    /// Returns the element at a coordinate; `None` if none is stored there. Takes the time of [`within`](SparseTensor::within):
    /// `O(log n)` in `Csr`, where `n` elements are in the row.
    fn get(&self, at: [usize; N]) -> Option<Self::Scalar> {
        let ranges = at.map(|at| at..at.saturating_add(1));
        self.within(ranges).next().map(|(_, value)| value)
    }

    /// Iterates over the elements whose first coordinates are these: of a row of a matrix, a slice or a fiber of a tensor. In
    /// storage order, without holes; takes the time of [`within`](SparseTensor::within).
    fn fiber<const K: usize>(&self, first: [usize; K]) -> impl Iterator<Item = ([usize; N], Self::Scalar)> + '_ {
        const { assert!(K <= N, "a fiber has no more coordinates than the tensor has dims") };
        let shape = self.shape();
        let range = |dim: usize| first.get(dim).map_or(0..shape[dim], |&at| at..at.saturating_add(1));
        self.within(core::array::from_fn(range))
    }

    /// Returns the size of this tensor in another format, without building it.
    ///
    /// # Errors
    /// As [`estimate_of`](SparseTensor::estimate_of).
    fn estimate<F: SparseTensor<N, Scalar = Self::Scalar>>(&self) -> Result<Estimate, Error> {
        F::estimate_of(self)
    }

    /// Returns the size of the elements of any source in this format, without building it and regardless of the [`Limit`] on
    /// the result.
    ///
    /// Takes one word per element, and the time to sort these unless the elements come in storage order. A format with queries
    /// evaluates them.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them, `Overflow` if coordinates or the result of a
    /// query do not fit, `Limit` if a table that a query needs exceeds the default [`Limit`].
    fn estimate_of<S: Source<N, Scalar = Self::Scalar>>(source: &S) -> Result<Estimate, Error> {
        let parts = Self::profiles_of(source, &Counting::All)?;
        Ok(parts.iter().map(Profile::estimate).sum())
    }

    /// Returns the size of the elements of any source in this format, and the modelled time of a product, without building it.
    ///
    /// Sizes are exact. The time comes from a model with exact counts of loop iterations, sampled accesses to vectors, and constants of
    /// this machine if it is calibrated, see [`calibrate`](crate::calibrate), else of an x86-64 server. It is meant for comparing
    /// formats, see [`Advisor`](crate::Advisor). Takes the time and memory of
    /// [`estimate_of`](SparseTensor::estimate_of). If a conversion would be refused, the advice says so.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the source refuses them.
    fn advise<S: Source<N, Scalar = Self::Scalar>>(source: &S) -> Result<Advice, Error> {
        Advice::new(Self::describe().title(), Self::profiles_of(source, &Counting::All))
    }

    /// Returns the size and the traversal cost of each part; for a format without parts, of each case of `counting`.
    #[doc(hidden)]
    fn profiles_of<S: Source<N, Scalar = Self::Scalar>>(source: &S, counting: &Counting)
    -> Result<Vec<Profile>, Error>;

    /// Converts this tensor to another format and consumes it: arrays that both formats share are moved, not copied.
    ///
    /// Formats with equal index maps, such as `Csr`, `Dcsr` and `Coo`, differ in the arrays of a few levels. Only these arrays
    /// are rebuilt, in one pass each; the other arrays and the values keep their memory. Between other formats, and for formats
    /// with queries, the elements are assembled.
    ///
    /// # Errors
    /// As [`assemble`](SparseTensor::assemble). The tensor is then lost; [`convert`](Source::convert) keeps it.
    fn convert_into<F: SparseTensor<N, Scalar = Self::Scalar>>(self) -> Result<F, Error> {
        F::assemble_from(self, Limit::default())
    }

    /// As [`convert_into`](SparseTensor::convert_into), under the caller's limit.
    ///
    /// # Errors
    /// As [`convert_into`](SparseTensor::convert_into).
    fn convert_into_within<F: SparseTensor<N, Scalar = Self::Scalar>>(self, limit: Limit) -> Result<F, Error> {
        F::assemble_from(self, limit)
    }

    /// As [`assemble`](SparseTensor::assemble), from a source that is consumed.
    #[doc(hidden)]
    fn assemble_from<S: Source<N, Scalar = Self::Scalar>>(source: S, limit: Limit) -> Result<Self, Error> {
        Self::assemble(&source, limit)
    }

    /// Builds the storage of this format from the elements of any source.
    ///
    /// `O(n)` if the elements come in this format's storage order, otherwise a radix sort in `O(n * bits)`, where `bits` is
    /// the number of bits of the level domains. A format with queries first reads the elements in logical order and evaluates the
    /// queries: a few more passes and radix sorts over the elements and the groups.
    ///
    /// # Errors
    /// `Limit`, `Overflow` or `Duplicate`, as for [`Triplets::convert`](crate::Triplets::convert).
    fn assemble<S: Source<N, Scalar = Self::Scalar>>(source: &S, limit: Limit) -> Result<Self, Error>;
}

impl<F: SparseTensor<N>, const N: usize> Target<N, F::Scalar> for F {
    fn from_source<S: Source<N, Scalar = F::Scalar>>(source: &S, limit: Limit) -> Result<F, Error> {
        F::assemble(source, limit)
    }
}
