//! Visits statements: their bodies, bound variables, expressions and values.

use super::{
    Access, Array, Bind, Cell, Condition, Destination, Expr, Lvalue, Nonempty, Ownership, Piece, Positions, Segment,
    Stmt, Value, Var,
};

/// Defines a function that calls `visit` on every integer expression of a statement and of the statements inside it.
///
/// Where a variable stands for positions and not for an integer, `visit` gets a copy.
macro_rules! visitor {
    ($name:ident, $iter:ident, ($($mutability:tt)?), $body:expr) => {
        impl Segment {
            pub(super) fn $name(&$($mutability)? self, visit: &mut impl FnMut(&$($mutability)? Expr)) {
                match self {
                    Segment::All => {}
                    Segment::Of(parent) => visit(parent),
                    Segment::Between(low, high) => {
                        visit(low);
                        visit(high);
                    }
                    Segment::Run(range) | Segment::Below(range) => visit(&$($mutability)? Expr::Var(*range)),
                }
            }
        }

        impl Access {
            fn $name(&$($mutability)? self, visit: &mut impl FnMut(&$($mutability)? Expr)) {
                match self {
                    Access::Element { offset, .. } | Access::Packed { offset, .. } | Access::Coordinate { offset, .. } => visit(offset),
                    Access::Selected { offset, first, .. } => {
                        visit(offset);
                        visit(first);
                    }
                }
            }
        }

        impl Condition {
            fn $name(&$($mutability)? self, visit: &mut impl FnMut(&$($mutability)? Expr)) {
                match self {
                    Condition::Nonnegative(expr) | Condition::Zero(expr) | Condition::Nonzero { at: expr, .. } => visit(expr),
                    Condition::Divisible(expr, divisor) => {
                        visit(expr);
                        visit(divisor);
                    }
                    Condition::Missing(_) => {}
                }
            }
        }

        impl Value {
            fn $name(&$($mutability)? self, visit: &mut impl FnMut(&$($mutability)? Expr)) {
                match self {
                    Value::Load(_, at) | Value::AtPosition { position: at, .. } | Value::Coordinate(at) => visit(at),
                    Value::At { range, .. } => visit(&$($mutability)? Expr::Var(*range)),
                    Value::Product(values) | Value::Sum(values) | Value::Or(values) | Value::And(values) | Value::Call(_, values) => {
                        values.$iter().for_each(|value| value.$name(visit));
                    }
                    Value::Negated(value) => value.$name(visit),
                    Value::Maybe(_) | Value::Scalar(_) | Value::Literal(_) | Value::Bound(_) => {}
                }
            }
        }

        impl Stmt {
            /// Calls `visit` on every integer expression of this statement and those inside it.
            pub(crate) fn $name(&$($mutability)? self, visit: &mut impl FnMut(&$($mutability)? Expr)) {
                match self {
                    Stmt::Range(range) => {
                        range.lows.$iter().chain(range.highs.$iter()).for_each(&mut *visit);
                        if let Some((residue, modulus)) = &$($mutability)? range.stride {
                            visit(residue);
                            visit(modulus);
                        }
                        if let Some(Nonempty { first, .. }) = &$($mutability)? range.nonempty {
                            visit(first);
                        }
                        if let Some(slices) = &$($mutability)? range.slices {
                            slices.reads.$iter().for_each(|(_, access)| access.$name(visit));
                            slices.item.$iter().for_each(|access| access.$name(visit));
                            slices.usual.$iter().for_each(&mut *visit);
                        }
                    }
                    Stmt::Count(count) => {
                        count.lows.$iter().chain(count.highs.$iter()).for_each(&mut *visit);
                        visit(&$($mutability)? count.usual);
                    }
                    Stmt::Tiles(tiles) => {
                        tiles.lows.$iter().chain(tiles.highs.$iter()).for_each(&mut *visit);
                        visit(&$($mutability)? tiles.at);
                        if let Some(rows) = &$($mutability)? tiles.rows {
                            rows.lows.$iter().chain(rows.highs.$iter()).for_each(&mut *visit);
                            visit(&$($mutability)? rows.stride);
                        }
                    }
                    Stmt::Entries(entries) => {
                        entries.within.$name(visit);
                        entries.loads.$iter().for_each(|load| load.value.$name(visit));
                        entries.block.$iter().for_each(&mut *visit);
                        if let Some(Cell { first, .. }) = &$($mutability)? entries.item {
                            visit(first);
                        }
                    }
                    Stmt::Bind(bind) => bind.value.$name(visit),
                    Stmt::Merge(merge) => merge.cursors.$iter().for_each(|cursor| cursor.within.$name(visit)),
                    Stmt::Parallel(parallel) => {
                        if let Positions::Size(size) = &$($mutability)? parallel.over {
                            visit(size);
                        }
                        match &$($mutability)? parallel.ownership {
                            Ownership::Owned(stride) | Ownership::Windows(stride) | Ownership::Ascending { stride, .. } => visit(stride),
                            Ownership::Shared { .. } | Ownership::Each => {}
                        }
                        if let Some(Piece { first: Some(first), .. }) = &$($mutability)? parallel.piece {
                            visit(first);
                        }
                    }
                    Stmt::Parts { .. } | Stmt::Maybe { .. } => {}
                    Stmt::Let { value, .. } => visit(value),
                    Stmt::Open { within, .. } | Stmt::First { within, .. } => within.$name(visit),
                    Stmt::Between {
                        within, lows, highs, ..
                    } => {
                        within.$name(visit);
                        lows.$iter().chain(highs).for_each(&mut *visit);
                    }
                    Stmt::Find(find) => {
                        visit(&$($mutability)? Expr::Var(find.finder));
                        visit(&$($mutability)? find.coordinate);
                    }
                    Stmt::Step { from, size, offset, .. } => {
                        visit(&$($mutability)? Expr::Var(*from));
                        visit(size);
                        visit(offset);
                    }
                    Stmt::If { conditions, .. } => conditions.$iter().for_each(|condition| condition.$name(visit)),
                    Stmt::Accumulate { place, value, .. } => {
                        match place {
                            Lvalue::Element(_, at) | Lvalue::Fiber(at) => visit(at),
                            Lvalue::Output(coordinate) | Lvalue::Scattered(coordinate) => {
                                coordinate.$iter().for_each(&mut *visit);
                            }
                            Lvalue::Item | Lvalue::Sum | Lvalue::Maybe(_) => {}
                        }
                        value.$name(visit);
                    }
                    Stmt::Sum { into, .. } => match into {
                        Destination::Element { at, .. } => visit(at),
                        Destination::Output { coordinate, .. } => coordinate.$iter().for_each(&mut *visit),
                        Destination::Item { .. } | Destination::Total => {}
                    },
                    Stmt::Fiber { outer, extents, .. } => outer.$iter().chain(extents).for_each(&mut *visit),
                    Stmt::Lookup { at, .. } => visit(at),
                    Stmt::Fill { at, count, .. } => {
                        visit(at);
                        visit(count);
                    }
                    Stmt::Visit { coordinate, value, .. } => {
                        coordinate.$iter().for_each(&mut *visit);
                        value.$name(visit);
                    }
                }
                let inside: fn(&$($mutability)? Stmt) -> &$($mutability)? [Stmt] = $body;
                for stmt in inside(self) {
                    stmt.$name(visit);
                }
            }
        }
    };
}

