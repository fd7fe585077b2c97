//! Kernel and format to loops.

use super::legacy::{Factor, Kernel};
use crate::compiler::encoding::Format;
use crate::compiler::loops::{Array, Expr, Place, Range, Stmt, Value, Var, Variables, hoist, tighten};
use crate::compiler::storage::Storage;
use crate::compiler::traversal::{Context, traverse};

/// The loops of a kernel over one format.
pub(crate) struct Nests {
    /// Whether the output is zeroed first.
    pub(crate) zero_first: bool,
    /// One nest a term.
    pub(crate) terms: Vec<Vec<Stmt>>,
    /// The extent of each index of the kernel.
    pub(crate) extents: Vec<Var>,
    /// The numbers of levels that have one.
    pub(crate) numbers: Vec<Option<Var>>,
}

/// The loops of each term, in the order written.
pub(crate) fn nests(kernel: &Kernel, format: &Format, storage: &Storage, variables: &mut Variables) -> Nests {
    let parameters = format
        .parameters
        .iter()
        .map(|parameter| variables.parameter(&parameter.name))
        .collect();
    let extents: Vec<Var> = kernel
        .indices
        .iter()
        .map(|index| variables.fresh(&format!("{index}_extent"), true))
        .collect();
    let of_sparse = kernel.sparse_indices.iter().map(|&index| extents[index]).collect();
    let context = Context {
        extents: of_sparse,
        parameters,
        numbers: Context::numbers(format, storage, variables),
    };
    let mut terms = Vec::new();
    let mut zero_first = !kernel.accumulates;
    for (at, term) in kernel.terms.iter().enumerate() {
        let mut builder = Builder {
            kernel,
            extents: &extents,
            at: vec![None; kernel.indices.len()],
        };
        let nest = if term.contains(&Factor::Sparse) {
            traverse(format, storage, &context, variables, |element, variables| {
                for (&index, coordinate) in kernel.sparse_indices.iter().zip(element.coordinate) {
                    builder.at[index] = Some(coordinate);
                }
                builder.inner(term, Some(element.position), variables)
            })
        } else {
            builder.inner(term, None, variables)
        };
        let nest = tighten(nest, variables);
        let owned = at == 0 && zero_first && owns(&nest, &builder);
        zero_first &= !owned;
        terms.push(hoist(nest, owned));
    }
    Nests {
        zero_first,
        terms,
        extents,
        numbers: context.numbers,
    }
}

struct Builder<'a> {
    kernel: &'a Kernel,
    extents: &'a [Var],
    /// The value of each index that is bound.
    at: Vec<Option<Expr>>,
}

impl Builder<'_> {
    /// Loops over the indices of the term that are not bound yet, those of the output first.
    fn inner(&mut self, term: &[Factor], position: Option<Expr>, variables: &mut Variables) -> Vec<Stmt> {
        let mut loops = Vec::new();
        let output = self.kernel.dense[0].indices.iter();
        let of_term = term.iter().flat_map(|factor| match factor {
            Factor::Dense(operand) => self.kernel.dense[*operand].indices.as_slice(),
            Factor::Sparse | Factor::Scalar(_) => &[],
        });
        let open: Vec<usize> = output
            .chain(of_term)
            .copied()
            .filter(|&index| self.at[index].is_none())
            .collect();
        for index in open {
            if self.at[index].is_none() {
                let var = variables.fresh(&self.kernel.indices[index], true);
                self.at[index] = Some(Expr::Var(var));
                loops.push((var, index));
            }
        }
        let factors = term.iter().map(|factor| match factor {
            Factor::Sparse => Value::Load(Array::Values, position.clone().unwrap_or(Expr::zero())),
            Factor::Dense(operand) => Value::Load(Array::Dense(*operand), self.flat(*operand)),
            Factor::Scalar(scalar) => Value::Scalar(*scalar),
        });
        let value = Value::Product(factors.collect());
        let place = Place::Element(Array::Dense(0), self.flat(0));
        let mut body = vec![Stmt::Accumulate { place, value }];
        for (var, index) in loops.into_iter().rev() {
            let high = Expr::Var(self.extents[index]);
            body = vec![Stmt::Range(Range {
                var,
                lows: vec![Expr::zero()],
                highs: vec![high],
                stride: None,
                body,
            })];
        }
        body
    }

    /// The row-major position in a dense operand.
    fn flat(&self, operand: usize) -> Expr {
        let mut flat = Expr::zero();
        for &index in &self.kernel.dense[operand].indices {
            let at = self.at[index].clone().unwrap_or(Expr::zero());
            flat = flat.mul(Expr::Var(self.extents[index])).add(at);
        }
        flat
    }
}

/// Whether the outermost loops go once over every place of the output, so that it need not be zeroed.
fn owns(nest: &[Stmt], builder: &Builder<'_>) -> bool {
    let indices = &builder.kernel.dense[0].indices;
    let mut open: Vec<(Expr, Expr)> = indices
        .iter()
        .map(|&index| {
            (
                builder.at[index].clone().unwrap_or(Expr::zero()),
                Expr::Var(builder.extents[index]),
            )
        })
        .collect();
    let mut block = nest;
    while !open.is_empty() {
        let [Stmt::Range(range)] = block else {
            // Sizes are bound before the loops.
            match block.split_first() {
                Some((Stmt::Let { .. }, rest)) => block = rest,
                _ => return false,
            }
            continue;
        };
        let whole = |(at, extent): &(Expr, Expr)| {
            *at == Expr::Var(range.var) && range.lows == [Expr::zero()] && range.highs == [extent.clone()]
        };
        let Some(found) = open.iter().position(whole).filter(|_| range.stride.is_none()) else {
            return false;
        };
        open.remove(found);
        block = &range.body;
    }
    // What is left must add to the place, not skip it: a sum over loops, stored even if it is empty.
    matches!(block, [stmt] if stmt.is_loop())
}
