//! Finds dense operands that the innermost loops access with a stride, so that a transposed copy can pay.

use super::program::{Across, Dims, Transposed};
use super::target::Copies;
use super::{Program, Target, lower_tensors};
use crate::compiler::kernel::{Kernel, OperandKind};
use crate::compiler::loops::{Array, Expr, Lvalue, Range, Stmt, Var};

/// The loops around a statement, with the innermost one last.
type Around<'a> = [&'a Stmt];

/// Lowers the kernel a second time, for transposed copies of the operands that are accessed with a stride.
pub(super) fn run(program: &mut Program<'_>, target: &Target) {
    let is_sparse = program.kernel.operands[0].kind == OperandKind::Sparse;
    let copies = match target.copies {
        Copies::Everywhere => program.across(),
        Copies::ForSparseResults if is_sparse => program.across(),
        Copies::ForSparseResults | Copies::Nowhere => Vec::new(),
    };
    if copies.is_empty() {
        return;
    }
    let once = Target {
        copies: Copies::Nowhere,
        ..*target
    };
    let of_copies = lower_tensors(&program.kernel.over_transposed(&copies), program.tensors.clone(), &once);
    program.transposed = Some(Box::new(Transposed {
        copies,
        program: of_copies,
    }));
}

impl Program<'_> {
    /// Returns the operands that the loops access with a stride: the output where they add to the same elements
    /// repeatedly, and inputs whose accesses all have the same order.
    fn across(&self) -> Vec<Across> {
        let blocks = || self.nests.iter().map(|nest| nest.body.as_slice());
        let mut definitions = Vec::new();
        blocks().flatten().for_each(|stmt| define(stmt, &mut definitions));
        let inputs = self.kernel.reads.iter().enumerate().filter(|&(number, read)| {
            !self.kernel.is_sparse(number) && self.kernel.reads_of(read.operand).first() == Some(&number)
        });
        let inputs = inputs.map(|(_, read)| (read.operand, read.indices.len()));
        let operands = std::iter::once((0, self.kernel.output.len())).chain(inputs);
        let across = operands.filter_map(|(operand, rank)| {
            let mut accesses = Vec::new();
            for block in blocks() {
                for_each_access(block, operand, &mut Vec::new(), &mut |at, around| {
                    if operand != 0 || is_repeated(at, around, &definitions) {
                        accesses.push(self.dims_along(operand, at, around));
                    }
                });
            }
            let along = accesses.pop()??;
            let agree = accesses.iter().all(|other| *other == Some(along));
            (agree && along.end < rank).then_some(Across { operand, along })
        });
        across.collect()
    }

    /// Returns the consecutive dims of an operand that the loops directly around an access run along, the innermost
    /// loop's last.
    fn dims_along(&self, operand: usize, at: &Expr, around: &Around<'_>) -> Option<Dims> {
        let mut ranges = around.iter().rev().map_while(|stmt| match stmt {
            Stmt::Range(range) => self.dim_along(operand, at, range),
            _ => None,
        });
        let last = ranges.next()?;
        let mut first = last;
        for dim in ranges {
            if dim + 1 != first {
                break;
            }
            first = dim;
        }
        Some(Dims { first, end: last + 1 })
    }

    /// Returns the only dim of an operand whose stride equals the loop's, if the place is linear in the loop variable.
    fn dim_along(&self, operand: usize, at: &Expr, range: &Range) -> Option<usize> {
        let (stride, rest) = at.split(range.var)?;
        if rest.uses_any(&range.body.iter().flat_map(looked_up).collect::<Vec<_>>()) {
            return None;
        }
        let reads = self.kernel.reads.iter().filter(|read| read.operand == operand);
        let views = reads.map(|read| &read.indices);
        let views = views.chain(Some(&self.kernel.output).filter(|_| operand == 0));
        let dims = views.flat_map(|indices| {
            let after = |dim: usize| indices[dim + 1..].iter().map(|&index| Expr::Var(self.extents[index]));
            (0..indices.len()).map(move |dim| (dim, after(dim).fold(Expr::Int(1), Expr::mul)))
        });
        let mut fitting = dims.filter(|(_, distance)| *distance == stride).map(|(dim, _)| dim);
        let dim = fitting.next()?;
        fitting.all(|other| other == dim).then_some(dim)
    }
}

/// Calls `visit` on each access to an operand, with the loops around it: reads of an input, and accumulations into the
/// output.
fn for_each_access<'a>(
    block: &'a [Stmt],
    operand: usize,
    around: &mut Vec<&'a Stmt>,
    visit: &mut impl FnMut(&Expr, &Around<'_>),
) {
    for stmt in block {
        if let Stmt::Accumulate { place, value, .. } = stmt {
            match place {
                Lvalue::Element(Array::Dense(of), at) if *of == operand => visit(at, around),
                _ => {}
            }
            value.for_each_load(&mut |array, at| {
                if array == Array::Dense(operand) {
                    visit(at, around);
                }
            });
        }
        let depth = around.len();
        around.extend(Some(stmt).filter(|stmt| stmt.is_loop() || matches!(stmt, Stmt::Tiles(_))));
        for_each_access(stmt.body(), operand, around, visit);
        around.truncate(depth);
    }
}

/// Whether the loops around visit the same place repeatedly, because it does not depend on one of their variables.
fn is_repeated(at: &Expr, around: &Around<'_>, definitions: &[(Var, Vec<Expr>)]) -> bool {
    let mut parts = vec![at];
    let mut next = 0;
    while let Some(&part) = parts.get(next) {
        let defined = definitions.iter().filter(|(var, _)| part.uses(*var));
        for expr in defined.flat_map(|(_, by)| by) {
            if !parts.contains(&expr) {
                parts.push(expr);
            }
        }
        next += 1;
    }
    let numbers = around.iter().flat_map(|stmt| match stmt {
        Stmt::Range(range) => vec![range.var],
        Stmt::Tiles(tiles) => vec![tiles.var],
        Stmt::Entries(entries) => entries.coordinates.iter().map(|&(_, var)| var).collect(),
        Stmt::Merge(merge) => vec![merge.coordinate],
        _ => Vec::new(),
    });
    let mut numbers = numbers.filter(|number| !parts.iter().any(|part| part.uses(*number)));
    numbers.next().is_some()
}

/// Adds the variables that definitions and lookups bind, with the expressions that determine them.
fn define(stmt: &Stmt, definitions: &mut Vec<(Var, Vec<Expr>)>) {
    if let Stmt::Let { var, value: from } | Stmt::Lookup { var, at: from, .. } = stmt {
        definitions.push((*var, vec![from.clone()]));
    }
    stmt.body().iter().for_each(|stmt| define(stmt, definitions));
}

/// Returns the variables of definitions and lookups in a statement or inside it.
fn looked_up(stmt: &Stmt) -> Vec<Var> {
    let here = match stmt {
        Stmt::Let { var, .. } | Stmt::Lookup { var, .. } => Some(*var),
        _ => None,
    };
    here.into_iter().chain(stmt.body().iter().flat_map(looked_up)).collect()
}

impl Kernel {
    /// Returns the kernel for operands stored with their strided dims last.
    pub(crate) fn over_transposed(&self, across: &[Across]) -> Self {
        let mut kernel = self.clone();
        for Across { operand, along } in across {
            let turn = |indices: &mut Vec<usize>| indices[along.first..].rotate_left(along.end - along.first);
            if *operand == 0 {
                turn(&mut kernel.output);
            }
            let reads = kernel.reads.iter_mut().filter(|read| read.operand == *operand);
            reads.for_each(|read| turn(&mut read.indices));
        }
        kernel
    }
}