visitor!(for_each_expr, iter, (), |stmt| stmt.body());
visitor!(for_each_expr_mut, iter_mut, (mut), |stmt| stmt.body_mut().map_or(&mut [], Vec::as_mut_slice));

impl Condition {
    /// Adds the variables whose values the condition compares.
    pub(super) fn compared(&self, variables: &mut Vec<Var>) {
        if !matches!(self, Condition::Nonzero { .. }) {
            self.for_each_expr(&mut |expr| expr.variables(variables));
        }
    }
}

impl Stmt {
    /// Returns the statements directly inside.
    pub(crate) fn body(&self) -> &[Stmt] {
        match self {
            Stmt::Range(range) => &range.body,
            Stmt::Count(count) => &count.body,
            Stmt::Tiles(tiles) => &tiles.body,
            Stmt::Entries(entries) => &entries.body,
            Stmt::Merge(merge) => &merge.body,
            Stmt::Find(find) => &find.body,
            Stmt::Parallel(parallel) => &parallel.body,
            Stmt::If { body, .. }
            | Stmt::Sum { body, .. }
            | Stmt::Parts { body, .. }
            | Stmt::Fiber { body, .. }
            | Stmt::First { body, .. }
            | Stmt::Maybe { body, .. } => body,
            Stmt::Let { .. }
            | Stmt::Bind(_)
            | Stmt::Lookup { .. }
            | Stmt::Open { .. }
            | Stmt::Between { .. }
            | Stmt::Step { .. }
            | Stmt::Fill { .. }
            | Stmt::Accumulate { .. }
            | Stmt::Visit { .. } => &[],
        }
    }

