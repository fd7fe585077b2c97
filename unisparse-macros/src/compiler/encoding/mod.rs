//! Validated formats: the meaning of a declaration, free of tokens. Only the storage stage can still refuse a
//! declaration.

mod check;
mod check_queries;
mod invert;
mod lower;
mod names;
mod primitives;
mod query;
mod status;
mod word;

pub(crate) use check::{check, check_parameters, duplicates};
pub(crate) use check_queries::lower_query;
pub(crate) use lower::Scope;
pub(crate) use names::part_name;
pub(crate) use query::{Arm, Closure, Function, Query, absent_arm, mentions_query, mentions_unknown, stored_arms};
pub(crate) use status::Status;
pub(crate) use word::{Word, WordField};

use crate::compiler::algebra::{Expression, Interval, Inverse};

/// A validated format declaration.
pub(crate) struct Format {
    pub(crate) name: String,
    pub(crate) dims: Vec<String>,
    pub(crate) parameters: Vec<Parameter>,
    /// The queries, in the order of their evaluation.
    pub(crate) queries: Vec<Query>,
    pub(crate) levels: Vec<Level>,
    pub(crate) inverse: Inverse,
    /// The integer type of the `ptr` arrays.
    pub(crate) pointer: IndexType,
    /// The ranges of levels whose arrays are interleaved.
    pub(crate) packs: Vec<(usize, usize)>,
    /// The level at which the tree is cut into parts.
    pub(crate) partition: Option<usize>,
    /// The layout of an element as a word.
    pub(crate) word: Option<Word>,
    /// The declaration on one line.
    pub(crate) text: String,
}

impl Format {
    /// Creates a format without levels, for the evaluation of queries only.
    pub(crate) fn of_queries(name: String, dims: Vec<String>, parameters: Vec<Parameter>, queries: Vec<Query>) -> Self {
        Format {
            name,
            dims,
            parameters,
            queries,
            levels: Vec::new(),
            inverse: Inverse {
                fixed: Vec::new(),
                dims: Vec::new(),
                quotients: Vec::new(),
                conditions: Vec::new(),
            },
            pointer: IndexType::U32,
            packs: Vec::new(),
            partition: None,
            word: None,
            text: String::new(),
        }
    }
}

/// A const parameter: an unknown positive integer.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) default: Option<u32>,
}

/// A level of the metadata tree.
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) expression: Expression,
    /// The text of `expression` as written.
    pub(crate) text: String,
    /// The domain of the coordinates.
    pub(crate) interval: Interval,
    pub(crate) status: Status,
    /// Whether `expression` contains the result of a query.
    pub(crate) indirect: bool,
    /// Whether the domain is measured from the elements and not given by the shape.
    pub(crate) measured: bool,
    pub(crate) merged: bool,
    pub(crate) trimmed: bool,
    /// Whether the level holds every coordinate from zero to the greatest one below each parent.
    pub(crate) padded: bool,
    /// Whether it is proven that the coordinates below each parent are 0, 1, .. without gaps.
    pub(crate) counting: bool,
    /// A level above over which the coordinate is invariant: elements that differ in that level alone have the same coordinate here.
    /// Its coordinates count from zero, so one of these elements has coordinate zero there.
    pub(crate) invariant: Option<usize>,
    /// The integer type of the `idx` array.
    pub(crate) index: IndexType,
}

/// A primitive integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IndexType {
    pub(crate) signed: bool,
    pub(crate) bits: u32,
    /// Whether this is `usize` or `isize`, whose width is the target's address width; `bits` is then 64.
    pub(crate) native: bool,
}

impl IndexType {
    pub(crate) const U32: IndexType = IndexType {
        signed: false,
        bits: 32,
        native: false,
    };
    pub(crate) const USIZE: IndexType = IndexType {
        signed: false,
        bits: 64,
        native: true,
    };
    pub(crate) const NAMES: [&str; 10] = ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let signed = name.starts_with('i');
        let (bits, native) = match name.strip_prefix(['u', 'i'])? {
            "8" => (8, false),
            "16" => (16, false),
            "32" => (32, false),
            "64" => (64, false),
            "size" => (64, true),
            _ => return None,
        };
        Some(IndexType { signed, bits, native })
    }

    pub(crate) fn name(self) -> String {
        let sign = if self.signed { 'i' } else { 'u' };
        if self.native {
            format!("{sign}size")
        } else {
            format!("{sign}{}", self.bits)
        }
    }

    /// Returns the least and the greatest value of the type.
    fn range(self) -> (i128, i128) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    fn holds(self, value: i128) -> bool {
        let (least, greatest) = self.range();
        (least..=greatest).contains(&value)
    }

    /// Returns the narrowest type for the domain if its bounds are known at compile time, else a type of 32 bits.
    fn narrowest(interval: &Interval) -> Self {
        let signed = !interval.is_nonnegative();
        let default = IndexType {
            signed,
            bits: 32,
            native: false,
        };
        let (Some(lo), Some(hi)) = interval.known() else {
            return default;
        };
        let candidates = [8, 16, 32, 64].map(|bits| IndexType {
            signed,
            bits,
            native: false,
        });
        candidates
            .into_iter()
            .find(|candidate| candidate.holds(lo) && candidate.holds(hi))
            .unwrap_or(default)
    }
}
