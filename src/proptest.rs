//! Strategies of the crate `proptest`, with the feature of that name: tensors for tests of your own kernels and formats.
//!
//! ```
//! use proptest::prelude::*;
//! use unisparse::prelude::*;
//! use unisparse::proptest::tensors;
//!
//! sparse_format! {
//!     format Mine = |i, j| (block: i / 4, diag: j - i, lane: i % 4) { merge(block); trim(diag); }
//! }
//! // Small integers, whose sums are exact in any order.
//! let values = (-4i8..=4).prop_map(f64::from);
//! proptest!(|(a in tensors::<2, _>(values).of::<Mine<f64>>())| {
//!     let x: Vec<f64> = (0..a.shape()[1]).map(|j| j as f64).collect();
//!     let (mut ours, mut expected) = (vec![0.0; a.shape()[0]], vec![0.0; a.shape()[0]]);
//!     spmv(&mut ours, &a, &x).unwrap();
//!     a.iter().for_each(|([i, j], value)| expected[i] += value * x[j]);
//!     prop_assert_eq!(ours, expected);
//! });
//! ```
//!
//! Most mistakes of kernels are at boundaries, so most tensors have one: no rows, one column, an extent next to a power of two, no
//! elements, all elements, rows without elements, elements in corners. A tensor that fails a test becomes as small as it can:
//! smaller extents, fewer elements, coordinates nearer to zero, simpler values.

use ::proptest::collection::vec;
use ::proptest::prelude::*;
use ::proptest::strategy::{BoxedStrategy, NewTree, ValueTree};
use ::proptest::test_runner::TestRunner;
use std::collections::HashSet;
use unisparse_rt::{ErrorKind, Source, SparseTensor, Stored, Triplets};

/// The number of elements at most, unless [`at_most`](Tensors::at_most) says otherwise.
const MOST: usize = 64;

/// Returns a strategy of triplets of `N` dims with these values, for tensors of all shapes up to an extent of 257. No coordinate
/// is repeated, and they come in no order.
///
/// A zero among the values is an element that is stored.
pub fn tensors<const N: usize, S: Strategy<Value: Stored> + 'static>(values: S) -> Tensors<S::Value, N> {
    Tensors {
        values: values.boxed(),
        extents: 0..=257,
        at_limits: false,
        most: MOST,
        with_duplicates: false,
    }
}

/// A strategy of triplets: the result of [`tensors`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Tensors<T, const N: usize> {
    values: BoxedStrategy<T>,
    extents: core::ops::RangeInclusive<usize>,
    at_limits: bool,
    most: usize,
    with_duplicates: bool,
}

impl<T: Stored, const N: usize> Tensors<T, N> {
    /// Takes extents from this range alone; boundaries outside it are left out.
    pub fn extents(mut self, extents: core::ops::RangeInclusive<usize>) -> Self {
        self.extents = extents;
        self
    }

    /// Also takes extents next to the numbers of integers of 16, 31 and 32 bits, where coordinates cease to fit arrays. Formats
    /// with dense levels refuse most of these tensors, which [`of`](Tensors::of) then leaves out.
    pub fn at_limits(mut self) -> Self {
        self.at_limits = true;
        self
    }

    /// Takes at most this many elements, instead of 64.
    pub fn at_most(mut self, elements: usize) -> Self {
        self.most = elements;
        self
    }

    /// Also repeats coordinates. Conversions add the repeated elements, unless
    /// [`Triplets::duplicates`](crate::Triplets::duplicates) says otherwise.
    pub fn with_duplicates(mut self) -> Self {
        self.with_duplicates = true;
        self
    }

    /// Returns a strategy of the same tensors in a declared format. Tensors that the format refuses, because they would take more
    /// than the default [`Limit`](crate::Limit) or an index does not fit, are left out.
    ///
    /// # Panics
    /// The strategy panics if a conversion fails for another reason, which is a bug of the conversion.
    pub fn of<F>(self) -> impl Strategy<Value = F>
    where
        F: SparseTensor<N, Scalar = T> + core::fmt::Debug,
    {
        self.prop_filter_map("the format refuses the tensor", |triplets| {
            match Source::convert(&triplets) {
                Ok(tensor) => Some(tensor),
                Err(error) if [ErrorKind::Limit, ErrorKind::Overflow].contains(&error.kind()) => None,
                Err(error) => panic!("{triplets:?} does not convert to {}: {error}", F::NAME),
            }
        })
    }

