//! Rules 1 to 5: turning one index map into another.

use super::builder::PlanBuilder;
use super::expression::{Expression, Factor, Unknown};
use super::operator::{LevelState, Operator};

/// Levels that become a quotient and a remainder, each with its divisor.
pub(super) type Tiles = Vec<(Expression, i128)>;

/// Turns the levels into those levels of the target that mention no query, in any order.
///
/// Levels of the source's queries are dropped and tiles united. The rest is a matrix times the dims; it becomes the matrix of
/// the target's united levels, which are then tiled again. Levels that are not linear in the dims are computed. Returns the
/// tiles of query levels, which are split after the queries are evaluated.
pub(super) fn align(builder: &mut PlanBuilder<'_>) -> Option<Tiles> {
    for level in (0..builder.state.levels.len()).rev() {
        if builder.state.levels[level].expression.mentions_query() {
            builder.run(Operator::Drop(level))?;
        }
    }
    while let Some((level, remainder, factor)) = tile_in(&expressions(&builder.state.levels)) {
        builder.run(Operator::TileUnion {
            level,
            remainder,
            factor,
        })?;
    }
    let (united, tiles) = unite(expressions(&builder.target.levels))?;
    let direct: Vec<Expression> = united.into_iter().filter(|level| !level.mentions_query()).collect();
    let basis = basis_of(&direct, builder.dims.len()).unwrap_or_else(|| dims(builder.dims.len()));
    affine(builder, &basis)?;
    let (of_queries, of_dims): (Vec<_>, Vec<_>) =
        tiles.into_iter().rev().partition(|(whole, _)| whole.mentions_query());
    let mut missing = direct;
    for level in &builder.state.levels {
        if let Some(at) = missing.iter().position(|wanted| wanted == &level.expression) {
            missing.remove(at);
        }
    }
    for wanted in missing {
        builder.compute(wanted)?;
    }
    split(builder, &of_dims)?;
    Some(of_queries)
}

/// Splits levels into tiles, in the given order.
pub(super) fn split(builder: &mut PlanBuilder<'_>, tiles: &[(Expression, i128)]) -> Option<()> {
    for (whole, factor) in tiles {
        let level = builder
            .state
            .levels
            .iter()
            .position(|level| &level.expression == whole)?;
        builder.run(Operator::TileSplit(level, *factor))?;
    }
    Some(())
}

fn expressions(levels: &[LevelState]) -> Vec<Expression> {
    levels.iter().map(|level| level.expression.clone()).collect()
}

fn dims(count: usize) -> Vec<Expression> {
    (0..count).map(|dim| Expression::unknown(Unknown::Dim(dim))).collect()
}

/// Finds a level `x / f`, the level `x % f`, and `f`.
fn tile_in(levels: &[Expression]) -> Option<(usize, usize, i128)> {
    levels.iter().enumerate().find_map(|(level, quotient)| {
        let unknown = quotient.as_unknown()?;
        levels.iter().enumerate().find_map(|(remainder, rest)| {
            let factor = rest.factor_of(unknown).checked_neg().filter(|&factor| factor > 1)?;
            let whole = rest.plus_times(quotient, factor)?;
            let is_tile = remainder != level && whole.quotient(factor)? == *quotient;
            is_tile.then_some((level, remainder, factor))
        })
    })
}

/// Unites all tiles. Returns the levels, and each tile's united level and factor in the order of uniting.
pub(super) fn unite(mut levels: Vec<Expression>) -> Option<(Vec<Expression>, Tiles)> {
    let mut tiles = Vec::new();
    while let Some((level, remainder, factor)) = tile_in(&levels) {
        let whole = levels[remainder].plus_times(&levels[level], factor)?;
        levels[level] = whole.clone();
        levels.remove(remainder);
        tiles.push((whole, factor));
    }
    Some((levels, tiles))
}

/// Returns the first levels that form an invertible matrix times the dims; `None` if there are too few.
fn basis_of(levels: &[Expression], dims: usize) -> Option<Vec<Expression>> {
    let chosen = independent(levels, dims)?;
    Some(chosen.into_iter().map(|level| levels[level].clone()).collect())
}

