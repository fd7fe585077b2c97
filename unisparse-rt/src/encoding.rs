//! A format's declaration as data: what orders, plans and estimates are worked out from.

use crate::Index;
use crate::level::Kind;

/// An integer combination of atoms, and a constant: what a level holds, or groups are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Each atom once, with its factor.
    pub terms: &'static [(Atom, i64)],
    /// What is added to them.
    pub constant: i64,
}

/// An unknown of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atom {
    /// A dimension, by its number.
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

/// A query of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// Its declaration: `sum(_ => 1).group_by(i)`.
    pub text: &'static str,
    /// What it computes.
    pub kind: QueryKind,
    /// What its groups are told apart by: its result is a function of these, unless it numbers elements.
    pub groups: &'static [Form],
    /// The order it goes through groups or elements in.
    pub traverse: &'static [Form],
}

/// A level of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelForm {
    /// Its name.
    pub name: &'static str,
    /// What it holds, as declared.
    pub text: &'static str,
    /// What it holds.
    pub form: Form,
    /// Whether equal prefixes are one node.
    pub merged: bool,
    /// Whether only coordinates of stored elements are held.
    pub trimmed: bool,
}

/// A format as declared, its const parameters put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The format's name.
    pub name: &'static str,
    /// The names of the dimensions.
    pub dims: &'static [&'static str],
    /// The levels from the root down.
    pub levels: &'static [LevelForm],
    /// The queries in the order they are evaluated in.
    pub queries: &'static [Query],
    /// The ranges of levels whose arrays are interleaved, both ends included.
    pub packs: &'static [(usize, usize)],
    /// The level that the tree is cut apart at.
    pub partition: Option<usize>,
}

/// An integer array of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Its name: `row_ptr`.
    pub name: &'static str,
    /// The bytes of an entry.
    pub width: usize,
    /// The type of an entry.
    pub entry: &'static str,
    /// The least that an entry can be.
    pub least: i64,
    /// The most.
    pub most: i64,
}

impl Array {
    /// One of entries of this type.
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
    /// By which rule.
    pub kind: Kind,
    /// The first entry of each position of the level above.
    pub ptr: Option<Array>,
    /// The coordinate of each entry.
    pub idx: Option<Array>,
}

/// How a format is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// Each level.
    pub levels: &'static [LevelStorage],
    /// The bytes of a value.
    pub value_width: usize,
    /// Whether some positions can be holes.
    pub holes: bool,
    /// Whether elements are held in the order of the levels, each coordinate once.
    pub sorted: bool,
}

/// Something whose encoding is known: a declared format, or triplets.
pub trait Encoded {
    /// Its encoding; one for each part of a hybrid.
    const ENCODINGS: &'static [Encoding];
    /// How that is stored.
    #[doc(hidden)]
    const STORAGE: &'static [Storage];
}

/// The order in which a source visits its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// None that is known before they are looked at.
    Unknown,
    /// That of the storage of this format.
    By(&'static Encoding),
}
