//! Encodes the level coordinates of each element as one integer, the word, while the source is traversed, as often as needed.
//!
//! A word is a linear form of an element's level coordinates, such as its bin above its key. What depends on the source
//! and the format is here: loops over the source that fill chunks of words. All else is compiled once for each element
//! type, or once.

use core::marker::PhantomData;
use core::ops::Range;

use super::depths::{block_levels, target};
use super::forms::{bin_dim, key_dim};
use super::keys::bucket;
use super::layout::Layout;
use super::marks::Marker;
use super::sorted::Sorted;
use super::strategy::Way;
use super::writer::Writer;
use crate::element::Stored;
use crate::error::Error;
use crate::format::Tree;
use crate::machine::parallel;
use crate::source::{Source, checked_count};

/// Number of elements whose words are handed over at once: they stay in the L1 cache, and a call for each chunk is cheap.
pub(super) const CHUNK: usize = 64;

/// Whether bins and keys are also computed apart, which takes less time than a word, and a loop over the source of its own
/// to compile: without optimisation, only the tests of this crate have it.
const IS_SPLIT: bool = cfg!(any(optimised, test));

/// Elements of any source, as words: what assembly reads. It does not depend on the format or the source.
///
/// Every visit gives the same elements in the same order.
pub(crate) trait ElementWords<T>: Sync {
    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut a visit into at most `pieces` pieces of about equally many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Returns the elements by bins and keys, if loops over these are compiled.
    fn split(&self) -> Option<&dyn SplitWords<T>> {
        None
    }

    /// Marks the blocks of the elements between two borders.
    fn mark(&self, piece: Range<usize>, layout: &Layout, marker: &mut Marker);

    /// Visits the words and values of the elements between two borders, in chunks of at most [`CHUNK`].
    fn valued_words(&self, piece: Range<usize>, layout: &Layout, take: &mut dyn FnMut(&[u64], &[T]));

    /// Visits the level coordinates and values of all elements, one by one: where a word does not hold them.
    fn coordinates(&self, take: &mut dyn FnMut(&[i64], T));

    /// Returns the range of all elements.
    fn whole(&self) -> Range<usize>;
}

/// Elements of any source, each with its bin and its key apart.
pub(crate) trait SplitWords<T> {
    /// Counts the elements between two borders by their bins, shifted right by `shift` bits, and returns `true`, if that is
    /// faster than from words.
    fn tally_bins(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]) -> bool;

    /// Counts all elements by their bins and by their keys without a visit, and returns `true`, if arrays hold the coordinates of both.
    /// The counts are arbitrary otherwise.
    fn tally_arrays(&self, layout: &Layout, bins: &mut [u32], keys: &mut [u32]) -> bool;

    /// Writes the elements between two borders to their bins, and returns `true`, if that is faster than from words.
    fn scatter_to_bins(&self, piece: Range<usize>, layout: &Layout, writer: &mut Writer<T, u32>) -> bool;
}

// What follows is compiled once for each type of elements.
impl<T: Stored> dyn ElementWords<T> + '_ {
    /// Returns the pieces that a visit is cut into, for the available threads.
    pub(super) fn pieces(&self) -> Vec<Range<usize>> {
        self.pieces_of(self.count())
    }

    /// Returns the pieces of a visit that marks blocks or places values in them: as much work for an element as four items.
    pub(super) fn pieces_of_blocks(&self) -> Vec<Range<usize>> {
        self.pieces_of(self.count().saturating_mul(4))
    }

    /// Returns the pieces of a visit that is as much work as this many items.
    fn pieces_of(&self, items: usize) -> Vec<Range<usize>> {
        match parallel::pieces(items) {
            1 => vec![self.whole()],
            pieces => {
                let borders = self.borders(pieces);
                borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
            }
        }
    }

    /// Counts the words of the elements between two borders by their bits from `shift` up.
    pub(super) fn tally(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]) {
        if let (Some(split), Some(shift)) = (self.split(), shift.checked_sub(layout.bits)) {
            if split.tally_bins(piece.clone(), layout, shift, counts) {
                return;
            }
        }
        self.valued_words(piece, layout, &mut |words, _| {
            // Local copies, which the loop keeps in registers: it would load what is captured again after each write.
            let (counts, shift) = (&mut *counts, shift);
            words.iter().for_each(|&word| counts[bucket(word, shift)] += 1);
        });
    }

    /// Writes the elements between two borders to their places.
    pub(super) fn scatter(&self, piece: Range<usize>, layout: &Layout, writer: &mut Writer<T, u32>) {
        let split = self.split().filter(|_| writer.shift == layout.bits);
        if split.is_some_and(|split| split.scatter_to_bins(piece.clone(), layout, writer)) {
            return;
        }
        self.valued_words(piece, layout, &mut |words, values| {
            // A local copy, as above.
            let mut writer = writer.reborrow();
            for (&word, &value) in words.iter().zip(values) {
                writer.write(word, value);
            }
        });
    }
}

