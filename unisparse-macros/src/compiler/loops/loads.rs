//! Hoists loads: elements that a loop reads repeatedly are bound to names before the loop, or once per entry.

use super::{Array, Bind, Entries, Expr, Stmt, Value, Var, Variables};

/// Properties of the arrays that are read.
pub(crate) trait Arrays {
    /// Returns the name for an element of the array.
    fn element(&self, array: Array) -> String;
    /// Whether the array is a vector that has an element for every value of the variable.
    fn holds(&self, array: Array, var: Var, variables: &Variables) -> bool;
    /// Whether the values of a tensor are fields of tuples.
    fn is_packed(&self, tensor: usize) -> bool;
}

/// Binds the elements that loops read to names, as far outside as their places are known.
///
/// Elements whose places conditions compare stay inside, because the conditions may prevent reads past the end of the
/// array.
pub(crate) fn hoist_loads(block: Vec<Stmt>, variables: &mut Variables, arrays: &dyn Arrays) -> Vec<Stmt> {
    let mut hoisted = Vec::new();
    for mut stmt in block {
        if matches!(stmt, Stmt::Range(_) | Stmt::Tiles(_) | Stmt::Entries(_)) {
            hoisted.extend(invariant(&mut stmt, variables, arrays).into_iter().map(Stmt::Bind));
        }
        if let Stmt::Entries(entries) = &mut stmt {
            stream(entries, variables, arrays);
        }
        hoisted.push(stmt.map_body(|body| hoist_loads(body, variables, arrays)));
    }
    hoisted
}

/// Binds the elements that the loop reads at invariant places.
fn invariant(stmt: &mut Stmt, variables: &mut Variables, arrays: &dyn Arrays) -> Vec<Bind> {
    let fixed: Vec<Var> = stmt.bound().into_iter().chain(stmt.compared()).collect();
    let mut parts = Vec::new();
    partitioned(stmt, &mut parts);
    let mut binds = Vec::new();
    stmt.for_each_value(&mut |value| {
        let Value::Load(array, at) = &*value else { return };
        let is_of_part = matches!(array, Array::Values(tensor) if parts.contains(tensor));
        if !at.uses_any(&fixed) && !matches!(at, Expr::Int(_)) && !is_of_part {
            let name = arrays.element(*array);
            *value = Value::Bound(bind(&mut binds, value, variables, &name));
        }
    });
    binds
}

/// Makes the loop itself read the values of its entries, and dense elements at a coordinate of them.
fn stream(entries: &mut Entries, variables: &mut Variables, arrays: &dyn Arrays) {
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
            if is_value || is_coordinate && arrays.holds(*array, *at, variables) {
                let name = arrays.element(*array);
                *value = Value::Bound(bind(loads, value, variables, &name));
            }
        });
    }
}

/// Returns the variable to which the element is bound, after binding it if necessary.
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

/// Collects the tensors over whose parts a statement loops.
fn partitioned(stmt: &Stmt, tensors: &mut Vec<usize>) {
    if let Stmt::Parts { tensor, .. } = stmt {
        tensors.push(*tensor);
    }
    stmt.body().iter().for_each(|stmt| partitioned(stmt, tensors));
}
