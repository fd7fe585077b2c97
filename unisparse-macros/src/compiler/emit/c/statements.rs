//! Prints statements of the loop IR.

use std::collections::BTreeSet;

use super::Printer;
use super::machine::Machine;
use super::results::{Along, NO_SLICES, UNROLLED};
use super::tensors::Tensor;
use super::types::number;
use crate::compiler::loops::{
    Bind, Condition, Entries, Expr, Find, Found, Literal, Lvalue, Merge, MergeCursor, Range, Segment, Stmt,
    TensorLevel, Value, Var,
};

impl<M: Machine> Printer<'_, M> {
    pub(crate) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            M::stmt(self, stmt);
        }
    }

    /// Prints `head { body }`.
    pub(crate) fn within(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        self.lines.open(head);
        body(self);
        self.lines.close();
    }

    pub(crate) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Range(range) => self.range(range),
            Stmt::Tiles(tiles) => self.tiles(tiles),
            Stmt::Entries(entries) => self.entries(entries),
            Stmt::Merge(merge) if merge.union => self.union(merge),
            Stmt::Merge(merge) => self.intersection(merge),
            Stmt::Parallel(parallel) => {
                self.parallel = Some(self.parallel_mark);
                self.block(&parallel.body);
            }
            Stmt::Parts { tensor, body, .. } => self.parts(*tensor, body),
            Stmt::Let { var, value } => {
                let value = if self.variables.is_natural(*var) {
                    self.clamped(value)
                } else {
                    self.signed(value)
                };
                self.declare(*var, &value);
            }
            Stmt::Bind(bind) => self.bind_element(bind),
            Stmt::Lookup { level, var, at, .. } => {
                let read = self.tensors[level.tensor].indices(level.level, &self.unsigned(at));
                self.declare(*var, &M::read(read));
            }
            Stmt::First {
                level,
                within,
                to,
                body,
            } => {
                let (low, high) = self.segment(*level, within);
                let first = self.var(*to);
                self.within(format!("if ({low} < {high})"), |printer| {
                    // Where the body looks nothing up at the first entry, the segment is only required not to be empty.
                    if body.iter().any(|stmt| stmt.uses(*to)) {
                        printer.lines.line(format!("const size_t {first} = {low};"));
                    }
                    printer.block(body);
                });
            }
            Stmt::Open { finder, level, within } => {
                let name = self.var(*finder);
                self.declare_keys(&name, *level, within);
            }
            Stmt::Between {
                level,
                within,
                lows,
                highs,
                to,
            } => {
                let (to, between, keys) = (
                    self.var(*to),
                    self.of_keys("between", *level),
                    self.keys(*level, within),
                );
                let (low, high) = (self.greatest(lows, "PTRDIFF_MIN"), self.least(highs, "PTRDIFF_MAX"));
                self.lines.line(format!(
                    "const struct unisparse_range {to} = {between}({keys}, {low}, {high});"
                ));
            }
            Stmt::Find(find) => self.within("", |printer| printer.find(find)),
            Stmt::Step {
                from, size, offset, to, ..
            } => {
                let (from, to) = (self.var(*from), self.var(*to));
                let (size, offset) = (self.unsigned(size), self.unsigned(offset));
                let child = format!("unisparse_child({from}, {size}, {offset})");
                self.lines.line(format!("const struct unisparse_range {to} = {child};"));
            }
            Stmt::If { conditions, body } => {
                let conditions: Vec<String> = conditions.iter().map(|condition| self.condition(condition)).collect();
                self.within(format!("if ({})", conditions.join(" && ")), |printer| {
                    printer.block(body);
                });
            }
            Stmt::Accumulate {
                place,
                reduction,
                value,
            } => self.accumulate_value(place, *reduction, value),
            Stmt::Fill { array, at, count } => {
                let first = self.operand_or_number(at);
                let count = self.unsigned(count);
                self.fill(*array, Some(&first), &count);
            }
            Stmt::Sum {
                body,
                reduction,
                into,
                unrolled,
            } => self.within("", |printer| printer.sum(body, *reduction, into, *unrolled)),
            Stmt::Fiber { outer, extents, body } => {
                self.block(body);
                self.drain(outer, extents);
            }
            Stmt::Maybe { number, body } => {
                let (is, value) = (self.fresh("is"), self.fresh("found"));
                self.lines.line(format!("bool {is} = false;"));
                if self.read.contains(number) {
                    let (kind, zero) = (self.element.text, self.element.zero());
                    self.lines.line(format!("{kind} {value} = {zero};"));
                }
                self.maybes.insert(*number, (is, value));
                self.block(body);
            }
            Stmt::Visit { .. } => unreachable!("a kernel hands no elements to a caller"),
            Stmt::Count(_) => unreachable!("{NO_SLICES}"),
        }
    }

    /// Returns a number as the left operand of an addition.
    pub(crate) fn operand_or_number(&self, at: &Expr) -> String {
        if at.is_natural(self.variables) {
            self.operand(at, true)
        } else {
            self.unsigned(at)
        }
    }

    fn bind_element(&mut self, bind: &Bind) {
        let (kind, name, value) = (self.element.text, self.var(bind.var), self.value(&bind.value));
        self.lines.line(format!("const {kind} {name} = {};", value.text));
    }

    pub(crate) fn declare(&mut self, var: Var, value: &str) {
        let (kind, name) = (number(self.variables.is_natural(var)), self.var(var));
        self.lines.line(format!("const {kind} {name} = {value};"));
    }

    // ---- loops ----

    fn range(&mut self, range: &Range) {
        let natural = self.variables.is_natural(range.var);
        let (kind, name) = (number(natural), self.var(range.var));
        let end = self.fresh(&format!("{name}_end"));
        let (mut low, high) = self.bounds(natural, &range.lows, &range.highs);
        let mut step = format!("{name}++");
        if let Some((residue, modulus)) = &range.stride {
            let (residue, modulus) = (self.signed(residue), self.unsigned(modulus));
            low = format!("unisparse_congruent((ptrdiff_t)({low}), {residue}, (ptrdiff_t)({modulus}))");
            step = if natural {
                format!("{name} += {modulus}")
            } else {
                format!("{name} += (ptrdiff_t)({modulus})")
            };
        }
        let is_along = |(width, _): &(Var, Along)| range.highs.contains(&Expr::Var(*width));
        match self.along_tile.filter(is_along) {
            Some((_, Along::Vectors)) => self.lines.line("UNISPARSE_VECTORS"),
            Some((_, Along::Halves)) if range.lows == [Expr::zero()] && range.highs.len() == 1 => {
                for (low, high) in [(0, UNROLLED / 2), (UNROLLED / 2, UNROLLED)] {
                    let head = format!("for ({kind} {name} = {low}; {name} < {high}; {name}++)");
                    self.within(head, |printer| printer.block(&range.body));
                }
                return;
            }
            Some((_, Along::Halves)) | None => {}
        }
        let head = self.loop_head(kind, (&name, &low), (&end, &high), &step);
        self.within(head, |printer| printer.block(&range.body));
    }

    /// Returns `max(lows)` and `min(highs)`.
    pub(crate) fn bounds(&self, natural: bool, lows: &[Expr], highs: &[Expr]) -> (String, String) {
        match (lows, highs) {
            ([low], [high]) if natural && low.is_natural(self.variables) && high.is_natural(self.variables) => {
                (self.unsigned(low), self.unsigned(high))
            }
            (lows, highs) if natural => {
                let lows: Vec<Expr> = lows.iter().filter(|low| **low != Expr::zero()).cloned().collect();
                let low = if lows.is_empty() {
                    "0".to_owned()
                } else {
                    format!("(size_t)unisparse_greater(0, {})", self.greatest(&lows, "0"))
                };
                (
                    low,
                    format!("(size_t)unisparse_greater(0, {})", self.least(highs, "PTRDIFF_MAX")),
                )
            }
            (lows, highs) => (self.greatest(lows, "PTRDIFF_MIN"), self.least(highs, "PTRDIFF_MAX")),
        }
    }

    /// Returns the head of a loop over numbers. For the outermost loop of a parallel statement, it prints the mark
    /// before it.
    pub(super) fn loop_head(
        &mut self,
        kind: &str,
        (name, low): (&str, &str),
        (end, high): (&str, &str),
        step: &str,
    ) -> String {
        let Some(mark) = std::mem::take(&mut self.parallel) else {
            return format!("for ({kind} {name} = {low}, {end} = {high}; {name} < {end}; {step})");
        };
        // A parallel loop declares only its variable.
        self.lines.line(format!("const {kind} {end} = {high};"));
        self.lines.line(mark);
        format!("for ({kind} {name} = {low}; {name} < {end}; {step})")
    }

    /// Returns the first position of a segment, and its end.
    pub(crate) fn segment(&self, level: TensorLevel, segment: &Segment) -> (String, String) {
        let (tensor, level) = (&self.tensors[level.tensor], level.level);
        let pointers = |at: &str| M::read(tensor.pointers(level, at));
        match segment {
            Segment::All => ("0".to_owned(), tensor.length(level)),
            Segment::Of(parent) => {
                let next = parent.clone().add(Expr::Int(1));
                (pointers(&self.unsigned(parent)), pointers(&self.unsigned(&next)))
            }
            Segment::Between(low, high) => (self.unsigned(low), self.unsigned(high)),
            Segment::Run(range) => {
                let range = self.var(*range);
                (format!("{range}.start"), format!("{range}.end"))
            }
            Segment::Below(range) => {
                let range = self.var(*range);
                (pointers(&format!("{range}.start")), pointers(&format!("{range}.end")))
            }
        }
    }

    fn entries(&mut self, entries: &Entries) {
        let (low, high) = self.segment(entries.first(), &entries.within);
        let position = self.var(entries.position);
        let end = self.fresh(&format!("{position}_end"));
        let head = format!("for (size_t {position} = {low}, {end} = {high}; {position} < {end}; {position}++)");
        self.within(head, |printer| {
            printer.prefetch(entries);
            printer.read_entry(entries);
            printer.block(&entries.body);
        });
    }

    /// Binds the coordinates and elements that are read at a position.
    pub(crate) fn read_entry(&mut self, entries: &Entries) {
        let position = self.var(entries.position);
        for &(level, var) in &entries.coordinates {
            let in_load = entries.loads.iter().any(|load| load.value.uses(var));
            if in_load || entries.body.iter().any(|stmt| stmt.uses(var)) {
                let read = self.tensors[entries.tensor].indices(level, &position);
                self.declare(var, &M::read(read));
            }
        }
        entries.loads.iter().for_each(|load| self.bind_element(load));
    }

    /// Returns the coordinates of a segment.
    fn keys(&self, level: TensorLevel, within: &Segment) -> String {
        let (start, end) = self.segment(level, within);
        let tensor = &self.tensors[level.tensor];
        let (first, stride) = (tensor.indices(level.level, "0"), tensor.stride(level.level));
        format!("unisparse_keys(&{first}, {stride}, {start}, {end})")
    }

    /// Prints `struct unisparse_keys name = ..`.
    fn declare_keys(&mut self, name: &str, level: TensorLevel, within: &Segment) {
        let keys = self.keys(level, within);
        self.lines.line(format!("struct unisparse_keys {name} = {keys};"));
    }

    /// Returns the name of a prelude function for the coordinate type of a level.
    fn of_keys(&mut self, function: &str, level: TensorLevel) -> String {
        let index = self.tensors[level.tensor].index(level.level);
        let name = index.name();
        let printed = format!("unisparse_{function}_{name}");
        self.indices.insert(name.to_owned(), index);
        printed
    }

    /// Opens the cursors of a merge, and a loop in which a variable is `function` of their next coordinates.
    fn cursors(&mut self, merge: &Merge, function: &str, body: impl FnOnce(&mut Self, &[String], &str)) {
        self.within("", |printer| {
            let names: Vec<String> = merge.cursors.iter().map(|_| printer.fresh("cursor")).collect();
            let mut next: Option<String> = None;
            for (cursor, name) in merge.cursors.iter().zip(&names) {
                printer.declare_keys(name, cursor.level, &cursor.within);
                let of_cursor = format!("{}(&{name})", printer.of_keys("next", cursor.level));
                next = Some(match next {
                    None => of_cursor,
                    Some(next) => format!("{function}({next}, {of_cursor})"),
                });
            }
            let coordinate = printer.fresh("next");
            printer.within("for (;;)", |printer| {
                let next = next.unwrap_or_else(|| "PTRDIFF_MAX".to_owned());
                printer.lines.line(format!("const ptrdiff_t {coordinate} = {next};"));
                printer.within(format!("if ({coordinate} == PTRDIFF_MAX)"), |printer| {
                    printer.lines.line("break;");
                });
                body(printer, &names, &coordinate);
            });
        });
    }

    fn coordinate(&mut self, merge: &Merge, next: &str) {
        if merge.body.iter().any(|stmt| stmt.uses(merge.coordinate)) {
            self.declare(merge.coordinate, next);
        }
    }

    /// Binds the positions at which the cursor has the coordinate `next`, and moves the cursor past them.
    fn take(&mut self, cursor: &MergeCursor, name: &str, next: &str, body: &[Stmt]) {
        let take = self.of_keys(if cursor.runs { "take_run" } else { "take" }, cursor.level);
        self.bind_used(
            cursor.at,
            "struct unisparse_range",
            &format!("{take}(&{name}, {next})"),
            body,
        );
    }

    /// Prints a constant if the statements use it; else computes its value and discards it.
    fn bind_used(&mut self, var: Var, kind: &str, value: &str, body: &[Stmt]) {
        let name = self.var(var);
        self.lines.line(if body.iter().any(|stmt| stmt.uses(var)) {
            format!("const {kind} {name} = {value};")
        } else {
            format!("{value};")
        });
    }

    fn union(&mut self, merge: &Merge) {
        self.cursors(merge, "unisparse_lesser", |printer, names, next| {
            for (cursor, name) in merge.cursors.iter().zip(names) {
                printer.take(cursor, name, next, &merge.body);
            }
            printer.coordinate(merge, next);
            printer.block(&merge.body);
        });
    }

    fn intersection(&mut self, merge: &Merge) {
        self.cursors(merge, "unisparse_greater", |printer, names, next| {
            let met = merge.cursors.iter().zip(names);
            let met: Vec<String> = met
                .map(|(cursor, name)| format!("{}(&{name}, {next})", printer.of_keys("seek", cursor.level)))
                .collect();
            printer.within(format!("if ({})", met.join(" && ")), |printer| {
                for (cursor, name) in merge.cursors.iter().zip(names) {
                    if cursor.runs {
                        printer.take(cursor, name, next, &merge.body);
                    } else {
                        printer.bind_used(cursor.at, "size_t", &format!("{name}.at++"), &merge.body);
                    }
                }
                printer.coordinate(merge, next);
                printer.block(&merge.body);
            });
        });
    }

    fn parts(&mut self, tensor: usize, body: &[Stmt]) {
        let (part, of) = (self.fresh("part"), &self.tensors[tensor]);
        let Tensor {
            argument, name, kind, ..
        } = of;
        let head = format!("for (size_t {part} = 0; {part} < {argument}_part_count; {part}++)");
        let bind = format!("const struct {kind} *{name} = &{argument}_parts[{part}];");
        self.within(head, |printer| {
            printer.lines.line(bind);
            printer.numbers(tensor, body);
            printer.block(body);
        });
    }

    /// Binds the sizes and given coordinates of a tensor's levels that the statements use.
    pub(crate) fn numbers(&mut self, tensor: usize, block: &[Stmt]) {
        let numbers = self.level_numbers[tensor].clone().into_iter().enumerate();
        for (level, var) in numbers.filter_map(|(level, var)| Some((level, var?))) {
            if block.iter().any(|stmt| stmt.uses(var)) {
                let value = self.tensors[tensor].number(level);
                self.declare(var, &value);
            }
        }
    }

    // ---- searches and conditions ----

    fn find(&mut self, find: &Find) {
        let runs = match find.found {
            Found::Position(_) => false,
            Found::Run(..) => true,
            Found::Any { runs, .. } => runs,
        };
        let function = self.of_keys(if runs { "run" } else { "find" }, find.level);
        let (finder, coordinate) = (self.var(find.finder), self.signed(&find.coordinate));
        let range = match find.found {
            Found::Any { range, .. } => self.var(range),
            _ => self.fresh("range"),
        };
        self.lines.line(format!(
            "const struct unisparse_range {range} = {function}(&{finder}, {coordinate});"
        ));
        let bound: Vec<(Var, &str)> = match find.found {
            Found::Any { .. } => return self.block(&find.body),
            Found::Position(at) => vec![(at, "start")],
            Found::Run(first, end) => vec![(first, "start"), (end, "end")],
        };
        self.within(format!("if ({range}.start < {range}.end)"), |printer| {
            for (var, member) in bound {
                if !find.body.iter().any(|stmt| stmt.uses(var)) {
                    continue;
                }
                printer.declare(var, &format!("{range}.{member}"));
            }
            printer.block(&find.body);
        });
    }

    fn condition(&self, condition: &Condition) -> String {
        let natural = |expr: &Expr| expr.is_natural(self.variables);
        match condition {
            Condition::Nonnegative(Expr::Sub(left, right)) if natural(left) && natural(right) => {
                format!("{} <= {}", self.unsigned(right), self.unsigned(left))
            }
            Condition::Nonnegative(expr) => format!("{} >= 0", self.signed(expr)),
            Condition::Zero(Expr::Sub(left, right)) if natural(left) && natural(right) => {
                format!("{} == {}", self.unsigned(left), self.unsigned(right))
            }
            Condition::Zero(Expr::Sub(left, right)) => format!("{} == {}", self.signed(left), self.signed(right)),
            Condition::Zero(expr) => format!("{} == 0", self.signed(expr)),
            Condition::Nonzero { array, at, negated } => {
                let (read, operator) = (
                    self.read(*array, &self.unsigned(at)),
                    if *negated { "==" } else { "!=" },
                );
                format!("{read} {operator} 0")
            }
            Condition::Missing(number) => format!("!{}", self.maybes[number].0),
            Condition::Divisible(expr, divisor) if natural(expr) => {
                format!("({}) % ({}) == 0", self.unsigned(expr), self.unsigned(divisor))
            }
            Condition::Divisible(expr, divisor) => {
                format!("({}) % ({}) == 0", self.signed(expr), self.signed(divisor))
            }
        }
    }
}

/// Returns the optional values that are read. For the others only their presence matters, so their values become zero.
pub(crate) fn maybes_read(blocks: &mut [Vec<Stmt>]) -> BTreeSet<usize> {
    let mut read = BTreeSet::new();
    for stmt in blocks.iter_mut().flatten() {
        stmt.for_each_value(&mut |value| {
            if let Value::Maybe(number) = value {
                read.insert(*number);
            }
        });
    }
    blocks.iter_mut().for_each(|block| forget(block, &read));
    read
}

fn forget(block: &mut [Stmt], read: &BTreeSet<usize>) {
    for stmt in block {
        match stmt {
            Stmt::Accumulate {
                place: Lvalue::Maybe(number),
                value,
                ..
            } if !read.contains(number) && !value.is_optional() => *value = Value::Literal(Literal::Integer(0)),
            stmt => {
                if let Some(body) = stmt.body_mut() {
                    forget(body, read);
                }
            }
        }
    }
}
