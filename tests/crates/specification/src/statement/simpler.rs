//! Simplifies statements, to find the least one that still fails.

use super::{Statement, Value};

impl Statement {
    /// Returns legal statements with something left out, the most reduced first.
    pub fn simpler(&self) -> Vec<Statement> {
        let mut found = Vec::new();
        if self.mask.is_some() {
            found.push(Statement {
                mask: None,
                ..self.clone()
            });
        }
        found.extend(
            smaller(&self.value)
                .into_iter()
                .map(|value| Statement { value, ..self.clone() }),
        );
        for statement in &mut found {
            let names: Vec<&str> = statement.reads().iter().map(|read| read.name).collect();
            let output = statement.output.name;
            statement.sparse.retain(|name| names.contains(name) || *name == output);
        }
        found.retain(Statement::is_legal);
        found
    }
}

/// The value with one node replaced by a part of it, or with one part less.
fn smaller(value: &Value) -> Vec<Value> {
    let parts = value.parts().to_vec();
    let with = |parts: Vec<Value>| match value {
        Value::Read(_) | Value::Literal(_) | Value::Index(_) => value.clone(),
        Value::Negated(_) => Value::Negated(Box::new(parts[0].clone())),
        Value::Sum(_) => Value::Sum(parts),
        Value::Product(_) => Value::Product(parts),
        Value::Or(_) => Value::Or(parts),
        Value::And(_) => Value::And(parts),
        Value::Call(function, _) => Value::Call(*function, parts),
    };
    let mut found = parts.clone();
    if parts.len() > 2 {
        found.extend((0..parts.len()).map(|at| {
            let mut fewer = parts.clone();
            fewer.remove(at);
            with(fewer)
        }));
    }
    for (at, part) in parts.iter().enumerate() {
        found.extend(smaller(part).into_iter().map(|part| {
            let mut changed = parts.clone();
            changed[at] = part;
            with(changed)
        }));
    }
    found
}