/// Returns the indices of `dims` linearly independent levels.
fn independent(levels: &[Expression], dims: usize) -> Option<Vec<usize>> {
    let mut reduced: Vec<(usize, Vec<Factor>)> = Vec::new();
    let mut chosen = Vec::new();
    for (level, expression) in levels.iter().enumerate() {
        let Some(mut row) = expression.row(dims) else { continue };
        for (column, pivot) in &reduced {
            let times = row[*column].times(pivot[*column].inverse()?)?.negated();
            add(&mut row, pivot, times)?;
        }
        if let Some(column) = row.iter().position(|&factor| factor != Factor::ZERO) {
            reduced.push((column, row));
            chosen.push(level);
        }
    }
    (chosen.len() == dims).then_some(chosen)
}

fn add(row: &mut [Factor], other: &[Factor], times: Factor) -> Option<()> {
    for (entry, &other) in row.iter_mut().zip(other) {
        *entry = entry.plus(other.times(times)?)?;
    }
    Some(())
}

/// Turns the levels into `target` by rules 1 to 3; both are an invertible matrix times the dims, plus a constant.
fn affine(builder: &mut PlanBuilder<'_>, target: &[Expression]) -> Option<()> {
    let count = builder.dims.len();
    let source = expressions(&builder.state.levels);
    match independent(&source, count) {
        Some(chosen) => {
            for level in (0..source.len()).rev().filter(|level| !chosen.contains(level)) {
                builder.run(Operator::Drop(level))?;
            }
        }
        // The levels determine the dims, but not linearly.
        None => {
            for (dim, expression) in dims(count).into_iter().enumerate() {
                builder.compute_at(source.len() + dim, expression)?;
            }
            for level in (0..source.len()).rev() {
                builder.run(Operator::Drop(level))?;
            }
        }
    }
    let source = expressions(&builder.state.levels);
    if source == target {
        return Some(());
    }
    for (level, expression) in source.iter().enumerate() {
        if expression.constant_term() != 0 {
            builder.run(Operator::Shift(level, expression.constant_term().checked_neg()?))?;
        }
    }
    let rows = |levels: &[Expression]| levels.iter().map(|level| level.row(count)).collect::<Option<Vec<_>>>();
    let (source, wanted) = (rows(&source)?, rows(target)?);
    let before = builder.clone();
    // Take the shortest way if all levels stay integral on it, else go by way of the dims.
    let short = reduce(times(&wanted, &inverse(&source)?)?).map(|steps| reversed(&steps));
    if short.and_then(|steps| builder.run_all(steps)).is_none() {
        *builder = before;
        builder.run_all(to_dims(&source)?)?;
        builder.run_all(reversed(&to_dims(&wanted)?))?;
    }
    for (level, expression) in target.iter().enumerate() {
        if expression.constant_term() != 0 {
            builder.run(Operator::Shift(level, expression.constant_term()))?;
        }
    }
    Some(())
}

type Matrix = Vec<Vec<Factor>>;

fn times(left: &Matrix, right: &Matrix) -> Option<Matrix> {
    let row = |row: &Vec<Factor>| {
        let mut product = vec![Factor::ZERO; right.len()];
        for (&factor, other) in row.iter().zip(right) {
            add(&mut product, other, factor)?;
        }
        Some(product)
    };
    left.iter().map(row).collect()
}

fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let size = matrix.len();
    let mut inverse: Matrix = (0..size).map(|at| unit(at, size)).collect();
    for step in reduce(matrix.clone())? {
        step_on(&mut inverse, &step)?;
    }
    Some(inverse)
}

fn unit(at: usize, size: usize) -> Vec<Factor> {
    let entry = |column| if column == at { Factor::ONE } else { Factor::ZERO };
    (0..size).map(entry).collect()
}

fn step_on(matrix: &mut Matrix, step: &Operator) -> Option<()> {
    match step {
        Operator::Swap(i, j) => matrix.swap(*i, *j),
        Operator::Scale(i, factor) => {
            for entry in &mut matrix[*i] {
                *entry = entry.times(*factor)?;
            }
        }
        Operator::Skew(i, j, factor) => {
            let row = matrix[*i].clone();
            add(&mut matrix[*j], &row, *factor)?;
        }
        _ => return None,
    }
    Some(())
}

