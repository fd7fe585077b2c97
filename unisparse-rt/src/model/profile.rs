//! The loops of a traversal of a tensor, and how dense operands are accessed along them.
//!
//! A *pass* of a loop is one execution of it, from its first to its last iteration.

use core::ops::Range;

use super::locality::Locality;
use super::size::Estimate;
use crate::array::Domain;
use crate::element::Stored;
use crate::error::Error;
use crate::format::{Kind, Level, Tree};
use crate::limit::Limit;

/// How a dim's coordinate changes in one step of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// It does not change.
    Still,
    /// It changes by a constant.
    By(i64),
    /// It is read from an array.
    LookedUp,
    /// It is read from an array, and is the same in the next pass.
    Invariant,
}

/// One loop over the positions of some levels, nested in the loops before it.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    /// The first of its levels.
    pub(crate) level: usize,
    /// Number of times its body runs.
    pub(crate) positions: u128,
    /// The number of passes with another length than the pass before, if passes may differ in length.
    pub(crate) changes: Option<f64>,
    /// Whether a level stores one entry per child, so that its coordinates repeat.
    pub(crate) repeats: bool,
    /// How each dim changes along it.
    pub(crate) moves: Vec<Move>,
}

/// The cost of a traversal of one tensor that was not built. Generated code requests it.
#[derive(Debug, Clone)]
pub struct Profile {
    pub(crate) estimate: Estimate,
    /// The error of a conversion whose entries do not fit their array, if known.
    pub(crate) overflow: Option<Error>,
    pub(crate) elements: u128,
    /// The bytes of the tensor that a product reads.
    pub(crate) read: u128,
    /// The bytes among these that depend on the shape alone: those of the pointers below the dense levels at the root.
    pub(crate) read_of_shape: u128,
    /// Returns the numbers of positions of the dense levels at the root, in a shape.
    pub(crate) dense: fn(&[usize]) -> Vec<u128>,
    pub(crate) shape: Vec<usize>,
    /// The bytes of a value.
    pub(crate) width: usize,
    /// The bytes of an element of a dense operand.
    pub(crate) operand: usize,
    /// The sampled accesses to dense operands, if these do not fit the nearest cache.
    pub(crate) locality: Option<Locality>,
    /// The loops from the outermost to the innermost.
    pub(crate) loops: Vec<Loop>,
}

impl Profile {
    /// Returns the profile of a list of elements with `usize` coordinates.
    pub(crate) fn of_list<T: Stored, const N: usize>(shape: [usize; N], elements: usize) -> Self {
        let elements = elements as u128;
        let bytes = elements * (size_of::<[usize; N]>() + size_of::<T>()) as u128;
        Profile {
            estimate: Estimate {
                stored: elements,
                bytes,
                peak: 2 * bytes,
            },
            overflow: None,
            elements,
            read: bytes,
            read_of_shape: 0,
            dense: |_| Vec::new(),
            shape: shape.to_vec(),
            width: size_of::<T>(),
            operand: size_of::<T::Value>(),
            locality: None,
            loops: vec![Loop {
                level: 0,
                positions: elements,
                changes: None,
                repeats: true,
                moves: vec![Move::LookedUp; N],
            }],
        }
    }

    /// Returns the profile of a tensor with `factor` times as many elements, in another shape. Dense levels at the root have the
    /// positions of that shape, all others `factor` times as many.
    pub(crate) fn scaled(&self, factor: f64, shape: &[usize]) -> Self {
        let times = |count: u128| (count as f64 * factor) as u128;
        let (dense, other) = ((self.dense)(&self.shape), (self.dense)(shape));
        let loops = self.loops.iter().map(|along| {
            let known = dense.get(along.level).zip(other.get(along.level));
            let known = known.filter(|&(&positions, _)| positions == along.positions);
            Loop {
                positions: known.map_or(times(along.positions), |(_, &positions)| positions),
                changes: along.changes.map(|changes| changes * factor),
                ..along.clone()
            }
        });
        let of_shape = match (dense.last(), other.last()) {
            (Some(&positions), Some(&others)) => {
                (self.read_of_shape as f64 * others as f64 / positions.max(1) as f64) as u128
            }
            _ => times(self.read_of_shape),
        };
        let scaled = |bytes: u128| times(bytes.saturating_sub(self.read_of_shape)).saturating_add(of_shape);
        Profile {
            estimate: self.estimate.with_bytes(scaled(self.estimate.bytes())),
            elements: times(self.elements),
            read: scaled(self.read),
            read_of_shape: of_shape,
            shape: shape.to_vec(),
            loops: loops.collect(),
            ..self.clone()
        }
    }

    /// Returns the bytes that a limit allows the tensor.
    pub(crate) fn allowed(&self, limit: Limit) -> u128 {
        let count = usize::try_from(self.elements).unwrap_or(usize::MAX);
        limit.allowed(count, self.width, &self.shape)
    }

    /// Returns the size of the tensor.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        self.estimate
    }
}

/// What the loops of a traversal take from the format.
pub(crate) struct Loops {
    pub(crate) shape: Vec<usize>,
    pub(crate) dense: fn(&[usize]) -> Vec<u128>,
    /// The change of each dim per step of each level.
    steps: Vec<Vec<i64>>,
}

