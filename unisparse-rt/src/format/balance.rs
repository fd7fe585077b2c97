//! Divides the outermost loop of a traversal into pieces of about equal work.

use super::kind::Kind;
use super::level::{Level, LevelArrays, Tree};
use crate::array::IndexArray;

/// Returns the number of positions of the outermost loop over a tensor, which is over its first undetermined level.
pub fn roots<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> usize {
    let size = |level: usize| F::domains(tensor.shape(), &tensor.sizes()).map_or(0, |domains| domains[level].size);
    roots_of(const { &F::LEVELS }, &tensor.arrays(), &size)
}

fn roots_of(levels: &[Level], arrays: &[LevelArrays<'_>], size: &dyn Fn(usize) -> usize) -> usize {
    let Some(level) = outermost(levels) else { return 1 };
    let arrays = arrays[level];
    match (levels[level].kind, arrays.ptr, arrays.idx) {
        (Kind::Dense | Kind::Counted { pointed: false }, ..) => size(level),
        (_, None, Some(idx)) => idx.len(),
        _ => 1,
    }
}

/// Estimated cost of beginning and ending a segment of a level, in stored positions.
///
/// Without it, pieces of a skewed graph would have equally many elements but very different numbers of rows.
const SEGMENT: usize = 8;

/// Returns the borders of at most `pieces` pieces of the outermost loop's positions, from 0 to their number.
///
/// No piece is empty unless all are. A piece has at most its share of the work, plus the work below one position. The work
/// is the number of stored positions, plus eight times the number of segments they are in.
///
/// `O(pieces * log(roots) * levels)`, and `O(pieces * log(roots / pieces) * levels)` where the work is spread evenly.
pub fn borders<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F, pieces: usize) -> Vec<usize> {
    if pieces <= 1 {
        return vec![0, roots(tensor)];
    }
    let mut sizes = [0; M];
    if let Ok(domains) = F::domains(tensor.shape(), &tensor.sizes()) {
        for (size, domain) in sizes.iter_mut().zip(&domains) {
            *size = domain.size;
        }
    }
    borders_of(const { &F::LEVELS }, &tensor.arrays(), &sizes, pieces)
}

fn borders_of(levels: &[Level], arrays: &[LevelArrays<'_>], sizes: &[usize], pieces: usize) -> Vec<usize> {
    let roots = roots_of(levels, arrays, &|level| sizes[level]);
    let below = outermost(levels).map_or(levels.len(), |level| level + 1);
    let mut steps = Vec::with_capacity(levels.len() - below);
    for level in below..levels.len() {
        match (levels[level].kind, arrays[level].ptr) {
            (Kind::Dense, _) => steps.push(Step::Times(sizes[level])),
            (Kind::Counted { .. } | Kind::Indexed { .. }, Some(ptr)) => steps.push(Step::Segments(ptr)),
            _ => {}
        }
    }
    by_work(roots, pieces, &|root| {
        let (mut position, mut segments) = (root, 0usize);
        for step in &steps {
            match step {
                Step::Times(size) => position = position.saturating_mul(*size),
                Step::Segments(ptr) => {
                    let entries = ptr.at(position) as usize;
                    // Where there are fewer entries than segments, most segments are empty.
                    segments = segments.saturating_add(position.min(entries));
                    position = entries;
                }
            }
        }
        position.saturating_add(segments.saturating_mul(SEGMENT))
    })
}

/// How positions of one level lead to those of the next that has positions of its own.
enum Step<'a> {
    /// This many below each.
    Times(usize),
    /// Those between two entries of a `ptr` array.
    Segments(&'a dyn IndexArray),
}

/// Returns [`borders`] of `roots` positions, where `work(n)` is the work of the first `n`.
pub fn balanced(roots: usize, pieces: usize, work: impl Fn(usize) -> usize) -> Vec<usize> {
    by_work(roots, pieces, &work)
}

/// As [`balanced`], compiled once: the work is looked up a few times for each piece.
fn by_work(roots: usize, pieces: usize, work: &dyn Fn(usize) -> usize) -> Vec<usize> {
    let pieces = pieces.min(roots);
    if pieces <= 1 {
        return vec![0, roots];
    }
    let total = work(roots);
    let mut borders = vec![0];
    for piece in 1..pieces {
        let share = match total.checked_mul(piece) {
            Some(product) => product / pieces,
            None => (total as u128 * piece as u128 / pieces as u128) as usize,
        };
        let last = borders[borders.len() - 1];
        let (mut low, mut high) = (last, roots);
        // The border is rarely much further than an even share of the roots that are left: look there first, then twice as far.
        let mut step = (roots - last).div_ceil(pieces + 1 - piece).max(1);
        while step < high - low {
            if work(low + step) >= share {
                high = low + step;
                break;
            }
            low += step + 1;
            step = step.saturating_mul(2);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if work(middle) < share {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low > last && low < roots {
            borders.push(low);
        }
    }
    borders.push(roots);
    borders
}

/// Returns the first level whose coordinate is not determined.
fn outermost(levels: &[Level]) -> Option<usize> {
    levels.iter().position(|level| !level.kind.is_determined())
}

#[cfg(test)]
mod tests {
    use super::balanced;

    #[test]
    fn shares_are_met_but_for_one_position() {
        let nodes = [3, 0, 0, 50, 1, 1, 1, 7, 0, 9, 2];
        let stored = |root: usize| nodes[..root].iter().sum::<usize>();
        for pieces in 0..20 {
            let borders = balanced(nodes.len(), pieces, stored);
            assert!(borders.len() <= pieces.max(1) + 1 && borders.is_sorted_by(|left, right| left < right));
            assert_eq!((borders[0], borders[borders.len() - 1]), (0, nodes.len()));
            let pieces = pieces.clamp(1, nodes.len());
            for piece in borders.windows(2) {
                assert!(stored(piece[1]) - stored(piece[0]) <= stored(nodes.len()).div_ceil(pieces) + 50);
            }
        }
        assert_eq!(balanced(4, 2, |root| 10 * root), [0, 2, 4]);
    }

    #[test]
    fn borders_are_where_the_shares_are_first_met() {
        // Even work, none at first, none at last, all in one position, and no work at all.
        let works: [fn(usize) -> usize; 5] = [
            |root| 3 * root,
            |root| root.saturating_sub(70),
            |root| root.min(5),
            |root| 1000 * usize::from(root > 41),
            |_| 0,
        ];
        for (work, roots, pieces) in works.into_iter().flat_map(|work| {
            [(97, 2), (97, 3), (97, 8), (97, 96), (97, 97), (100, 7)].map(|(roots, pieces)| (work, roots, pieces))
        }) {
            let mut expected = vec![0];
            for piece in 1..pieces {
                let share = work(roots) * piece / pieces;
                let last = expected[expected.len() - 1];
                let first = (last..roots).find(|&root| work(root) >= share).unwrap_or(roots);
                if first > last && first < roots {
                    expected.push(first);
                }
            }
            expected.push(roots);
            assert_eq!(balanced(roots, pieces, work), expected);
        }
    }

    #[test]
    fn nothing_is_one_piece() {
        assert_eq!(balanced(0, 8, |_| 0), [0, 0]);
        assert_eq!(balanced(3, 8, |_| 0), [0, 3]);
    }

    #[test]
    fn shares_of_as_much_as_there_can_be() {
        assert_eq!(balanced(usize::MAX, 2, |root| root), [0, usize::MAX / 2, usize::MAX]);
    }
}
