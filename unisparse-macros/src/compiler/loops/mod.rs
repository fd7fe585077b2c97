//! The loop IR: what a traversal or a kernel does, free of any target language.
//!
//! Loops are built from the traversal of a format (`traversal`) or a kernel (`lower`), improved by passes and printed
//! (`emit`). Printers never look back at the format.

mod coiterate;
mod expr;
mod invariant;
mod loads;
mod nonempty;
mod piece;
mod prefetch;
mod promote;
mod text;
mod tighten;
mod tile;
mod unroll;
mod unused;
mod visit;

pub(crate) use coiterate::coiterate;
pub(crate) use expr::{Expr, Var, Variables};
pub(crate) use invariant::invariant;
pub(crate) use loads::hoist_loads;
pub(crate) use nonempty::skip_empty;
pub(crate) use piece::piece;
pub(crate) use prefetch::prefetch;
pub(crate) use promote::promote;
pub(crate) use text::{ArrayName, LevelNames, Names, OperandNames, TensorNames, Text};
pub(crate) use tighten::tighten;
pub(crate) use tile::tile;
pub(crate) use unroll::unroll;
pub(crate) use unused::without_unused;

/// An array a nest reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Array {
    /// The values of a sparse tensor, by its number in the nest.
    Values(usize),
    /// A dense operand, by its number in the kernel.
    Dense(usize),
    /// The sums of the enclosing [`Stmt::Tiles`].
    Sums,
}

/// A level of a sparse tensor of the nest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Level {
    pub(crate) tensor: usize,
    pub(crate) level: usize,
}

/// The positions of a level that a pass, a search or a merge goes over.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Segment {
    /// All of a level at the root.
    All,
    /// The entries of a parent's position.
    Of(Expr),
    /// From the first to below the second.
    Between(Expr, Expr),
    /// Those of a variable that is a range of positions.
    Run(Var),
    /// The entries of all parents in a range of positions.
    Below(Var),
}

/// How values are put together, of which the first may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    Plus,
    Min,
    Max,
    Or,
    And,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Stmt {
    /// `for var in max(lows)..min(highs)`
    Range(Range),
    /// The same, a tile of numbers at a time.
    Tiles(Tiles),
    /// One pass over the entries of the levels `first..=last`, which are stored in step.
    Entries(Entries),
    /// The body, once for each coordinate that the legs hold, together.
    Merge(Merge),
    /// The body, whose outermost loop is divided among threads.
    Parallel(Parallel),
    /// The body, once for each part of a tensor that is cut apart.
    Parts {
        tensor: usize,
        /// What is known of the part alone: sizes, and the coordinates it hangs from.
        numbers: Vec<Var>,
        body: Vec<Stmt>,
    },
    /// `let var = value`
    Let { var: Var, value: Expr },
    /// The same of an element.
    Bind(Bind),
    /// `let var = ` the coordinate that a level of one entry a position holds at this position.
    Lookup {
        level: Level,
        var: Var,
        at: Expr,
        /// A level above that counts from zero, all of whose entries give the same coordinate, where everything else is the
        /// same: wherever one of these holds an element, so does the first.
        invariant_below: Option<usize>,
    },
    /// The body, with the position of the first entry of a segment, if there is one.
    First {
        level: Level,
        within: Segment,
        to: Var,
        body: Vec<Stmt>,
    },
    /// A search in the rising coordinates of a segment, which starts where the one before ended.
    Open { finder: Var, level: Level, within: Segment },
    /// The positions of rising coordinates from the greatest of `lows` to below the least of `highs`.
    Between {
        level: Level,
        within: Segment,
        lows: Vec<Expr>,
        highs: Vec<Expr>,
        to: Var,
    },
    /// The body, if the level holds the coordinate in the segment that was opened.
    Find(Find),
    /// The positions of one coordinate of a level without entries, below a range of positions.
    Step {
        level: Level,
        from: Var,
        size: Expr,
        offset: Expr,
        to: Var,
    },
    /// The body, where all conditions hold.
    If {
        conditions: Vec<Condition>,
        body: Vec<Stmt>,
    },
    /// `place = place + value`, or another reduction.
    Accumulate {
        place: Place,
        reduction: Reduction,
        value: Value,
    },
    /// So many elements of a dense array from `at` on are zero from here on.
    Fill { array: Array, at: Expr, count: Expr },
    /// A sum over the body, then put where it belongs.
    Sum {
        body: Vec<Stmt>,
        reduction: Reduction,
        into: Target,
        /// Whether many terms are added up in several sums side by side.
        unrolled: bool,
    },
    /// The body adds to the elements of a sparse output that have these first coordinates; each is appended once, after it.
    Fiber {
        outer: Vec<Expr>,
        /// The extents of the other coordinates.
        extents: Vec<Expr>,
        body: Vec<Stmt>,
    },
    /// A value that the body gives, or does not.
    Maybe { number: usize, body: Vec<Stmt> },
    /// Hands the coordinate and the value of one element to the caller; a zero is a hole if `holes`.
    Visit {
        coordinate: Vec<Expr>,
        at: Expr,
        holes: bool,
    },
}

