//! Avoids zeroing a dense output first where the loops cover all of it: they store their sums, or zero the output
//! piecewise.

use super::{Output, Program, resolved, sizes};
use crate::compiler::loops::{Array, Destination, Expr, Stmt, Var};

/// A dim of a dense output that the loops around do not cover yet.
struct Open {
    coordinate: Expr,
    extent: Expr,
    /// The block size, if a loop around covers the blocks of the dim.
    within: Option<Expr>,
}

impl Open {
    /// Whether a loop over `var` covers all coordinates, each once.
    fn is_all(&self, var: Var, lows: &[Expr], highs: &[Expr]) -> bool {
        let ends = |high: &Expr| *high == self.extent || self.within.as_ref() == Some(high);
        let all = self.within.iter().all(|size| highs.contains(size)) && highs.contains(&self.extent);
        self.coordinate == Expr::Var(var) && lows == [Expr::zero()] && highs.iter().all(ends) && all
    }

    /// Returns the coordinates left in a block if a loop over `var` covers all blocks: coordinates are `size * var +
    /// inner`.
    fn in_blocks(&self, var: Var, lows: &[Expr], highs: &[Expr], sizes: &[(Var, Expr)]) -> Option<Open> {
        let (size, inner) = self.coordinate.split(var)?;
        let before = size.clone().mul(Expr::Var(var));
        let count = self.extent.clone().ceil(size.clone());
        let all = lows == [Expr::zero()] && matches!(highs, [high] if *resolved(high, sizes) == count);
        (all && size != Expr::zero() && self.within.is_none()).then(|| Open {
            coordinate: inner,
            extent: self.extent.clone().sub(before),
            within: Some(size),
        })
    }
}

/// Skips the zeroing of a dense output if the first nest stores or zeroes all of it.
pub(super) fn run(program: &mut Program<'_>) {
    let Output::Dense { zero_first } = &mut program.output else {
        return;
    };
    let extents = program.kernel.output.iter().map(|&index| program.extents[index]);
    let extents: Vec<Expr> = extents.map(Expr::Var).collect();
    if let Some(nest) = program.nests.first_mut().filter(|_| *zero_first) {
        let zeroed =
            store(&mut nest.body, &nest.coordinate, &extents) || fill(&mut nest.body, &nest.coordinate, &extents);
        *zero_first = !zeroed;
    }
}

/// Makes sums be stored instead of added if the outermost loops cover every place of a dense output once. Returns false
/// if they do not.
fn store(nest: &mut [Stmt], coordinate: &[Expr], extents: &[Expr]) -> bool {
    let open = coordinate.iter().zip(extents).map(|(coordinate, extent)| Open {
        coordinate: coordinate.clone(),
        extent: extent.clone(),
        within: None,
    });
    store_all(nest, open.collect(), &mut Vec::new())
}

fn store_all(nest: &mut [Stmt], mut open: Vec<Open>, named: &mut Vec<(Var, Expr)>) -> bool {
    // Only definitions of sizes and openings of searches may precede the loops.
    let is_head = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Open { .. });
    let Some((last, before)) = nest.split_last_mut() else {
        return false;
    };
    if !before.iter().all(is_head) {
        return false;
    }
    named.extend(sizes(before));
    match last {
        Stmt::Range(range) if range.stride.is_none() => {
            if let Some(whole) = open
                .iter()
                .position(|open| open.is_all(range.var, &range.lows, &range.highs))
            {
                open.remove(whole);
            } else {
                let blocks = open
                    .iter()
                    .map(|open| open.in_blocks(range.var, &range.lows, &range.highs, named));
                let Some((number, Some(inner))) = blocks.enumerate().find(|(_, inner)| inner.is_some()) else {
                    return false;
                };
                open[number] = inner;
            }
            store_all(&mut range.body, open, named)
        }
        Stmt::Tiles(tiles) => {
            if let Some(rows) = &tiles.rows {
                let Some(all) = open
                    .iter()
                    .position(|open| open.is_all(rows.var, &rows.lows, &rows.highs))
                else {
                    return false;
                };
                open.remove(all);
            }
            tiles.store = matches!(open.as_slice(), [only] if only.is_all(tiles.var, &tiles.lows, &tiles.highs));
            tiles.store
        }
        Stmt::Sum {
            into: Destination::Element { store, .. },
            ..
        } => {
            *store = open.is_empty();
            *store
        }
        _ => false,
    }
}

/// Zeroes the output elements of each position at the start of its iteration, so that they are in the cache when they
/// are added to. Returns false if the outermost loop does not cover all coordinates of the output's first dim.
fn fill(nest: &mut [Stmt], coordinate: &[Expr], extents: &[Expr]) -> bool {
    let (Some(first), Some((extent, others))) = (coordinate.first(), extents.split_first()) else {
        return false;
    };
    let Some((Stmt::Range(range), before)) = nest.split_last_mut() else {
        return false;
    };
    let is_head = |stmt: &Stmt| matches!(stmt, Stmt::Let { .. } | Stmt::Open { .. });
    let whole = range.lows == [Expr::zero()] && range.highs == [extent.clone()];
    if !whole || range.stride.is_some() || *first != Expr::Var(range.var) || !before.iter().all(is_head) {
        return false;
    }
    let count = others.iter().cloned().fold(Expr::Int(1), Expr::mul);
    let fill = Stmt::Fill {
        array: Array::Dense(0),
        at: Expr::Var(range.var).mul(count.clone()),
        count,
    };
    range.body.insert(0, fill);
    true
}
