//! Conversion operators, and what each does to the encoding of what it is applied to.

use core::fmt;

use super::expression::{Expression, Factor};
use crate::encoding::{Encoding, QueryKind, Storage};
use crate::level::Kind;

/// One step of a conversion; the names are the paper's (its Table 3). Levels are numbered from 0, as they stand before the step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// `level` and the `remainder` it left, wherever that stands, become `factor * level + remainder` (rule 4).
    TileUnion {
        /// Its place.
        level: usize,
        /// The place of its remainder, which goes.
        remainder: usize,
        /// What was divided by.
        factor: i128,
    },
    /// Two levels change places (rule 1).
    Swap(usize, usize),
    /// A level times a factor (rule 2).
    Scale(usize, Factor),
    /// The first level times a factor is added to the second (rule 3).
    Skew(usize, usize, Factor),
    /// A number is added to a level. Not in the paper, whose maps have no constants.
    Shift(usize, i128),
    /// A level becomes two: divided by a number, and the remainder (rule 5).
    TileSplit(usize, i128),
    /// A level is added, of what the index map says. Not in the paper, whose maps are square.
    Compute {
        /// The place it gets.
        level: usize,
        /// What it holds.
        expression: Expression,
        /// The same as text.
        text: String,
    },
    /// A level goes, as the others tell the coordinate. Not in the paper.
    Drop(usize),
    /// A query of the target is evaluated (rules 12 to 15; `Slot` is not in the paper).
    Query {
        /// What it computes.
        kind: QueryKind,
        /// Its number in the target.
        number: usize,
        /// Its name there.
        name: &'static str,
        /// Whether a level is added for its results, at the root.
        inserted: bool,
    },
    /// Elements in the order of the target's levels, which take their places: where each stands before.
    Sort(Vec<usize>),
    /// Only coordinates that lead to an element (rules 6 and 8).
    Trim(usize),
    /// All coordinates (rules 7 and 9).
    Fill(usize),
    /// All coordinates from 0 to the greatest below each parent. Not in the paper, which pads in `Enumerate`.
    Pad(usize),
    /// The levels from here down become a dense vector at each position above (rule 9).
    Vectorize(usize),
    /// Such vectors become elements again; their zeros go (rule 8).
    Devectorize(usize),
    /// Equal prefixes become one node (rule 10).
    Merge(usize),
    /// Each child gets a node of its own (rule 11).
    Split(usize),
    /// Arrays side by side (rule 16).
    Pack(usize, usize),
    /// Such arrays on their own. Not in the paper.
    Unpack(usize, usize),
    /// Arrays cut apart at the nodes of a level (rule 17).
    Partition(usize),
    /// Such arrays joined. Not in the paper.
    Unpartition(usize),
    /// Elements divided among so many parts (the paper's §3.4).
    Decompose(usize),
    /// So many parts, one after another. Not in the paper.
    Compose(usize),
}

impl Operator {
    /// Its rule in the paper's table, if it has one.
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
            // Trim and Fill are of two rules each: who applies them knows which.
            _ => return None,
        })
    }

    /// Whether it changes the index map.
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

/// A level in the course of a conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) holds: Expression,
    pub(crate) trimmed: bool,
    pub(crate) merged: bool,
    pub(crate) padded: bool,
}

impl Level {
    /// One explicit coordinate for each element.
    pub(crate) fn flat(holds: Expression) -> Self {
        Level {
            holds,
            trimmed: true,
            merged: false,
            padded: false,
        }
    }

    fn is_flat(&self) -> bool {
        self.trimmed && !self.merged
    }
}

/// What a conversion has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) levels: Vec<Level>,
    /// The first of the levels that are a dense vector at each position above.
    pub(crate) vector: Option<usize>,
    pub(crate) packs: Vec<(usize, usize)>,
    pub(crate) partition: Option<usize>,
    /// Whether elements are in the order of the levels.
    pub(crate) sorted: bool,
}

impl State {
    /// An encoding; none if a number in it is out of range.
    pub(crate) fn new(encoding: &Encoding, storage: &Storage) -> Option<Self> {
        let levels = encoding.levels.iter().enumerate().map(|(at, level)| {
            let counted = storage
                .levels
                .get(at)
                .is_some_and(|stored| matches!(stored.kind, Kind::Counted { .. }));
            Some(Level {
                holds: Expression::new(&level.form)?,
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

    /// The level below the last one that depends on which elements there are.
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
                .all(|(left, right)| left.holds == right.holds)
    }

    /// Whether each element has a coordinate of its own on every level, which the operators of index maps want.
    pub(crate) fn is_flat(&self) -> bool {
        self.levels.iter().all(Level::is_flat) && self.vector.is_none()
    }

    /// What a step makes of it; none if it does not apply, or a number is out of range.
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
                let whole = rest.holds.plus_times(&whole.holds, *factor)?;
                levels[*level].holds = whole;
                levels.remove(*remainder);
            }
            Operator::Swap(i, j) => {
                levels.get(*i.max(j))?;
                levels.swap(*i, *j);
            }
            Operator::Scale(i, factor) => {
                let level = levels.get_mut(*i)?;
                level.holds = level.holds.times(*factor)?;
            }
            Operator::Skew(i, j, factor) => {
                let added = levels.get(*i)?.holds.times(*factor)?;
                let level = levels.get_mut(*j)?;
                level.holds = level.holds.plus_times(&added, 1)?;
            }
            Operator::Shift(i, constant) => {
                let level = levels.get_mut(*i)?;
                level.holds = level.holds.plus_times(&Expression::constant(*constant), 1)?;
            }
            Operator::TileSplit(i, factor) => {
                let level = levels.get_mut(*i)?;
                let quotient = level.holds.quotient(*factor)?;
                let remainder = level.holds.plus_times(&quotient, factor.checked_neg()?)?;
                level.holds = quotient;
                levels.insert(i + 1, Level::flat(remainder));
            }
            Operator::Compute { level, expression, .. } => {
                levels.get(..*level)?;
                levels.insert(*level, Level::flat(expression.clone()));
            }
            Operator::Drop(i) => {
                levels.get(*i)?;
                levels.remove(*i);
            }
            Operator::Query { number, inserted, .. } => {
                if *inserted {
                    let unknown = super::expression::Unknown::Query(*number);
                    levels.insert(0, Level::flat(Expression::unknown(unknown)));
                }
            }
            Operator::Sort(from) => {
                let sorted: Option<Vec<Level>> = from.iter().map(|&from| levels.get(from).cloned()).collect();
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
                let dense = |level: &Level| !level.trimmed && !level.padded;
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
