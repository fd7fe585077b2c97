//! Keeps sums in registers around an entry loop during which the output coordinates do not change.

use super::promote::accumulated;
use super::tile::{plain, stepped, tiled};
use super::{Array, Expr, Lvalue, Segment, Stmt, TensorLevel, Through, Tiles, Var, Variables};

/// Moves tiles of sums around loops whose entries all give the same places. Loops where `tile` can hold tiles of
/// neighbouring elements around more loops are left alone.
pub(crate) fn invariant(block: Vec<Stmt>, coordinates: &[(Expr, Expr)], variables: &mut Variables) -> Vec<Stmt> {
    let changed = block.into_iter().map(|stmt| {
        let sum = accumulated(&stmt).filter(|sum| sum.array != Array::Sums);
        match sum {
            Some(sum) if sum.is_invariant(&stmt) => stmt,
            Some(_) => match tiles_around(&stmt, variables) {
                Some(tiles) => tiles,
                None if tiled(&stmt, coordinates, &mut variables.clone()).is_some() => stmt,
                None => stmt.map_body(|body| invariant(body, coordinates, variables)),
            },
            None => stmt.map_body(|body| invariant(body, coordinates, variables)),
        }
    });
    changed.collect()
}

/// Turns a loop over a level's entries, with a loop inside that looks up the places of its sums, into a loop over tiles
/// of these sums around the first. Requires that all entries give the same places, which are looked up at the first
/// entry.
fn tiles_around(stmt: &Stmt, variables: &mut Variables) -> Option<Stmt> {
    let Stmt::Entries(entries) = stmt else { return None };
    let [Stmt::Range(lane)] = entries.body.as_slice() else {
        return None;
    };
    let [
        lookups @ ..,
        Stmt::Accumulate {
            place,
            reduction,
            value,
        },
    ] = lane.body.as_slice()
    else {
        return None;
    };
    let Lvalue::Element(array, Expr::Var(place)) = place else {
        return None;
    };
    let bound: Vec<Var> = entries
        .coordinates
        .iter()
        .map(|&(_, var)| var)
        .chain([entries.position])
        .collect();
    let (through, at) = lookups
        .iter()
        .find_map(|lookup| through(lookup, *place, entries.first, &bound))?;
    let moves = |bounds: &Expr| bounds.uses_any(&bound);
    let is_plain = lane.stride.is_none()
        && lane.lows == [Expr::zero()]
        && !lane.highs.iter().any(moves)
        && variables.is_natural(lane.var)
        && lookups.iter().all(|lookup| matches!(lookup, Stmt::Lookup { .. }));
    // A piece of a loop need not start at the first entry.
    let is_whole = entries.first == entries.last && matches!(entries.within, Segment::Of(_));
    if !is_plain || !is_whole || through.tensor != entries.tensor || at.split(lane.var)?.0 != Expr::Int(1) {
        return None;
    }
    let first = variables.fresh("first", true);
    let (width, step) = (variables.fresh("width", true), variables.fresh("step", true));
    let mut inner: Vec<Stmt> = lookups.to_vec();
    inner.push(Stmt::Accumulate {
        place: Lvalue::Element(Array::Sums, Expr::Var(step)),
        reduction: *reduction,
        value: value.clone(),
    });
    // The place is looked up outside. The lookup inside stays only if the value uses it too.
    let is_read = inner.last().is_some_and(|sum| sum.uses(*place));
    inner.retain(|stmt| is_read || !matches!(stmt, Stmt::Lookup { var, .. } if var == place));
    let neighbours = (lane.var, plain(step, Expr::Var(width)));
    let mut of_entries = entries.clone();
    of_entries.body = vec![stepped(&neighbours, inner)];
    let tiles = Stmt::Tiles(Tiles {
        var: lane.var,
        width,
        lows: lane.lows.clone(),
        highs: lane.highs.clone(),
        reduction: *reduction,
        array: *array,
        at: at.replace(entries.position, &Expr::Var(first)),
        through: Some(Through {
            level: through,
            first: Expr::zero(),
        }),
        rows: None,
        store: false,
        lengths: &[],
        reads_again: false,
        product: None,
        body: vec![Stmt::Entries(of_entries)],
    });
    Some(Stmt::First {
        level: TensorLevel {
            tensor: entries.tensor,
            level: entries.first,
        },
        within: entries.within.clone(),
        to: first,
        body: vec![tiles],
    })
}

/// Returns the level in which the place is looked up, and the position, if the result is invariant over the level
/// `over`, whose entries bind the variables `bound`.
fn through<'l>(lookup: &'l Stmt, place: Var, over: usize, bound: &[Var]) -> Option<(TensorLevel, &'l Expr)> {
    match lookup {
        Stmt::Lookup {
            level,
            var,
            at,
            invariant_below,
        } if *var == place && (*invariant_below == Some(over) || !at.uses_any(bound)) => Some((*level, at)),
        _ => None,
    }
}
