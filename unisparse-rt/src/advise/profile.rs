//! What it takes to go through a tensor: its loops, and how dense operands are read along them.

use core::ops::Range;

use crate::level::{Kind, Level, Tree};
use crate::{Error, Estimate, Limit};

/// How a dimension moves when a loop goes one step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    /// Not at all.
    Still,
    /// By as many coordinates, whatever the step.
    By(i64),
    /// To a coordinate that an array tells.
    LookedUp,
    /// To one that an array tells, and that is the same in the next pass.
    Steady,
}

/// One loop over the positions of some levels, within those before.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    /// How often its body runs.
    pub(crate) positions: u128,
    /// How much the lengths of its passes differ, if they do: their variance.
    pub(crate) variance: Option<f64>,
    /// Whether a level has one entry for each of the next: its coordinate comes again and again.
    pub(crate) repeats: bool,
    /// How each dimension moves along it.
    pub(crate) moves: Vec<Move>,
}

/// What it takes to go through one tensor that was not built. Generated code asks for it.
#[derive(Debug, Clone)]
pub struct Profile {
    pub(crate) estimate: Estimate,
    /// What a conversion would find not to fit its array, if that is known.
    pub(crate) overflow: Option<Error>,
    pub(crate) elements: u128,
    /// The bytes that a product reads of it.
    pub(crate) read: u128,
    pub(crate) shape: Vec<usize>,
    /// The bytes of a value.
    pub(crate) width: usize,
    /// From the outermost to the innermost.
    pub(crate) loops: Vec<Loop>,
}

impl Profile {
    pub(crate) fn new<F: Tree<N, M>, const N: usize, const M: usize>(
        shape: [usize; N],
        estimate: Estimate,
        elements: u128,
        positions: &[u128; M],
        [children, squares]: [u128; 2],
    ) -> Self {
        let uneven = uneven(&F::LEVELS);
        let mut loops = Vec::new();
        let mut passes = 1;
        for levels in spans(&F::LEVELS) {
            let mut moves = [Move::Still; N];
            for level in levels.clone() {
                let by_level = |by| match F::LEVELS[level] {
                    Level { steady: true, .. } => Move::Steady,
                    Level {
                        kind: Kind::Aligned | Kind::Indexed { .. },
                        ..
                    } => Move::LookedUp,
                    _ => Move::By(by),
                };
                let along = moves.iter_mut().zip(steps::<F, N, M>(level));
                for (along, by) in along.filter(|&(_, by)| by != 0) {
                    *along = by_level(by);
                }
            }
            let mean = children as f64 / passes as f64;
            let variance = squares as f64 / passes as f64 - mean * mean;
            loops.push(Loop {
                positions: positions[levels.start],
                variance: (levels.start == uneven.start && !uneven.is_empty()).then_some(variance.max(0.0)),
                repeats: levels
                    .clone()
                    .any(|level| matches!(F::LEVELS[level].kind, Kind::Indexed { copied: true, .. })),
                moves: moves.to_vec(),
            });
            passes = positions[levels.start].max(1);
        }
        Profile {
            estimate,
            overflow: None,
            elements,
            read: estimate.bytes(),
            shape: shape.to_vec(),
            width: size_of::<F::Scalar>(),
            loops,
        }
    }

    /// The bytes that a limit allows it.
    pub(crate) fn allowed(&self, limit: Limit) -> u128 {
        let count = usize::try_from(self.elements).unwrap_or(usize::MAX);
        limit.allowed(count, self.width, &self.shape)
    }

    /// How large it would be.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        self.estimate
    }
}

/// The levels of each loop: a level that is stored with those above in one loop, and the ones that follow from it.
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

/// The levels of the innermost loop whose passes may differ in length, up to the last that tells nodes apart; empty if
/// there is none.
pub(crate) fn uneven(levels: &[Level]) -> Range<usize> {
    let differs = |span: &Range<usize>| levels[span.start].kind != Kind::Dense;
    let span = spans(levels).into_iter().rfind(differs).unwrap_or(0..0);
    let free = |level: &usize| !levels[*level].kind.is_determined();
    let end = span.clone().rfind(free).map_or(span.start, |level| level + 1);
    span.start..end
}

/// How far each dimension is moved by a step of a level, the others fixed; 0 where it is not, or a query says.
fn steps<F: Tree<N, M>, const N: usize, const M: usize>(level: usize) -> [i64; N] {
    // Divisible by all block sizes that are common, far from all ends.
    const MIDDLE: usize = 2_882_880;
    let shape = [4 * MIDDLE; N];
    let middle = F::encode([MIDDLE; N], &vec![0; F::QUERIES]);
    let stepped = |by: i64| {
        let mut levels = middle;
        levels[level] += by;
        F::decode(shape, &levels).map(|at| at.map(|coordinate| coordinate as i64 - MIDDLE as i64))
    };
    // Not each step of a level has a coordinate: `i + j`, with `j - i` fixed, has every other.
    let found = [1i64, -1, 2, -2].iter().find_map(|&by| Some((by, stepped(by)?)));
    found.map_or([0; N], |(by, moved)| moved.map(|moved| moved * by.signum()))
}
