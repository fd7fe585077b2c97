//! Copies of dense operands in the order that loops go through them.

use rayon::prelude::*;

use crate::{pages, parallel};

/// A square of so many elements each way is in the nearest cache, read and written.
const SQUARE: usize = 16;

/// The elements of a row-major array as one whose last dim is `dim`; the others keep their order. `views` are the extents that
/// each read of the array in the kernel's statement gives it.
///
/// None where these differ, as they can for a slice, which has no extents of its own; where a copy does not pay, as loops make
/// fewer than so many `reads` in all; or where there is no memory for it. `O(elements)`, on the threads of the current pool.
#[must_use]
pub fn turned<T: Copy + Send + Sync, const N: usize>(
    elements: &[T],
    views: &[[usize; N]],
    dim: usize,
    reads: usize,
) -> Option<Vec<T>> {
    let (&first, count) = (elements.first()?, elements.len());
    let (extents, others) = views.split_first()?;
    let mut extent = extents.iter();
    let is_whole = extent.try_fold(1usize, |all, &extent| all.checked_mul(extent)) == Some(count);
    if reads < count || !is_whole || others.iter().any(|other| other != extents) {
        return None;
    }
    let mut copy = Vec::new();
    pages::expect(&mut copy, count);
    if copy.capacity() < count {
        return None;
    }
    copy.resize(count, first);
    let (along, after) = (extents[dim], extents[dim + 1..].iter().product::<usize>());
    // Each of the outer dims by itself: `along` rows of `after` elements become `after` rows of `along`.
    let block = along * after;
    let rows = after.div_ceil(parallel::pieces(block)).max(1);
    for (from, to) in elements.chunks(block).zip(copy.chunks_mut(block)) {
        let parts = to.par_chunks_mut(rows * along).enumerate();
        parts.for_each(|(part, to)| turn(from, after, part * rows, to, along));
    }
    Some(copy)
}

/// Rows of `along` elements each, of which the first is the column `first` of `from`, whose rows have `after`.
fn turn<T: Copy>(from: &[T], after: usize, first: usize, to: &mut [T], along: usize) {
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
            let turned = turned(&elements, &[extents, extents], dim, elements.len()).expect("it pays");
            let mut order: Vec<usize> = (0..4).filter(|&other| other != dim).collect();
            order.push(dim);
            for (place, &element) in turned.iter().enumerate() {
                let (mut rest, mut at) = (place, [0; 4]);
                for &dim in order.iter().rev() {
                    (rest, at[dim]) = (rest / extents[dim], rest % extents[dim]);
                }
                assert_eq!(element, ((at[0] * b + at[1]) * c + at[2]) * d + at[3]);
            }
        }
    }

    #[test]
    fn on_several_threads_it_is_the_same() {
        let (rows, columns) = (70, 3001);
        let elements: Vec<u32> = (0..rows * columns).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let turned = pool
            .install(|| turned(&elements, &[[70, 3001]], 0, usize::MAX))
            .unwrap();
        let by_hand = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        assert!(by_hand.eq(turned));
    }

    #[test]
    fn what_does_not_pay_is_not_copied() {
        assert_eq!(turned(&[1, 2, 3, 4], &[[2, 2]], 0, 3), None);
        assert_eq!(turned(&[1, 2, 3, 4], &[[2, 2]], 0, 4), Some(vec![1, 3, 2, 4]));
        assert_eq!(turned::<u8, 2>(&[], &[[0, 3]], 0, 9), None);
    }

    #[test]
    fn a_slice_that_is_read_in_two_shapes_is_not_copied() {
        assert_eq!(turned(&[0; 6], &[[2, 3], [3, 2]], 0, 6), None);
    }
}
