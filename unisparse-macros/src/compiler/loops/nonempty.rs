//! Makes loops over parents skip those without entries, where most parents may have none.

use super::{Destination, Expr, Nonempty, Range, Segment, Stmt, TensorLevel, Variables};

/// Marks the loops of the block that do nothing for parents without entries.
pub(crate) fn skip_empty(block: Vec<Stmt>, variables: &Variables) -> Vec<Stmt> {
    let skip = |stmt: Stmt| {
        let mut stmt = stmt.map_body(|body| skip_empty(body, variables));
        if let Stmt::Range(range) = &mut stmt {
            range.nonempty = nonempty(range, variables);
        }
        stmt
    };
    block.into_iter().map(skip).collect()
}

/// Returns the parents of a loop, if most may have no entries: the parents are numbered by several loops, or the loop
/// adds to an output that other loops fill.
fn nonempty(range: &Range, variables: &Variables) -> Option<Nonempty> {
    let (body, adds) = match range.body.as_slice() {
        [
            Stmt::Sum {
                body,
                into: Destination::Element { store: false, .. },
                ..
            },
        ] => (body.as_slice(), true),
        body => (body, false),
    };
    let [Stmt::Entries(entries)] = body else {
        return None;
    };
    let Segment::Of(parent) = &entries.within else {
        return None;
    };
    let (factor, first) = parent.split(range.var)?;
    let is_plain = range.stride.is_none() && variables.is_natural(range.var);
    let is_alone = first == Expr::zero() && !adds;
    if !is_plain || factor != Expr::Int(1) || is_alone || !first.is_natural(variables) {
        return None;
    }
    let level = TensorLevel {
        tensor: entries.tensor,
        level: entries.first,
    };
    Some(Nonempty { level, first })
}
