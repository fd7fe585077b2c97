//! Conversion operators, and the effect of each on an encoding.

use core::fmt;

use super::expression::{Expression, Factor};
use crate::format::{Encoding, Kind, QueryKind, Storage};

/// One step of a conversion; the names are the paper's (its Table 3). Levels are numbered from 0, before the step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// `level` and its `remainder`, which may be any other level, become `factor * level + remainder` (rule 4).
    TileUnion {
        /// The level that holds the quotient.
        level: usize,
        /// The level that holds the remainder; it is removed.
        remainder: usize,
        /// The divisor.
        factor: i128,
    },
    /// Swaps two levels (rule 1).
    Swap(usize, usize),
    /// Multiplies a level by a factor (rule 2).
    Scale(usize, Factor),
    /// Adds a multiple of the first level to the second (rule 3).
    Skew(usize, usize, Factor),
    /// Adds a constant to a level. Not in the paper, whose maps have no constants.
    Shift(usize, i128),
    /// Splits a level into its quotient by a number and the remainder (rule 5).
    TileSplit(usize, i128),
    /// Adds a level that holds an expression of the index map. Not in the paper, whose maps are square.
    Compute {
        /// The index of the new level.
        level: usize,
        /// The expression it holds.
        expression: Expression,
        /// The expression as text.
        text: String,
    },
    /// Removes a level that the others determine. Not in the paper.
    Drop(usize),
    /// Evaluates a query of the target (rules 12 to 15; `Slot` is not in the paper).
    Query {
        /// The kind of query.
        kind: QueryKind,
        /// The number of the query in the target.
        number: usize,
        /// The name of the query in the target.
        name: &'static str,
        /// Whether a level is added for its results, at the root.
        inserted: bool,
    },
    /// Sorts elements by the target's levels; holds the previous index of each of these levels.
    Sort(Vec<usize>),
    /// Keeps only coordinates that lead to an element (rules 6 and 8).
    Trim(usize),
    /// Adds all other coordinates of the domain (rules 7 and 9).
    Fill(usize),
    /// Adds all coordinates from 0 to the greatest below each parent. Not in the paper, which pads in `Enumerate`.
    Pad(usize),
    /// Turns the levels from this one down into a dense vector per position above (rule 9).
    Vectorize(usize),
    /// Turns such vectors into elements again and drops their zeros (rule 8).
    Devectorize(usize),
    /// Merges equal prefixes into one node (rule 10).
    Merge(usize),
    /// Gives each child a node of its own (rule 11).
    Split(usize),
    /// Interleaves arrays (rule 16).
    Pack(usize, usize),
    /// Separates interleaved arrays. Not in the paper.
    Unpack(usize, usize),
    /// Partitions arrays at the nodes of a level (rule 17).
    Partition(usize),
    /// Joins partitioned arrays. Not in the paper.
    Unpartition(usize),
    /// Divides elements among this many parts (the paper's §3.4).
    Decompose(usize),
    /// Concatenates this many parts. Not in the paper.
    Compose(usize),
}

impl Operator {
    /// Returns the operator's rule in the paper's table, if it has one.
    #[must_use]
    pub fn rule(&self) -> Option<u8> {
        Some(match self {
            Operator::Swap(..) => 1,
            Operator::Scale(..) => 2,
            Operator::Skew(..) => 3,
            Operator::TileUnion { .. } => 4,
            Operator::TileSplit(..) => 5,
            Operator::Merge(_) => 10,
            Operator::Split(_) => 11,
            Operator::Query { kind, .. } => match kind {
                QueryKind::Sum => 12,
                QueryKind::Enumerate => 13,
                QueryKind::Reorder => 14,
                QueryKind::Schedule => 15,
                QueryKind::Slot => return None,
            },
            Operator::Pack(..) => 16,
            Operator::Partition(_) => 17,
            // Trim and Fill belong to two rules each; the caller knows which.
            _ => return None,
        })
    }

