//! Unrolls sums with one value per entry or iteration of a loop, into several independent sums.

use super::{Access, Destination, Expr, Lvalue, MOST_STREAMS, Range, Slices, Stmt, Value, Var, Variables};

/// Marks the sums of the block that have one term per iteration of a single loop, so that the terms may be reordered.
///
/// If `over_slices`, loops over numbers must be iterations over slices.
pub(crate) fn unroll(block: Vec<Stmt>, variables: &Variables, over_slices: bool) -> Vec<Stmt> {
    let is_long = |range: &Range, known: &[Var]| {
        is_long(range, known, variables) && (!over_slices || range.slices.as_ref().is_some_and(is_over_slices))
    };
    unroll_within(block, &[], &is_long)
}

/// `known` contains the variables of numbers of iterations with a usual value: those of neighbours and rows of the tile
/// around the block, and those that are counted outside.
fn unroll_within(block: Vec<Stmt>, known: &[Var], is_long: &dyn Fn(&Range, &[Var]) -> bool) -> Vec<Stmt> {
    let unrolled = |mut stmt: Stmt| {
        if let Stmt::Sum {
            body, into, unrolled, ..
        } = &mut stmt
        {
            // Such an output gets the element only if a term was added, which independent sums do not record.
            let is_noted = matches!(into, Destination::Output { sure: false, .. });
            *unrolled = !is_noted && is_one_loop(body, known, is_long);
        }
        let known = match &stmt {
            Stmt::Tiles(tiles) => {
                let rows = tiles.rows.as_ref().map(|rows| rows.count);
                rows.into_iter().chain([tiles.width]).collect()
            }
            Stmt::Count(count) => [known, &[count.var]].concat(),
            _ => known.to_vec(),
        };
        stmt.map_body(|body| unroll_within(body, &known, is_long))
    };
    block.into_iter().map(unrolled).collect()
}

/// Whether the sum is over a single loop with one value per iteration.
fn is_one_loop(body: &[Stmt], known: &[Var], is_long: &dyn Fn(&Range, &[Var]) -> bool) -> bool {
    let binds = body.iter().take_while(|stmt| matches!(stmt, Stmt::Bind(_))).count();
    match &body[binds..] {
        [Stmt::Entries(entries)] => matches!(
            entries.body.as_slice(),
            [Stmt::Accumulate { place: Lvalue::Sum, value, .. }] if !value.is_optional()
        ),
        [Stmt::Range(range)] => is_long(range, known),
        _ => false,
    }
}

/// Whether a loop has no known length, and its value depends on its variable only through accesses.
fn is_long(range: &Range, known: &[Var], variables: &Variables) -> bool {
    let [
        lookups @ ..,
        Stmt::Accumulate {
            place: Lvalue::Sum,
            value,
            ..
        },
    ] = range.body.as_slice()
    else {
        return false;
    };
    let is_known = |high: &Expr| high.is_constant(variables) || matches!(high, Expr::Var(var) if known.contains(var));
    range.stride.is_none()
        && variables.is_natural(range.var)
        && !range.highs.iter().any(is_known)
        && lookups.iter().all(|stmt| matches!(stmt, Stmt::Lookup { .. }))
        && !value.is_optional()
        && !has_coordinate(value, range.var)
}

/// Whether each iteration only reads elements of arrays.
fn is_over_slices(slices: &Slices) -> bool {
    let is_element = |(_, access): &(Var, Access)| matches!(access, Access::Element { .. });
    !slices.uses_variable && (1..=MOST_STREAMS).contains(&slices.reads.len()) && slices.reads.iter().all(is_element)
}

/// Whether the variable itself is part of the value.
fn has_coordinate(value: &Value, var: Var) -> bool {
    let mut value = value.clone();
    let mut says = false;
    value.for_each(&mut |part| says |= matches!(part, Value::Coordinate(at) if at.uses(var)));
    says
}
