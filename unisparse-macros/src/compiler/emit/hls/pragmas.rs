//! Prints the pragmas of loops: how a tool executes them, and what it may assume.

use std::collections::BTreeMap;

use super::super::c::{Lines, Printer};
use super::Constants;
use crate::compiler::loops::{Array, Expr, Range, Stmt, Var};

/// The greatest number of copies of a loop's body.
const COPIES: usize = 64;

/// Names that the printer uses beside those of C.
pub(super) const RESERVED: [&str; 8] = [
    "sums",
    "class",
    "template",
    "typename",
    "namespace",
    "operator",
    "new",
    "delete",
];

/// The state of the printer.
pub(super) struct Hardware {
    constants: Constants,
    /// The numbers that the caller passes.
    numbers: Numbers,
    /// Whether the iterations of the next loop update different elements.
    pub(super) owns: bool,
    /// The width of the current tile, and its length if that is constant.
    pub(super) tile: Option<(Var, usize)>,
    /// The arrays of which the current loop claims that its iterations update different elements.
    pub(super) claimed: Vec<Array>,
    pub(super) trips: Vec<Trips>,
}

/// The parameters that determine the lengths of loops.
pub(super) struct Numbers {
    /// The extents and the sizes.
    pub(super) variables: BTreeMap<Var, TripsOf>,
    /// The parameter of each tensor.
    pub(super) tensors: Vec<usize>,
}

/// The number of iterations of a loop, which the host computes from the operands.
pub(crate) struct Trips {
    /// The name of the loop's variable.
    pub(crate) name: String,
    pub(crate) of: TripsOf,
    /// The number that one iteration takes.
    pub(crate) step: usize,
}

/// What a loop goes over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TripsOf {
    /// The value of a parameter, by its number.
    Extent(usize),
    /// The coordinates of a level of the tensor that is this parameter.
    Size { parameter: usize, level: usize },
    /// The entries of a level below one parent.
    Entries { parameter: usize, level: usize },
}

impl Hardware {
    pub(super) fn new(constants: Constants, numbers: Numbers) -> Self {
        Hardware {
            constants,
            numbers,
            owns: false,
            tile: None,
            claimed: Vec::new(),
            trips: Vec::new(),
        }
    }

    /// Returns the parameter of a tensor.
    pub(super) fn parameter_of(&self, tensor: usize) -> usize {
        self.numbers.tensors[tensor]
    }
}

impl Printer<'_, Hardware> {
    /// Returns the value of an expression if it is constant.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i128> {
        let both = |left: &Expr, right: &Expr| Some((self.constant(left)?, self.constant(right)?));
        match expr {
            Expr::Int(value) => Some(*value),
            Expr::Var(var) => {
                let of_tile = self.machine.tile.filter(|(width, _)| width == var);
                of_tile
                    .and_then(|(_, length)| i128::try_from(length).ok())
                    .or_else(|| self.machine.constants.get(&self.var(*var)).copied())
            }
            Expr::Add(left, right) => both(left, right).and_then(|(left, right)| left.checked_add(right)),
            Expr::Sub(left, right) => both(left, right).and_then(|(left, right)| left.checked_sub(right)),
            Expr::Mul(left, right) => both(left, right).and_then(|(left, right)| left.checked_mul(right)),
            Expr::Floor(left, right) => both(left, right).and_then(|(left, right)| left.checked_div_euclid(right)),
            Expr::Ceil(left, right) => both(left, right).and_then(|(left, right)| {
                let above = left.checked_add(right.checked_sub(1)?)?;
                above.checked_div_euclid(right)
            }),
        }
    }

    /// Returns the number of copies of a loop's body that compute all iterations at once, if it is constant and small.
    pub(super) fn copies(&self, range: &Range) -> Option<usize> {
        if range.stride.is_some() {
            return None;
        }
        let ends = range.highs.iter().filter_map(|high| self.constant(high));
        let count = ends.min().and_then(|end| usize::try_from(end).ok())?;
        let inside = self.copies_inside(&range.body)?;
        Some(count).filter(|count| count.saturating_mul(inside) <= COPIES)
    }

    /// Returns the number of copies of each statement in a block that has no loop of another kind.
    pub(super) fn copies_inside(&self, block: &[Stmt]) -> Option<usize> {
        let counts = block.iter().map(|stmt| {
            let inside = self.copies_inside(stmt.body())?;
            match stmt {
                Stmt::Range(range) => Some(inside.saturating_mul(self.copies(range)?)),
                Stmt::Entries(_) | Stmt::Tiles(_) | Stmt::Fill { .. } | Stmt::Parts { .. } | Stmt::Merge(_) => None,
                Stmt::Sum { unrolled: true, .. } => None,
                _ => Some(inside),
            }
        });
        counts.reduce(|all, count| Some(all?.max(count?))).unwrap_or(Some(1))
    }

    /// Prints the pragmas of a loop that is executed by a pipeline if nothing inside is a loop.
    pub(super) fn pipelined(&mut self, is_innermost: bool, owns: bool, claimed: &[Array]) {
        if !is_innermost {
            return;
        }
        // Else the tool finds the distance at which a sum is ready for the next addition.
        let interval = if owns { " II=1" } else { "" };
        self.lines.line(format!("#pragma HLS PIPELINE{interval}"));
        for array in claimed {
            let name = self.array(*array);
            self.lines.line("#pragma HLS LOOP_FLATTEN off");
            self.lines.line(format!(
                "#pragma HLS DEPENDENCE variable={name} type=inter dependent=false"
            ));
        }
    }

    /// Returns the name of an array that is written.
    pub(super) fn array(&self, array: Array) -> String {
        match array {
            Array::Sums => "sums".to_owned(),
            Array::Dense(operand) => self.operands[operand].clone(),
            Array::Values(_) => unreachable!("loops read the values of tensors only"),
        }
    }

    /// Prints the number of iterations that the tool assumes in reports, if the loop goes over a number that is known.
    pub(super) fn trips(&mut self, name: &str, of: Option<TripsOf>, step: usize) {
        let Some(of) = of else { return };
        self.lines.line(format!(
            "#pragma HLS LOOP_TRIPCOUNT avg=mean_of_{name} max=most_of_{name}"
        ));
        if !self.machine.trips.iter().any(|trips| trips.name == name) {
            self.machine.trips.push(Trips {
                name: name.to_owned(),
                of,
                step,
            });
        }
    }

    /// Returns what a loop from zero goes over.
    pub(super) fn trips_of(&self, lows: &[Expr], highs: &[Expr]) -> Option<TripsOf> {
        let mut vars = highs.iter().filter_map(|high| match high {
            Expr::Var(var) => self.machine.numbers.variables.get(var).copied(),
            _ => None,
        });
        vars.next_back().filter(|_| *lows == [Expr::zero()])
    }
}

/// Prints the constants of all loops.
pub(super) fn constants(trips: &[Trips], lines: &mut Lines) {
    if trips.is_empty() {
        return;
    }
    lines.line("// Numbers of iterations, for the tool's reports only; an export has those of its operands.");
    lines.line("#ifndef UNISPARSE_TRIPS");
    for Trips { name, .. } in trips {
        lines.line(format!(
            "static const unsigned mean_of_{name} = 1024, most_of_{name} = 1024;"
        ));
    }
    lines.line("#endif");
    lines.line("");
}
