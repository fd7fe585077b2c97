//! Register tiling: sums of neighbouring elements are held in a tile of registers, and the loops that add to them run
//! inside, once per tile.

use super::promote::accumulated;
use super::{Array, Expr, Lvalue, Range, Reduction, Stmt, TileRows, Tiles, Var, Variables};

/// Turns loops that add to neighbouring elements repeatedly into loops over tiles of these elements.
///
/// `coordinates` are the coordinates of the places in a dense output, each with its extent.
pub(crate) fn tile(block: Vec<Stmt>, coordinates: &[(Expr, Expr)], variables: &mut Variables) -> Vec<Stmt> {
    let tiled = block
        .into_iter()
        .map(|stmt| match tiled(&stmt, coordinates, variables) {
            Some(tiles) => tiles,
            None if accumulated(&stmt).is_some_and(|sum| sum.is_invariant(&stmt)) => stmt,
            None => stmt.map_body(|body| tile(body, coordinates, variables)),
        });
    tiled.collect()
}

/// Returns the loop as a loop over tiles, if the place of its sum depends on the variable of a loop inside.
pub(super) fn tiled(stmt: &Stmt, coordinates: &[(Expr, Expr)], variables: &mut Variables) -> Option<Stmt> {
    let sum = accumulated(stmt).filter(|sum| sum.array != Array::Sums && !sum.is_invariant(stmt))?;
    of_place(stmt, (sum.array, &sum.at, sum.reduction), coordinates, variables)
}

/// Returns the loop as a loop over tiles of the elements to which it adds, if an inner loop runs along these elements.
///
/// `at` is the only place that is accumulated to. The loops over its other coordinates are moved outside too.
fn of_place(
    stmt: &Stmt,
    (array, at, reduction): (Array, &Expr, Reduction),
    coordinates: &[(Expr, Expr)],
    variables: &mut Variables,
) -> Option<Stmt> {
    let bound = stmt.bound();
    let mut found = Vec::new();
    stmt.body().iter().for_each(|inner| moving(inner, at, &mut found));
    let mut ranges: Vec<Range> = found.into_iter().cloned().collect();
    for (coordinate, extent) in coordinates {
        keep_inside(&mut ranges, coordinate, extent, variables)?;
    }
    let (lane, others) = ranges.split_last()?;
    let found = |var: &Var| ranges.iter().any(|range| range.var == *var);
    if bound.iter().any(|var| at.uses(*var) && !found(var)) {
        return None;
    }
    // The variables of loops that are moved outside may be used.
    let is_outside = |expr: &Expr, outer: &[Range]| {
        let is_outer = |var: &Var| outer.iter().any(|range| range.var == *var);
        !bound.iter().any(|var| expr.uses(*var) && !is_outer(var))
    };
    let is_plain = |range: &Range| range.stride.is_none() && variables.is_natural(range.var);
    let moves_out = |(number, range): (usize, &Range)| {
        let mut bounds = range.lows.iter().chain(&range.highs);
        is_plain(range) && bounds.all(|bound| is_outside(bound, &others[..number]))
    };
    let divided = |bounds: &[Expr]| -> (Vec<Expr>, Vec<Expr>) {
        bounds.iter().cloned().partition(|bound| is_outside(bound, others))
    };
    let ((highs, cut), (lows, cut_below)) = (divided(&lane.highs), divided(&lane.lows));
    if !is_plain(lane)
        || highs.is_empty()
        || at.split(lane.var)?.0 != Expr::Int(1)
        || !others.iter().enumerate().all(moves_out)
    {
        return None;
    }
    let (var, width, step) = (lane.var, variables.fresh("width", true), variables.fresh("step", true));
    // Rows of constant length share a tile if everything that depends on the row is inside, and all rows have the same
    // length.
    let is_short = |row: &Range| {
        let moves = |bound: &Expr| bound.uses(row.var);
        row.highs.iter().any(|high| high.is_constant(variables))
            && !lows.iter().chain(&highs).any(moves)
            && at.split(row.var).is_some()
            && only_inside(row, var)
    };
    let (row, others) = match others {
        [others @ .., row] if is_short(row) => (Some(row), others),
        others => (None, others),
    };
    let rows = row.map(|row| TileRows {
        var: row.var,
        count: variables.fresh("rows", true),
        lows: row.lows.clone(),
        highs: row.highs.clone(),
        stride: at.split(row.var).map_or(Expr::zero(), |(stride, _)| stride),
    });
    let within = |bound: Expr| bound.sub(Expr::Var(var));
    let mut neighbours = plain(step, Expr::Var(width));
    neighbours.lows.extend(cut_below.into_iter().map(within));
    neighbours.highs.extend(cut.into_iter().map(within));
    let mut loops = Loops {
        neighbours: (var, neighbours),
        rows: None,
        moved: others.iter().chain(row).map(|range| range.var).collect(),
        place: Expr::Var(step),
    };
    if let Some(rows) = &rows {
        let row_step = variables.fresh("row_step", true);
        loops.place = Expr::Var(row_step).mul(Expr::Var(width)).add(Expr::Var(step));
        loops.rows = Some((rows.var, plain(row_step, Expr::Var(rows.count))));
    }
    let mut tiled = Stmt::Tiles(Tiles {
        var,
        width,
        lows: if lows.is_empty() { vec![Expr::zero()] } else { lows },
        highs,
        reduction,
        array,
        at: at.clone(),
        through: None,
        rows,
        store: false,
        lengths: &[],
        reads_again: false,
        product: None,
        body: loops.inside(stmt.clone()),
    });
    for range in others.iter().rev() {
        tiled = Stmt::Range(Range {
            level: range.level,
            lows: range.lows.clone(),
            highs: range.highs.clone(),
            body: vec![tiled],
            ..plain(range.var, Expr::zero())
        });
    }
    Some(tiled)
}

