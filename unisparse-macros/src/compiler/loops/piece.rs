//! Restricts a traversal to a piece: a range of positions of its outermost loop.

use super::{Condition, Expr, Segment, Stmt};

/// Restricts the outermost loop of the block to its positions `from..to`. If there is no such loop, or only one below a
/// position, there is a single piece, which is everything if `from..to` is not empty.
pub(crate) fn piece(mut block: Vec<Stmt>, from: &Expr, to: &Expr) -> Vec<Stmt> {
    if !restrict(&mut block, from, to) {
        let some = to.clone().sub(from.clone()).sub(Expr::Int(1));
        return vec![Stmt::If {
            conditions: vec![Condition::Nonnegative(some)],
            body: block,
        }];
    }
    // The size of the loop may be bound to a name that is unused now.
    while let Some(at) = (0..block.len()).find(|&at| is_unused(&block, at)) {
        block.remove(at);
    }
    block
}

/// Restricts the outermost loop. Returns false if there is none that can be restricted.
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