/// `for var in max(lows)..min(highs)`, only those congruent to a residue if there is a stride.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    /// The level whose coordinates these are, if they are.
    pub(crate) level: Option<Level>,
    pub(crate) var: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    /// `(residue, modulus)`
    pub(crate) stride: Option<(Expr, Expr)>,
    /// Only those whose parents have entries.
    pub(crate) nonempty: Option<Nonempty>,
    pub(crate) body: Vec<Stmt>,
}

/// The number `n` of a loop stands for the parent `first + n` of a level's entries.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Nonempty {
    pub(crate) level: Level,
    pub(crate) first: Expr,
}

/// Neighbouring elements of an array, a tile of [`Array::Sums`] at a time: the body adds to those, which then go where they
/// belong.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tiles {
    /// The first number of a tile.
    pub(crate) var: Var,
    /// How many there are in it.
    pub(crate) width: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    pub(crate) reduction: Reduction,
    pub(crate) array: Array,
    /// The place of the first number, or the position at which that is looked up.
    pub(crate) at: Expr,
    /// How the places of the numbers are looked up, at following positions.
    pub(crate) through: Option<Through>,
    /// Several runs of neighbours in one tile.
    pub(crate) rows: Option<Rows>,
    /// Whether nothing else adds to the elements.
    pub(crate) store: bool,
    pub(crate) body: Vec<Stmt>,
}

/// Places that the coordinates of a level tell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Through {
    pub(crate) level: Level,
    /// The coordinate of the first place.
    pub(crate) first: Expr,
}

/// Several rows of neighbouring elements that one tile holds together.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rows {
    /// The first number of a tile.
    pub(crate) var: Var,
    /// How many there are in it.
    pub(crate) count: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    /// From the place of one to that of the next.
    pub(crate) stride: Expr,
}

/// A loop that is divided among threads: the outermost one of the body.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parallel {
    /// How many positions the loop has.
    pub(crate) over: Positions,
    pub(crate) ownership: Ownership,
    /// The tensor whose outermost level the loop goes over: it knows where its elements are halved.
    pub(crate) balance: Option<usize>,
    /// The level whose entries below a position are all that adds to what the position owns: these can be divided, too.
    pub(crate) split: Option<Level>,
    /// The positions that the body goes over, where they are cut into pieces; else it goes over all of them.
    pub(crate) piece: Option<Piece>,
    pub(crate) body: Vec<Stmt>,
}

/// The positions `from..to` of a loop, and what they own of the output.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Piece {
    pub(crate) from: Var,
    pub(crate) to: Var,
    /// The number of the first element that the piece owns; the places of the body count from there.
    pub(crate) first: Option<Expr>,
}

/// How many positions a loop has.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Positions {
    Size(Expr),
    Entries(Level),
}

/// Which elements of the output the positions of a parallel loop write.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ownership {
    /// Each position owns this many elements: nothing else writes them.
    Owned(Expr),
    /// The same, and the loops look up which place is written: what a hole looks up may be another's, and is passed over.
    Windows(Expr),
    /// The coordinates of the positions do not decrease, and each coordinate owns `stride` elements; `first` is the
    /// coordinate of the first position of a piece.
    Ascending { level: Level, stride: Expr, first: Var },
    /// Any position adds to any element; or stores it, where all positions together store every element once.
    Shared { stores: bool },
    /// Each piece gives a result of its own.
    Each,
}

/// One pass over the entries of the levels `first..=last` of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entries {
    pub(crate) tensor: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) within: Segment,
    pub(crate) position: Var,
    /// The level and the variable of each coordinate read.
    pub(crate) coordinates: Vec<(usize, Var)>,
    /// The elements that are read at each entry, in step with the entries.
    pub(crate) loads: Vec<Bind>,
    /// Whether the parent follows from coordinates that passes around this one read: then its entries are not those after the
    /// ones that were read last.
    pub(crate) indirect: bool,
    pub(crate) prefetch: Option<Prefetch>,
    pub(crate) body: Vec<Stmt>,
}

