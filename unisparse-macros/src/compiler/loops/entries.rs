//! What is known of a loop over entries.

use super::{Array, Count, Entries, Expr, Segment, Stmt, TensorLevel, Value, Var, Variables};

impl Entries {
    /// Returns the level whose segments the loop covers.
    pub(crate) fn first(&self) -> TensorLevel {
        TensorLevel {
            tensor: self.tensor,
            level: self.first,
        }
    }

    /// Returns the array that a load reads, and the level at whose coordinates, or `None` if at the positions of the loop.
    pub(crate) fn streamed(&self, value: &Value) -> (Array, Option<usize>) {
        let Value::Load(array, Expr::Var(at)) = value else {
            unreachable!("a loop streams elements of arrays only")
        };
        let mut coordinates = self.coordinates.iter();
        let level = coordinates.find(|(_, coordinate)| coordinate == at);
        (*array, level.map(|(level, _)| *level))
    }

    /// Whether each entry adds the product of its value and of the element of an input that its coordinate selects.
    pub(crate) fn is_dot(&self) -> bool {
        let [
            Stmt::Accumulate {
                value: Value::Product(factors),
                ..
            },
        ] = &self.body[..]
        else {
            return false;
        };
        let [value, item] = &self.loads[..] else {
            return false;
        };
        let is_input = |array| matches!(array, Array::Dense(operand) if operand > 0);
        *factors == [Value::Bound(value.var), Value::Bound(item.var)]
            && matches!(self.streamed(&value.value), (Array::Values(_), None))
            && matches!(self.streamed(&item.value), (array, Some(_)) if is_input(array))
            && self.numbered.is_empty()
            && self.prefetch.is_none()
    }

    /// Returns the count that is the body, if it never increases from an entry to the next: it falls with the coordinate of the
    /// first level, which does not decrease below one parent.
    pub(crate) fn falling_count(&self, variables: &Variables) -> Option<&Count> {
        let [Stmt::Count(count)] = &self.body[..] else {
            return None;
        };
        let (_, coordinate) = self.coordinates.iter().find(|(level, _)| *level == self.first)?;
        let read = self.coordinates.iter().map(|(_, var)| *var).chain([self.position]);
        let read: Vec<Var> = read.collect();
        let varies = |bound: &Expr| bound.uses_any(&read);
        let falls = |bound: &Expr| {
            let split = bound.split(*coordinate);
            split.is_some_and(|(factor, rest)| factor.neg().is_natural(variables) && !varies(&rest))
        };
        let has_one_parent = matches!(self.within, Segment::All | Segment::Of(_) | Segment::Between(..));
        let is_falling = has_one_parent && !count.lows.iter().any(varies) && count.highs.iter().all(falls);
        is_falling.then_some(count)
    }
}