impl Loops {
    pub(crate) fn of<F: Tree<N, M>, const N: usize, const M: usize>(shape: [usize; N]) -> Self {
        let mut all = Vec::with_capacity(M);
        for level in 0..M {
            all.push(steps::<F, N, M>(level).to_vec());
        }
        Loops {
            shape: shape.to_vec(),
            dense: dense::<F, N, M>,
            steps: all,
        }
    }

    /// Returns the loops over levels with these numbers of positions. In the innermost one whose passes differ in length, the length
    /// changes so often.
    pub(crate) fn with(&self, levels: &[Level], positions: &[u128], changes: u128) -> Vec<Loop> {
        let uneven = uneven(levels);
        let mut loops = Vec::new();
        for span in spans(levels) {
            let mut moves = vec![Move::Still; self.shape.len()];
            for level in span.clone() {
                let by_level = |by| match levels[level] {
                    _ if is_read_once(levels, level) => Move::Invariant,
                    Level {
                        kind: Kind::Aligned | Kind::Indexed { .. },
                        ..
                    } => Move::LookedUp,
                    _ => Move::By(by),
                };
                let along = moves.iter_mut().zip(&self.steps[level]);
                for (along, &by) in along.filter(|&(_, &by)| by != 0) {
                    *along = by_level(by);
                }
            }
            let is_uneven = span.start == uneven.start && !uneven.is_empty();
            loops.push(Loop {
                level: span.start,
                positions: positions[span.start],
                changes: is_uneven.then_some(changes as f64),
                repeats: levels[span]
                    .iter()
                    .any(|level| matches!(level.kind, Kind::Indexed { copied: true, .. })),
                moves,
            });
        }
        loops
    }
}

/// Returns the numbers of positions of the dense levels at the root, in a shape; none if the shape is not one of the format.
fn dense<F: Tree<N, M>, const N: usize, const M: usize>(shape: &[usize]) -> Vec<u128> {
    let Ok(shape) = <[usize; N]>::try_from(shape) else {
        return Vec::new();
    };
    match F::domains(shape, &[0; M]) {
        Ok(domains) => dense_of(&F::LEVELS, &domains),
        Err(_) => Vec::new(),
    }
}

/// Returns the numbers of positions of the dense levels at the root.
fn dense_of(levels: &[Level], domains: &[Domain]) -> Vec<u128> {
    let levels = levels.iter().zip(domains);
    levels
        .take_while(|(level, _)| level.kind == Kind::Dense)
        .scan(1u128, |positions, (_, domain)| {
            *positions = positions.saturating_mul(domain.size as u128);
            Some(*positions)
        })
        .collect()
}

/// Returns whether a traversal reads the coordinate of a level once for all entries of a segment of a level above.
pub(crate) fn is_read_once(levels: &[Level], level: usize) -> bool {
    // Passes over a whole level at the root look it up at each entry, because threads may start anywhere.
    let over = levels[level].invariant.map(|over| levels[over].kind);
    matches!(
        over,
        Some(Kind::Counted { pointed: true } | Kind::Indexed { pointed: true, .. })
    )
}

/// Returns the levels of each loop: a level stored in one loop with the levels above it joins them, as do determined levels.
fn spans(levels: &[Level]) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut chained = false;
    for (level, spec) in levels.iter().enumerate() {
        match (spec.kind, spans.last_mut()) {
            (kind, Some(span)) if chained || kind.is_determined() => span.end = level + 1,
            (kind, None) if kind.is_determined() => {}
            _ => spans.push(level..level + 1),
        }
        if !spec.kind.is_determined() {
            chained = matches!(spec.kind, Kind::Indexed { copied: true, .. });
        }
    }
    spans
}

/// Returns the levels of the innermost loop whose passes may differ in length, up to the last level that is not determined;
/// empty if there is none.
pub(crate) fn uneven(levels: &[Level]) -> Range<usize> {
    let differs = |span: &Range<usize>| levels[span.start].kind != Kind::Dense;
    let span = spans(levels).into_iter().rfind(differs).unwrap_or(0..0);
    let free = |level: &usize| !levels[*level].kind.is_determined();
    let end = span.clone().rfind(free).map_or(span.start, |level| level + 1);
    span.start..end
}

/// Returns the change of each dim per step of a level, with the other levels fixed; 0 if it is not affected, or if it
/// depends on a query.
fn steps<F: Tree<N, M>, const N: usize, const M: usize>(level: usize) -> [i64; N] {
    // Divisible by all common block sizes, and far from both ends of the shape.
    const MIDDLE: usize = 2_882_880;
    let shape = [4 * MIDDLE; N];
    let middle = F::encode([MIDDLE; N], &vec![0; F::QUERIES]);
    // Some steps of a level have no coordinate: `i + j`, with `j - i` fixed, has every other one.
    for by in [1i64, -1, 2, -2] {
        let mut levels = middle;
        levels[level] += by;
        if let Some(at) = F::decode(shape, &levels) {
            let mut moved = [0; N];
            for (moved, coordinate) in moved.iter_mut().zip(at) {
                *moved = (coordinate as i64 - MIDDLE as i64) * by.signum();
            }
            return moved;
        }
    }
    [0; N]
}
