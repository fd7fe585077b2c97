//! Parallel execution of a kernel's outermost loop, by the way in which its positions write the output.
//!
//! Little work runs on the calling thread, on the output itself. For more work, the result depends only on the pieces it
//! is cut into, not on the threads that run them.

use core::ops::Range;

use super::chunks::{cut, cut_at, cut_short, even_borders, ranges, reduce_outputs, run, run_by};
use super::copies::COPIES;
use crate::array::{Parents, Pointers};
use crate::element::Index;
use crate::machine::parallel::Helpers;

/// How many multiplications take as long as to build an element of a result: products and sums of matrices of 10^4 nonzeros take 5 to
/// 50 ns for each.
const BUILD: usize = 8;

/// Outermost loop of a kernel, and how to cut it.
pub struct Loop<B> {
    /// Approximate number of multiplications inside.
    pub work: usize,
    /// Number of positions.
    pub count: usize,
    /// Returns the borders of at most this many pieces with about equal work, from 0 to the number of positions.
    pub borders: B,
}

/// Runs a loop in which each position owns the next `stride` elements of the output.
///
/// `body` gets positions and their elements.
#[inline]
pub fn owned<S: Send>(
    outer: Loop<impl Fn(usize) -> Vec<usize>>,
    stride: usize,
    output: &mut [S],
    body: impl Fn(Range<usize>, &mut [S]) + Sync,
) {
    match cut_short(outer.work) {
        (1, _) => body(0..outer.count, output),
        (pieces, helpers) => owned_in_pieces(&(outer.borders)(pieces), helpers, stride, output, &body),
    }
}

#[cold]
#[inline(never)]
fn owned_in_pieces<S: Send>(
    borders: &[usize],
    helpers: Helpers,
    stride: usize,
    output: &mut [S],
    body: &(dyn Fn(Range<usize>, &mut [S]) + Sync),
) {
    let parts = cut_at(output, borders.iter().map(|&border| border.saturating_mul(stride)));
    run_by(helpers, ranges(borders).zip(parts).collect(), |(range, part)| {
        body(range, part);
    });
}

