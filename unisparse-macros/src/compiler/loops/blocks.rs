//! Makes loops over entries read blocks of values: if the body reads several values at each position, they are a slice of the array.

use super::{Array, Condition, Entries, Expr, Stmt, Value, Variables};

/// Sets the blocks of each loop whose values are read in blocks of one constant size. `is_packed` says for which
/// tensors the values are fields of tuples, and not an array.
pub(crate) fn blocks(block: Vec<Stmt>, variables: &Variables, is_packed: &dyn Fn(usize) -> bool) -> Vec<Stmt> {
    let with_blocks = |mut stmt: Stmt| {
        if let Stmt::Entries(entries) = &mut stmt {
            if !is_packed(entries.tensor) {
                entries.block = block_size(entries, variables);
            }
            if entries.block.is_some() {
                count_from_block(entries);
            }
        }
        stmt.map_body(|body| blocks(body, variables, is_packed))
    };
    block.into_iter().map(with_blocks).collect()
}

/// Returns the number of values at each position, if it is constant and the body reads them in no other way.
fn block_size(entries: &Entries, variables: &Variables) -> Option<Expr> {
    let values = Array::Values(entries.tensor);
    let mut sizes = Vec::new();
    for stmt in &entries.body {
        stmt.for_each_load(&mut |array, at| {
            if array == values {
                sizes.push(at.split(entries.position).map(|(size, _)| size));
            }
        });
    }
    let (size, others) = sizes.split_first()?;
    let is_block = |size: &Expr| size.is_constant(variables) && !matches!(size, Expr::Int(0 | 1));
    let reads_otherwise = entries.body.iter().any(|stmt| reads_otherwise(stmt, entries.tensor));
    let is_same = others.iter().all(|other| other == size);
    size.clone()
        .filter(|size| is_block(size) && is_same && !reads_otherwise)
}

/// Makes the places of the values in the body count from the first value at the position.
fn count_from_block(entries: &mut Entries) {
    let (values, position) = (Array::Values(entries.tensor), entries.position);
    for stmt in &mut entries.body {
        stmt.for_each_value(&mut |value| {
            if let Value::Load(array, at) = value {
                if *array == values {
                    *at = at.split(position).map_or_else(Expr::zero, |(_, rest)| rest);
                }
            }
        });
    }
}

/// Whether the tensor's values are also read as optional values or in conditions.
fn reads_otherwise(stmt: &Stmt, tensor: usize) -> bool {
    let mut found = match stmt {
        Stmt::If { conditions, .. } => conditions
            .iter()
            .any(|condition| matches!(condition, Condition::Nonzero { array: Array::Values(of), .. } if *of == tensor)),
        _ => false,
    };
    if let Stmt::Accumulate { value, .. } = stmt {
        value.clone().for_each(&mut |value| {
            found |= matches!(value, Value::At { tensor: of, .. } | Value::AtPosition { tensor: of, .. } if *of == tensor);
        });
    }
    found || stmt.body().iter().any(|stmt| reads_otherwise(stmt, tensor))
}
