//! Removes bindings that nothing reads, so that printers print every binding.

use super::Stmt;

/// Returns the statements without bindings that no later statement uses, at every depth.
pub(crate) fn without_unused(block: Vec<Stmt>) -> Vec<Stmt> {
    let mut kept: Vec<Stmt> = Vec::new();
    // In reverse order, because removing a binding can leave earlier ones unused.
    for stmt in block.into_iter().rev() {
        let stmt = stmt.map_body(without_unused);
        let only_binds = matches!(
            stmt,
            Stmt::Let { .. } | Stmt::Lookup { .. } | Stmt::Step { .. } | Stmt::Open { .. } | Stmt::Between { .. }
        );
        let is_used = || stmt.bound().iter().any(|var| kept.iter().any(|later| later.uses(*var)));
        if !only_binds || is_used() {
            kept.push(stmt);
        }
    }
    kept.reverse();
    kept
}
