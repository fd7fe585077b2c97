//! Division of the visit of a tensor into pieces with about equally many elements.

use super::kind::Kind;
use super::level::Tree;

/// Returns the number of positions of the outermost loop over a tensor, which is over its first undetermined level.
pub fn roots<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F) -> usize {
    let Some(level) = outermost::<F, N, M>() else { return 1 };
    let arrays = tensor.arrays()[level];
    match (F::LEVELS[level].kind, arrays.ptr, arrays.idx) {
        (Kind::Dense | Kind::Counted { pointed: false }, ..) => {
            F::domains(tensor.shape(), &tensor.sizes()).map_or(0, |domains| domains[level].size)
        }
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
/// `O(pieces * log(roots) * levels)`.
pub fn borders<F: Tree<N, M>, const N: usize, const M: usize>(tensor: &F, pieces: usize) -> Vec<usize> {
    let roots = roots(tensor);
    let (arrays, below) = (tensor.arrays(), outermost::<F, N, M>().map_or(M, |level| level + 1));
    let sizes = F::domains(tensor.shape(), &tensor.sizes()).map_or([0; M], |domains| domains.map(|domain| domain.size));
    balanced(roots, pieces, |root| {
        let (mut position, mut segments) = (root, 0usize);
        for level in below..M {
            match (F::LEVELS[level].kind, arrays[level].ptr) {
                (Kind::Dense, _) => position = position.saturating_mul(sizes[level]),
                (Kind::Counted { .. } | Kind::Indexed { .. }, Some(ptr)) => {
                    let entries = ptr.at(position) as usize;
                    // Where there are fewer entries than segments, most segments are empty.
                    segments = segments.saturating_add(position.min(entries));
                    position = entries;
                }
                _ => {}
            }
        }
        position.saturating_add(segments.saturating_mul(SEGMENT))
    })
}

/// Returns [`borders`] of `roots` positions, where `work(n)` is the work of the first `n`.
pub fn balanced(roots: usize, pieces: usize, work: impl Fn(usize) -> usize) -> Vec<usize> {
    let pieces = pieces.clamp(1, roots.max(1));
    let total = work(roots) as u128;
    let mut borders = vec![0];
    for piece in 1..pieces {
        let share = (total * piece as u128 / pieces as u128) as usize;
        let (mut low, mut high) = (borders[borders.len() - 1], roots);
        while low < high {
            let middle = low + (high - low) / 2;
            if work(middle) < share {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low > borders[borders.len() - 1] && low < roots {
            borders.push(low);
        }
    }
    borders.push(roots);
    borders
}

/// Returns the first level whose coordinate is not determined.
fn outermost<F: Tree<N, M>, const N: usize, const M: usize>() -> Option<usize> {
    F::LEVELS.iter().position(|level| !level.kind.is_determined())
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
    fn nothing_is_one_piece() {
        assert_eq!(balanced(0, 8, |_| 0), [0, 0]);
        assert_eq!(balanced(3, 8, |_| 0), [0, 3]);
    }

    #[test]
    fn shares_of_as_much_as_there_can_be() {
        assert_eq!(balanced(usize::MAX, 2, |root| root), [0, usize::MAX / 2, usize::MAX]);
    }
}
