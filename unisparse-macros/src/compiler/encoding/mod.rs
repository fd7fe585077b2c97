//! A validated format: what the declaration means, free of tokens. Storage can still refuse a declaration; no stage after it can.

mod check;
mod invert;
mod lower;
mod names;
mod primitives;
mod queries;
mod query;

pub(crate) use check::{check, check_parameters, duplicates};
pub(crate) use lower::Scope;
pub(crate) use names::part_name;
pub(crate) use queries::lower_query;
pub(crate) use query::{
    Arm, Closure, Function, Query, Status, absent_arm, mentions_query, mentions_unknown, stored_arms,
};

use crate::compiler::algebra::{Expression, Interval, Inverse};

/// A format declaration that was found legal.
pub(crate) struct Format {
    pub(crate) name: String,
    pub(crate) dims: Vec<String>,
    pub(crate) parameters: Vec<Parameter>,
    /// In the order they are evaluated in.
    pub(crate) queries: Vec<Query>,
    pub(crate) levels: Vec<Level>,
    pub(crate) inverse: Inverse,
    /// The integer type of the `ptr` arrays.
    pub(crate) pointer: IndexType,
    /// The ranges of levels whose arrays are interleaved.
    pub(crate) packs: Vec<(usize, usize)>,
    /// The level that the tree is cut apart at.
    pub(crate) partition: Option<usize>,
    /// The declaration on one line.
    pub(crate) text: String,
}

impl Format {
    /// One without levels: all that the evaluation of queries needs.
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
            text: String::new(),
        }
    }
}

/// A const parameter: an unknown positive integer.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) default: Option<u32>,
}

/// One level of the metadata tree.
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) expression: Expression,
    /// The expression as written.
    pub(crate) text: String,
    /// The domain.
    pub(crate) interval: Interval,
    pub(crate) status: Status,
    /// Whether the result of a query occurs in its expression.
    pub(crate) indirect: bool,
    /// Whether its domain is measured from the elements: the shape does not tell it.
    pub(crate) measured: bool,
    pub(crate) merged: bool,
    pub(crate) trimmed: bool,
    /// Whether it holds every coordinate from zero to the greatest below each parent.
    pub(crate) padded: bool,
    /// Whether its coordinates provably count from zero below each parent.
    pub(crate) counting: bool,
    /// A level above that counts from zero and tells nothing of this one: elements that differ in it alone have one coordinate here,
    /// and one of them is the first of its level.
    pub(crate) steady: Option<usize>,
    /// The integer type of its `idx` array.
    pub(crate) index: IndexType,
}

/// A primitive integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IndexType {
    pub(crate) signed: bool,
    pub(crate) bits: u32,
    /// `usize` and `isize`: as wide as the target's addresses, counted as 64 bits.
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

    /// The values it holds.
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

    /// The narrowest type for a domain: as its compile-time bounds allow, else 32 bits.
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
