//! Sparse outputs that are appended to in the order of a kernel's loops, in arrays that formats adopt without copying.

use core::ops::Range;
use std::borrow::Cow;

use super::fiber_index::FiberIndex;
use super::loop_order::Loops;
use super::merge::MergeCursor;
use crate::array::{Domain, Indices, Pointers};
use crate::element::{Index, Scalar};
use crate::error::{Error, ErrorKind};
use crate::format::balance::balanced;
use crate::format::{Kind, Order};
use crate::limit::Limit;
use crate::machine::pages;
use crate::source::Source;
use crate::source::lend::Arrays;
use crate::tensor::SparseTensor;

/// Sparse output of `N` dims under construction.
///
/// Elements are appended in lexicographic order of the loops, which `loop_order` makes a number. A fiber
/// consists of the elements that differ in the coordinate of the innermost loop alone. Coordinates are stored as `I`.
#[derive(Debug)]
pub struct Fibers<T, const N: usize, const ORDER: u64, I = u32> {
    shape: [usize; N],
    /// Fiber that elements are appended to; its last coordinate is ignored.
    fiber: [usize; N],
    fiber_index: FiberIndex<N, I>,
    /// Last coordinate of each element.
    last: Vec<I>,
    values: Vec<T>,
}

impl<T: Scalar, const N: usize, const ORDER: u64, I: Index> Fibers<T, N, ORDER, I> {
    /// Creates an output of this shape without elements; in the end, the extents must fit `I`.
    #[must_use]
    pub fn new(shape: [usize; N]) -> Self {
        Fibers {
            shape,
            fiber: [usize::MAX; N],
            fiber_index: FiberIndex::new(),
            last: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Creates the output of the positions `part` of a loop over `count`, whose operands have `stored` elements.
    ///
    /// Reserves memory for a proportional share of `stored`, which is not used until it is touched.
    #[must_use]
    pub fn of_part(shape: [usize; N], stored: usize, part: Range<usize>, count: usize) -> Self {
        let share = stored as u128 * part.len() as u128 / count.max(1) as u128;
        let (mut output, share) = (Self::new(shape), share as usize);
        output.fiber_index.expect(part.len());
        pages::expect(&mut output.last, share);
        pages::expect(&mut output.values, share);
        output
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Reserves memory for this many more elements.
    #[inline]
    pub fn reserve(&mut self, elements: usize) {
        pages::reserve(&mut self.last, elements);
        pages::reserve(&mut self.values, elements);
    }

    /// Appends an element.
    ///
    /// `coordinate` is in loop order, inside the shape, and after all coordinates before it.
    #[inline]
    pub fn append(&mut self, coordinate: [usize; N], value: T) {
        if coordinate[..N - 1] != self.fiber[..N - 1] || self.fiber_index.is_empty() {
            self.start(coordinate);
        }
        pages::reserve(&mut self.last, 1);
        self.last.push(I::truncated(coordinate[N - 1]));
        pages::reserve(&mut self.values, 1);
        self.values.push(value);
    }

    /// Appends elements of one fiber, in the order of their last coordinates.
    ///
    /// There are as many coordinates in `last` as values. The last item of `coordinate` is ignored.
    #[inline]
    pub(super) fn append_fiber(
        &mut self,
        coordinate: [usize; N],
        last: impl ExactSizeIterator<Item = I>,
        values: impl ExactSizeIterator<Item = T>,
    ) {
        debug_assert_eq!(last.len(), values.len());
        if last.len() == 0 {
            return;
        }
        if coordinate[..N - 1] != self.fiber[..N - 1] || self.fiber_index.is_empty() {
            self.start(coordinate);
        }
        pages::reserve(&mut self.last, last.len());
        self.last.extend(last);
        pages::reserve(&mut self.values, values.len());
        self.values.extend(values);
    }

    /// Appends elements of one fiber, made by `element` from the coordinates and items of a merge.
    ///
    /// `element` returns the last coordinate and the value of an element, or `None`; coordinates must ascend. The last item of
    /// `coordinate` is ignored.
    #[inline]
    pub fn extend<L: MergeCursor + Iterator>(
        &mut self,
        coordinate: [usize; N],
        cursors: L,
        mut element: impl FnMut(<L as Iterator>::Item) -> Option<(usize, T)>,
    ) {
        let most = cursors.remaining();
        self.reserve(most);
        // SAFETY: there is room for this many items in both.
        let (last, values) = unsafe {
            (
                self.last.spare_capacity_mut().get_unchecked_mut(..most),
                self.values.spare_capacity_mut().get_unchecked_mut(..most),
            )
        };
        let mut count = 0;
        cursors.for_each(|next| {
            if let Some((at, value)) = element(next) {
                last[count].write(I::truncated(at));
                values[count].write(value);
                count += 1;
            }
        });
        if count == 0 {
            return;
        }
        if coordinate[..N - 1] != self.fiber[..N - 1] || self.fiber_index.is_empty() {
            self.start(coordinate);
        }
        let (last, values) = (&mut self.last, &mut self.values);
        // SAFETY: the first `count` items of the spare capacity were written above, in both, and neither has changed since.
        unsafe {
            last.set_len(last.len() + count);
            values.set_len(values.len() + count);
        }
    }

    #[inline]
    fn start(&mut self, coordinate: [usize; N]) {
        self.fiber = coordinate;
        self.fiber_index.start(coordinate, self.values.len());
    }

    /// Concatenates pieces, each of which comes after the one before it; `None` without pieces.
    #[must_use]
    pub fn join(pieces: Vec<Self>) -> Option<Self> {
        let total: usize = pieces.iter().map(Self::len).sum();
        let mut pieces = pieces.into_iter();
        let mut all = pieces.next()?;
        all.reserve(total - all.len());
        for piece in pieces.filter(|piece| !piece.is_empty()) {
            all.fiber_index
                .append(piece.fiber_index, [all.values.len(), piece.values.len()]);
            all.last.extend_from_slice(&piece.last);
            all.values.extend_from_slice(&piece.values);
            all.fiber = piece.fiber;
        }
        Some(all)
    }

    /// Finishes the output, checking its elements once.
    ///
    /// # Errors
    /// `Overflow` if an extent exceeds `I`, or there are 2^32 elements; `OutOfBounds` if one is outside the shape.
    pub fn finish(mut self) -> Result<InLoopOrder<T, N, ORDER, I>, Error> {
        self.fiber_index.list(self.values.len());
        self.finished(false)
    }

    fn finished(self, numbered: bool) -> Result<InLoopOrder<T, N, ORDER, I>, Error> {
        refuse_wide::<I, N>(self.shape)?;
        let name = |level: usize| Loops::<N, ORDER>::ENCODING.levels[level].name;
        let end = u32::try_from(self.values.len()).map_err(|_| {
            let above = if N > 1 { name(N - 2) } else { name(0) };
            Pointers::<u32>::overflow(above, self.values.len() as u64, "entries")
        })?;
        let FiberIndex {
            mut starts,
            coordinates,
            ..
        } = self.fiber_index;
        if N == 1 && starts.is_empty() {
            // The only fiber exists even without elements.
            starts.push(0);
        }
        starts.push(end);
        let mut indices = Vec::with_capacity(N);
        let above = coordinates.into_iter().take(N - 1);
        for (level, coordinates) in above.chain([self.last]).enumerate() {
            let domain = Domain {
                lo: 0,
                size: self.shape[Loops::<N, ORDER>::DIMS[level]],
            };
            indices.push(Indices::try_new(name(level), shrunk(coordinates), domain)?);
        }
        Ok(InLoopOrder {
            shape: self.shape,
            starts: Pointers::try_new(name(N - 1), shrunk(starts))?,
            indices,
            values: shrunk(self.values),
            numbered,
        })
    }

    /// Converts the elements to any format.
    ///
    /// A format whose levels are in loop order adopts the arrays that elements were appended to: a `Csr` of rows takes over
    /// coordinates and values in place, and pointers if few rows are empty.
    ///
    /// # Errors
    /// The errors of [`finish`](Fibers::finish) and [`SparseTensor::assemble`].
    pub fn into_format<C: SparseTensor<N, Scalar = T, Coordinate = I>>(mut self, limit: Limit) -> Result<C, Error> {
        refuse_wide::<I, N>(self.shape)?;
        let numbered = self
            .fiber_index
            .number(self.shape[Loops::<N, ORDER>::DIMS[0]], self.values.len());
        C::assemble_from(self.finished(numbered)?, limit)
    }
}

/// Shrinks the array to its length, which the allocator does in place, if that frees enough memory.
fn shrunk<T>(mut items: Vec<T>) -> Vec<T> {
    // Less does not pay: the allocator may return it to the system, and request it again in the next call.
    const WORTHWHILE: usize = 256 << 10;
    let unused = items.capacity() - items.len();
    if unused.saturating_mul(size_of::<T>()) > WORTHWHILE {
        items.shrink_to_fit();
    }
    items
}

/// Checks that coordinates within these extents fit `I`.
pub(super) fn refuse_wide<I: Index, const N: usize>(shape: [usize; N]) -> Result<(), Error> {
    let fits = |extent: usize| i64::try_from(extent).is_ok_and(|extent| extent - 1 <= I::MAX);
    match shape.iter().position(|&extent| !fits(extent)) {
        None => Ok(()),
        Some(dim) => Err(Error::new(
            ErrorKind::Overflow,
            "a sparse output",
            None,
            format!("extent {} of dim {dim}", shape[dim]),
            format!(
                "coordinates that fit `{}` (declare `index(level: u64)` for a level of its format)",
                I::NAME
            ),
        )),
    }
}

/// Finished [`Fibers`]: a source that gives its arrays away.
#[derive(Debug)]
pub struct InLoopOrder<T, const N: usize, const ORDER: u64, I = u32> {
    shape: [usize; N],
    starts: Pointers<u32>,
    /// The `idx` array of each level.
    indices: Vec<Indices<I>>,
    values: Vec<T>,
    /// Whether there is a fiber for each coordinate of the first level, in order, so that these are not stored.
    numbered: bool,
}

impl<T: Scalar, const N: usize, const ORDER: u64, I: Index> InLoopOrder<T, N, ORDER, I> {
    const LEVELS: [Kind; N] = {
        let mut levels = [Kind::Fixed; N];
        let mut level = 0;
        while level < N {
            levels[level] = Kind::Indexed {
                pointed: N > 1 && level == N - 1,
                copied: level + 2 < N,
                full: false,
            };
            level += 1;
        }
        levels
    };

    /// Kinds of the levels if fibers are numbered.
    const NUMBERED: [Kind; N] = {
        let mut levels = Self::LEVELS;
        levels[0] = Kind::Dense;
        levels
    };

    /// Returns the coordinates of each level, outermost first, and the values.
    #[must_use]
    pub fn arrays(&self) -> (&[Indices<I>], &[T]) {
        (&self.indices, &self.values)
    }

    /// Returns the number of fibers, which are the positions above the last level.
    fn fibers(&self) -> usize {
        self.starts.len() - 1
    }
}

impl<T: Scalar, const N: usize, const ORDER: u64, I: Index> Source<N> for InLoopOrder<T, N, ORDER, I> {
    type Scalar = T;
    const IS_CHECKED: bool = true;
    const ORDER: Order = Order::By(Loops::<N, ORDER>::ENCODING);
    const KINDS: &'static [Kind] = &Self::LEVELS;

    fn kinds(&self) -> &'static [Kind] {
        if self.numbered { &Self::NUMBERED } else { Self::KINDS }
    }

    fn shape(&self) -> [usize; N] {
        self.shape
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    fn for_each(&self, visit: impl FnMut([usize; N], T)) {
        self.for_each_between(0..self.fibers(), visit);
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.fibers(), pieces, |fiber| self.starts[fiber] as usize)
    }

    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([usize; N], T)) {
        let mut coordinate = [0; N];
        let dims = Loops::<N, ORDER>::DIMS;
        for fiber in piece {
            // With one dim, there is one fiber without coordinates.
            for (indices, dim) in self.indices.iter().zip(dims).take(N - 1) {
                coordinate[dim] = if self.numbered {
                    fiber
                } else {
                    indices.coordinate(fiber)
                };
            }
            let elements = self.starts.range(fiber);
            for (&last, &value) in self.indices[N - 1][elements.clone()].iter().zip(&self.values[elements]) {
                coordinate[dims[N - 1]] = last.to_usize();
                visit(coordinate, value);
            }
        }
    }

    fn lent_values(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.values.iter().copied()
    }

    fn lend<'a>(&'a self, to: &mut Arrays<'a, T>) {
        for (level, indices) in self.indices.iter().enumerate().skip(usize::from(self.numbered)) {
            to.indices(level, Cow::Borrowed(indices));
        }
        if N > 1 {
            to.pointers(N - 1, Cow::Borrowed(&self.starts));
        }
        to.values(Cow::Borrowed(&self.values));
    }

    fn give(self, to: &mut Arrays<'_, T>) {
        for (level, indices) in self.indices.into_iter().enumerate().skip(usize::from(self.numbered)) {
            to.indices(level, Cow::Owned(indices));
        }
        if N > 1 {
            to.pointers(N - 1, Cow::Owned(self.starts));
        }
        to.values(Cow::Owned(self.values));
    }
}

#[cfg(test)]
mod tests;