    /// Returns a strategy of one extent. What comes first is what a failing one is shrunk to.
    fn extent(&self) -> BoxedStrategy<usize> {
        let within = |boundaries: Vec<usize>| {
            let within: Vec<usize> = boundaries
                .into_iter()
                .filter(|extent| self.extents.contains(extent))
                .collect();
            (!within.is_empty()).then(|| prop::sample::select(within).boxed())
        };
        let around = |number: usize| [number - 1, number, number + 1];
        let powers = (2..=8).flat_map(|bits| around(1 << bits)).collect();
        let (first, last) = (*self.extents.start(), *self.extents.end());
        let limits: Vec<usize> = [16, 31, 32].into_iter().flat_map(|bits| around(1 << bits)).collect();
        let all = [
            Some((3, (first..=last.min(first.saturating_add(9))).boxed())),
            within(vec![0]).map(|zero| (1, zero)),
            within(vec![1]).map(|one| (1, one)),
            within(powers).map(|powers| (2, powers)),
            Some((1, (first..=last).boxed())),
            self.at_limits.then(|| (4, prop::sample::select(limits).boxed())),
        ];
        prop::strategy::Union::new_weighted(all.into_iter().flatten().collect()).boxed()
    }

    fn strategy(&self) -> BoxedStrategy<Triplets<T, N>> {
        let most = self.most;
        let extents: [BoxedStrategy<usize>; N] = core::array::from_fn(|_| self.extent());
        let place = prop_oneof![
            4 => any::<u32>().prop_map(RelativeCoordinate::Share),
            1 => Just(RelativeCoordinate::First),
            1 => Just(RelativeCoordinate::Last),
        ];
        let element = (
            core::array::from_fn(|_| place.clone()),
            prop::bool::weighted(0.25),
            self.values.clone(),
        );
        let elements = prop_oneof![
            8 => vec(element.clone(), 0..=most).prop_map(|elements| (elements, false)),
            1 => vec(element.clone(), 0..=most.min(1)).prop_map(|elements| (elements, false)),
            // As many values as there may be coordinates in a box that is filled.
            1 => vec(element, most).prop_map(|elements| (elements, true)),
        ];
        let with_duplicates = self.with_duplicates;
        (extents, elements)
            .prop_map(move |(shape, (elements, is_full))| {
                let size = shape
                    .iter()
                    .try_fold(1, |size: usize, &extent| size.checked_mul(extent));
                let is_full = is_full && size.is_some_and(|size| size <= most);
                let (mut seen, mut before) = (HashSet::new(), None);
                let mut triplets = Triplets::new(shape);
                for (number, (places, is_repeated, value)) in elements.into_iter().enumerate() {
                    let at = if is_full {
                        nth(number, shape)
                    } else {
                        inside(places, shape)
                    };
                    let repeated = before.filter(|_| with_duplicates && is_repeated);
                    let Some(at) = repeated.or(at) else { continue };
                    if seen.insert(at) || with_duplicates {
                        // Inside, by `nth` and `inside`.
                        let _ = triplets.push(at, value);
                        before = Some(at);
                    }
                }
                triplets
            })
            .boxed()
    }
}

impl<T: Stored, const N: usize> Strategy for Tensors<T, N> {
    type Tree = Box<dyn ValueTree<Value = Triplets<T, N>>>;
    type Value = Triplets<T, N>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        self.strategy().new_tree(runner)
    }
}

/// A coordinate in an extent that is not known yet.
#[derive(Debug, Clone, Copy)]
enum RelativeCoordinate {
    /// At this share of the extent, of `2^32`.
    Share(u32),
    First,
    Last,
}

/// Returns the coordinate in a box, unless it has none.
fn inside<const N: usize>(places: [RelativeCoordinate; N], shape: [usize; N]) -> Option<[usize; N]> {
    let mut at = [0; N];
    for ((at, place), extent) in at.iter_mut().zip(places).zip(shape) {
        let last = extent.checked_sub(1)?;
        *at = match place {
            RelativeCoordinate::Share(share) => ((u128::from(share) * extent as u128) >> 32) as usize,
            RelativeCoordinate::First => 0,
            RelativeCoordinate::Last => last,
        };
    }
    Some(at)
}

/// Returns a coordinate in a box by its number in row-major order, if there is one.
fn nth<const N: usize>(number: usize, shape: [usize; N]) -> Option<[usize; N]> {
    let (mut at, mut rest) = ([0; N], number);
    for (at, extent) in at.iter_mut().zip(shape).rev() {
        *at = rest.checked_rem(extent)?;
        rest /= extent;
    }
    (rest == 0).then_some(at)
}
