//! A piece of a traversal: its outermost loop, from one position to below another.

use super::{Condition, Expr, Segment, Stmt};

/// Restricts the outermost loop of the block to the positions `from..to` of those it has; where there is none, or one below a
/// position, there is a single piece: all of it, if `from..to` is not empty.
pub(crate) fn piece(mut block: Vec<Stmt>, from: &Expr, to: &Expr) -> Vec<Stmt> {
    if !restrict(&mut block, from, to) {
        let some = to.clone().sub(from.clone()).sub(Expr::Int(1));
        return vec![Stmt::If {
            conditions: vec![Condition::Nonnegative(some)],
            body: block,
        }];
    }
    // The size of the loop may have had a name of its own.
    while let Some(at) = (0..block.len()).find(|&at| is_unused(&block, at)) {
        block.remove(at);
    }
    block
}

/// Whether there is such a loop.
fn restrict(block: &mut [Stmt], from: &Expr, to: &Expr) -> bool {
    match block.last_mut() {
        Some(Stmt::If { body, .. }) => restrict(body, from, to),
        Some(Stmt::Range(range)) => match range.lows.as_slice() {
            [low] => {
                let low = low.clone();
                range.highs = vec![low.clone().add(to.clone())];
                range.lows = vec![low.add(from.clone())];
                true
            }
            _ => unreachable!("pieces are cut before loops are tightened"),
        },
        Some(Stmt::Entries(entries)) if entries.within == Segment::All => {
            entries.within = Segment::Between(from.clone(), to.clone());
            true
        }
        _ => false,
    }
}

fn is_unused(block: &[Stmt], at: usize) -> bool {
    match &block[at] {
        Stmt::Let { var, .. } => !block.iter().any(|stmt| stmt.uses(*var)),
        _ => false,
    }
}
