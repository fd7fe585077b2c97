//! The rules of the language for a statement.

use std::collections::BTreeSet;

use super::{Reduction, Statement, Value};

impl Statement {
    /// Whether every term has its required indices, some operand is sparse, and a sparse output is not stored everywhere.
    pub fn is_legal(&self) -> bool {
        let whole = matches!(self.reduction, Reduction::Min | Reduction::Max);
        let bound = bound(&self.value, whole);
        let mut needed = self.output.indices.clone();
        needed.extend(self.mask.iter().flat_map(|mask| &mask.access.indices));
        let is_read = |name: &str| self.value.reads().iter().any(|read| read.name == name);
        let every_sparse = self.sparse.iter().all(|name| {
            let of_mask = self.mask.as_ref().is_some_and(|mask| mask.access.name == *name);
            is_read(name) || of_mask || self.output.name == *name
        });
        let stored = if self.is_sparse(self.output.name) {
            !self.is_everywhere(&self.value, whole)
        } else {
            self.sparse.iter().any(|name| is_read(name))
        };
        // A conjunction over no elements has no value.
        let starts = self.reduction != Reduction::And || !self.output.indices.is_empty();
        // Brackets make a name an index; the reads on the right give its extent.
        let read: BTreeSet<usize> = self
            .value
            .reads()
            .iter()
            .flat_map(|read| read.indices.clone())
            .collect();
        let known = needed.iter().all(|index| read.contains(index) && bound.contains(index));
        every_sparse && stored && starts && known && self.value.values_of_indices().is_subset(&self.indexed())
    }

    /// The indices in brackets.
    pub(super) fn indexed(&self) -> BTreeSet<usize> {
        let reads = self.reads().into_iter().chain([&self.output]);
        reads.flat_map(|access| access.indices.clone()).collect()
    }

    /// Whether some term is stored at every coordinate.
    fn is_everywhere(&self, value: &Value, whole: bool) -> bool {
        let everywhere = |part: &Value| self.is_everywhere(part, whole);
        match value {
            Value::Read(access) => !self.is_sparse(access.name),
            Value::Literal(_) | Value::Index(_) => true,
            Value::Negated(inner) => everywhere(inner),
            Value::Sum(parts) | Value::Or(parts) if !whole => parts.iter().any(everywhere),
            _ => value.parts().iter().all(everywhere),
        }
    }
}

impl Value {
    /// The indices that are values.
    fn values_of_indices(&self) -> BTreeSet<usize> {
        match self {
            Value::Index(index) => BTreeSet::from([*index]),
            _ => self.parts().iter().flat_map(Value::values_of_indices).collect(),
        }
    }
}

/// The indices that every term has. If `whole`, the value is one term, whatever its operators.
fn bound(value: &Value, whole: bool) -> BTreeSet<usize> {
    let all = |whole| value.parts().iter().flat_map(|part| bound(part, whole)).collect();
    match value {
        Value::Read(access) => access.indices.iter().copied().collect(),
        Value::Index(index) => BTreeSet::from([*index]),
        // A function is applied to each coordinate.
        Value::Call(..) => all(true),
        Value::Sum(parts) | Value::Or(parts) if !whole => {
            let sets = parts.iter().map(|part| bound(part, false));
            sets.reduce(|one, other| &one & &other).unwrap_or_default()
        }
        _ => all(whole),
    }
}
