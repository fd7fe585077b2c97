//! The program of one core as data: what the compiler makes of a kernel over one part of a partitioned format.
//! Its nodes are those of the loop IR, and only the compiler makes them.
#![allow(missing_docs)]

use std::marker::PhantomData;

use crate::error::Error;

/// A kernel over one part of a partitioned format, as `pim_kernel!` makes it.
///
/// `A` is the type of the whole tensor, `S` the type in which its elements are summed. [`run`](super::run()) executes the kernel.
pub struct Kernel<A, S: 'static> {
    /// The statement, on one line.
    pub text: &'static str,
    /// The format.
    pub format: &'static str,
    #[doc(hidden)]
    pub operands: &'static [Operand],
    /// The names of the indices.
    #[doc(hidden)]
    pub indices: &'static [&'static str],
    /// The variable of each index's extent.
    #[doc(hidden)]
    pub extents: &'static [usize],
    /// The levels with a size or a given coordinate in a variable.
    #[doc(hidden)]
    pub levels: &'static [(usize, usize)],
    /// The arrays of the part that are interleaved.
    #[doc(hidden)]
    pub tuple_arrays: &'static [TupleArray],
    /// The number of variables.
    #[doc(hidden)]
    pub variables: usize,
    #[doc(hidden)]
    pub nests: &'static [&'static [Stmt<S>]],
    /// Checks that the element type has the numbers of the statement, for the extents of the indices.
    #[doc(hidden)]
    pub checks: fn(&[usize]) -> Result<(), Error>,
    /// What adds a result to an element of the output, which begins with `start`.
    #[doc(hidden)]
    pub reduction: Reduction<S>,
    #[doc(hidden)]
    pub start: S,
    /// The type of the operand.
    #[doc(hidden)]
    pub of: PhantomData<fn() -> A>,
}

/// An operand of the statement; the output is the first.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    pub name: &'static str,
    pub kind: OperandKind,
    /// The index of each dim.
    pub indices: &'static [usize],
}

/// Arrays that are one array of structs: the `idx` arrays of levels, and the values.
#[derive(Debug, Clone, Copy)]
pub struct TupleArray {
    pub levels: &'static [usize],
    pub values: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandKind {
    Dense,
    Sparse,
    Scalar,
}

/// An integer expression. Quotients round down, or up; divisors are positive.
#[derive(Debug, Clone, Copy)]
pub enum Expr {
    Int(i128),
    Var(usize),
    Add(&'static Expr, &'static Expr),
    Sub(&'static Expr, &'static Expr),
    Mul(&'static Expr, &'static Expr),
    Floor(&'static Expr, &'static Expr),
    Ceil(&'static Expr, &'static Expr),
}

/// The positions of a loop over entries.
#[derive(Debug, Clone, Copy)]
pub enum Segment {
    All,
    /// The entries below a parent.
    Of(Expr),
    Between(Expr, Expr),
}

/// An array of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Array {
    /// The values of the part.
    Values,
    /// A dense operand, by its number.
    Dense(usize),
    /// The registers of the enclosing tile.
    Sums,
}

/// A reduction and the value with which it changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Reduction<S> {
    pub both: fn(S, S) -> S,
    pub identity: S,
}

/// A statement.
#[derive(Debug, Clone, Copy)]
pub enum Stmt<S: 'static> {
    /// `for var in max(lows)..min(highs)`, from zero if `natural`, with a residue and a modulus if there is a stride.
    Range {
        var: usize,
        natural: bool,
        lows: &'static [Expr],
        highs: &'static [Expr],
        stride: Option<(Expr, Expr)>,
        body: &'static [Stmt<S>],
    },
    /// A loop by tiles of `width` neighbours, whose sums are in registers.
    Tiles {
        var: usize,
        width: usize,
        lows: &'static [Expr],
        highs: &'static [Expr],
        array: Array,
        at: Expr,
        store: bool,
        reduction: Reduction<S>,
        body: &'static [Stmt<S>],
    },
    /// A loop over entries, which reads the coordinates of levels. `streams` arrays are read at its position.
    Entries {
        level: usize,
        within: Segment,
        position: usize,
        coordinates: &'static [(usize, usize)],
        streams: usize,
        body: &'static [Stmt<S>],
    },
    Let {
        var: usize,
        value: Expr,
    },
    Bind {
        var: usize,
        value: Value<S>,
    },
    /// Reads the coordinate of a level at a position.
    Lookup {
        level: usize,
        var: usize,
        at: Expr,
    },
    If {
        conditions: &'static [Condition],
        body: &'static [Stmt<S>],
    },
    Accumulate {
        place: Lvalue,
        reduction: Reduction<S>,
        value: Value<S>,
    },
    /// Sums over the body in a register, then adds the sum to an element or stores it.
    Sum {
        body: &'static [Stmt<S>],
        reduction: Reduction<S>,
        array: Array,
        at: Expr,
        store: bool,
    },
    Fill {
        array: Array,
        at: Expr,
        count: Expr,
    },
}

#[derive(Debug, Clone, Copy)]
pub enum Condition {
    Nonnegative(Expr),
    Zero(Expr),
    Divisible(Expr, Expr),
    Nonzero { array: Array, at: Expr, negated: bool },
}

/// The destination of an addition.
#[derive(Debug, Clone, Copy)]
pub enum Lvalue {
    Element(Array, Expr),
    /// The register of the enclosing sum.
    Sum,
}

/// A value of the element type.
#[derive(Debug, Clone, Copy)]
pub enum Value<S: 'static> {
    Load(Array, Expr),
    /// A scalar operand, by its number.
    Scalar(usize),
    Bound(usize),
    /// A number of the statement.
    Literal(fn() -> S),
    /// A coordinate as an element.
    Coordinate(Expr, fn(i64) -> S),
    Negated(&'static Value<S>, fn(S) -> S),
    Product(&'static [Value<S>]),
    Sum(&'static [Value<S>]),
    /// A disjunction or a conjunction.
    Both(&'static [Value<S>], fn(S, S) -> S),
}
