//! Transposed copies of dense arrays, in the order in which loops access them.

use core::ops::Range;

use rayon::prelude::*;

use crate::machine::{pages, parallel};

/// Edge of a square of elements that stays in L1 while it is read and written.
const SQUARE: usize = 16;

/// Returns a copy of a row-major array with the dims `along` moved last; these dims and the others keep their order.
///
/// `views` has the extents that each read in the kernel's statement gives the array. Returns `None` if these differ, as
/// they can for a slice, which has no extents of its own; if loops make fewer `accesses` than there are elements, so that a
/// copy does not pay off; or if there is no memory for it. `O(elements)`, on the threads of the current pool.
#[must_use]
pub fn transposed_copy<T: Copy + Send + Sync, const N: usize>(
    elements: &[T],
    views: &[[usize; N]],
    along: Range<usize>,
    accesses: usize,
) -> Option<Vec<T>> {
    let (&first, (extents, others)) = (elements.first()?, views.split_first()?);
    if others.iter().any(|other| other != extents) || !pays(elements, extents, accesses) {
        return None;
    }
    let mut copy = of(first, elements.len())?;
    turn(elements, &mut copy, lengths(extents, along));
    Some(copy)
}

/// Like [`transposed_copy`], for an output to which loops make this many `additions`.
///
/// The copy holds `start` everywhere if that is given, or else the elements of the output. [`transpose_back`] writes the copy to
/// the output afterwards.
#[must_use]
pub fn transposed_output<T: Copy + Send + Sync, const N: usize>(
    output: &[T],
    extents: [usize; N],
    along: Range<usize>,
    additions: usize,
    start: Option<T>,
) -> Option<Vec<T>> {
    match start {
        Some(start) if pays(output, &extents, additions) => of(start, output.len()),
        Some(_) => None,
        None => transposed_copy(output, &[extents], along, additions),
    }
}

/// Writes a copy that has the dims `along` last to its output, which has these `extents`.
///
/// # Panics
/// If the copy is not one of the output, as their lengths differ.
pub fn transpose_back<T: Copy + Send + Sync, const N: usize>(
    copy: &[T],
    output: &mut [T],
    extents: [usize; N],
    along: Range<usize>,
) {
    assert_eq!(copy.len(), output.len());
    let (along, after) = lengths(&extents, along);
    turn(copy, output, (after, along));
}

/// Returns whether an array has these extents, and a copy pays off for this many accesses.
fn pays<T>(elements: &[T], extents: &[usize], accesses: usize) -> bool {
    let all = extents.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent));
    !elements.is_empty() && all == Some(elements.len()) && accesses >= elements.len()
}

/// Returns `count` times the same element, if there is memory for it.
fn of<T: Copy>(element: T, count: usize) -> Option<Vec<T>> {
    let mut copy = Vec::new();
    pages::expect(&mut copy, count);
    if copy.capacity() < count {
        return None;
    }
    copy.resize(count, element);
    Some(copy)
}

/// Returns the number of elements along the dims `along`, and along the dims after them.
fn lengths(extents: &[usize], along: Range<usize>) -> (usize, usize) {
    let count = |extents: &[usize]| extents.iter().product();
    (count(&extents[along.clone()]), count(&extents[along.end..]))
}

/// Transposes each block: `along` rows of `after` elements become `after` rows of `along` elements.
fn turn<T: Copy + Send + Sync>(from: &[T], to: &mut [T], (along, after): (usize, usize)) {
    // There may be no elements, or one row with all of them.
    let block = (along * after).max(1);
    let rows = after.div_ceil(parallel::pieces(block)).max(1);
    for (from, to) in from.chunks(block).zip(to.chunks_mut(block)) {
        let parts = to.par_chunks_mut(rows * along).enumerate();
        parts.for_each(|(part, to)| turn_rows(from, after, part * rows, to, along));
    }
}

