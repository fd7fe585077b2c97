//! Dense operands that innermost loops read across their rows: a copy in the order of the loops can pay.

use super::Planner;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Array, Expr, Range, Stmt};

/// A dense operand whose neighbours in memory are not those that follow each other in the innermost loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Across {
    /// By number in [`Kernel::operands`].
    pub(crate) operand: usize,
    /// The dim that the loops go along.
    pub(crate) dim: usize,
}

impl Planner<'_> {
    /// The operands of which every access in these loops goes along one dim that is not the last.
    pub(super) fn across(&self, blocks: &[Vec<Stmt>]) -> Vec<Across> {
        let reads = self.kernel.reads.iter().enumerate();
        let first = reads.filter(|(number, read)| {
            !self.is_sparse(*number) && self.kernel.reads_of(read.operand).first() == Some(number)
        });
        let along = first.filter_map(|(_, read)| {
            let mut dims = Vec::new();
            for block in blocks {
                self.dims_along(block, read.operand, None, &mut dims);
            }
            let dim = dims.pop()??;
            let agree = dims.iter().all(|other| *other == Some(dim));
            (agree && dim + 1 < read.indices.len()).then_some(Across {
                operand: read.operand,
                dim,
            })
        });
        along.collect()
    }

    /// The dim that each access to an operand goes along in the loop right around it, if that is one over numbers.
    fn dims_along(&self, block: &[Stmt], operand: usize, around: Option<&Range>, dims: &mut Vec<Option<usize>>) {
        for stmt in block {
            match stmt {
                Stmt::Range(range) => self.dims_along(&range.body, operand, Some(range), dims),
                Stmt::Accumulate { value, .. } => value.for_each_load(&mut |array, at| {
                    if array == Array::Dense(operand) {
                        dims.push(around.and_then(|range| self.dim_along(operand, at, range)));
                    }
                }),
                stmt if stmt.is_loop() => self.dims_along(stmt.body(), operand, None, dims),
                stmt => self.dims_along(stmt.body(), operand, around, dims),
            }
        }
    }

    /// The one dim of an operand whose neighbours are as far apart as those that the loop goes to.
    fn dim_along(&self, operand: usize, at: &Expr, range: &Range) -> Option<usize> {
        let (stride, _) = at.split(range.var)?;
        let reads = self.kernel.reads.iter().filter(|read| read.operand == operand);
        let dims = reads.flat_map(|read| {
            let after = |dim: usize| {
                read.indices[dim + 1..]
                    .iter()
                    .map(|&index| Expr::Var(self.extents[index]))
            };
            (0..read.indices.len()).map(move |dim| (dim, after(dim).fold(Expr::Int(1), Expr::mul)))
        });
        let mut fitting = dims.filter(|(_, distance)| *distance == stride).map(|(dim, _)| dim);
        let dim = fitting.next()?;
        fitting.all(|other| other == dim).then_some(dim)
    }
}

impl Kernel {
    /// The kernel for operands that are stored with the dims which the loops go along last.
    pub(crate) fn turned(&self, across: &[Across]) -> Self {
        let mut kernel = self.clone();
        for read in &mut kernel.reads {
            if let Some(Across { dim, .. }) = across.iter().find(|across| across.operand == read.operand) {
                let index = read.indices.remove(*dim);
                read.indices.push(index);
            }
        }
        kernel
    }
}
