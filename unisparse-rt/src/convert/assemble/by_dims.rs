//! Elements that are copied and sorted by their dims before queries are evaluated on them.
//!
//! Queries look up a number for the group of each element. If elements come in an order in which neighbours belong to distant
//! groups, each of these look-ups misses the caches; one sort by the dims that the levels mention first costs less than all
//! look-ups in total. The same sort makes equal coordinates neighbours.

use core::ops::Range;

use super::floats;
use super::histogram::Recent;
use super::keys::{Key, is_countable};
use super::layout::Layout;
use super::marks::Marker;
use super::sequence::{Arranged, each_key};
use super::strategy::Way;
use super::words::{self, CHUNK};
use crate::array::check_shape;
use crate::convert::query::{BATCH, Queries, ReadBuffer, SourceElements, Visited};
use crate::element::Stored;
use crate::error::Error;
use crate::format::balance::balanced;
use crate::format::{Atom, Encoding, Form};
use crate::source::{Duplicates, Source, twice};

/// Number of elements from which a sort can pay: below, the numbers of the groups stay in the caches near the core.
const SCATTERED: usize = 1 << 20;

/// Returns the dims in the order in which the levels mention them, where a query mentions those of its groups, then those it is
/// traversed by.
pub(crate) fn dims_by_levels(encoding: &Encoding) -> Vec<usize> {
    let mut dims = Vec::new();
    for level in encoding.levels {
        mention(&level.form, encoding, &mut dims);
    }
    for dim in 0..encoding.dims.len() {
        mention_dim(dim, &mut dims);
    }
    dims
}

fn mention(form: &Form, encoding: &Encoding, dims: &mut Vec<usize>) {
    for (atom, _) in form.terms {
        match *atom {
            Atom::Dim(dim) => mention_dim(dim, dims),
            Atom::Quotient(inner, _) => mention(inner, encoding, dims),
            Atom::Query(query) => {
                let query = &encoding.queries[query];
                let forms = query.groups.iter().chain(query.traverse);
                forms.for_each(|form| mention(form, encoding, dims));
            }
        }
    }
}

fn mention_dim(dim: usize, dims: &mut Vec<usize>) {
    if !dims.contains(&dim) {
        dims.push(dim);
    }
}

/// Returns whether there are many elements and neighbours tend to belong to distant fibers of the last of these dims.
pub(super) fn are_scattered<T: Stored, const N: usize>(
    elements: &dyn SourceElements<T, N>,
    shape: [usize; N],
    dims: &[usize],
) -> bool {
    let count = elements.count();
    if count < SCATTERED {
        return false;
    }
    let (mut recent, mut descents, mut buffer) = (Recent::new(), 0, ReadBuffer::new(count));
    let borders = elements.borders(count.div_ceil(BATCH));
    let above = dims.split_last().map_or(dims, |(_, above)| above);
    for window in borders.windows(5).step_by(borders.len().div_ceil(16)) {
        let mut last = 0;
        for batch in window.windows(2) {
            let (coordinates, _) = elements.read(batch[0]..batch[1], &mut buffer);
            for coordinate in coordinates {
                let fiber = above.iter().fold(0usize, |fiber, &dim| {
                    fiber.wrapping_mul(shape[dim]).wrapping_add(coordinate[dim])
                });
                recent.look_at(fiber);
                descents += usize::from(fiber < last);
                last = fiber;
            }
        }
    }
    descents > 0 && recent.are_far()
}

/// Copies the elements of a source into logical order, each coordinate once, for queries on them.
///
/// # Errors
/// `Duplicate` if there are duplicates and the source refuses them, `Overflow` for an extent above 2^62.
pub(crate) fn queries_by_dims<S: Source<N>, const N: usize, const Q: usize>(
    format: &'static str,
    source: &S,
) -> Result<Queries<'static, S::Scalar, N, Q>, Error> {
    Ok(Queries::new(source.shape(), Box::new(by_logical_dims(format, source)?)))
}

/// Elements in logical order, each coordinate once.
pub(crate) struct InLogicalOrder<T, const N: usize> {
    pub(crate) coordinates: Vec<[usize; N]>,
    pub(crate) values: Vec<T>,
}