/// Writes rows of `along` elements, which are the columns of `from` from `first` up; its rows have `after` elements.
fn turn_rows<T: Copy>(from: &[T], after: usize, first: usize, to: &mut [T], along: usize) {
    for (square, to) in to.chunks_mut(SQUARE * along).enumerate() {
        let column = first + square * SQUARE;
        for at in (0..along).step_by(SQUARE) {
            let end = (at + SQUARE).min(along);
            for (row, to) in to.chunks_mut(along).enumerate() {
                let column = from[column + row + at * after..].iter().step_by(after);
                to[at..end].iter_mut().zip(column).for_each(|(to, &from)| *to = from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dim_is_last() {
        let extents = [3, 21, 4, 35];
        let [a, b, c, d] = extents;
        let elements: Vec<usize> = (0..a * b * c * d).collect();
        for dim in 0..4 {
            let along = dim..dim + 1;
            let copy = transposed_copy(&elements, &[extents, extents], along.clone(), elements.len()).expect("it pays");
            let mut order: Vec<usize> = (0..4).filter(|&other| other != dim).collect();
            order.push(dim);
            for (place, &element) in copy.iter().enumerate() {
                let (mut rest, mut at) = (place, [0; 4]);
                for &dim in order.iter().rev() {
                    (rest, at[dim]) = (rest / extents[dim], rest % extents[dim]);
                }
                assert_eq!(element, ((at[0] * b + at[1]) * c + at[2]) * d + at[3]);
            }
            let mut back = vec![0; elements.len()];
            transpose_back(&copy, &mut back, extents, along);
            assert_eq!(back, elements);
        }
    }

    #[test]
    fn on_several_threads_it_is_the_same() {
        let (rows, columns) = (70, 3001);
        let elements: Vec<u32> = (0..rows * columns).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let copy = pool
            .install(|| transposed_copy(&elements, &[[70, 3001]], 0..1, usize::MAX))
            .unwrap();
        let by_hand = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        assert!(by_hand.eq(copy));
    }

    #[test]
    fn several_dims_are_last_in_their_order() {
        let extents = [3, 5, 4];
        let elements: Vec<usize> = (0..60).collect();
        let copy = transposed_copy(&elements, &[extents], 0..2, 60).unwrap();
        let by_hand = (0..4).flat_map(|c| (0..15).map(move |ab| ab * 4 + c));
        assert!(by_hand.eq(copy.iter().copied()));
        let mut back = vec![0; 60];
        transpose_back(&copy, &mut back, extents, 0..2);
        assert_eq!(back, elements);
    }

    #[test]
    fn an_output_is_transposed_with_what_it_holds_or_not() {
        let output = [1, 2, 3, 4, 5, 6];
        assert_eq!(
            transposed_output(&output, [2, 3], 0..1, 6, None),
            Some(vec![1, 4, 2, 5, 3, 6])
        );
        assert_eq!(transposed_output(&output, [2, 3], 0..1, 6, Some(0)), Some(vec![0; 6]));
        assert_eq!(transposed_output(&output, [2, 3], 0..1, 5, Some(0)), None);
        assert_eq!(transposed_output(&output, [2, 4], 0..1, 9, Some(0)), None);
        assert_eq!(transposed_output(&[0; 0], [0, 3], 0..1, 9, Some(0)), None);
    }

    #[test]
    fn what_does_not_pay_is_not_copied() {
        assert_eq!(transposed_copy(&[1, 2, 3, 4], &[[2, 2]], 0..1, 3), None);
        assert_eq!(
            transposed_copy(&[1, 2, 3, 4], &[[2, 2]], 0..1, 4),
            Some(vec![1, 3, 2, 4])
        );
        assert_eq!(transposed_copy::<u8, 2>(&[], &[[0, 3]], 0..1, 9), None);
    }

    #[test]
    fn a_slice_that_is_read_in_two_shapes_is_not_copied() {
        assert_eq!(transposed_copy(&[0; 6], &[[2, 3], [3, 2]], 0..1, 6), None);
    }
}