/// Restricts the loops, of which each is outside the next, to the extent of a coordinate of the place. Conditions
/// inside may skip values that have no place. Returns `None` if the form of the coordinate does not allow it.
fn keep_inside(ranges: &mut [Range], coordinate: &Expr, extent: &Expr, variables: &Variables) -> Option<()> {
    let Some(range) = ranges.iter_mut().rev().find(|range| coordinate.uses(range.var)) else {
        return Some(());
    };
    let (Expr::Int(1), rest) = coordinate.split(range.var)? else {
        return None;
    };
    let high = extent.clone().sub(rest.clone());
    if !range.highs.contains(&high) {
        range.highs.push(high);
    }
    if !coordinate.is_natural(variables) {
        range.lows.push(rest.neg());
    }
    Some(())
}

/// Returns `for var in 0..high` with an empty body.
pub(super) fn plain(var: Var, high: Expr) -> Range {
    Range {
        level: None,
        var,
        lows: vec![Expr::zero()],
        highs: vec![high],
        stride: None,
        nonempty: None,
        slices: None,
        body: Vec::new(),
    }
}

/// Collects the loops whose variables occur in the place.
fn moving<'a>(stmt: &'a Stmt, at: &Expr, found: &mut Vec<&'a Range>) {
    if let Stmt::Range(range) = stmt {
        if at.uses(range.var) {
            found.push(range);
        }
    }
    stmt.body().iter().for_each(|inner| moving(inner, at, found));
}

/// Whether the statements of a loop depend on its variable only inside the loop over `inner`, whose bounds do not
/// depend on it.
fn only_inside(range: &Range, inner: Var) -> bool {
    fn depends(stmt: &Stmt, var: Var, inner: Var) -> bool {
        match stmt {
            Stmt::Range(range) if range.var == inner => {
                range.lows.iter().chain(&range.highs).any(|bound| bound.uses(var))
            }
            stmt if stmt.body().is_empty() => stmt.uses(var),
            stmt => {
                // Without its body, a statement contains only its own expressions.
                let head = stmt.clone().map_body(|_| Vec::new());
                head.uses(var) || stmt.body().iter().any(|stmt| depends(stmt, var, inner))
            }
        }
    }
    !range.body.iter().any(|stmt| depends(stmt, range.var, inner))
}

/// The rewriting of the loops inside a tile.
struct Loops {
    /// The loop within a tile, and the variable of the loop over all neighbours.
    neighbours: (Var, Range),
    /// The loop over the rows of a tile, around the one over neighbours, and the variable of the loop over all rows.
    rows: Option<(Var, Range)>,
    /// The variables whose loops were moved elsewhere.
    moved: Vec<Var>,
    /// The number, within the tile, of the sum that is accumulated to.
    place: Expr,
}

impl Loops {
    fn all_inside(&self, block: Vec<Stmt>) -> Vec<Stmt> {
        block.into_iter().flat_map(|stmt| self.inside(stmt)).collect()
    }

    fn inside(&self, stmt: Stmt) -> Vec<Stmt> {
        match stmt {
            Stmt::Range(range) if self.moved.contains(&range.var) => self.all_inside(range.body),
            Stmt::Range(range) if range.var == self.neighbours.0 => {
                let stepped = stepped(&self.neighbours, self.all_inside(range.body));
                vec![match &self.rows {
                    Some(rows) => self::stepped(rows, vec![stepped]),
                    None => stepped,
                }]
            }
            Stmt::Accumulate {
                place: Lvalue::Element(..),
                reduction,
                value,
            } => vec![Stmt::Accumulate {
                place: Lvalue::Element(Array::Sums, self.place.clone()),
                reduction,
                value,
            }],
            stmt => vec![stmt.map_body(|body| self.all_inside(body))],
        }
    }
}

