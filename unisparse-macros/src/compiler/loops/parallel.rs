//! Loops that are divided among threads, and the output elements that their positions own.

use super::{Array, Destination, Expr, Lvalue, Stmt, TensorLevel, Var};

/// A body whose outermost loop is divided among threads.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parallel {
    /// The number of positions of the loop.
    pub(crate) over: Positions,
    pub(crate) ownership: Ownership,
    /// The tensor over whose outermost level the loop runs, which can balance the pieces by elements.
    pub(crate) balance: Option<usize>,
    /// The level whose entries are all that adds to the elements of a position, so that long segments can be divided
    /// too.
    pub(crate) split: Option<TensorLevel>,
    /// The positions of a piece, if the loop is cut into pieces; else the body covers all positions.
    pub(crate) piece: Option<Piece>,
    pub(crate) body: Vec<Stmt>,
}

/// The positions `from..to` of a loop, with the output elements that they own.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Piece {
    pub(crate) from: Var,
    pub(crate) to: Var,
    /// The number of the first element that the piece owns, from which the places in the body count.
    pub(crate) first: Option<Expr>,
}

/// The number of positions of a loop.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Positions {
    Size(Expr),
    Entries(TensorLevel),
}

/// The output elements that the positions of a parallel loop write.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ownership {
    /// Each position owns this many elements, which no other position writes.
    Owned(Expr),
    /// Each position owns this many elements, and the loops look up the place that they write. The place that a hole
    /// looks up may be owned by another position, so holes are skipped.
    Windows(Expr),
    /// The coordinates of the positions do not decrease, and each coordinate owns `stride` elements; `first` is the
    /// coordinate of the first position of a piece.
    Ascending {
        level: TensorLevel,
        stride: Expr,
        first: Var,
    },
    /// Any position may add to any element, or may store it where all positions store each element exactly once.
    Shared { stores: bool },
    /// Each piece gives its own result.
    Each,
}

impl Stmt {
    /// Collects the places of the output to which this statement and those inside it add.
    pub(crate) fn outputs(&self, places: &mut Vec<Lvalue>) {
        match self {
            Stmt::Accumulate {
                place:
                    place @ (Lvalue::Element(Array::Dense(0), _)
                    | Lvalue::Fiber(_)
                    | Lvalue::Output(_)
                    | Lvalue::Scattered(_)),
                ..
            } => places.push(place.clone()),
            Stmt::Sum {
                into:
                    Destination::Element {
                        array: Array::Dense(0),
                        at,
                        ..
                    },
                ..
            }
            | Stmt::Fill { at, .. } => places.push(Lvalue::Element(Array::Dense(0), at.clone())),
            Stmt::Sum {
                into: Destination::Output { coordinate, .. },
                ..
            } => places.push(Lvalue::Output(coordinate.clone())),
            _ => {}
        }
        self.body().iter().for_each(|inner| inner.outputs(places));
    }
}
