//! The loop IR: the operations of a traversal or a kernel, independent of any target language.
//!
//! Loops are built from the traversal of a format (`traversal`) or from a kernel (`lower`), improved by passes and
//! printed (`emit`). Printers never use the format itself.

mod blocks;
mod coiterate;
mod entries;
mod expr;
mod invariant;
mod loads;
mod nonempty;
mod numbered;
mod parallel;
mod piece;
mod prefetch;
mod products;
mod promote;
mod slices;
mod text;
mod tighten;
mod tile;
mod unroll;
mod unused;
mod visit;

pub(crate) use blocks::blocks;
pub(crate) use coiterate::coiterate;
pub(crate) use expr::{Expr, Var, Variables};
pub(crate) use invariant::invariant;
pub(crate) use loads::{Arrays, hoist_loads};
pub(crate) use nonempty::skip_empty;
pub(crate) use numbered::numbered;
pub(crate) use parallel::{Ownership, Parallel, Piece, Positions};
pub(crate) use piece::piece;
pub(crate) use prefetch::prefetch;
pub(crate) use products::{Product, products};
pub(crate) use promote::promote;
pub(crate) use slices::{MOST_STREAMS, slices};
pub(crate) use text::{ArrayName, LevelNames, Names, OperandNames, TensorNames, Text};
pub(crate) use tighten::tighten;
pub(crate) use tile::tile;
pub(crate) use unroll::unroll;
pub(crate) use unused::without_unused;

/// An array that a nest reads or writes.
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
pub(crate) struct TensorLevel {
    pub(crate) tensor: usize,
    pub(crate) level: usize,
}

/// The positions of a level that a loop, a search or a merge covers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Segment {
    /// All positions of a level at the root.
    All,
    /// The entries below a parent position.
    Of(Expr),
    /// The positions from the first expression to below the second.
    Between(Expr, Expr),
    /// The positions of a variable that holds a range.
    Run(Var),
    /// The entries below all parents in a range of positions.
    Below(Var),
}

/// An operation that combines a sum or an element with a value, or the values of several terms. `And` has no identity, so that a sum of
/// it has no value before the first.
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
    /// A `Range` loop that advances by one tile at a time.
    Tiles(Tiles),
    /// One loop over the entries of the levels `first..=last`, whose `idx` arrays have one entry per position.
    Entries(Entries),
    /// Runs the body for each coordinate of a union or intersection of several segments.
    Merge(Merge),
    /// The body, whose outermost loop is divided among threads.
    Parallel(Parallel),
    /// Runs the body for each part of a partitioned tensor.
    Parts {
        tensor: usize,
        /// The variables of the part: sizes of levels, and coordinates of the node to which it belongs.
        numbers: Vec<Var>,
        body: Vec<Stmt>,
    },
    /// `let var = value`
    Let { var: Var, value: Expr },
    /// Binds an element to a variable.
    Bind(Bind),
    /// Binds the coordinate that an aligned level holds at this position.
    Lookup {
        level: TensorLevel,
        var: Var,
        at: Expr,
        /// A level above over which the coordinate is invariant: it is the same at all of that level's entries below one parent.
        /// Its coordinates count from zero: if there is an element below any of these entries, there is one below the first.
        invariant_below: Option<usize>,
    },
    /// Runs the body with the position of the first entry of a segment, if there is one.
    First {
        level: TensorLevel,
        within: Segment,
        to: Var,
        body: Vec<Stmt>,
    },
    /// Opens a search in the ascending coordinates of a segment. Each search starts where the previous one ended.
    Open {
        finder: Var,
        level: TensorLevel,
        within: Segment,
    },
    /// Binds the positions of ascending coordinates from the greatest of `lows` to below the least of `highs`.
    Between {
        level: TensorLevel,
        within: Segment,
        lows: Vec<Expr>,
        highs: Vec<Expr>,
        to: Var,
    },
    /// Continues a search that [`Open`](Stmt::Open) began, and runs the body if the segment has the coordinate.
    Find(Find),
    /// Binds the positions of one coordinate of a level without entries, below a range of positions.
    Step {
        level: TensorLevel,
        from: Var,
        size: Expr,
        offset: Expr,
        to: Var,
    },
    /// Runs the body if all conditions hold.
    If {
        conditions: Vec<Condition>,
        body: Vec<Stmt>,
    },
    /// `place = place + value`, or another reduction.
    Accumulate {
        place: Lvalue,
        reduction: Reduction,
        value: Value,
    },
    /// Sets `count` elements of a dense array to zero, beginning at `at`.
    Fill { array: Array, at: Expr, count: Expr },
    /// Sums over the body, and then moves the sum to its destination.
    Sum {
        body: Vec<Stmt>,
        reduction: Reduction,
        into: Destination,
        /// Whether the terms are added in several independent sums.
        unrolled: bool,
    },
    /// Runs a body that adds to the elements of a sparse output with these first coordinates, then appends each of them
    /// once.
    Fiber {
        outer: Vec<Expr>,
        /// The extents of the other coordinates.
        extents: Vec<Expr>,
        body: Vec<Stmt>,
    },
    /// Defines an optional value: the body assigns it if the element is stored; otherwise it is missing.
    Maybe { number: usize, body: Vec<Stmt> },
    /// Passes the coordinates and the value of an element to the caller, except a zero if `holes`, as that is a hole.
    Visit {
        coordinate: Vec<Expr>,
        value: Value,
        holes: bool,
    },
    /// Runs the body with the number of values of a loop inside.
    Count(Count),
}