/// Copies the elements of a source, in logical order, each coordinate once. Errors name `format`.
///
/// # Errors
/// `OutOfBounds` if an element is outside the shape, and the errors of [`queries_by_dims`].
pub(crate) fn in_logical_order<S: Source<N>, const N: usize>(
    format: &'static str,
    source: &S,
) -> Result<InLogicalOrder<S::Scalar, N>, Error> {
    let sorted = by_logical_dims(format, source)?;
    let mut coordinates = vec![[0; N]; sorted.arranged.values.len()];
    let Arranged { starts, keys, .. } = &sorted.arranged;
    each_key!(keys, keys => sorted.decode(starts, keys, 0, &mut coordinates));
    Ok(InLogicalOrder {
        coordinates,
        values: sorted.arranged.values,
    })
}

/// Visits every element once, in the order of the source unless it may repeat coordinates: then in logical order, with repeated
/// elements combined by the policy of the source.
///
/// # Errors
/// As `in_logical_order`, where coordinates may be repeated.
pub fn for_each_once<S: Source<N>, const N: usize>(
    format: &'static str,
    source: &S,
    mut visit: impl FnMut([usize; N], S::Scalar),
) -> Result<(), Error> {
    if S::HAS_DUPLICATES {
        let elements = in_logical_order(format, source)?;
        elements
            .coordinates
            .into_iter()
            .zip(elements.values)
            .for_each(|(at, value)| visit(at, value));
    } else {
        source.for_each(visit);
    }
    Ok(())
}

fn by_logical_dims<S: Source<N>, const N: usize>(format: &'static str, source: &S) -> Result<ByDims<S::Scalar>, Error> {
    let shape = source.shape();
    check_shape(format, shape)?;
    let elements = Visited::new(source)?;
    ByDims::new(format, &elements, shape, (0..N).collect(), Some(source.duplicates()))
}

/// Elements in lexicographic order of some order of the dims, each coordinate once.
pub(super) struct ByDims<T> {
    dims: Vec<usize>,
    layout: Layout,
    arranged: Arranged<T>,
}

impl<T: Stored> ByDims<T> {
    /// Copies and sorts elements. Without a `policy`, no coordinate occurs twice. `O(elements)` memory beside the result.
    ///
    /// # Errors
    /// `Duplicate` if there are duplicates and the policy refuses them, `Overflow` if the extents have more than 512 bits.
    pub(super) fn new<const N: usize>(
        format: &str,
        elements: &dyn SourceElements<T, N>,
        shape: [usize; N],
        dims: Vec<usize>,
        policy: Option<Duplicates>,
    ) -> Result<Self, Error> {
        let count = elements.count();
        let unsorted = Unsorted {
            elements,
            borders: elements.borders(count.div_ceil(BATCH)),
            dims: core::array::from_fn(|at| dims[at]),
        };
        let extents: Vec<usize> = dims.iter().map(|&dim| shape[dim]).collect();
        let binned = is_countable(count)
            && extents
                .first()
                .is_some_and(|&extent| extent <= count.saturating_mul(4).max(1 << 16));
        let mut layout = Layout::of_dims(&extents, binned);
        if layout.bits + layout.bin_bits() >= u64::BITS {
            layout = Layout::of_dims(&extents, false);
        }
        layout.check(format)?;
        let way = if layout.leading > 0 && unsorted.ascend_in_bins() {
            Way::Scatter
        } else {
            Way::Sort
        };
        let arranged = floats::order(&unsorted, &layout, way, policy).map_err(|found| {
            let mut coordinate = [0; N];
            dims.iter().zip(found).for_each(|(&dim, at)| coordinate[dim] = at);
            twice(format, &format!(" {coordinate:?}"))
        })?;
        Ok(ByDims { dims, layout, arranged })
    }
}

impl<T: Stored, const N: usize> SourceElements<T, N> for ByDims<T> {
    fn count(&self) -> usize {
        self.arranged.values.len()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.arranged.values.len(), pieces, |element| element)
    }

    fn read<'a>(&'a self, piece: Range<usize>, buffer: &'a mut ReadBuffer<T, N>) -> (&'a [[usize; N]], &'a [T]) {
        let coordinates = buffer.coordinates(piece.len());
        let Arranged { starts, keys, values } = &self.arranged;
        each_key!(keys, keys => self.decode(starts, &keys[piece.clone()], piece.start, coordinates));
        (coordinates, &values[piece])
    }
}

