//! Makes an entry loop read the `idx` array of an invariant level at the number of the entry within its segment.

use super::{Entries, Expr, Segment, Stmt, Var};

/// Replaces lookups at the number of an entry in its segment by coordinates that the loop over entries reads, as those of
/// the rows of `Jds`. Loops over entries inside of others stay as they are, because the outer loop may prefetch for them.
pub(crate) fn numbered(block: Vec<Stmt>) -> Vec<Stmt> {
    let mut changed = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::First {
                level,
                within,
                to,
                body,
            } => match inner(&within, to, &body) {
                Some(entries) => changed.push(Stmt::Entries(entries)),
                None => changed.push(Stmt::First {
                    level,
                    within,
                    to,
                    body: numbered(body),
                }),
            },
            Stmt::Entries(_) => changed.push(stmt),
            stmt => changed.push(stmt.map_body(numbered)),
        }
    }
    changed
}

/// Returns the only loop of the body, over this segment, if the body uses the segment's first position in such lookups alone.
fn inner(within: &Segment, first: Var, body: &[Stmt]) -> Option<Entries> {
    let [Stmt::Entries(entries)] = body else { return None };
    let number = Expr::Var(entries.position).sub(Expr::Var(first));
    let mut inner = entries.clone();
    inner.body.clear();
    for stmt in &entries.body {
        match stmt {
            Stmt::Lookup { level, var, at, .. } if *at == number && level.tensor == entries.tensor => {
                inner.coordinates.push((level.level, *var));
                inner.numbered.push(level.level);
            }
            stmt => inner.body.push(stmt.clone()),
        }
    }
    let is_used = inner.body.iter().any(|stmt| stmt.uses(first));
    (matches!(within, Segment::Of(_)) && inner.within == *within && !is_used).then_some(inner)
}