/// Binds `var` to the number of values from the greatest of `lows` to below the least of `highs`. The compiler makes a version
/// of the body for the `usual` number.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Count {
    pub(crate) var: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    pub(crate) usual: Expr,
    pub(crate) body: Vec<Stmt>,
}

/// `for var in max(lows)..min(highs)`, restricted to a residue class if there is a stride.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    /// The level whose coordinates the loop covers, if there is one.
    pub(crate) level: Option<TensorLevel>,
    pub(crate) var: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    /// `(residue, modulus)`
    pub(crate) stride: Option<(Expr, Expr)>,
    /// Skips the values whose parents have no entries.
    pub(crate) nonempty: Option<Nonempty>,
    /// The accesses of the loop, if it is an iteration over slices of the arrays. Then its body is one statement.
    pub(crate) slices: Option<Slices>,
    pub(crate) body: Vec<Stmt>,
}

/// The accesses of an innermost loop, each of which advances with the loop variable by one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Slices {
    /// The elements and coordinates that each iteration reads, and the variables to which it binds them.
    pub(crate) reads: Vec<(Var, Access)>,
    /// The element that is [`Lvalue::Item`].
    pub(crate) item: Option<Access>,
    /// Whether the body uses the value of the loop variable.
    pub(crate) uses_variable: bool,
    /// The usual number of iterations, for which the compiler makes a version of the loop.
    pub(crate) usual: Option<Expr>,
}

/// An access whose place advances with the loop variable `n`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Access {
    /// `array[n + offset]`
    Element {
        array: Array,
        offset: Expr,
        /// Whether the elements after the slice are prefetched.
        ahead: bool,
    },
    /// The value of a tensor at position `n + offset`, where the values are fields of tuples.
    Packed { tensor: usize, offset: Expr },
    /// `array[idx[n + offset] - first]`, with the `idx` of a level
    Selected {
        array: Array,
        level: TensorLevel,
        offset: Expr,
        first: Expr,
    },
    /// `idx[n + offset]`, with the `idx` of a level
    Coordinate { level: TensorLevel, offset: Expr },
}

/// Maps the loop value `n` to the parent `first + n` of a level's entries.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Nonempty {
    pub(crate) level: TensorLevel,
    pub(crate) first: Expr,
}

/// A loop over neighbouring elements of an array, by tiles. The body adds to [`Array::Sums`], which are then moved to
/// the elements.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tiles {
    /// The first value of a tile.
    pub(crate) var: Var,
    /// The number of values in a tile.
    pub(crate) width: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    pub(crate) reduction: Reduction,
    pub(crate) array: Array,
    /// The place of the first value, or the position at which the place is looked up.
    pub(crate) at: Expr,
    /// The level that holds the places of the values, at consecutive positions.
    pub(crate) through: Option<Through>,
    /// Several rows of neighbours in one tile.
    pub(crate) rows: Option<TileRows>,
    /// Whether nothing else adds to the elements, so that they are stored.
    pub(crate) store: bool,
    /// The possible lengths of tiles, longest first; empty if the target leaves them to the run time.
    pub(crate) lengths: &'static [usize],
    /// Whether loops inside read the same elements along the tile repeatedly.
    pub(crate) reads_again: bool,
    /// The body as a product of matrices, if the target has instructions for them.
    pub(crate) product: Option<Box<Product>>,
    pub(crate) body: Vec<Stmt>,
}

/// Places that are looked up in the coordinates of a level.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Through {
    pub(crate) level: TensorLevel,
    /// The coordinate of the first place.
    pub(crate) first: Expr,
}

/// Several rows of neighbouring elements that one tile holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TileRows {
    /// The first row of a tile.
    pub(crate) var: Var,
    /// The number of rows in a tile.
    pub(crate) count: Var,
    pub(crate) lows: Vec<Expr>,
    pub(crate) highs: Vec<Expr>,
    /// The distance from an element to the same element of the next row.
    pub(crate) stride: Expr,
}