impl<T> ByDims<T> {
    /// Writes the coordinates of the elements from `first` on, which have these keys.
    fn decode<K: Key, const N: usize>(&self, starts: &[u32], keys: &[K], first: usize, coordinates: &mut [[usize; N]]) {
        let leading = self.layout.leading;
        if leading > 0 {
            let dim = self.dims[0];
            // The first bin that ends after the first element.
            let mut bin = starts
                .partition_point(|&start| start as usize <= first)
                .saturating_sub(1);
            let mut at = 0;
            while at < coordinates.len() {
                let end = (starts[bin + 1] as usize).saturating_sub(first).min(coordinates.len());
                coordinates[at..end]
                    .iter_mut()
                    .for_each(|coordinate| coordinate[dim] = bin);
                (at, bin) = (end, bin + 1);
            }
        }
        for (&dim, level) in self.dims.iter().zip(&self.layout.levels).skip(leading) {
            for (&key, coordinate) in keys.iter().zip(&mut *coordinates) {
                coordinate[dim] = key.field(level.shift, level.width) as usize;
            }
        }
    }
}

/// Elements in the order of their source, as words of their dims.
struct Unsorted<'a, T, const N: usize> {
    elements: &'a dyn SourceElements<T, N>,
    /// The borders of batches. A piece is a range of batches.
    borders: Vec<usize>,
    /// The dims by which the elements are sorted, the first one first.
    dims: [usize; N],
}

impl<T: Stored, const N: usize> Unsorted<'_, T, N> {
    /// Visits the batches of a piece.
    fn batches(&self, piece: Range<usize>, mut visit: impl FnMut(&[[usize; N]], &[T])) {
        let mut buffer = ReadBuffer::new(self.elements.count());
        for batch in piece {
            let (coordinates, values) = self
                .elements
                .read(self.borders[batch]..self.borders[batch + 1], &mut buffer);
            visit(coordinates, values);
        }
    }

    /// Returns whether elements ascend in all dims after the first: then a stable scatter by the first sorts them.
    fn ascend_in_bins(&self) -> bool {
        let mut last = [0; N];
        let mut buffer = ReadBuffer::new(self.elements.count());
        self.borders.windows(2).all(|batch| {
            let (coordinates, _) = self.elements.read(batch[0]..batch[1], &mut buffer);
            coordinates.iter().all(|coordinate| {
                let below = self.dims.map(|dim| coordinate[dim]);
                let ascends = last[1..] <= below[1..];
                last = below;
                ascends
            })
        })
    }
}

