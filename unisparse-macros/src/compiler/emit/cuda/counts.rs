//! The numbers from which the host chooses the threads of a launch.

use super::super::c::{Parameter, ParameterKind, Source, Tensor, c_name};
use super::divided::has_parallel;
use super::runs::entries_of_lanes;
use crate::compiler::loops::{Expr, Ownership, Parallel, Positions, Stmt, TensorLevel, Tiles, Var};

/// A number that the host computes from the arguments of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Count {
    /// The loops compute it.
    Unknown,
    Number(u64),
    /// The value of a parameter, by its number: an extent or a const parameter.
    Parameter(usize),
    /// The number of coordinates of a level, of the tensor that is this parameter.
    Size {
        parameter: usize,
        level: usize,
    },
    /// The number of entries of a level in all parts of a tensor.
    Entries {
        parameter: usize,
        level: usize,
    },
    Plus(Box<[Count; 2]>),
    Minus(Box<[Count; 2]>),
    Times(Box<[Count; 2]>),
    /// The quotient rounded down.
    Floor(Box<[Count; 2]>),
    /// The quotient rounded up.
    Ceil(Box<[Count; 2]>),
}

/// The terms that lanes divide, of all positions.
#[derive(PartialEq, Debug)]
pub(crate) enum Terms {
    Unknown,
    /// Terms of sums: a lane adds several.
    Summed(Count),
    /// Elements of tiles: a lane has several in registers.
    Tiled(Count),
    /// Others: a lane has one at a time.
    Each(Count),
}

/// Computes counts from the loops of a program.
pub(super) struct Counts<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) tensors: &'a [Tensor<'a>],
    pub(super) parameters: &'a [Parameter],
    /// The names that statements outside of divided loops bind, with their values.
    named: Vec<(Var, &'a Expr)>,
}

