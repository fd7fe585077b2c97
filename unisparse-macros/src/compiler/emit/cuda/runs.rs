//! Prints loops of which each worker takes a run of neighbouring positions.
//!
//! A worker adds to an output element that the worker before it began only where its run starts. What it adds there goes to
//! `carries`, and a second kernel adds the carries to the output, in order: no addition is atomic, and the sums are the same
//! in every run of the program.

use super::super::c::{Machine, Operation, Printer};
use super::device::Device;
use crate::compiler::loops::{Array, Entries, Expr, Ownership, Parallel, Range, Segment, Stmt, TensorLevel, Var};

/// The run of a worker.
struct Run {
    /// The range of positions.
    positions: String,
    /// The first coordinate of the output if another worker began it, else the greatest number.
    begun: String,
    /// The number of output elements of a first coordinate.
    stride: String,
}

/// The names of what finds the workers that start with one coordinate.
struct Neighbours<'a> {
    /// The function that returns the coordinate with which a worker starts.
    started: &'a str,
    /// The first of the workers.
    first: &'a str,
    /// The coordinate.
    key: &'a str,
}

impl Printer<'_, Device> {
    /// Prints a loop over entries whose first coordinates ascend.
    pub(super) fn in_order(&mut self, parallel: &Parallel) {
        let Ownership::Ascending { level, stride, .. } = &parallel.ownership else {
            unreachable!("only loops over ascending coordinates are in order")
        };
        let of_lanes = entries_of_lanes(parallel);
        let entries = entries_of(of_lanes.unwrap_or(parallel));
        let (_, count) = self.segment(entries.first(), &entries.within);
        let (worker, workers) = (self.machine.names.worker.clone(), self.machine.names.workers.clone());
        let positions = format!("unisparse_chunk({count}, {worker}, {workers})");
        let positions = self.bind("struct unisparse_range", "run", &positions);
        let begun = self.continued(*level, &format!("{positions}.start"), &count);
        let run = Run {
            begun: self.bind("size_t", "begun", &begun),
            stride: self.operand(stride, true),
            positions,
        };
        self.machine.in_workers = true;
        if of_lanes.is_some() {
            self.entries_by_lanes(entries, *level, &run);
        } else {
            self.start_carries(&run);
            self.entries_of_worker(entries, *level, &run);
        }
        self.machine.in_workers = false;
    }

    /// Returns the coordinate of an entry if the entry before has the same, else the greatest number.
    fn continued(&mut self, level: TensorLevel, at: &str, count: &str) -> String {
        let entry = self.fresh("at");
        let coordinate = Device::read(self.tensors[level.tensor].indices(level.level, &entry));
        format!("unisparse_continued({at}, {count}, [=](size_t {entry}) {{ return (size_t){coordinate}; }})")
    }

    /// Prints a loop in which each lane takes one entry. The sums of equal coordinates are added across lanes.
    fn entries_by_lanes(&mut self, entries: &Entries, level: TensorLevel, run: &Run) {
        let (kind, lanes, lane) = (
            self.element.text,
            self.machine.names.lanes.clone(),
            self.machine.names.lane.clone(),
        );
        let (reduction, Run { positions, begun, .. }) = (self.machine.reduction, run);
        let (identity, both) = (self.element.identity(reduction), self.both(reduction));
        let [key, sum, put, open, at] = ["key", "part", "put", "open", "first"].map(|name| self.fresh(name));
        self.lines
            .open(format!("const auto {put} = [=](size_t {key}, {kind} {sum})"));
        self.within(format!("if ({key} == {begun})"), |printer| {
            let worker = &printer.machine.names.worker;
            let carry = format!("carries[{worker}] = {sum};");
            printer.lines.line(carry);
            printer.lines.turn("else");
            let place = printer.element(Array::Dense(0), &key);
            printer.reduce(&place, reduction, &Operation::atom(&sum));
        });
        self.lines.close_with("};");
        self.lines.line(format!(
            "struct unisparse_open<{kind}> {open} = {{SIZE_MAX, {identity}}};"
        ));
        let position = self.var(entries.position);
        let head = format!("for (size_t {at} = {positions}.start; {at} < {positions}.end; {at} += {lanes})");
        self.within(head, |printer| {
            printer.lines.line(format!("const size_t {position} = {at} + {lane};"));
            printer.lines.line(format!("size_t {key} = SIZE_MAX;"));
            printer.lines.line(format!("{kind} term = {identity};"));
            printer.within(format!("if ({position} < {positions}.end)"), |printer| {
                printer.read_entry(entries);
                let of_level = entries.coordinates.iter().find(|(of, _)| *of == level.level);
                let coordinate = of_level.map(|&(_, var)| printer.var(var)).unwrap_or_default();
                printer.lines.line(format!("{key} = {coordinate};"));
                printer.machine.has_term = true;
                let uniform = std::mem::replace(&mut printer.machine.is_uniform, false);
                printer.block(&entries.body);
                printer.machine.is_uniform = uniform;
                printer.machine.has_term = false;
            });
            printer.lines.line(format!(
                "unisparse_segments<{lanes}>({key}, term, {open}, {both}, {put});"
            ));
        });
        self.within(format!("if ({lane} == 0 && {open}.key != SIZE_MAX)"), |printer| {
            printer.lines.line(format!("{put}({open}.key, {open}.sum);"));
        });
    }

    /// Prints a loop in which all lanes of the worker take one entry after another.
    fn entries_of_worker(&mut self, entries: &Entries, level: TensorLevel, run: &Run) {
        let (position, positions) = (self.var(entries.position), &run.positions);
        let head = format!("for (size_t {position} = {positions}.start; {position} < {positions}.end; {position}++)");
        self.within(head, |printer| {
            printer.read_entry(entries);
            let of_level = entries.coordinates.iter().find(|(of, _)| *of == level.level);
            let coordinate = of_level.map(|&(_, var)| printer.var(var)).unwrap_or_default();
            printer.redirected(&coordinate, run, |printer| printer.block(&entries.body));
        });
    }

    /// Prints statements in which the output of one first coordinate is in `carries` if another worker began it.
    fn redirected(&mut self, coordinate: &str, run: &Run, body: impl FnOnce(&mut Self)) {
        let Run { begun, stride, .. } = run;
        let (kind, worker, output) = (
            self.element.text,
            self.machine.names.worker.clone(),
            self.operands[0].clone(),
        );
        let into = self.fresh("into");
        let moved = format!("((ptrdiff_t){worker} - (ptrdiff_t){coordinate}) * (ptrdiff_t){stride}");
        self.lines.line(format!(
            "{kind} *const {into} = {coordinate} == {begun} ? carries + {moved} : {output};"
        ));
        self.operands[0] = into;
        body(self);
        self.operands[0] = output;
    }

    /// Prints the start values of a worker's carries.
    fn start_carries(&mut self, run: &Run) {
        let (worker, lane, lanes) = (
            self.machine.names.worker.clone(),
            self.machine.names.lane.clone(),
            self.machine.names.lanes.clone(),
        );
        let (at, identity) = (self.fresh("at"), self.element.identity(self.machine.reduction));
        let Run { begun, stride, .. } = run;
        self.within(format!("if ({begun} != SIZE_MAX)"), |printer| {
            let head = format!("for (size_t {at} = {lane}; {at} < {stride}; {at} += {lanes})");
            printer.within(head, |printer| {
                printer
                    .lines
                    .line(format!("carries[{worker} * {stride} + {at}] = {identity};"));
            });
            printer.wait();
        });
    }

    /// Prints a loop over rows in which each worker takes an equal share of rows and entries, so that long rows are divided.
    pub(super) fn split(&mut self, rows: &RowLoop<'_>) {
        let (count, first_pointer) = (self.unsigned(rows.count), self.first_pointer(rows.level));
        let (worker, workers) = (self.machine.names.worker.clone(), self.machine.names.workers.clone());
        let (at_row, next) = (self.pointer(rows.level, rows.range.var), self.pointer_after(rows));
        let lanes = &self.machine.names.lanes;
        let path = format!("unisparse_path<{lanes}>({first_pointer}, {count}, {worker}, {workers})");
        let path = self.bind("struct unisparse_path", "path", &path);
        let run = Run {
            begun: self.bind("size_t", "begun", &format!("{path}.begun")),
            stride: self.operand(rows.stride, true),
            positions: path.clone(),
        };
        self.machine.in_workers = true;
        self.start_carries(&run);
        let row = self.var(rows.range.var);
        let (low, high) = (self.variables.fresh("low", true), self.variables.fresh("high", true));
        let head =
            format!("for (size_t {row} = {path}.row; {row} < {count} && {at_row} + {row} < {path}.end; {row}++)");
        self.within(head, |printer| {
            printer.declare(low, &format!("unisparse_max({at_row}, {path}.entry)"));
            printer.declare(high, &format!("unisparse_min({next}, {path}.end - {row})"));
            let mut body = rows.range.body.clone();
            let clipped = Segment::Between(Expr::Var(low), Expr::Var(high));
            body.iter_mut().for_each(|stmt| clip(stmt, rows.level, &clipped));
            printer.redirected(&row, &run, |printer| printer.block(&body));
        });
        self.machine.in_workers = false;
    }

    /// Prints the additions of carries to the output. `begun` returns the first coordinate of a worker if another one began it, `end`
    /// the worker after the last one that starts as the worker `first` does, with the coordinate `key`.
    fn add_carries(
        &mut self,
        stride: &Expr,
        begun: impl FnOnce(&mut Self, &str) -> String,
        end: impl FnOnce(&Neighbours<'_>) -> String,
    ) {
        let (worker, workers, both) = (
            self.machine.names.worker.clone(),
            self.machine.names.workers.clone(),
            self.both(self.machine.reduction),
        );
        let (output, stride) = (self.operands[0].clone(), self.unsigned(stride));
        let [started, ended, of_worker, first, key] =
            ["started", "ended", "of_worker", "first", "key"].map(|name| self.fresh(name));
        let begun = begun(self, &of_worker);
        let end = end(&Neighbours {
            started: &started,
            first: &first,
            key: &key,
        });
        self.lines.line(format!(
            "const auto {started} = [=](size_t {of_worker}) {{ return {begun}; }};"
        ));
        self.lines.line(format!(
            "const auto {ended} = [=](size_t {first}, size_t {key}) {{ return {end}; }};"
        ));
        self.lines.line(format!(
            "unisparse_add_carries({output}, carries, worker_count, {stride}, {worker}, {workers}, {both}, {started}, {ended});"
        ));
    }

    /// Prints the additions of the carries of a loop that was printed by [`in_order`](Self::in_order).
    pub(super) fn carries_in_order(&mut self, parallel: &Parallel) {
        let Ownership::Ascending { level, stride, .. } = &parallel.ownership else {
            unreachable!("only loops over ascending coordinates are in order")
        };
        let (_, count) = self.segment(*level, &Segment::All);
        let begun = |printer: &mut Self, worker: &str| {
            let start = format!("unisparse_chunk({count}, {worker}, worker_count).start");
            printer.continued(*level, &start, &count)
        };
        let end = |Neighbours { started, first, .. }: &Neighbours<'_>| {
            format!("unisparse_continued_end({first}, worker_count, {started})")
        };
        self.add_carries(stride, begun, end);
    }

    /// Prints the additions of the carries of a loop that was printed by [`split`](Self::split).
    pub(super) fn carries_of_split(&mut self, rows: &RowLoop<'_>) {
        let (count, pointers) = (self.unsigned(rows.count), self.first_pointer(rows.level));
        let begun = |_: &mut Self, worker: &str| {
            format!("unisparse_path<1>({pointers}, {count}, {worker}, worker_count).begun")
        };
        let end = |Neighbours { key, .. }: &Neighbours<'_>| {
            format!("unisparse_path_end({pointers}, {count}, {key}, worker_count)")
        };
        self.add_carries(rows.stride, begun, end);
    }

    fn first_pointer(&self, level: TensorLevel) -> String {
        format!("&{}", self.tensors[level.tensor].pointers(level.level, "0"))
    }

    fn pointer(&self, level: TensorLevel, row: Var) -> String {
        self.segment(level, &Segment::Of(Expr::Var(row))).0
    }

    fn pointer_after(&self, rows: &RowLoop<'_>) -> String {
        self.segment(rows.level, &Segment::Of(Expr::Var(rows.range.var))).1
    }
}