    /// Returns the statements directly inside for changes, or `None` if the statement has no body.
    pub(crate) fn body_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Stmt::Range(range) => Some(&mut range.body),
            Stmt::Count(count) => Some(&mut count.body),
            Stmt::Tiles(tiles) => Some(&mut tiles.body),
            Stmt::Entries(entries) => Some(&mut entries.body),
            Stmt::Merge(merge) => Some(&mut merge.body),
            Stmt::Find(find) => Some(&mut find.body),
            Stmt::Parallel(parallel) => Some(&mut parallel.body),
            Stmt::If { body, .. }
            | Stmt::Sum { body, .. }
            | Stmt::Parts { body, .. }
            | Stmt::Fiber { body, .. }
            | Stmt::First { body, .. }
            | Stmt::Maybe { body, .. } => Some(body),
            Stmt::Let { .. }
            | Stmt::Bind(_)
            | Stmt::Lookup { .. }
            | Stmt::Open { .. }
            | Stmt::Between { .. }
            | Stmt::Step { .. }
            | Stmt::Fill { .. }
            | Stmt::Accumulate { .. }
            | Stmt::Visit { .. } => None,
        }
    }

    /// Returns the statement with its body changed.
    pub(crate) fn map_body(mut self, change: impl FnOnce(Vec<Stmt>) -> Vec<Stmt>) -> Stmt {
        if let Some(body) = self.body_mut() {
            *body = change(std::mem::take(body));
        }
        self
    }

    pub(crate) fn is_loop(&self) -> bool {
        matches!(
            self,
            Stmt::Range(_) | Stmt::Entries(_) | Stmt::Merge(_) | Stmt::Parts { .. }
        )
    }

    /// Returns the variables bound by this statement or inside it.
    pub(crate) fn bound(&self) -> Vec<Var> {
        let mut bound = match self {
            Stmt::Range(range) => {
                let reads = range
                    .slices
                    .iter()
                    .flat_map(|slices| slices.reads.iter().map(|(var, _)| *var));
                reads.chain([range.var]).collect()
            }
            Stmt::Count(count) => vec![count.var],
            Stmt::Tiles(tiles) => {
                let rows = tiles.rows.iter().flat_map(|rows| [rows.var, rows.count]);
                rows.chain([tiles.var, tiles.width]).collect()
            }
            Stmt::Let { var, .. }
            | Stmt::Lookup { var, .. }
            | Stmt::Step { to: var, .. }
            | Stmt::First { to: var, .. }
            | Stmt::Between { to: var, .. } => {
                vec![*var]
            }
            Stmt::Bind(bind) => vec![bind.var],
            Stmt::Open { finder, .. } => vec![*finder],
            Stmt::Find(find) => find.found.vars(),
            Stmt::Parallel(parallel) => {
                let first = match parallel.ownership {
                    Ownership::Ascending { first, .. } => Some(first),
                    _ => None,
                };
                let piece = parallel.piece.iter().flat_map(|piece| [piece.from, piece.to]);
                piece.chain(first).collect()
            }
            Stmt::Parts { numbers, .. } => numbers.clone(),
            Stmt::Merge(merge) => std::iter::once(merge.coordinate)
                .chain(merge.cursors.iter().map(|cursor| cursor.at))
                .collect(),
            Stmt::Entries(entries) => entries
                .coordinates
                .iter()
                .map(|&(_, var)| var)
                .chain([entries.position])
                .chain(entries.loads.iter().map(|load| load.var))
                .collect(),
            _ => Vec::new(),
        };
        bound.extend(self.body().iter().flat_map(Stmt::bound));
        bound
    }

    /// Replaces a variable by an expression.
    pub(crate) fn replace(&mut self, var: Var, by: &Expr) {
        self.for_each_expr_mut(&mut |expr| {
            if expr.uses(var) {
                *expr = expr.replace(var, by);
            }
        });
    }

    /// Returns the variables that conditions of this statement, or inside it, compare: they may keep a hole from being taken
    /// for an element, so that a place which depends on one of these may not leave the statement.
    pub(crate) fn compared(&self) -> Vec<Var> {
        let mut compared: Vec<Var> = self.body().iter().flat_map(Stmt::compared).collect();
        if let Stmt::If { conditions, .. } = self {
            conditions
                .iter()
                .for_each(|condition| condition.compared(&mut compared));
        }
        compared
    }

    /// Whether the variable occurs in an expression of this statement or inside it.
    pub(crate) fn uses(&self, var: Var) -> bool {
        let mut used = false;
        self.for_each_expr(&mut |expr| used |= expr.uses(var));
        used
    }

    /// Calls `visit` on every array access of a value in this statement and those inside it.
    pub(crate) fn for_each_load(&self, visit: &mut impl FnMut(Array, &Expr)) {
        match self {
            Stmt::Accumulate { value, .. } | Stmt::Visit { value, .. } | Stmt::Bind(Bind { value, .. }) => {
                value.for_each_load(visit);
            }
            Stmt::Entries(entries) => entries.loads.iter().for_each(|load| load.value.for_each_load(visit)),
            _ => {}
        }
        self.body().iter().for_each(|stmt| stmt.for_each_load(visit));
    }

    /// Calls `visit` on every value read in this statement and those inside it, to replace it.
    pub(crate) fn for_each_value(&mut self, visit: &mut impl FnMut(&mut Value)) {
        match self {
            Stmt::Accumulate { value, .. } | Stmt::Visit { value, .. } | Stmt::Bind(Bind { value, .. }) => {
                value.for_each(visit);
            }
            Stmt::Entries(entries) => entries.loads.iter_mut().for_each(|load| load.value.for_each(visit)),
            _ => {}
        }
        if let Some(body) = self.body_mut() {
            body.iter_mut().for_each(|stmt| stmt.for_each_value(visit));
        }
    }
}

