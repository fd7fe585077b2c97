//! Prints loops and reductions that are distributed over workers and lanes.

use super::super::c::{Machine, Operation, Printer, number};
use super::device::{Device, Division, Phase, Sharing};
use crate::compiler::loops::{Array, Destination, Entries, Expr, Lvalue, Ownership, Parallel, Range, Reduction, Stmt};

impl Printer<'_, Device> {
    /// Prints a parallel loop: the outermost one is divided among workers, those inside it among the lanes of a worker.
    pub(super) fn divided(&mut self, parallel: &Parallel) {
        let sharing = match parallel.ownership {
            Ownership::Shared { .. } => Sharing::Others,
            // An atomic operation on a part of a word changes the elements beside it, too.
            Ownership::Windows(_) if !self.element.is_word() => Sharing::Others,
            Ownership::Windows(_) => Sharing::Holes,
            Ownership::Ascending { .. } => return self.in_order(parallel),
            Ownership::Owned(_) | Ownership::Each => Sharing::Nobody,
        };
        let (outside, outermost) = (self.machine.sharing, !self.machine.in_workers);
        if !outermost && self.machine.phase == Some(Phase::Rooms) {
            // Every lane counts all additions.
            return self.block(&parallel.body);
        }
        self.machine.next = Some(if outermost { Division::Workers } else { Division::Lanes });
        self.machine.in_workers = true;
        self.machine.sharing = outside.max(sharing);
        if !outermost && self.machine.adds_alone {
            self.wait();
        }
        self.block(&parallel.body);
        self.machine.sharing = outside;
        if outermost {
            self.machine.in_workers = false;
        } else if parallel.body.iter().any(writes) {
            self.wait();
        }
    }

    /// Prints a statement after which the lanes of a group see what the others wrote.
    pub(super) fn wait(&mut self) {
        if self.machine.has_lanes && self.machine.is_uniform {
            let lanes = &self.machine.names.lanes;
            self.lines.line(format!("unisparse_wait<{lanes}>();"));
        }
    }

    /// Returns the number of the thread or group that executes the next iteration of a loop, and the number of all.
    fn threads(&self, division: Division) -> (String, String) {
        let names = &self.machine.names;
        match division {
            Division::Workers => (names.worker.clone(), names.workers.clone()),
            Division::Lanes => (names.lane.clone(), names.lanes.clone()),
        }
    }

    /// Prints a loop body, which the lanes no longer execute in common if the loop is divided among them.
    fn iteration(&mut self, division: Division, head: &str, body: impl FnOnce(&mut Self)) {
        let uniform = self.machine.is_uniform;
        self.machine.is_uniform &= division == Division::Workers;
        self.within(head, body);
        self.machine.is_uniform = uniform;
    }

    pub(super) fn range_of_threads(&mut self, range: &Range) {
        if self.is_along_tile(range) {
            return self.along_tile(range);
        }
        let Some(division) = self.machine.next.take() else {
            return self.stmt(&Stmt::Range(range.clone()));
        };
        let natural = self.variables.is_natural(range.var);
        let (kind, name) = (number(natural), self.var(range.var));
        let end = self.fresh(&format!("{name}_end"));
        let (low, high) = self.bounds(natural, &range.lows, &range.highs);
        let (first, all) = self.threads(division);
        if let Some((residue, modulus)) = &range.stride {
            // The iterations are numbered, because a multiple of the number of threads may not fit.
            let (residue, modulus) = (self.signed(residue), self.unsigned(modulus));
            let [start, count, at] = ["start", "count", "at"].map(|suffix| self.fresh(&format!("{name}_{suffix}")));
            let congruent = format!("unisparse_congruent((ptrdiff_t)({low}), {residue}, (ptrdiff_t)({modulus}))");
            self.lines.line(format!(
                "const ptrdiff_t {start} = {congruent}, {end} = (ptrdiff_t)({high});"
            ));
            let ceil = format!("unisparse_ceil((size_t)({end} - {start}), {modulus})");
            self.lines
                .line(format!("const size_t {count} = {start} < {end} ? {ceil} : 0;"));
            let head = if self.takes_chunks(division) {
                let (start, stop) = self.chunk("size_t", "0", &count);
                format!("for (size_t {at} = {start}; {at} < {stop}; {at}++)")
            } else {
                format!("for (size_t {at} = {first}; {at} < {count}; {at} += {all})")
            };
            return self.iteration(division, &head, |printer| {
                let value = format!("({kind})({start} + (ptrdiff_t)({at} * ({modulus})))");
                printer.lines.line(format!("const {kind} {name} = {value};"));
                printer.block(&range.body);
            });
        }
        if self.takes_chunks(division) {
            let (start, stop) = self.chunk(kind, &low, &high);
            let head = format!("for ({kind} {name} = {start}, {end} = {stop}; {name} < {end}; {name}++)");
            return self.iteration(division, &head, |printer| printer.block(&range.body));
        }
        let (low, step) = match natural {
            true => (after(&low, &first), all),
            false => (format!("{low} + ({kind}){first}"), format!("({kind}){all}")),
        };
        let head = format!("for ({kind} {name} = {low}, {end} = {high}; {name} < {end}; {name} += {step})");
        self.iteration(division, &head, |printer| printer.block(&range.body));
    }

    /// Whether each thread takes neighbouring iterations: so workers append to a sparse output in its order.
    fn takes_chunks(&self, division: Division) -> bool {
        division == Division::Workers && self.machine.phase.is_some()
    }

    /// Binds the bounds of the iterations of a worker.
    fn chunk(&mut self, kind: &str, low: &str, high: &str) -> (String, String) {
        let (low, high) = (self.bind(kind, "low", low), self.bind(kind, "high", high));
        let names = &self.machine.names;
        let own = format!(
            "unisparse_chunk({low} < {high} ? (size_t)({high} - {low}) : 0, {}, {})",
            names.worker, names.workers
        );
        let own = self.bind("struct unisparse_range", "own", &own);
        let bound = |of: &str| format!("{low} + ({kind}){own}.{of}");
        (bound("start"), bound("end"))
    }

    pub(super) fn entries_of_threads(&mut self, entries: &Entries) {
        let Some(division) = self.machine.next.take() else {
            return self.stmt(&Stmt::Entries(entries.clone()));
        };
        let (low, high) = self.segment(entries.first(), &entries.within);
        let position = self.var(entries.position);
        let end = self.fresh(&format!("{position}_end"));
        let head = if self.takes_chunks(division) {
            let (start, stop) = self.chunk("size_t", &low, &high);
            format!("for (size_t {position} = {start}, {end} = {stop}; {position} < {end}; {position}++)")
        } else {
            let (first, all) = self.threads(division);
            let low = after(&low, &first);
            format!("for (size_t {position} = {low}, {end} = {high}; {position} < {end}; {position} += {all})")
        };
        self.iteration(division, &head, |printer| {
            printer.read_entry(entries);
            printer.block(&entries.body);
        });
    }

    /// Sets `count` elements of an array to zero.
    pub(super) fn fill_by_threads(&mut self, array: Array, at: &Expr, count: &Expr) {
        let (first, count) = (self.operand_or_number(at), self.unsigned(count));
        let (number, zero) = (self.fresh("at"), self.element.zero());
        let place = self.element(array, &format!("{first} + {number}"));
        let is_divided = self.machine.has_lanes && self.machine.is_uniform;
        let (low, step) = if is_divided {
            let (lane, lanes) = self.threads(Division::Lanes);
            (lane, format!("{number} += {lanes}"))
        } else {
            ("0".to_owned(), format!("{number}++"))
        };
        let head = format!("for (size_t {number} = {low}; {number} < {count}; {step})");
        self.within(head, |printer| printer.lines.line(format!("{place} = {zero};")));
        self.wait();
    }

    /// Prints a sum, of which every lane has a part if the lanes divide a loop in it, and always if it is the scalar
    /// output's.
    pub(super) fn sum_of_threads(&mut self, body: &[Stmt], reduction: Reduction, into: &Destination) {
        if let (Destination::Output { coordinate, sure: true }, Some(Phase::Count)) = (into, self.machine.phase) {
            return self.append_element(coordinate, true, "sum");
        }
        let (kind, start) = (self.element.text, self.element.identity(reduction));
        self.lines.line(format!("{kind} sum = {start};"));
        let notes_any = matches!(into, Destination::Output { sure: false, .. });
        if notes_any {
            self.lines.line("bool any = false;");
        }
        let noted = std::mem::replace(&mut self.machine.notes_any, notes_any);
        let is_total = *into == Destination::Total;
        let divides = self.machine.has_lanes && self.machine.is_uniform && (is_total || body.iter().any(has_parallel));
        let outside = std::mem::replace(&mut self.machine.divides_sum, divides);
        self.block(body);
        self.machine.divides_sum = outside;
        self.machine.notes_any = noted;
        if divides && notes_any {
            let lanes = &self.machine.names.lanes;
            self.lines.line(format!(
                "any = unisparse_reduced<{lanes}>(any, [](bool left, bool right) {{ return left || right; }});"
            ));
        }
        if divides && !is_total {
            let (lanes, both) = (self.machine.names.lanes.clone(), self.both(reduction));
            self.lines
                .line(format!("sum = unisparse_reduced<{lanes}>(sum, {both});"));
        }
        let sum = Operation::atom("sum");
        match into {
            Destination::Element { array, at, store: true } => {
                let place = self.element(*array, &self.unsigned(at));
                self.by_one(true, |printer| printer.lines.line(format!("{place} = sum;")));
            }
            Destination::Element { array, at, .. } => {
                Device::add(self, &Lvalue::Element(*array, at.clone()), reduction, &sum);
            }
            Destination::Total => self.reduce("total", reduction, &sum),
            Destination::Item { .. } => unreachable!("loops index arrays: the target has no slices"),
            Destination::Output { coordinate, sure: true } => self.append_element(coordinate, true, "sum"),
            Destination::Output { coordinate, .. } => {
                self.within("if (any)", |printer| printer.append_element(coordinate, true, "sum"));
            }
        }
    }
}

/// Returns the sum of the start of a loop and the number of a thread.
pub(super) fn after(low: &str, first: &str) -> String {
    match low {
        "0" => first.to_owned(),
        low => format!("{low} + {first}"),
    }
}

/// Whether workers or lanes divide a loop here or inside.
pub(super) fn has_parallel(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Parallel(_)) || stmt.body().iter().any(has_parallel)
}

/// Whether a statement adds to a fiber where lanes divide no loop, so that one of them does.
pub(super) fn adds_alone(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Parallel(_) => false,
        Stmt::Accumulate { place, .. } => matches!(place, Lvalue::Fiber(_)),
        stmt => stmt.body().iter().any(adds_alone),
    }
}

/// Whether a statement adds to the output.
fn writes(stmt: &Stmt) -> bool {
    let mut places = Vec::new();
    stmt.outputs(&mut places);
    !places.is_empty()
}
