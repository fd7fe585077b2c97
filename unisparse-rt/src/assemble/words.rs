//! Elements as words, for any number of visits.
//!
//! A word is a linear form of an element's level coordinates, such as its bin above its key. What depends on the source
//! and the format is here: loops over the source that fill chunks of words. All else is compiled once for each element
//! type, or once.

use core::marker::PhantomData;
use core::ops::Range;

use super::blocks::Marker;
use super::layout::Layout;
use super::sort::Writer;
use super::strategy::{Sorted, Way, block_levels, target};
use crate::bounds::checked_count;
use crate::encoding::{Atom, Form};
use crate::level::{Domain, Tree};
use crate::pieces::balanced;
use crate::query::Queries;
use crate::report::step;
use crate::{Error, Source, Stored, parallel};

/// Number of elements whose words are handed over at once: they stay in the L1 cache, and a call for each chunk is cheap.
pub(super) const CHUNK: usize = 64;

/// Elements of any source, as words: what assembly reads. It does not depend on the format or the source.
///
/// Every visit gives the same elements in the same order.
pub(crate) trait Elements<T>: Sync {
    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut a visit into at most `pieces` pieces of about equally many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Counts the words of the elements between two borders by their bits from `shift` up.
    fn tally(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]);

    /// Writes the elements between two borders to their places.
    fn scatter(&self, piece: Range<usize>, layout: &Layout, writer: &mut Writer<T, u32>);

    /// Marks the blocks of the elements between two borders.
    fn mark(&self, piece: Range<usize>, layout: &Layout, marker: &mut Marker);

    /// Visits the words and values of the elements between two borders, in chunks of at most [`CHUNK`].
    fn valued_words(&self, piece: Range<usize>, layout: &Layout, take: &mut dyn FnMut(&[u64], &[T]));

    /// Visits the level coordinates and values of all elements, one by one: where a word does not hold them.
    fn coordinates(&self, take: &mut dyn FnMut(&[i64], T));

    /// Returns the pieces that a visit is cut into, for the available threads.
    fn pieces(&self) -> Vec<Range<usize>> {
        let borders = self.borders(parallel::pieces(self.count()));
        borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// Returns the range of all elements.
    fn whole(&self) -> Range<usize> {
        0..self.borders(1).last().copied().unwrap_or(0)
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
    const MAY_PLACE: bool = Way::Place.is_open(&Self::SORTED, target::<F, N, M>().1);
    /// Whether elements may come in another order than that of storage.
    const MAY_MOVE: bool = Way::Scatter.is_open(&Self::SORTED, target::<F, N, M>().1)
        || Way::Sort.is_open(&Self::SORTED, target::<F, N, M>().1);

    /// Returns the order of the elements, found by scanning them if necessary.
    fn sorted(&self) -> Sorted;

    /// Returns an upper bound of the number of elements.
    fn count(&self) -> usize;

    /// Returns borders that cut a visit into at most `pieces` pieces of about equally many elements.
    fn borders(&self, pieces: usize) -> Vec<usize>;

    /// Visits the elements between two borders.
    fn for_each_between(&self, piece: Range<usize>, visit: impl FnMut([i64; M], F::Scalar));

    /// Visits all elements.
    #[inline]
    fn for_each(&self, visit: impl FnMut([i64; M], F::Scalar)) {
        let end = self.borders(1).last().copied().unwrap_or(0);
        self.for_each_between(0..end, visit);
    }
}

/// The words of elements that are coded in a format `F`.
pub(super) struct WordsOf<'c, F, C, const N: usize, const M: usize>(&'c C, PhantomData<fn() -> F>);

impl<'c, F: Tree<N, M>, C: Coded<F, N, M>, const N: usize, const M: usize> WordsOf<'c, F, C, N, M> {
    pub(super) fn new(elements: &'c C) -> Self {
        WordsOf(elements, PhantomData)
    }

    /// Visits the words and values of the elements between two borders.
    #[inline(always)]
    pub(super) fn each_word(&self, piece: Range<usize>, layout: &Layout, mut visit: impl FnMut(u64, F::Scalar)) {
        let form = layout.form::<M>();
        self.0.for_each_between(
            piece,
            #[inline(always)]
            |levels, value| visit(form.word::<F, N>(&levels), value),
        );
    }
}

