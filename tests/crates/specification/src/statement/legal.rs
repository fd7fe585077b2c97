//! The rules of the language for a statement.

use std::collections::BTreeSet;

use super::{Access, Reduction, Statement, Value};

impl Statement {
    /// Whether the terms have their required indices, some operand is sparse, and a sparse output is not stored everywhere.
    pub fn is_legal(&self) -> bool {
        let whole = matches!(self.reduction, Reduction::Min | Reduction::Max);
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
        every_sparse
            && stored
            && starts
            && self.has_its_indices(whole)
            && self.value.values_of_indices().is_subset(&self.indexed())
    }

    /// Whether the right side has all indices of the output and of the mask, as far as each term needs them: a term is
    /// repeated along the indices of a dense output that it lacks.
    fn has_its_indices(&self, whole: bool) -> bool {
        let of_reads = |reads: Vec<&Access>| -> BTreeSet<usize> {
            reads.into_iter().flat_map(|read| read.indices.clone()).collect()
        };
        let (read, bound) = (of_reads(self.value.reads()), bound(&self.value, whole));
        let in_every_term = |index: &usize| read.contains(index) && bound.contains(index);
        let of_mask = self.mask.iter().flat_map(|mask| &mask.access.indices);
        if self.is_sparse(self.output.name) {
            return self.output.indices.iter().chain(of_mask).all(in_every_term);
        }
        let everywhere = of_reads(self.reads());
        let summed = |index: &&usize| !self.output.indices.contains(index);
        self.output.indices.iter().all(|index| everywhere.contains(index)) && of_mask.filter(summed).all(in_every_term)
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
