//! Finds tiles of several rows that are products of matrices, which some machines multiply by instructions of their own.
//!
//! The rows of a block times some columns of a dense operand are such a product: each factor of a term is an element of a
//! matrix whose rows or columns are those of the tile, and the loop inside the loop over blocks runs along the other dim of
//! both.

use super::{Array, Expr, Lvalue, Range, Reduction, Stmt, Tiles, Value, Var, Variables};

/// `sums[row, column] += left[row, depth] * right[depth, column]`, for each iteration of a loop over blocks.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Product {
    /// The loop over blocks, whose last statement is the loop along the columns of a block.
    pub(crate) blocks: Stmt,
    /// That loop, without its body.
    pub(crate) depth: Range,
    /// The element of the left matrix, and the variable of its row.
    pub(crate) left: (Array, Expr),
    pub(crate) row: Var,
    /// The element of the right matrix, and the variable of its column.
    pub(crate) right: (Array, Expr),
    pub(crate) column: Var,
    /// Bounds of the numbers of rows and of columns of the left matrix that are constant for a format.
    pub(crate) most: [Expr; 2],
}

/// Marks the tiles that are products.
pub(crate) fn products(block: &mut [Stmt], variables: &Variables) {
    for stmt in block {
        if let Stmt::Tiles(tiles) = stmt {
            tiles.product = product(tiles, variables).map(Box::new);
        }
        products(stmt.body_mut().map_or(&mut [], Vec::as_mut_slice), variables);
    }
}

/// Returns the tile as a product of matrices.
fn product(tiles: &Tiles, variables: &Variables) -> Option<Product> {
    let rows = tiles.rows.as_ref()?;
    let is_along = |range: &Range, width: Var| range.lows == [Expr::zero()] && range.highs == [Expr::Var(width)];
    let [blocks] = tiles.body.as_slice() else {
        return None;
    };
    let (Stmt::Range(depth), before) = blocks.body().split_last()? else {
        return None;
    };
    let [Stmt::Range(row)] = depth.body.as_slice() else {
        return None;
    };
    let (Stmt::Range(column), binds) = row.body.split_last()? else {
        return None;
    };
    let [
        Stmt::Accumulate {
            place: Lvalue::Element(Array::Sums, _),
            reduction: Reduction::Plus,
            value: Value::Product(factors),
        },
    ] = column.body.as_slice()
    else {
        return None;
    };
    let [left, Value::Load(right_array, right_at)] = factors.as_slice() else {
        return None;
    };
    // The left factor may be bound to a name before the loop along the columns.
    let left = match (left, binds) {
        (Value::Load(array, at), []) => (*array, at.clone()),
        (Value::Bound(var), [Stmt::Bind(bind)]) if bind.var == *var => match &bind.value {
            Value::Load(array, at) => (*array, at.clone()),
            _ => return None,
        },
        _ => return None,
    };
    let only_binds = |stmt: &Stmt| matches!(stmt, Stmt::Lookup { .. } | Stmt::Let { .. });
    let fits = tiles.reduction == Reduction::Plus
        && is_plain(blocks)
        && before.iter().all(only_binds)
        && depth.stride.is_none()
        && depth.lows == [Expr::zero()]
        && is_along(row, rows.count)
        && is_along(column, tiles.width)
        && !left.1.uses(column.var)
        && !right_at.uses(row.var);
    if !fits {
        return None;
    }
    let constant = |highs: &[Expr]| highs.iter().find(|high| high.is_constant(variables)).cloned();
    Some(Product {
        blocks: blocks.clone(),
        depth: Range {
            body: Vec::new(),
            ..depth.clone()
        },
        left,
        row: row.var,
        right: (*right_array, right_at.clone()),
        column: column.var,
        most: [constant(&rows.highs)?, constant(&depth.highs)?],
    })
}

/// Whether a statement is a loop that passes all of its values.
fn is_plain(blocks: &Stmt) -> bool {
    match blocks {
        Stmt::Range(range) => range.stride.is_none() && range.nonempty.is_none(),
        Stmt::Entries(_) => true,
        _ => false,
    }
}