    /// Returns whether the operator changes the index map.
    pub(crate) fn is_of_map(&self) -> bool {
        matches!(
            self,
            Operator::TileUnion { .. }
                | Operator::Swap(..)
                | Operator::Scale(..)
                | Operator::Skew(..)
                | Operator::Shift(..)
                | Operator::TileSplit(..)
                | Operator::Compute { .. }
                | Operator::Drop(_)
        )
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operator::TileUnion { level, factor, .. } => write!(f, "TileUnion({level}, {factor})"),
            Operator::Swap(i, j) => write!(f, "Swap({i}, {j})"),
            Operator::Scale(i, factor) => write!(f, "Scale({i}, {factor})"),
            Operator::Skew(i, j, factor) => write!(f, "Skew({i}, {j}, {factor})"),
            Operator::Shift(i, constant) => write!(f, "Shift({i}, {constant})"),
            Operator::TileSplit(i, factor) => write!(f, "TileSplit({i}, {factor})"),
            Operator::Compute { level, text, .. } => write!(f, "Compute({level}, {text})"),
            Operator::Drop(i) => write!(f, "Drop({i})"),
            Operator::Query { kind, name, .. } => write!(f, "{kind:?}({name})"),
            Operator::Sort(_) => write!(f, "Sort"),
            Operator::Trim(i) => write!(f, "Trim({i})"),
            Operator::Fill(i) => write!(f, "Fill({i})"),
            Operator::Pad(i) => write!(f, "Pad({i})"),
            Operator::Vectorize(i) => write!(f, "Vectorize({i})"),
            Operator::Devectorize(i) => write!(f, "Devectorize({i})"),
            Operator::Merge(i) => write!(f, "Merge({i})"),
            Operator::Split(i) => write!(f, "Split({i})"),
            Operator::Pack(first, last) => write!(f, "Pack({first}, {last})"),
            Operator::Unpack(first, last) => write!(f, "Unpack({first}, {last})"),
            Operator::Partition(i) => write!(f, "Partition({i})"),
            Operator::Unpartition(i) => write!(f, "Unpartition({i})"),
            Operator::Decompose(parts) => write!(f, "Decompose({parts})"),
            Operator::Compose(parts) => write!(f, "Compose({parts})"),
        }
    }
}

/// A level during a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LevelState {
    pub(crate) expression: Expression,
    pub(crate) trimmed: bool,
    pub(crate) merged: bool,
    pub(crate) padded: bool,
}

impl LevelState {
    /// A level with one explicit coordinate per element.
    pub(crate) fn flat(expression: Expression) -> Self {
        LevelState {
            expression,
            trimmed: true,
            merged: false,
            padded: false,
        }
    }

    fn is_flat(&self) -> bool {
        self.trimmed && !self.merged
    }
}

/// The encoding that a conversion has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) levels: Vec<LevelState>,
    /// The first of the levels that form a dense vector per position above.
    pub(crate) vector: Option<usize>,
    pub(crate) packs: Vec<(usize, usize)>,
    pub(crate) partition: Option<usize>,
    /// Whether elements are in the order of the levels.
    pub(crate) sorted: bool,
}

impl State {
    /// Converts an encoding; `None` if a number in it overflows.
    pub(crate) fn new(encoding: &Encoding, storage: &Storage) -> Option<Self> {
        let levels = encoding.levels.iter().enumerate().map(|(at, level)| {
            let counted = storage
                .levels
                .get(at)
                .is_some_and(|stored| matches!(stored.kind, Kind::Counted { .. }));
            Some(LevelState {
                expression: Expression::new(&level.form)?,
                trimmed: level.trimmed,
                merged: level.merged,
                padded: counted && !level.trimmed,
            })
        });
        let mut state = State {
            levels: levels.collect::<Option<_>>()?,
            vector: None,
            packs: encoding.packs.to_vec(),
            partition: encoding.partition,
            sorted: storage.sorted,
        };
        state.vector = Some(state.tail()).filter(|&tail| tail < state.levels.len());
        Some(state)
    }

    /// Returns the level below the last one that depends on the elements.
    pub(crate) fn tail(&self) -> usize {
        let last = self.levels.iter().rposition(|level| level.trimmed || level.padded);
        last.map_or(0, |last| last + 1)
    }