impl<'a> Counts<'a> {
    pub(super) fn new(source: &'a Source<'a>, tensors: &'a [Tensor<'a>], parameters: &'a [Parameter]) -> Self {
        Counts {
            source,
            tensors,
            parameters,
            named: Vec::new(),
        }
    }

    /// Returns the number of positions that workers divide, and the terms that the lanes of all workers divide.
    pub(super) fn of_nest(mut self, nest: &'a [Stmt]) -> (Count, Terms) {
        named(nest, &mut self.named);
        let Some(outermost) = nest.iter().find_map(parallel) else {
            return (Count::Number(1), Terms::Unknown);
        };
        let positions = self.positions(&outermost.over);
        let in_order = matches!(outermost.ownership, Ownership::Ascending { .. });
        let by_lanes = !outermost.body.iter().any(has_parallel) || entries_of_lanes(outermost).is_some();
        if in_order && by_lanes || outermost.body.iter().any(is_tiles) {
            // A worker takes as many neighbours as it has lanes.
            let warp = Count::Number(u64::from(WARP));
            return (both(Count::Ceil, positions, warp), Terms::Unknown);
        }
        let terms = match outermost.body.iter().find_map(parallel) {
            None => self.elements_of_tiles(outermost, &positions),
            Some(inner) => {
                let terms = match &inner.over {
                    Positions::Entries(_) => self.positions(&inner.over),
                    Positions::Size(_) => both(Count::Times, positions.clone(), self.positions(&inner.over)),
                };
                match terms {
                    Count::Unknown => Terms::Unknown,
                    terms if is_summed(&outermost.body) => Terms::Summed(terms),
                    terms => Terms::Each(terms),
                }
            }
        };
        (positions, terms)
    }

    /// Returns the elements of the tiles at all positions. The lanes of a group divide those of a tile.
    fn elements_of_tiles(&self, outermost: &Parallel, positions: &Count) -> Terms {
        match outermost.body.iter().find_map(tiles) {
            // Matrix instructions need all lanes of a warp.
            Some(tiles) if tiles.product.is_none() => {
                let bounds = tiles.highs.iter().map(|high| self.number(high));
                let width = bounds.into_iter().find(|bound| *bound != Count::Unknown);
                match both(Count::Times, positions.clone(), width.unwrap_or(Count::Unknown)) {
                    Count::Unknown => Terms::Unknown,
                    elements if self.is_dense(tiles) => Terms::Tiled(elements),
                    elements => Terms::Each(elements),
                }
            }
            _ => Terms::Unknown,
        }
    }

    /// Whether the elements of a tile are those of a whole dim, as the columns of a dense operand are: a sparse entry is read once for
    /// all of them.
    fn is_dense(&self, tiles: &Tiles) -> bool {
        let extents = &self.source.program.extents;
        matches!(tiles.highs.as_slice(), [Expr::Var(high)] if extents.contains(high)) && tiles.rows.is_none()
    }

    fn positions(&self, positions: &Positions) -> Count {
        match positions {
            Positions::Size(size) => self.number(size),
            Positions::Entries(level) => self.entries(*level),
        }
    }

    /// Returns the number of entries of a level.
    pub(super) fn entries(&self, TensorLevel { tensor, level }: TensorLevel) -> Count {
        let entries = |parameter| Count::Entries { parameter, level };
        self.parameter_of(tensor).map_or(Count::Unknown, entries)
    }

    fn number(&self, expr: &Expr) -> Count {
        let of = |kind: fn(Box<[Count; 2]>) -> Count, left: &Expr, right: &Expr| {
            both(kind, self.number(left), self.number(right))
        };
        match expr {
            Expr::Int(number) => u64::try_from(*number).map_or(Count::Unknown, Count::Number),
            Expr::Var(var) => self.variable(*var),
            Expr::Add(left, right) => of(Count::Plus, left, right),
            Expr::Sub(left, right) => of(Count::Minus, left, right),
            Expr::Mul(left, right) => of(Count::Times, left, right),
            Expr::Floor(left, right) => of(Count::Floor, left, right),
            Expr::Ceil(left, right) => of(Count::Ceil, left, right),
        }
    }

    pub(super) fn variable(&self, var: Var) -> Count {
        let program = &self.source.program;
        if let Some(at) = program.extents.iter().position(|&extent| extent == var) {
            return self.nth(at, |kind| matches!(kind, ParameterKind::Extent));
        }
        if program.variables.is_parameter(var) {
            return self.constant(&c_name(program.variables.name(var)));
        }
        for (tensor, numbers) in program.numbers.iter().enumerate() {
            if let Some(level) = numbers.iter().position(|&number| number == Some(var)) {
                let size = |parameter| Count::Size { parameter, level };
                return self.parameter_of(tensor).map_or(Count::Unknown, size);
            }
        }
        let value = self.named.iter().find(|(name, _)| *name == var);
        value.map_or(Count::Unknown, |(_, value)| self.number(value))
    }

    fn constant(&self, name: &str) -> Count {
        let constants = self.source.constants();
        if let Some((_, value)) = constants.iter().find(|(constant, _)| constant == name) {
            return value.parse().map_or(Count::Unknown, Count::Number);
        }
        let is = |parameter: &Parameter| matches!(parameter.kind, ParameterKind::Constant) && parameter.name == name;
        let at = self.parameters.iter().position(is);
        at.map_or(Count::Unknown, Count::Parameter)
    }

    /// Returns the value of the parameter that is number `at` among those of a kind.
    fn nth(&self, at: usize, is: impl Fn(&ParameterKind) -> bool) -> Count {
        let mut of_kind = (0..self.parameters.len()).filter(|&number| is(&self.parameters[number].kind));
        of_kind.nth(at).map_or(Count::Unknown, Count::Parameter)
    }

    fn parameter_of(&self, tensor: usize) -> Option<usize> {
        let argument = &self.tensors[tensor].argument;
        let is = |parameter: &Parameter| {
            matches!(parameter.kind, ParameterKind::Tensor { .. }) && parameter.name == *argument
        };
        self.parameters.iter().position(is)
    }
}

/// The number of threads of a warp.
const WARP: u32 = 32;

fn both(kind: fn(Box<[Count; 2]>) -> Count, left: Count, right: Count) -> Count {
    if left == Count::Unknown || right == Count::Unknown {
        return Count::Unknown;
    }
    kind(Box::new([left, right]))
}

/// Adds the names that these statements bind, but for those inside of divided loops.
fn named<'a>(stmts: &'a [Stmt], into: &mut Vec<(Var, &'a Expr)>) {
    for stmt in stmts {
        match stmt {
            Stmt::Let { var, value } => into.push((*var, value)),
            Stmt::Parallel(_) => {}
            stmt => named(stmt.body(), into),
        }
    }
}

/// Returns the outermost divided loop of a statement.
fn parallel(stmt: &Stmt) -> Option<&Parallel> {
    match stmt {
        Stmt::Parallel(parallel) => Some(parallel),
        stmt => stmt.body().iter().find_map(parallel),
    }
}

/// Returns the outermost tiles of a statement.
fn tiles(stmt: &Stmt) -> Option<&Tiles> {
    match stmt {
        Stmt::Tiles(tiles) => Some(tiles),
        stmt => stmt.body().iter().find_map(tiles),
    }
}

/// Whether the lanes of a worker divide the terms of a sum.
fn is_summed(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Sum { body, .. } => body.iter().any(has_parallel),
        stmt => is_summed(stmt.body()),
    })
}

fn is_tiles(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Tiles(_))
}