/// Like [`owned`], for a loop in which a position adds to the output only in one inner loop, over its entries. `pointers` has where
/// these begin.
///
/// The entries of a long position are divided between pieces. The first part of them adds to the output, each other part to
/// a private copy of the position's elements that holds `start` at first; the copies are reduced by `combine`. `body` gets
/// pointers to the entries of its piece.
#[inline]
pub fn divided<S: Copy + Send + Sync, P: Index>(
    outer: Loop<impl Fn(usize) -> Vec<usize>>,
    stride: usize,
    output: &mut [S],
    pointers: &Pointers<P>,
    start: S,
    combine: fn(S, S) -> S,
    body: impl Fn(Range<usize>, &mut [S], Parents<'_, P>) + Sync,
) {
    match cut_short(outer.work) {
        (1, _) => body(0..outer.count, output, pointers.all()),
        (pieces, helpers) => {
            let divided = divide(&(outer.borders)(pieces), pieces, pointers);
            divided_in_pieces(
                &divided,
                helpers,
                stride,
                output,
                start,
                combine,
                &|positions, output, entries| {
                    let ends = entries.map(|entries| pointers.ends(&entries).expect("they are those of a parent"));
                    let parents = ends
                        .as_ref()
                        .map_or(pointers.all(), |ends| Parents::one(positions.start, ends));
                    body(positions, output, parents);
                },
            );
        }
    }
}

/// Positions with one owner, and the parts that their entries are divided into; `None` for all entries.
type Divided = (Range<usize>, Vec<Option<Range<usize>>>);

/// Divides the work at the borders, and the entries of a position into parts where they are more than half a share.
#[cold]
#[inline(never)]
fn divide<P: Index>(borders: &[usize], pieces: usize, pointers: &Pointers<P>) -> Vec<Divided> {
    let most = (pointers.end() / pieces.max(1) / 2).max(1);
    let mut all = Vec::new();
    for positions in ranges(borders) {
        // A position with more than a share is the last of its piece.
        let last = positions.end.wrapping_sub(1);
        let entries = if positions.is_empty() {
            0..0
        } else {
            pointers.range(last)
        };
        if entries.len() <= most {
            all.push((positions, vec![None]));
            continue;
        }
        if positions.len() > 1 {
            all.push((positions.start..last, vec![None]));
        }
        let parts = even_borders(entries.len(), entries.len().div_ceil(most));
        let part = |part: Range<usize>| Some(entries.start + part.start..entries.start + part.end);
        all.push((last..positions.end, ranges(&parts).map(part).collect()));
    }
    all
}

/// Work on some positions, their elements and some of their entries.
type Pass<'a, S> = dyn Fn(Range<usize>, &mut [S], Option<Range<usize>>) + Sync + 'a;

#[cold]
#[inline(never)]
fn divided_in_pieces<S: Copy + Send + Sync>(
    divided: &[Divided],
    helpers: Helpers,
    stride: usize,
    output: &mut [S],
    start: S,
    combine: fn(S, S) -> S,
    body: &Pass<'_, S>,
) {
    let firsts = divided.iter().map(|(positions, _)| positions.start);
    let end = divided.last().map_or(0, |(positions, _)| positions.end);
    let places = firsts.chain([end]).map(|position| position.saturating_mul(stride));
    let mut outputs = cut_at(output, places);
    let mut copies: Vec<Vec<Vec<S>>> = Vec::new();
    for ((_, parts), output) in divided.iter().zip(&outputs) {
        copies.push((1..parts.len()).map(|_| vec![start; output.len()]).collect());
    }
    let mut tasks = Vec::new();
    for (((positions, parts), output), copies) in divided.iter().zip(&mut outputs).zip(&mut copies) {
        let outputs = core::iter::once(&mut **output).chain(copies.iter_mut().map(Vec::as_mut_slice));
        tasks.extend(
            parts
                .iter()
                .zip(outputs)
                .map(|(entries, output)| (positions.clone(), output, entries.clone())),
        );
    }
    run_by(helpers, tasks, |(positions, output, entries)| {
        body(positions, output, entries);
    });
    for (output, copies) in outputs
        .into_iter()
        .zip(&copies)
        .filter(|(_, copies)| !copies.is_empty())
    {
        reduce_outputs(output, copies, combine);
    }
}

/// Runs a loop over positions whose coordinates do not decrease; each coordinate owns `stride` elements of the output.
///
/// `coordinate` returns the coordinate of a position. `body` gets positions, the elements of their coordinates, and the
/// first of these coordinates.
#[inline]
pub fn ascending<S: Send>(
    outer: Loop<impl Fn(usize) -> Vec<usize>>,
    coordinate: impl Fn(usize) -> usize,
    stride: usize,
    output: &mut [S],
    body: impl Fn(Range<usize>, &mut [S], usize) + Sync,
) {
    match cut_short(outer.work) {
        (1, _) => body(0..outer.count, output, 0),
        (pieces, helpers) => {
            ascending_in_pieces((outer.borders)(pieces), helpers, &coordinate, stride, output, &body);
        }
    }
}

/// Work on a piece: its positions, the elements of their coordinates, and the first of these coordinates.
type Part<'a, S> = dyn Fn(Range<usize>, &mut [S], usize) + Sync + 'a;

#[cold]
#[inline(never)]
fn ascending_in_pieces<S: Send>(
    mut borders: Vec<usize>,
    helpers: Helpers,
    coordinate: &dyn Fn(usize) -> usize,
    stride: usize,
    output: &mut [S],
    body: &Part<'_, S>,
) {
    let count = borders.last().copied().unwrap_or(0);
    // Positions with equal coordinates stay in one piece.
    let goes_on = |at: usize| 0 < at && at < count && coordinate(at) == coordinate(at - 1);
    for border in &mut borders {
        while goes_on(*border) {
            *border += 1;
        }
    }
    borders.dedup();
    let last = borders.len() - 1;
    // A level may have coordinates past the end of the output: nothing is added there.
    let end = output.len() / stride.max(1);
    let first = |(number, &border): (usize, &usize)| match number {
        0 => 0,
        _ if number == last => end,
        _ => coordinate(border).min(end),
    };
    let firsts: Vec<usize> = borders.iter().enumerate().map(first).collect();
    let parts = cut_at(output, firsts.iter().map(|&first| first.saturating_mul(stride)));
    let pieces = ranges(&borders).zip(parts).zip(firsts);
    run_by(helpers, pieces.collect(), |((range, part), first)| {
        body(range, part, first);
    });
}

/// Runs a loop whose positions add to any elements of the output, in private copies that hold `start` at first.
///
/// With `stores`, the positions store every element of the output, and each piece stores the elements of its positions:
/// the previous content of the output is ignored.
#[inline]
pub fn shared<S: Copy + Send + Sync + 'static>(
    outer: Loop<impl Fn(usize) -> Vec<usize>>,
    output: &mut [S],
    stores: bool,
    start: S,
    combine: fn(S, S) -> S,
    body: impl Fn(Range<usize>, &mut [S]) + Sync,
) {
    // Copies that are much longer than the work are not worth it.
    let most = outer.work.saturating_mul(2) / output.len().max(1);
    match cut(outer.work).min(most) {
        0 | 1 => body(0..outer.count, output),
        pieces => {
            if stores {
                output.fill(start);
            }
            shared_in_pieces(&(outer.borders)(pieces), output, start, combine, &body);
        }
    }
}

