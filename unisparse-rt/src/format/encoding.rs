//! A format's declaration as data: the basis of order relations, plans and estimates.

use super::kind::Kind;
use crate::element::Index;

/// An integer combination of atoms plus a constant: the contents of a level, or a field of a query's groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The atoms with their factors, each atom once.
    pub terms: &'static [(Atom, i64)],
    /// The constant term.
    pub constant: i64,
}

/// An unknown of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atom {
    /// A dim, by its number.
    Dim(usize),
    /// The result of a query, by its number.
    Query(usize),
    /// A form divided by a positive number, rounded down.
    Quotient(&'static Form, i64),
}

/// What a query computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// The sum of a value map over each group.
    Sum,
    /// The number of each element in its group.
    Enumerate,
    /// The rank of each group.
    Reorder,
    /// The bucket of each group.
    Schedule,
    /// The slot of each element in its group.
    Slot,
}

impl QueryKind {
    /// Whether the result is the same for all elements of a group.
    pub(crate) const fn is_of_groups(self) -> bool {
        match self {
            Self::Sum | Self::Reorder | Self::Schedule => true,
            Self::Enumerate | Self::Slot => false,
        }
    }
}

/// A query of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// Its declaration: `sum(_ => 1).group_by(i)`.
    pub text: &'static str,
    /// What it computes.
    pub kind: QueryKind,
    /// The fields of its groups. Its result is a function of these, unless it numbers elements.
    pub groups: &'static [Form],
    /// The order in which it processes groups or elements.
    pub traverse: &'static [Form],
    /// Of a `slot`: elements of one group with equal fields here are at least `distance` slots apart.
    pub key: &'static [Form],
    /// Of a `slot`: that distance. 0 for other queries.
    pub distance: i64,
    /// Of an `enumerate` whose stored elements are one class: the number from which it counts. `None` for other queries.
    pub first: Option<Form>,
}

/// A level of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelForm {
    /// Its name.
    pub name: &'static str,
    /// The expression it holds, as declared.
    pub text: &'static str,
    /// The expression it holds.
    pub form: Form,
    /// Whether equal prefixes are merged into one node.
    pub merged: bool,
    /// Whether only coordinates of stored elements are held.
    pub trimmed: bool,
}

/// A format as declared, with the values of its const parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The format's name.
    pub name: &'static str,
    /// The names of the dims.
    pub dims: &'static [&'static str],
    /// The levels from the root down.
    pub levels: &'static [LevelForm],
    /// The queries in evaluation order.
    pub queries: &'static [Query],
    /// The inclusive ranges of levels whose arrays are interleaved.
    pub packs: &'static [(usize, usize)],
    /// The level at which the tree is partitioned.
    pub partition: Option<usize>,
}

impl Encoding {
    /// Returns whether a level mentions the result of this query.
    pub(crate) const fn mentions(&self, query: usize) -> bool {
        let mut level = 0;
        while level < self.levels.len() {
            if self.levels[level].form.mentions(query) {
                return true;
            }
            level += 1;
        }
        false
    }
}

impl Form {
    const fn mentions(&self, query: usize) -> bool {
        let mut term = 0;
        while term < self.terms.len() {
            let is_mentioned = match &self.terms[term].0 {
                Atom::Dim(_) => false,
                Atom::Query(other) => *other == query,
                Atom::Quotient(inner, _) => inner.mentions(query),
            };
            if is_mentioned {
                return true;
            }
            term += 1;
        }
        false
    }
}

/// An integer array of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Its name: `row_ptr`.
    pub name: &'static str,
    /// The bytes per entry.
    pub width: usize,
    /// The type of an entry.
    pub entry: &'static str,
    /// The least value of an entry.
    pub least: i64,
    /// The greatest value of an entry.
    pub most: i64,
}

impl Array {
    /// Creates an array with entries of type `I`.
    #[must_use]
    pub const fn of<I: Index>(name: &'static str) -> Self {
        Array {
            name,
            width: size_of::<I>(),
            entry: I::NAME,
            least: I::MIN,
            most: I::MAX,
        }
    }
}

/// How a level is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelStorage {
    /// The kind of storage.
    pub kind: Kind,
    /// The levels above that the `idx` array leaves out, because the coordinate is invariant over them.
    pub invariant_over: &'static [usize],
    /// The first entry of each position of the level above.
    pub ptr: Option<Array>,
    /// The coordinate of each entry.
    pub idx: Option<Array>,
}

/// How a format is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// The storage of each level.
    pub levels: &'static [LevelStorage],
    /// The bytes per value.
    pub value_width: usize,
    /// Whether some positions can be holes.
    pub holes: bool,
    /// Whether elements are stored in the order of the levels, each coordinate once.
    pub sorted: bool,
}

/// A type with a known encoding: a declared format, or triplets.
pub trait Encoded {
    /// Its encoding, or one for each part of a hybrid.
    const ENCODINGS: &'static [Encoding];
    /// The storage of each encoding.
    #[doc(hidden)]
    const STORAGE: &'static [Storage];
}

/// The order in which a source visits its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// No order is known before the elements are scanned.
    Unknown,
    /// The storage order of this format.
    By(&'static Encoding),
    /// The storage order of this format, whose row is the column of the source, and whose column is the row.
    ByTransposed(&'static Encoding),
}