/// One loop over the entries of the levels `first..=last` of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entries {
    pub(crate) tensor: usize,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) within: Segment,
    pub(crate) position: Var,
    /// The level and the variable of each coordinate that is read.
    pub(crate) coordinates: Vec<(usize, Var)>,
    /// The levels among these whose arrays are read at the numbers of the entries in their segment, not at their positions.
    pub(crate) numbered: Vec<usize>,
    /// The elements that are read at each entry.
    pub(crate) loads: Vec<Bind>,
    /// Whether the parent depends on coordinates that loops around this one read, so that consecutive segments are not
    /// adjacent.
    pub(crate) indirect: bool,
    pub(crate) prefetch: Option<Prefetch>,
    /// The number of values at each position, if the values that the body reads count from the first at the position.
    pub(crate) block: Option<Expr>,
    /// The element that is [`Lvalue::Item`].
    pub(crate) item: Option<Cell>,
    pub(crate) body: Vec<Stmt>,
}

/// `array[coordinate - first]`, with the coordinate of a level at the position of a loop.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cell {
    pub(crate) array: Array,
    pub(crate) level: TensorLevel,
    pub(crate) first: Expr,
}

/// A name for an element.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bind {
    pub(crate) var: Var,
    pub(crate) value: Value,
}

/// The data that a loop prefetches for the entries a fixed distance ahead.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Prefetch {
    /// Rows of `width` elements of dense operands, by their first element, for all values of the loops, which start at
    /// zero.
    Rows {
        width: Var,
        loops: Vec<(Var, Expr)>,
        rows: Vec<(Array, Expr)>,
    },
    /// Segments of entries, by the position variable of the loop over them and by the parent.
    Segments(Vec<(Var, Expr)>),
}

/// A merge of several sorted segments.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Merge {
    /// Whether the body runs for coordinates of any segment, or only for those that all have.
    pub(crate) union: bool,
    pub(crate) coordinate: Var,
    pub(crate) cursors: Vec<MergeCursor>,
    pub(crate) body: Vec<Stmt>,
}

/// One of the segments that are merged.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MergeCursor {
    pub(crate) level: TensorLevel,
    pub(crate) within: Segment,
    /// The position in an intersection; in a union, the range of positions, which may be empty.
    pub(crate) at: Var,
    /// Whether several consecutive entries can have the same coordinate.
    pub(crate) runs: bool,
}

/// One step of a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Find {
    pub(crate) finder: Var,
    pub(crate) level: TensorLevel,
    pub(crate) coordinate: Expr,
    pub(crate) found: Found,
    pub(crate) body: Vec<Stmt>,
}

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Found {
    /// The position; the body runs only if there is one.
    Position(Var),
    /// Start and end of a range of positions with equal coordinates; the body runs only if the range is not empty.
    Run(Var, Var),
    /// A range of positions, which may be empty; the body always runs. It has more than one position only if `runs`, where
    /// consecutive entries can have equal coordinates.
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
    /// An element of an array is not zero, or is zero if negated.
    Nonzero { array: Array, at: Expr, negated: bool },
    /// The value of a [`Stmt::Maybe`] is missing.
    Missing(usize),
}

/// The destination of an accumulation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Lvalue {
    Element(Array, Expr),
    /// The element of a dense array at which the enclosing loop is: see [`Slices::item`] and [`Entries::item`].
    Item,
    /// The nearest enclosing [`Stmt::Sum`].
    Sum,
    /// The next element of the sparse output, by its coordinates in the order of the loops.
    Output(Vec<Expr>),
    /// An element of the sparse output, by its coordinates in the order of its dims; any order, repetitions allowed.
    Scattered(Vec<Expr>),
    /// An element of the nearest enclosing [`Stmt::Fiber`], by its number there.
    Fiber(Expr),
    /// The value of the enclosing [`Stmt::Maybe`].
    Maybe(usize),
}

/// The destination of a sum.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Destination {
    /// An element, to which the sum is added, or in which it is stored if nothing else adds to it.
    Element { array: Array, at: Expr, store: bool },
    /// The element at which the enclosing loop is, to which the sum is added or in which it is stored.
    Item { store: bool },
    /// An element of the sparse output, in the order of the loops. If not `sure`, it is appended only if something was
    /// added.
    Output { coordinate: Vec<Expr>, sure: bool },
    /// The result of the kernel.
    Total,
}

/// A value of the element type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Load(Array, Expr),
    /// The value at a range of positions. It is missing if the range is empty, or if it is a hole and `holes` is set.
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
    /// An element that was bound to a name.
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