#[cold]
#[inline(never)]
fn shared_in_pieces<S: Copy + Send + Sync + 'static>(
    borders: &[usize],
    output: &mut [S],
    start: S,
    combine: fn(S, S) -> S,
    body: &(dyn Fn(Range<usize>, &mut [S]) + Sync),
) {
    let length = output.len();
    COPIES.with(borders.len().saturating_sub(2), |copies| {
        let outputs = copies.iter_mut().map(|copy| Output::Copy { copy, start, length });
        let outputs = core::iter::once(Output::Itself(&mut *output)).chain(outputs);
        run(ranges(borders).zip(outputs).collect(), |(range, output)| {
            body(range, output.elements());
        });
        reduce_outputs(output, copies, combine);
    });
}

/// What a piece adds to.
enum Output<'a, S> {
    Itself(&'a mut [S]),
    /// A private copy, which is this long and holds `start` at first.
    Copy {
        copy: &'a mut Vec<S>,
        start: S,
        length: usize,
    },
}

impl<'a, S: Copy> Output<'a, S> {
    /// Returns the elements; those of a copy are filled by the thread that adds to them.
    fn elements(self) -> &'a mut [S] {
        match self {
            Output::Itself(output) => output,
            Output::Copy { copy, start, length } => {
                copy.clear();
                copy.resize(length, start);
                copy
            }
        }
    }
}

/// Runs `body` on each piece, and returns the results in order.
#[inline]
pub fn each<R: Send>(outer: Loop<impl Fn(usize) -> Vec<usize>>, body: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    match cut(outer.work) {
        1 => vec![body(0..outer.count)],
        pieces => each_in_pieces(&(outer.borders)(pieces), &body),
    }
}

/// Does what [`each`] does where each piece builds a result, element by element: this takes longer than to multiply.
#[inline]
pub fn built<R: Send>(outer: Loop<impl Fn(usize) -> Vec<usize>>, body: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let work = outer.work.saturating_mul(BUILD);
    each(Loop { work, ..outer }, body)
}

#[cold]
#[inline(never)]
fn each_in_pieces<R: Send>(borders: &[usize], body: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    run(ranges(borders).collect(), body)
}

#[cfg(test)]
mod tests;