/// Returns the steps that undo these.
fn reversed(steps: &[Operator]) -> Vec<Operator> {
    let undone = steps.iter().rev().map(|step| match step {
        Operator::Scale(i, factor) => Operator::Scale(*i, factor.inverse().unwrap_or(Factor::ONE)),
        Operator::Skew(i, j, factor) => Operator::Skew(*i, *j, factor.negated()),
        other => other.clone(),
    });
    undone.collect()
}

/// Returns elementary steps that turn an invertible matrix into the identity. Rows with few entries are the first pivots, as
/// that takes the fewest steps.
fn reduce(mut matrix: Matrix) -> Option<Vec<Operator>> {
    let (size, mut steps) = (matrix.len(), Vec::new());
    let mut pivots: Vec<Option<usize>> = vec![None; size];
    for _ in 0..size {
        let rows = (0..size).filter(|&row| pivots[row].is_none());
        let entries = rows.flat_map(|row| (0..size).map(move |column| (row, column)));
        let (row, column) = entries
            .filter(|&(row, column)| matrix[row][column] != Factor::ZERO)
            .min_by_key(|&(row, column)| {
                let entry = matrix[row][column];
                let filled = matrix[row].iter().filter(|&&entry| entry != Factor::ZERO).count();
                let whole = entry == Factor::ONE || entry == Factor::ONE.negated();
                (filled, !whole, row != column, row, column)
            })?;
        pivots[row] = Some(column);
        for other in (0..size).filter(|&other| other != row) {
            let factor = matrix[other][column].times(matrix[row][column].inverse()?)?.negated();
            if factor != Factor::ZERO {
                let step = Operator::Skew(row, other, factor);
                step_on(&mut matrix, &step)?;
                steps.push(step);
            }
        }
    }
    for row in 0..size {
        let entry = matrix[row][pivots[row]?];
        if entry != Factor::ONE {
            steps.push(Operator::Scale(row, entry.inverse()?));
        }
    }
    for row in 0..size {
        let other = pivots.iter().position(|&column| column == Some(row))?;
        if other != row {
            pivots.swap(row, other);
            steps.push(Operator::Swap(row, other));
        }
    }
    Some(steps)
}

/// Returns elementary steps that turn an invertible integer matrix into the identity and keep it integral on the way: first
/// Euclid's algorithm in each column, then back substitution from the last row up.
fn to_dims(matrix: &Matrix) -> Option<Vec<Operator>> {
    let (mut matrix, size, mut steps) = (matrix.clone(), matrix.len(), Vec::new());
    let mut step = |matrix: &mut Matrix, operator: Operator| {
        steps.push(operator.clone());
        step_on(matrix, &operator)
    };
    for column in 0..size {
        loop {
            let filled = (column..size).filter(|&row| matrix[row][column] != Factor::ZERO);
            let least = filled.min_by_key(|&row| matrix[row][column].numerator().unsigned_abs())?;
            if least != column {
                step(&mut matrix, Operator::Swap(column, least))?;
            }
            let pivot = matrix[column][column].numerator();
            let Some(row) = (column + 1..size).find(|&row| matrix[row][column] != Factor::ZERO) else {
                break;
            };
            let times = matrix[row][column].numerator().checked_div_euclid(pivot)?;
            step(
                &mut matrix,
                Operator::Skew(column, row, Factor::integer(times.checked_neg()?)),
            )?;
        }
    }
    for row in (0..size).rev() {
        for below in row + 1..size {
            let factor = matrix[row][below].negated();
            if factor != Factor::ZERO {
                step(&mut matrix, Operator::Skew(below, row, factor))?;
            }
        }
        if matrix[row][row] != Factor::ONE {
            let factor = matrix[row][row].inverse()?;
            step(&mut matrix, Operator::Scale(row, factor))?;
        }
    }
    Some(steps)
}