impl<F, C, const N: usize, const M: usize> Elements<F::Scalar> for WordsOf<'_, F, C, N, M>
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

    fn tally(&self, piece: Range<usize>, layout: &Layout, shift: u32, counts: &mut [u32]) {
        self.each_word(piece, layout, |word, _| counts[word.wrapping_shr(shift) as usize] += 1);
    }

    fn scatter(&self, piece: Range<usize>, layout: &Layout, writer: &mut Writer<F::Scalar, u32>) {
        if C::MAY_MOVE {
            // A local copy, so that the loop keeps it in registers.
            let mut writer = writer.reborrow();
            self.each_word(piece, layout, move |word, value| writer.write(word, value));
        }
    }

    fn mark(&self, piece: Range<usize>, layout: &Layout, marker: &mut Marker) {
        if !C::MAY_PLACE {
            return;
        }
        let (form, depth) = (layout.form::<M>(), const { block_levels(target::<F, N, M>().1.levels) });
        self.0.for_each_between(piece, |levels, _| match depth {
            0 => {}
            1 => marker.mark_in_bin(form.word_of_block::<F, N>(&levels)),
            _ => marker.mark(form.word_of_block::<F, N>(&levels)),
        });
    }

    fn valued_words(&self, piece: Range<usize>, layout: &Layout, take: &mut dyn FnMut(&[u64], &[F::Scalar])) {
        let form = layout.form::<M>();
        let mut chunk = Chunk {
            words: &mut [0; CHUNK],
            values: &mut [F::Scalar::FILL; CHUNK],
            len: 0,
            take,
        };
        self.0
            .for_each_between(piece, |levels, value| chunk.push(form.word::<F, N>(&levels), value));
        chunk.finish();
    }

    fn coordinates(&self, take: &mut dyn FnMut(&[i64], F::Scalar)) {
        self.0.for_each(|levels, value| take(&levels, value));
    }
}

/// Elements of a source, for a format without queries.
pub struct Plain<'s, F, S, const N: usize> {
    source: &'s S,
    count: usize,
    format: PhantomData<fn() -> F>,
}

impl<'s, F, S: Source<N>, const N: usize> Plain<'s, F, S, N> {
    /// Counts the elements of `source` and checks that they are inside the shape.
    ///
    /// # Errors
    /// `OutOfBounds` if an element is outside the shape.
    pub(super) fn new(source: &'s S) -> Result<Self, Error> {
        Ok(Plain {
            source,
            count: checked_count(source)?,
            format: PhantomData,
        })
    }
}