impl<T: Stored, const N: usize> words::ElementWords<T> for Unsorted<'_, T, N> {
    fn count(&self) -> usize {
        self.elements.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.borders.len() - 1, pieces, |batch| self.borders[batch])
    }

    fn whole(&self) -> Range<usize> {
        0..self.borders.len() - 1
    }

    fn mark(&self, _: Range<usize>, _: &Layout, _: &mut Marker) {
        unreachable!("dims have no blocks")
    }

    fn valued_words(&self, piece: Range<usize>, layout: &Layout, take: &mut dyn FnMut(&[u64], &[T])) {
        let mut factors = [0; N];
        for (level, dim) in layout.levels.iter().zip(self.dims) {
            factors[dim] = layout.factor(level);
        }
        self.batches(piece, |coordinates, values| {
            for (coordinates, values) in coordinates.chunks(CHUNK).zip(values.chunks(CHUNK)) {
                let mut words = [0; CHUNK];
                for (word, coordinate) in words.iter_mut().zip(coordinates) {
                    let terms = coordinate.iter().zip(factors).map(|(&at, factor)| at as u64 * factor);
                    *word = terms.sum();
                }
                take(&words[..values.len()], values);
            }
        });
    }

    fn coordinates(&self, take: &mut dyn FnMut(&[i64], T)) {
        self.batches(0..self.borders.len() - 1, |coordinates, values| {
            for (coordinate, &value) in coordinates.iter().zip(values) {
                take(&self.dims.map(|dim| coordinate[dim] as i64), value);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::triplets::Triplets;

    /// Returns triplets of a shape, some at coordinates that others have.
    fn triplets<const N: usize>(
        shape: [usize; N],
        elements: &[([u64; 4], i32)],
        policy: Duplicates,
    ) -> Triplets<i32, N> {
        let mut triplets = Triplets::new(shape).duplicates(policy);
        for (at, value) in elements {
            let at = core::array::from_fn(|dim| at[dim] as usize % shape[dim]);
            triplets.push(at, *value).unwrap();
        }
        triplets
    }

    /// Checks the order and the elements against a map, read in pieces of any size.
    fn check<const N: usize>(triplets: &Triplets<i32, N>, dims: &[usize], pieces: usize) -> Result<(), TestCaseError> {
        let (shape, policy) = (triplets.shape(), Source::duplicates(triplets));
        let mut expected = BTreeMap::new();
        let mut is_unique = true;
        triplets.for_each(|at, value| {
            let key: [usize; N] = core::array::from_fn(|level| at[dims[level]]);
            let entry = expected.entry(key).or_insert((at, None));
            is_unique &= entry.1.is_none();
            entry.1 = Some(match (entry.1, policy) {
                (Some(held), Duplicates::Sum) => held + value,
                (Some(held), Duplicates::First) => held,
                _ => value,
            });
        });
        let visited = Visited::new(triplets).unwrap();
        let found = ByDims::new("Test", &visited, shape, dims.to_vec(), Some(policy));
        if policy == Duplicates::Reject && !is_unique {
            let error = found.err().unwrap();
            prop_assert_eq!(error.kind(), ErrorKind::Duplicate);
            return Ok(());
        }
        let found = found.unwrap();
        let elements: &dyn SourceElements<i32, N> = &found;
        let (mut read, mut buffer) = (Vec::new(), ReadBuffer::new(elements.count()));
        for piece in elements.borders(pieces).windows(2) {
            let (coordinates, values) = elements.read(piece[0]..piece[1], &mut buffer);
            read.extend(coordinates.iter().copied().zip(values.iter().copied().map(Some)));
        }
        prop_assert_eq!(read, expected.into_values().collect::<Vec<_>>());
        Ok(())
    }

    proptest! {
        #[test]
        fn elements_are_those_of_a_map(
            elements in vec((any::<[u64; 4]>(), -2..3), 0..200),
            extents in [1u32..40, 1u32..62, 1u32..62, 1u32..62],
            dims in Just([0, 1, 2, 3]).prop_shuffle(),
            policy in prop_oneof![
                Just(Duplicates::Sum), Just(Duplicates::First), Just(Duplicates::Last), Just(Duplicates::Reject)
            ],
            pieces in 1usize..9,
        ) {
            let small = extents.map(|bits| 1 + (bits as usize) / 12);
            check(&triplets(small, &elements, policy), &dims, pieces)?;
            // Keys of one word, and of several.
            check(&triplets(extents.map(|bits| 1 << bits), &elements, policy), &dims, pieces)?;
            let pair: Vec<usize> = dims.iter().copied().filter(|&dim| dim < 2).collect();
            check(&triplets([small[0], 1 << extents[1]], &elements, policy), &pair, pieces)?;
            check(&triplets([small[0]], &elements, policy), &[0], pieces)?;
        }
    }

    /// Returns triplets in the order of their columns, 16 in each, `apart` rows from one to the next.
    fn by_columns(columns: usize, apart: usize) -> Triplets<f32, 2> {
        let mut triplets = Triplets::new([16 * apart, columns]);
        for column in 0..columns {
            for row in 0..16 {
                triplets
                    .push([row * apart + column * 7919 % apart, column], 1.0)
                    .unwrap();
            }
        }
        triplets
    }

    #[test]
    fn elements_are_scattered_if_there_are_many_and_neighbours_are_distant() {
        let are_scattered = |triplets: &Triplets<f32, 2>, dims: &[usize]| {
            are_scattered(&Visited::new(triplets).unwrap(), triplets.shape(), dims)
        };
        let far = by_columns(SCATTERED / 16, 1 << 14);
        assert!(are_scattered(&far, &[0, 1]));
        assert!(!are_scattered(&far, &[1, 0]), "in order");
        assert!(
            !are_scattered(&by_columns(SCATTERED / 16, 1 << 6), &[0, 1]),
            "few groups"
        );
        assert!(!are_scattered(&by_columns(1 << 10, 1 << 14), &[0, 1]), "few elements");
    }
}