/// Fills a buffer of words and values, and hands it over whenever it is full.
///
/// The arrays are not part of it: then only they have an address, and the length stays in a register.
struct Chunk<'a, T> {
    words: &'a mut [u64; CHUNK],
    values: &'a mut [T; CHUNK],
    len: usize,
    take: &'a mut dyn FnMut(&[u64], &[T]),
}

impl<T: Copy> Chunk<'_, T> {
    #[inline(always)]
    fn push(&mut self, word: u64, value: T) {
        if self.len == CHUNK {
            (self.take)(self.words, self.values);
            self.len = 0;
        }
        (self.words[self.len], self.values[self.len]) = (word, value);
        self.len += 1;
    }

    #[inline(always)]
    fn finish(self) {
        (self.take)(&self.words[..self.len], &self.values[..self.len]);
    }
}

/// Elements of a source with their level coordinates in a format `F`.
///
/// Constants say which ways into storage order are possible, so that no others are compiled.
pub trait Coded<F: Tree<N, M>, const N: usize, const M: usize>: Sync {
    /// Known order of the elements, if their type guarantees one.
    const SORTED: Option<Sorted>;
    /// Whether elements may be written to their places by block.
    const MAY_PLACE: bool = Way::Place.is_possible(&Self::SORTED, target::<F, N, M>().1);
    /// Whether elements may come in another order than that of storage.
    const MAY_MOVE: bool = Way::Scatter.is_possible(&Self::SORTED, target::<F, N, M>().1)
        || Way::Sort.is_possible(&Self::SORTED, target::<F, N, M>().1);
    /// Whether elements may be brought into storage order: they are written to their places otherwise.
    const MAY_ORDER: bool = true;

    /// Returns whether the coordinates of all elements are known to be inside the shape on every visit.
    fn are_checked(&self) -> bool;

    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut a visit into at most `pieces` pieces of about equally many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Counts the elements by their coordinates in a dim, shifted right by `shift` bits, without a visit, and returns
    /// `true`, if an array holds these coordinates.
    fn count_coordinates(&self, _dim: usize, _shift: u32, _counts: &mut [u32]) -> bool {
        false
    }

    /// Visits the elements between two borders.
    fn for_each_between(&self, piece: Range<usize>, visit: impl FnMut([i64; M], F::Scalar));

    /// Returns the range of all elements.
    fn whole(&self) -> Range<usize>;
}

/// Visits the elements between two borders. Without optimisation, all visits of a source share one loop: each would be as much code as
/// all that is done with an element.
#[inline(always)]
pub(super) fn visit<F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize>(
    elements: &C,
    piece: Range<usize>,
    mut take: impl FnMut([i64; M], F::Scalar),
) {
    if cfg!(optimised) {
        elements.for_each_between(piece, take);
    } else {
        let take: &mut dyn FnMut([i64; M], F::Scalar) = &mut take;
        elements.for_each_between(piece, take);
    }
}

/// The words of elements that are coded in a format `F`.
pub(super) struct WordsOf<'c, F, C, const N: usize, const M: usize>(&'c C, PhantomData<fn() -> F>);

impl<'c, F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize> WordsOf<'c, F, C, N, M> {
    pub(super) fn new(elements: &'c C) -> Self {
        WordsOf(elements, PhantomData)
    }
}

impl<F, C, const N: usize, const M: usize> ElementWords<F::Scalar> for WordsOf<'_, F, C, N, M>
where
    F: Tree<N, M>,
    C: Coded<F, N, M>,
{
    fn count(&self) -> usize {
        self.0.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.0.borders(pieces)
    }

    fn whole(&self) -> Range<usize> {
        self.0.whole()
    }

    fn split(&self) -> Option<&dyn SplitWords<F::Scalar>> {
        if IS_SPLIT { Some(self) } else { None }
    }

    fn mark(&self, piece: Range<usize>, layout: &Layout, marker: &mut Marker) {
        if !C::MAY_PLACE {
            unreachable!("`Way::Place` is not possible for this source");
        }
        let block = layout.split_block::<F, N, M>();
        // Matched as a constant: only one of the loops is compiled.
        match const { block_levels(target::<F, N, M>().1.levels) } {
            0 => {}
            1 => {
                if let Some(flags) = marker.flags() {
                    return visit(self.0, piece, |levels, _| {
                        flags[block.key_of_block::<F, N>(&levels)] = true;
                    });
                }
                let mut blocks = marker.blocks();
                visit(self.0, piece, |levels, _| {
                    blocks.insert(block.key_of_block::<F, N>(&levels));
                });
            }
            _ => visit(self.0, piece, |levels, _| {
                marker.mark(block.bin_of_block::<F, N>(&levels), block.key_of_block::<F, N>(&levels));
            }),
        }
    }

    fn valued_words(&self, piece: Range<usize>, layout: &Layout, take: &mut dyn FnMut(&[u64], &[F::Scalar])) {
        if !C::MAY_ORDER {
            never_ordered();
        }
        let form = layout.form::<M>();
        let mut chunk = Chunk {
            words: &mut [0; CHUNK],
            values: &mut [F::Scalar::FILL; CHUNK],
            len: 0,
            take,
        };
        visit(self.0, piece, |levels, value| {
            chunk.push(form.word::<F, N>(&levels), value);
        });
        chunk.finish();
    }

    fn coordinates(&self, take: &mut dyn FnMut(&[i64], F::Scalar)) {
        if !C::MAY_ORDER {
            never_ordered();
        }
        visit(self.0, self.whole(), |levels, value| take(&levels, value));
    }
}