impl Entries {
    /// The level whose segments the pass goes over.
    pub(crate) fn first(&self) -> Level {
        Level {
            tensor: self.tensor,
            level: self.first,
        }
    }
}

/// A name for an element.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bind {
    pub(crate) var: Var,
    pub(crate) value: Value,
}

/// What a pass prefetches for the entries that come a fixed distance later.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Prefetch {
    /// Rows of `width` elements of dense operands, by the number of the first; for each number of the loops from zero, too.
    Rows {
        width: Var,
        loops: Vec<(Var, Expr)>,
        rows: Vec<(Array, Expr)>,
    },
    /// Segments of entries, by the position of the pass over them and the parent.
    Segments(Vec<(Var, Expr)>),
}

/// Several sorted levels at once.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Merge {
    /// Every coordinate of any leg, or those that all have.
    pub(crate) union: bool,
    pub(crate) coordinate: Var,
    pub(crate) legs: Vec<Leg>,
    pub(crate) body: Vec<Stmt>,
}

/// One of the levels that are merged.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Leg {
    pub(crate) level: Level,
    pub(crate) within: Segment,
    /// The position in an intersection; the range of positions, empty if there is none, in a union.
    pub(crate) at: Var,
    /// Whether several entries in a row can have one coordinate.
    pub(crate) runs: bool,
}

/// One question to a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Find {
    pub(crate) finder: Var,
    pub(crate) level: Level,
    pub(crate) coordinate: Expr,
    pub(crate) found: Found,
    pub(crate) body: Vec<Stmt>,
}

/// What a search gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Found {
    /// A position: the body runs only if there is one.
    Position(Var),
    /// A range of positions of equal coordinates, as two ends: the body runs only if it is not empty.
    Run(Var, Var),
    /// A range of positions, empty if there is none: the body runs anyway.
    Any { range: Var, runs: bool },
}

impl Found {
    pub(crate) fn vars(self) -> Vec<Var> {
        match self {
            Found::Position(at) | Found::Any { range: at, .. } => vec![at],
            Found::Run(first, end) => vec![first, end],
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Condition {
    /// The expression is at least zero.
    Nonnegative(Expr),
    /// The expression is zero.
    Zero(Expr),
    /// The expression is a multiple of the divisor.
    Divisible(Expr, Expr),
    /// An element of an array is not zero, or is if negated.
    Nonzero { array: Array, at: Expr, negated: bool },
    /// The value of a [`Stmt::Maybe`] was not given.
    Missing(usize),
}

/// What is accumulated into.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    Element(Array, Expr),
    /// The nearest enclosing [`Stmt::Sum`].
    Sum,
    /// An element of the sparse output, by its coordinates in the order of the loops: the next one.
    Output(Vec<Expr>),
    /// An element of the sparse output, by its coordinates in the order of its dims: any, any number of times.
    Scattered(Vec<Expr>),
    /// An element of the nearest enclosing [`Stmt::Fiber`], by its number there.
    Fiber(Expr),
    /// The value of the enclosing [`Stmt::Maybe`].
    Maybe(usize),
}

/// Where a sum goes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Target {
    /// Added to an element, or stored there if nothing else adds to it.
    Element { array: Array, at: Expr, store: bool },
    /// An element of the sparse output, in the order of the loops; only if something was added, where that is not sure.
    Output { coordinate: Vec<Expr>, sure: bool },
    /// The result of the kernel.
    Total,
}

/// A value of the element type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Load(Array, Expr),
    /// The value at a range of positions, which is missing if that is empty, or a hole where there can be some.
    At {
        tensor: usize,
        range: Var,
        holes: bool,
    },
    /// The value at a position, which is missing if it is a hole.
    AtPosition {
        tensor: usize,
        position: Expr,
    },
    /// The value of a [`Stmt::Maybe`].
    Maybe(usize),
    /// A scalar operand, by its number in the kernel.
    Scalar(usize),
    /// A literal, by its number in the kernel.
    Literal(Literal),
    /// A coordinate, converted to the element type.
    Coordinate(Expr),
    /// An element that is bound to a name.
    Bound(Var),
    Negated(Box<Value>),
    Product(Vec<Value>),
    Sum(Vec<Value>),
    Or(Vec<Value>),
    And(Vec<Value>),
    /// A function of the kernel, by its number.
    Call(usize, Vec<Value>),
}

/// A number in a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Literal {
    Integer(i64),
    Float(f64),
}