    pub(crate) fn same_map(&self, other: &Self) -> bool {
        self.levels.len() == other.levels.len()
            && self
                .levels
                .iter()
                .zip(&other.levels)
                .all(|(left, right)| left.expression == right.expression)
    }

    /// Returns whether each element has its own coordinate on every level, as operators on index maps require.
    pub(crate) fn is_flat(&self) -> bool {
        self.levels.iter().all(LevelState::is_flat) && self.vector.is_none()
    }

    /// Applies an operator; `None` if it does not apply or a number overflows.
    pub(crate) fn apply(&mut self, operator: &Operator) -> Option<()> {
        let moves = operator.is_of_map() || matches!(operator, Operator::Query { inserted: true, .. });
        if moves && !self.is_flat() {
            return None;
        }
        let levels = &mut self.levels;
        match operator {
            Operator::TileUnion {
                level,
                remainder,
                factor,
            } => {
                let (whole, rest) = (levels.get(*level)?, levels.get(*remainder)?);
                let whole = rest.expression.plus_times(&whole.expression, *factor)?;
                levels[*level].expression = whole;
                levels.remove(*remainder);
            }
            Operator::Swap(i, j) => {
                levels.get(*i.max(j))?;
                levels.swap(*i, *j);
            }
            Operator::Scale(i, factor) => {
                let level = levels.get_mut(*i)?;
                level.expression = level.expression.times(*factor)?;
            }
            Operator::Skew(i, j, factor) => {
                let added = levels.get(*i)?.expression.times(*factor)?;
                let level = levels.get_mut(*j)?;
                level.expression = level.expression.plus_times(&added, 1)?;
            }
            Operator::Shift(i, constant) => {
                let level = levels.get_mut(*i)?;
                level.expression = level.expression.plus_times(&Expression::constant(*constant), 1)?;
            }
            Operator::TileSplit(i, factor) => {
                let level = levels.get_mut(*i)?;
                let quotient = level.expression.quotient(*factor)?;
                let remainder = level.expression.plus_times(&quotient, factor.checked_neg()?)?;
                level.expression = quotient;
                levels.insert(i + 1, LevelState::flat(remainder));
            }
            Operator::Compute { level, expression, .. } => {
                levels.get(..*level)?;
                levels.insert(*level, LevelState::flat(expression.clone()));
            }
            Operator::Drop(i) => {
                levels.get(*i)?;
                levels.remove(*i);
            }
            Operator::Query { number, inserted, .. } => {
                if *inserted {
                    let unknown = super::expression::Unknown::Query(*number);
                    levels.insert(0, LevelState::flat(Expression::unknown(unknown)));
                }
            }
            Operator::Sort(from) => {
                let sorted: Option<Vec<LevelState>> = from.iter().map(|&from| levels.get(from).cloned()).collect();
                *levels = sorted?;
                self.sorted = true;
                return Some(());
            }
            Operator::Trim(i) => {
                let level = levels.get_mut(*i)?;
                (level.trimmed, level.padded) = (true, false);
            }
            Operator::Fill(i) => {
                let level = levels.get_mut(*i)?;
                (level.trimmed, level.padded) = (false, false);
            }
            Operator::Pad(i) => {
                let level = levels.get_mut(*i)?;
                (level.trimmed, level.padded) = (false, true);
            }
            Operator::Vectorize(i) => {
                let dense = |level: &LevelState| !level.trimmed && !level.padded;
                if self.vector.is_some() || !levels.get(*i..)?.iter().all(dense) {
                    return None;
                }
                self.vector = Some(*i);
            }
            Operator::Devectorize(i) => {
                if self.vector.take() != Some(*i) {
                    return None;
                }
            }
            Operator::Merge(i) => levels.get_mut(*i)?.merged = true,
            Operator::Split(i) => levels.get_mut(*i)?.merged = false,
            Operator::Pack(first, last) => self.packs.push((*first, *last)),
            Operator::Unpack(first, last) => self.packs.retain(|pack| pack != &(*first, *last)),
            Operator::Partition(i) => self.partition = Some(*i),
            Operator::Unpartition(_) => self.partition = None,
            Operator::Decompose(_) | Operator::Compose(_) => {}
        }
        if moves {
            self.sorted = false;
        }
        Some(())
    }
}