impl<F, C, const N: usize, const M: usize> SplitWords<F::Scalar> for WordsOf<'_, F, C, N, M>
where
    F: Tree<N, M>,
    C: Coded<F, N, M>,
{
    fn tally_bins(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]) -> bool {
        if !C::MAY_ORDER {
            never_ordered();
        }
        let Some(split) = layout.split::<F, N, M>() else {
            return false;
        };
        if let Some(dim) = const { bin_dim::<F, N, M>() } {
            if piece == self.whole() && self.0.count_coordinates(dim, shift, counts) {
                return true;
            }
        }
        visit(
            self.0,
            piece,
            #[inline(always)]
            |levels, _| counts[split.bin::<F, N>(&levels) >> shift] += 1,
        );
        true
    }

    fn tally_arrays(&self, layout: &Layout, bins: &mut [u32], keys: &mut [u32]) -> bool {
        match const { (bin_dim::<F, N, M>(), key_dim::<F, N, M>()) } {
            (Some(bin), Some(key)) if layout.split::<F, N, M>().is_some() => {
                self.0.count_coordinates(bin, 0, bins) && self.0.count_coordinates(key, 0, keys)
            }
            _ => false,
        }
    }

    fn scatter_to_bins(&self, piece: Range<usize>, layout: &Layout, writer: &mut Writer<F::Scalar, u32>) -> bool {
        if !C::MAY_MOVE {
            unreachable!("elements of this source are in order");
        }
        let Some(split) = layout.split::<F, N, M>() else {
            return false;
        };
        // A local copy, so that the loop keeps it in registers.
        let mut writer = writer.reborrow();
        visit(
            self.0,
            piece,
            #[inline(always)]
            move |levels, value| writer.put(split.bin::<F, N>(&levels), split.key::<F, N>(&levels), value),
        );
        true
    }
}

/// Panics where elements would be brought into storage order although [`Coded::MAY_ORDER`] is false: no code for that is
/// compiled.
#[cold]
fn never_ordered() -> ! {
    unreachable!("elements of this kind are written to their places")
}

/// Elements of a source, for a format without queries.
pub struct Plain<'s, F, S, const N: usize> {
    source: &'s S,
    pub(super) count: usize,
    /// The end of the range of all elements.
    end: usize,
    format: PhantomData<fn() -> F>,
}

impl<'s, F, S: Source<N>, const N: usize> Plain<'s, F, S, N> {
    /// Counts the elements of `source` and checks that they are inside the shape.
    ///
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape.
    pub(super) fn new(source: &'s S) -> Result<Self, Error> {
        let (count, end) = count_and_end(source)?;
        Ok(Plain {
            source,
            count,
            end,
            format: PhantomData,
        })
    }

    /// Returns the order of the elements, found by scanning them if necessary.
    pub(super) fn sorted<const M: usize>(&self) -> Sorted
    where
        F: Tree<N, M, Scalar = S::Scalar>,
    {
        <Self as Coded<F, N, M>>::SORTED.unwrap_or_else(|| Sorted::found::<F, S, N, M>(self.source))
    }
}

/// Returns the number of elements, and the end of the range of all. It does not depend on the format.
fn count_and_end<S: Source<N>, const N: usize>(source: &S) -> Result<(usize, usize), Error> {
    let end = source.borders(1).last().copied().unwrap_or(0);
    Ok((checked_count(source)?, end))
}

impl<F, S, const N: usize, const M: usize> Coded<F, N, M> for Plain<'_, F, S, N>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
{
    const SORTED: Option<Sorted> = Sorted::by_type::<F, S, N, M>();

    fn are_checked(&self) -> bool {
        S::IS_CHECKED
    }

    fn count(&self) -> usize {
        self.count
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.source.borders(pieces)
    }

    fn whole(&self) -> Range<usize> {
        0..self.end
    }

    fn count_coordinates(&self, dim: usize, shift: u32, counts: &mut [u32]) -> bool {
        self.source.count_coordinates(dim, shift, counts)
    }

    #[inline]
    fn for_each_between(&self, piece: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        self.source.for_each_between(
            piece,
            #[inline(always)]
            |coordinate, value| visit(F::encode(coordinate, &[]), value),
        );
    }
}