impl<F, S, const N: usize, const M: usize> Coded<F, N, M> for Plain<'_, F, S, N>
where
    F: Tree<N, M>,
    S: Source<N, Scalar = F::Scalar>,
{
    const SORTED: Option<Sorted> = Sorted::by_type::<F, S, N, M>();

    fn sorted(&self) -> Sorted {
        match Self::SORTED {
            Some(sorted) => sorted,
            None => step("look at the order", || Sorted::found::<F, S, N, M>(self.source)),
        }
    }

    fn count(&self) -> usize {
        self.count
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        self.source.borders(pieces)
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

/// Elements of a source, with the results of `Q` queries.
pub struct Queried<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> {
    pub(crate) queries: Queries<'s, F::Scalar, N, Q>,
    pub(super) sorted: Sorted,
}

impl<'s, F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Queried<'s, F, N, M, Q> {
    /// Takes the elements of a source, in place if no coordinate occurs twice; no query is evaluated yet.
    ///
    /// # Errors
    /// The errors of [`Queries::gather`].
    pub(crate) fn new<S: Source<N, Scalar = F::Scalar>>(source: &'s S) -> Result<Self, Error> {
        if let Some(sorted) = const { Sorted::by_type::<F, S, N, M>() } {
            let queries = Queries::of(F::NAME, source)?;
            return Ok(Queried { queries, sorted });
        }
        step("gather the elements", || {
            let found = Sorted::found::<F, S, N, M>(source);
            let (queries, sorted) = if found.unique {
                (Queries::of(F::NAME, source)?, found)
            } else {
                (
                    Queries::gather(F::NAME, source)?,
                    Sorted::logically(target::<F, N, M>()),
                )
            };
            Ok(Queried { queries, sorted })
        })
    }

    /// Queries that the levels mention.
    const WANTED: [bool; Q] = {
        let (mut wanted, mut level) = ([false; Q], 0);
        let levels = target::<F, N, M>().0.levels;
        while level < levels.len() {
            mark(&levels[level].form, &mut wanted);
            level += 1;
        }
        wanted
    };

    /// Returns the query whose result is this level's coordinate, if there is one.
    const fn result(level: usize) -> Option<usize> {
        match &target::<F, N, M>().0.levels[level].form {
            Form {
                terms: [(Atom::Query(query), 1)],
                constant: 0,
            } => Some(*query),
            _ => None,
        }
    }

    /// Returns the domains; a measured one is from 0, or the lowest coordinate if negative, to the greatest.
    pub(crate) fn measure(&self, mut domains: [Domain; M]) -> Result<[Domain; M], Error> {
        let mut measured: [Option<(i64, i64)>; M] =
            core::array::from_fn(|level| F::LEVELS[level].measured.then_some((0, i64::MIN)));
        // A query with a number for each element has them all in an array: no visit of the elements is needed.
        for (level, extremes) in measured
            .iter_mut()
            .enumerate()
            .filter(|(_, extremes)| extremes.is_some())
        {
            let known = Self::result(level).and_then(|query| self.queries.extremes_of(query));
            if let Some((least, greatest)) = known {
                let domain = Domain::measured(F::LEVELS[level].name, least.min(0), greatest)?;
                (domains[level], *extremes) = (domain, None);
            }
        }
        if measured.iter().all(Option::is_none) {
            return Ok(domains);
        }
        let of_piece = |piece| {
            let mut measured = measured;
            self.for_each_between(piece..piece + 1, |levels, _| {
                for (extremes, level) in measured.iter_mut().zip(levels) {
                    *extremes = extremes.map(|(least, greatest)| (level.min(least), level.max(greatest)));
                }
            });
            measured
        };
        let pieces = parallel::each((0..self.queries.pieces()).collect(), of_piece);
        for (level, spec) in F::LEVELS
            .iter()
            .enumerate()
            .filter(|&(level, _)| measured[level].is_some())
        {
            let all = pieces.iter().filter_map(|piece| piece[level]);
            let wider = |(least, greatest): (i64, i64), (low, high): (i64, i64)| (least.min(low), greatest.max(high));
            let (least, greatest) = all.fold((0, i64::MIN), wider);
            domains[level] = Domain::measured(spec.name, least, greatest)?;
        }
        Ok(domains)
    }
}

/// Marks the queries that a form mentions.
const fn mark<const Q: usize>(form: &Form, mentioned: &mut [bool; Q]) {
    let mut term = 0;
    while term < form.terms.len() {
        match form.terms[term].0 {
            Atom::Dim(_) => {}
            Atom::Query(query) => mentioned[query] = true,
            Atom::Quotient(inner, _) => mark(inner, mentioned),
        }
        term += 1;
    }
}

impl<F: Tree<N, M>, const N: usize, const M: usize, const Q: usize> Coded<F, N, M> for Queried<'_, F, N, M, Q> {
    const SORTED: Option<Sorted> = None;

    fn sorted(&self) -> Sorted {
        self.sorted
    }

    fn count(&self) -> usize {
        self.queries.count()
    }

    fn borders(&self, pieces: usize) -> Vec<usize> {
        balanced(self.queries.pieces(), pieces, |piece| piece)
    }

    #[inline]
    fn for_each_between(&self, pieces: Range<usize>, mut visit: impl FnMut([i64; M], F::Scalar)) {
        for piece in pieces {
            self.queries.visit(piece, Self::WANTED, |coordinate, value, results| {
                visit(F::encode(coordinate, &results), value);
            });
        }
    }
}
