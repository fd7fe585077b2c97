//! Replaces loops that only search by merges of several sorted levels.
//!
//! This is the paper's case I (§5.3): where two operands hold the same coordinate in order, neither is searched.

use super::{Entries, Expr, Find, Found, Merge, MergeCursor, Range, Segment, Stmt, TensorLevel, Var, Variables};

/// A search that was opened around the current statement.
#[derive(Clone)]
struct Opened {
    finder: Var,
    within: Segment,
}

/// Replaces searches in the loops of the block. `holds_runs` says whether consecutive entries of a level can be equal.
pub(crate) fn coiterate(
    block: Vec<Stmt>,
    variables: &mut Variables,
    holds_runs: &dyn Fn(TensorLevel) -> bool,
) -> Vec<Stmt> {
    let mut block = replace(block, &mut Vec::new(), variables, holds_runs);
    drop_unused(&mut block);
    block
}

fn replace(
    block: Vec<Stmt>,
    opened: &mut Vec<Opened>,
    variables: &mut Variables,
    holds_runs: &dyn Fn(TensorLevel) -> bool,
) -> Vec<Stmt> {
    let outside = opened.len();
    let mut replaced = Vec::new();
    for stmt in block {
        if let Stmt::Open { finder, within, .. } = &stmt {
            opened.push(Opened {
                finder: *finder,
                within: within.clone(),
            });
        }
        let stmts = match stmt {
            Stmt::Range(range) => ranged(range, opened, variables, holds_runs),
            Stmt::Entries(entries) => vec![merged(entries, opened, holds_runs)],
            stmt => vec![stmt],
        };
        for stmt in stmts {
            replaced.push(stmt.map_body(|body| replace(body, opened, variables, holds_runs)));
        }
    }
    opened.truncate(outside);
    replaced
}

/// Returns the only statement of a loop's body, if it is a search for a position that was opened outside the loop.
fn only_search<'a>(
    body: &'a [Stmt],
    bound: &[Var],
    opened: &[Opened],
    holds_runs: &dyn Fn(TensorLevel) -> bool,
) -> Option<(&'a Find, Var, Segment)> {
    let [Stmt::Find(find)] = body else { return None };
    let Found::Position(at) = find.found else { return None };
    let within = &opened.iter().find(|opened| opened.finder == find.finder)?.within;
    let mut moves = false;
    within.for_each_expr(&mut |expr| moves |= expr.uses_any(bound));
    (!moves && !holds_runs(find.level)).then(|| (find, at, within.clone()))
}

/// Turns a loop that searches for each value into a loop over the entries between its bounds.
fn ranged(
    range: Range,
    opened: &[Opened],
    variables: &mut Variables,
    holds_runs: &dyn Fn(TensorLevel) -> bool,
) -> Vec<Stmt> {
    let found = only_search(&range.body, &[range.var], opened, holds_runs).filter(|_| range.stride.is_none());
    let Some((find, position, within)) = found else {
        return vec![Stmt::Range(range)];
    };
    // coordinate = var + rest
    let Some((Expr::Int(1), rest)) = find.coordinate.split(range.var) else {
        return vec![Stmt::Range(range)];
    };
    let plain = rest == Expr::zero();
    let coordinate = match plain {
        true => range.var,
        false => variables.fresh(&format!("{}_coordinate", variables.name(range.var)), false),
    };
    let shifted = |bounds: &[Expr]| bounds.iter().map(|bound| bound.clone().add(rest.clone())).collect();
    let part = variables.fresh(&format!("{}_part", variables.name(range.var)), true);
    let mut body = find.body.clone();
    if !plain {
        body.insert(
            0,
            Stmt::Let {
                var: range.var,
                value: Expr::Var(coordinate).sub(rest.clone()),
            },
        );
    }
    vec![
        Stmt::Between {
            level: find.level,
            within,
            lows: shifted(&range.lows),
            highs: shifted(&range.highs),
            to: part,
        },
        Stmt::Entries(Entries {
            tensor: find.level.tensor,
            first: find.level.level,
            last: find.level.level,
            within: Segment::Run(part),
            position,
            coordinates: vec![(find.level.level, coordinate)],
            loads: Vec::new(),
            indirect: false,
            prefetch: None,
            block: None,
            item: None,
            numbered: Vec::new(),
            body,
        }),
    ]
}

/// Turns a loop whose entries are searched for in other levels into a merge of all these levels.
fn merged(entries: Entries, opened: &[Opened], holds_runs: &dyn Fn(TensorLevel) -> bool) -> Stmt {
    let level = TensorLevel {
        tensor: entries.tensor,
        level: entries.first,
    };
    let [(of, coordinate)] = entries.coordinates.as_slice() else {
        return Stmt::Entries(entries);
    };
    if entries.first != entries.last || *of != entries.first || holds_runs(level) {
        return Stmt::Entries(entries);
    }
    let (coordinate, mut body) = (*coordinate, entries.body.clone());
    let mut cursors = vec![MergeCursor {
        level,
        within: entries.within.clone(),
        at: entries.position,
        runs: false,
    }];
    let bound = [coordinate, entries.position];
    while let Some((find, at, within)) = only_search(&body, &bound, opened, holds_runs) {
        if find.coordinate != Expr::Var(coordinate) {
            break;
        }
        cursors.push(MergeCursor {
            level: find.level,
            within,
            at,
            runs: false,
        });
        body = find.body.clone();
    }
    if cursors.len() == 1 {
        return Stmt::Entries(entries);
    }
    Stmt::Merge(Merge {
        union: false,
        coordinate,
        cursors,
        body,
    })
}

/// Removes openings of searches that have no steps left.
fn drop_unused(block: &mut Vec<Stmt>) {
    let is_searched = |block: &[Stmt], finder: Var| block.iter().any(|stmt| stmt.uses(finder));
    while let Some(at) = (0..block.len()).find(|&at| match &block[at] {
        Stmt::Open { finder, .. } => !is_searched(block, *finder),
        _ => false,
    }) {
        block.remove(at);
    }
    for stmt in block {
        if let Some(body) = stmt.body_mut() {
            drop_unused(body);
        }
    }
}