impl Value {
    fn inner(&self) -> &[Value] {
        match self {
            Value::Product(values)
            | Value::Sum(values)
            | Value::Or(values)
            | Value::And(values)
            | Value::Call(_, values) => values,
            Value::Negated(value) => std::slice::from_ref(value),
            Value::Load(..)
            | Value::At { .. }
            | Value::AtPosition { .. }
            | Value::Maybe(_)
            | Value::Scalar(_)
            | Value::Literal(_)
            | Value::Coordinate(_)
            | Value::Bound(_) => &[],
        }
    }

    /// Calls `visit` on this value and on its operands.
    pub(crate) fn for_each(&mut self, visit: &mut impl FnMut(&mut Value)) {
        visit(self);
        match self {
            Value::Product(values)
            | Value::Sum(values)
            | Value::Or(values)
            | Value::And(values)
            | Value::Call(_, values) => values.iter_mut().for_each(|value| value.for_each(visit)),
            Value::Negated(value) => value.for_each(visit),
            Value::Load(..)
            | Value::At { .. }
            | Value::AtPosition { .. }
            | Value::Maybe(_)
            | Value::Scalar(_)
            | Value::Literal(_)
            | Value::Coordinate(_)
            | Value::Bound(_) => {}
        }
    }

    /// Calls `visit` on every array access.
    pub(crate) fn for_each_load(&self, visit: &mut impl FnMut(Array, &Expr)) {
        if let Value::Load(array, at) = self {
            visit(*array, at);
        }
        self.inner().iter().for_each(|value| value.for_each_load(visit));
    }

    /// Whether the variable occurs in the value.
    pub(crate) fn uses(&self, var: Var) -> bool {
        let mut used = false;
        self.for_each_expr(&mut |expr| used |= expr.uses(var));
        used
    }

    /// Whether the value can be missing at some coordinates.
    pub(crate) fn may_be_missing(&self) -> bool {
        match self {
            Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_) => true,
            Value::Sum(parts) | Value::Or(parts) => parts.iter().all(Value::may_be_missing),
            _ => self.inner().iter().any(Value::may_be_missing),
        }
    }

    /// Whether the value is missing if one of its operands is.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self, Value::At { .. } | Value::AtPosition { .. } | Value::Maybe(_))
            || self.inner().iter().any(Value::is_optional)
    }
}
