//! Elements that a loop reads again and again leave it: they are bound to names before the loop, or once for each entry of a
//! pass.

use super::{Array, Bind, Entries, Expr, Stmt, Value, Var, Variables};

/// Binds the elements that loops of the block read to names, each as far outside as its number is known.
///
/// `name` gives what an element of an array is called.
pub(crate) fn hoist_loads(block: Vec<Stmt>, variables: &mut Variables, name: &dyn Fn(Array) -> String) -> Vec<Stmt> {
    let mut hoisted = Vec::new();
    for mut stmt in block {
        if matches!(stmt, Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Entries(_)) {
            hoisted.extend(invariant(&mut stmt, variables, name).into_iter().map(Stmt::Bind));
        }
        if let Stmt::Entries(entries) = &mut stmt {
            in_step(entries, variables, name);
        }
        hoisted.push(stmt.map_body(|body| hoist_loads(body, variables, name)));
    }
    hoisted
}

/// The elements that the loop reads at places which nothing inside moves.
fn invariant(stmt: &mut Stmt, variables: &mut Variables, name: &dyn Fn(Array) -> String) -> Vec<Bind> {
    let bound = stmt.bound();
    let mut parts = Vec::new();
    partitioned(stmt, &mut parts);
    let mut binds = Vec::new();
    stmt.for_each_value(&mut |value| {
        let Value::Load(array, at) = &*value else { return };
        let is_of_part = matches!(array, Array::Values(tensor) if parts.contains(tensor));
        if !at.uses_any(&bound) && !matches!(at, Expr::Int(_)) && !is_of_part {
            let name = name(*array);
            *value = Value::Bound(bind(&mut binds, value, variables, &name));
        }
    });
    binds
}

/// Makes the pass read elements in step with its entries: the values, and what dense operands hold at a coordinate.
fn in_step(entries: &mut Entries, variables: &mut Variables, name: &dyn Fn(Array) -> String) {
    let Entries {
        tensor,
        position,
        coordinates,
        body,
        loads,
        ..
    } = entries;
    for stmt in body {
        stmt.for_each_value(&mut |value| {
            let Value::Load(array, Expr::Var(at)) = &*value else {
                return;
            };
            let is_value = *array == Array::Values(*tensor) && at == position;
            let is_coordinate = coordinates.iter().any(|(_, coordinate)| coordinate == at);
            let is_gathered = matches!(array, Array::Dense(_)) && is_coordinate && variables.is_natural(*at);
            if is_value || is_gathered {
                let name = name(*array);
                *value = Value::Bound(bind(loads, value, variables, &name));
            }
        });
    }
}

/// The variable that an element is bound to, each once.
fn bind(binds: &mut Vec<Bind>, load: &Value, variables: &mut Variables, name: &str) -> Var {
    match binds.iter().find(|bind| bind.value == *load) {
        Some(known) => known.var,
        None => {
            let var = variables.element(name);
            binds.push(Bind {
                var,
                value: load.clone(),
            });
            var
        }
    }
}

/// The tensors whose parts a statement goes through.
fn partitioned(stmt: &Stmt, tensors: &mut Vec<usize>) {
    if let Stmt::Parts { tensor, .. } = stmt {
        tensors.push(*tensor);
    }
    stmt.body().iter().for_each(|stmt| partitioned(stmt, tensors));
}