/// A loop over rows whose entries can be divided among workers.
pub(super) struct RowLoop<'p> {
    range: &'p Range,
    count: &'p Expr,
    /// The level of the entries.
    pub(super) level: TensorLevel,
    stride: &'p Expr,
}

/// Returns the loop of a nest whose rows can be divided among workers, if its entries are all that adds to a row.
pub(super) fn rows_of(nest: &[Stmt]) -> Option<RowLoop<'_>> {
    let Some(Stmt::Parallel(parallel)) = nest.last() else {
        return None;
    };
    let (Ownership::Owned(stride), [Stmt::Range(range)]) = (&parallel.ownership, parallel.body.as_slice()) else {
        return None;
    };
    let is_whole = range.lows == [Expr::zero()] && range.stride.is_none() && range.nonempty.is_none();
    match (parallel.split, range.highs.as_slice()) {
        (Some(level), [count]) if is_whole => Some(RowLoop {
            range,
            count,
            level,
            stride,
        }),
        _ => None,
    }
}

/// Returns the loop of a nest whose first coordinates ascend.
pub(super) fn in_order_of(nest: &[Stmt]) -> Option<&Parallel> {
    match nest.last() {
        Some(Stmt::Parallel(parallel)) if matches!(parallel.ownership, Ownership::Ascending { .. }) => Some(parallel),
        _ => None,
    }
}

/// Returns the loop of the lanes, if they divide the entries of a worker themselves, and no loop inside.
pub(super) fn entries_of_lanes(parallel: &Parallel) -> Option<&Parallel> {
    match parallel.body.as_slice() {
        [Stmt::Parallel(lanes)] => Some(lanes),
        _ => None,
    }
}

fn entries_of(parallel: &Parallel) -> &Entries {
    match parallel.body.as_slice() {
        [Stmt::Entries(entries)] => entries,
        _ => unreachable!("coordinates ascend in a loop over entries"),
    }
}

/// Restricts the loops over the entries of a level.
fn clip(stmt: &mut Stmt, level: TensorLevel, clipped: &Segment) {
    match stmt {
        Stmt::Entries(entries) if entries.first() == level => entries.within = clipped.clone(),
        _ => {}
    }
    stmt.body_mut()
        .into_iter()
        .flatten()
        .for_each(|inner| clip(inner, level, clipped));
}