/// Returns a loop over the values of one tile, whose bounds count from the first value of the tile.
pub(super) fn stepped((of, step): &(Var, Range), mut body: Vec<Stmt>) -> Stmt {
    let number = Expr::Var(*of).add(Expr::Var(step.var));
    body.iter_mut().for_each(|stmt| stmt.replace(*of, &number));
    Stmt::Range(Range { body, ..step.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::{Entries, Segment, Text, Value, promote};
    use super::*;

    /// Builds loops that add to an output of this extent, and prints them after the passes `tile` and `promote`.
    struct Case {
        variables: Variables,
        extent: Expr,
    }

    impl Case {
        fn new() -> Self {
            let mut variables = Variables::default();
            let extent = Expr::Var(variables.fresh("n", true));
            Case { variables, extent }
        }

        fn entries(&mut self, body: Vec<Stmt>, diag: Var) -> Stmt {
            Stmt::Entries(Entries {
                tensor: 0,
                first: 0,
                last: 0,
                within: Segment::All,
                position: self.variables.fresh("position", true),
                coordinates: vec![(0, diag)],
                loads: Vec::new(),
                indirect: false,
                prefetch: None,
                block: None,
                item: None,
                numbered: Vec::new(),
                body,
            })
        }

        fn hoisted(mut self, stmt: Stmt, coordinate: Expr) -> String {
            let coordinates = [(coordinate, self.extent.clone())];
            let block = tile(vec![stmt], &coordinates, &mut self.variables);
            let block = promote(block, &coordinates, &self.variables);
            Text::numbered(&block, &self.variables)
        }
    }

    fn one(at: Expr) -> Stmt {
        Stmt::Accumulate {
            place: Lvalue::Element(Array::Dense(0), at),
            reduction: Reduction::Plus,
            value: Value::Scalar(1),
        }
    }

    fn range(var: Var, lows: Vec<Expr>, highs: Vec<Expr>, body: Stmt) -> Stmt {
        Stmt::Range(Range {
            lows,
            highs,
            body: vec![body],
            ..plain(var, Expr::zero())
        })
    }

    #[test]
    fn neighbours_that_are_added_to_again_are_tiled() {
        let mut case = Case::new();
        let (diag, row) = (case.variables.fresh("d", false), case.variables.fresh("row", true));
        let high = case.extent.clone().sub(Expr::Var(diag));
        let rows = range(
            row,
            vec![Expr::zero()],
            vec![case.extent.clone(), high],
            one(Expr::Var(row)),
        );
        let entries = case.entries(vec![rows], diag);
        assert_eq!(
            case.hoisted(entries, Expr::Var(row)),
            "for row in 0..n by tiles of width\n  let sums[0..width] = 0\n  for position in 0..tensor0.idx0.len()\n    \
             let d = tensor0.idx0[position]\n    for step in 0..min(width, n - d - row)\n      sums[step] += operand1\n  \
             operand0[row..row + width] += sums\n"
        );
    }

    #[test]
    fn places_that_the_loop_moves_are_not() {
        let mut case = Case::new();
        let (diag, row) = (case.variables.fresh("d", true), case.variables.fresh("row", true));
        let at = Expr::Var(diag).add(Expr::Var(row));
        let rows = range(row, vec![Expr::zero()], vec![case.extent.clone()], one(at.clone()));
        let entries = case.entries(vec![rows], diag);
        assert!(!case.hoisted(entries, at).contains("tiles"));
    }

    #[test]
    fn short_runs_are_held_in_one_tile_and_others_go_outside() {
        let mut case = Case::new();
        let size = Expr::Var(case.variables.parameter("R"));
        let [diag, block, r, n] = ["d", "block", "r", "k"].map(|name| case.variables.fresh(name, true));
        let row = size.clone().mul(Expr::Var(block)).add(Expr::Var(r));
        let at = row.clone().mul(case.extent.clone()).add(Expr::Var(n));
        let inner = range(n, vec![Expr::zero()], vec![case.extent.clone()], one(at));
        let rows = range(r, vec![Expr::zero()], vec![size], inner);
        let blocks = range(block, vec![Expr::zero()], vec![case.extent.clone()], rows);
        let entries = case.entries(vec![blocks], diag);
        assert_eq!(
            case.hoisted(entries, row),
            "for block in 0..n\n  for r in 0..min(R, n - R * block) by tiles of rows\n    for k in 0..n by tiles of width\n      \
             let sums[0..rows * width] = 0\n      for position in 0..tensor0.idx0.len()\n        for row_step in 0..rows\n          \
             for step in 0..width\n            sums[row_step * width + step] += operand1\n      \
             for r_2 in 0..rows: operand0[(R * block + r) * n + k + n * r_2..(R * block + r) * n + k + n * r_2 + width] += \
             sums[r_2 * width + 0..width]\n"
        );
    }
}
