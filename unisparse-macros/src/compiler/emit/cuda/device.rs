//! Prints statements by the threads that execute them.

use super::super::c::{Machine, Operation, Printer};
use crate::compiler::loops::{Array, Expr, Lvalue, Reduction, Stmt, Var};

/// The state of the printer of a kernel.
pub(super) struct Device {
    pub(super) names: Names,
    /// The reduction of the kernel.
    pub(super) reduction: Reduction,
    /// Whether the groups of the kernel can have several lanes.
    pub(super) has_lanes: bool,
    /// Whether all lanes of a group execute the current statements.
    pub(super) is_uniform: bool,
    /// Whether the current statements are inside the loop that is divided among workers.
    pub(super) in_workers: bool,
    /// The division of the next loop.
    pub(super) next: Option<Division>,
    pub(super) sharing: Sharing,
    /// The variables of coordinates that are looked up.
    pub(super) lookups: Vec<Var>,
    /// Whether additions to the output go to the `term` of each lane.
    pub(super) has_term: bool,
    /// Whether each lane has a part of the current sum.
    pub(super) divides_sum: bool,
    pub(super) tile: Option<Tile>,
    /// What the kernel does for a sparse output.
    pub(super) phase: Option<Phase>,
    /// The names of the arrays of a sparse output's coordinates.
    pub(super) arrays: Vec<String>,
    /// Whether one lane alone adds to some elements of the current fiber.
    pub(super) adds_alone: bool,
    /// Whether additions to the current sum must be recorded.
    pub(super) notes_any: bool,
}

/// What a kernel does for a sparse output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Finds the greatest number of additions to a fiber.
    Rooms,
    Count,
    Fill,
}

/// The names of constants of a kernel.
#[derive(Clone)]
pub(super) struct Names {
    pub(super) lanes: String,
    pub(super) lane: String,
    pub(super) worker: String,
    pub(super) workers: String,
}

/// Which other threads may add to the output elements of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sharing {
    Nobody,
    /// The threads that look up the places of holes, which are at coordinate zero.
    Holes,
    Others,
}

/// The threads among which a loop is divided.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    Workers,
    Lanes,
}

/// The tile whose sums the lanes of a group hold.
pub(super) struct Tile {
    pub(super) width: Var,
    /// The number of rows in the tile, if there are several.
    pub(super) rows: Option<Var>,
    /// The number of sums per row in each lane.
    pub(super) each: usize,
    /// Whether all lanes have all of their sums.
    pub(super) is_full: bool,
    /// The variables of loops along the tile, with the number of the sum in the lane.
    pub(super) steps: Vec<(Var, String)>,
}

/// Names of helpers and of the language.
pub(super) const RESERVED: [&str; 25] = [
    "left",
    "right",
    "term",
    "totals",
    "partials",
    "carries",
    "started",
    "of_worker",
    "starts",
    "tables",
    "table_keys",
    "table_sums",
    "worker_count",
    "filled",
    "terms",
    "inserted",
    "own_keys",
    "own_sums",
    "table_mask",
    "left_part",
    "right_part",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
];

impl Machine for Device {
    fn stmt(printer: &mut Printer<'_, Self>, stmt: &Stmt) {
        match stmt {
            Stmt::Parallel(parallel) => printer.divided(parallel),
            Stmt::Range(range) => printer.range_of_threads(range),
            Stmt::Entries(entries) => printer.entries_of_threads(entries),
            Stmt::Tiles(tiles) => printer.tiles_of_threads(tiles),
            Stmt::Sum {
                body, reduction, into, ..
            } => printer.within("", |printer| printer.sum_of_threads(body, *reduction, into)),
            Stmt::Fill { array, at, count } => printer.fill_by_threads(*array, at, count),
            Stmt::Lookup { var, .. } => {
                printer.machine.lookups.push(*var);
                printer.stmt(stmt);
            }
            // Every thread executes these for itself.
            Stmt::Merge(_)
            | Stmt::Parts { .. }
            | Stmt::Let { .. }
            | Stmt::Bind(_)
            | Stmt::First { .. }
            | Stmt::Open { .. }
            | Stmt::Between { .. }
            | Stmt::Find(_)
            | Stmt::Step { .. }
            | Stmt::If { .. }
            | Stmt::Maybe { .. }
            | Stmt::Accumulate { .. } => printer.stmt(stmt),
            Stmt::Fiber { outer, extents, body } => printer.fiber(outer, extents, body),
            Stmt::Visit { .. } => unreachable!("a kernel hands no elements to a caller"),
            Stmt::Count(_) => unreachable!("loops index arrays: the target has no slices"),
        }
    }

    fn add(printer: &mut Printer<'_, Self>, place: &Lvalue, reduction: Reduction, value: &Operation) {
        match place {
            Lvalue::Sum => {
                let once = printer.machine.divides_sum;
                printer.by_one(once, |printer| {
                    printer.reduce("sum", reduction, value);
                    if printer.machine.notes_any {
                        printer.lines.line("any = true;");
                    }
                });
            }
            Lvalue::Element(Array::Sums, at) => {
                let sum = printer.sum_of_tile(at);
                printer.reduce(&sum, reduction, value);
            }
            Lvalue::Element(..) if printer.machine.has_term => printer.reduce("term", reduction, value),
            Lvalue::Element(array, at) => {
                let place = printer.element(*array, &printer.unsigned(at));
                let found = printer.looked_up(at);
                printer.add_to_output(&place, &found, reduction, value);
            }
            Lvalue::Maybe(_) => printer.accumulate(place, reduction, value),
            Lvalue::Item => unreachable!("loops index arrays: the target has no slices"),
            Lvalue::Output(coordinate) => printer.append_element(coordinate, true, &value.text),
            Lvalue::Scattered(coordinate) => printer.append_element(coordinate, false, &value.text),
            Lvalue::Fiber(at) => printer.add_to_fiber(at, reduction, value),
        }
    }

    fn read(element: String) -> String {
        format!("unisparse_read(&{element})")
    }
}

impl Printer<'_, Device> {
    /// Prints statements that one lane of a group executes, if all lanes get there and `once` is set.
    pub(super) fn by_one(&mut self, once: bool, body: impl FnOnce(&mut Self)) {
        if once && self.machine.has_lanes && self.machine.is_uniform {
            let head = format!("if ({} == 0)", self.machine.names.lane);
            self.within(head, body);
        } else {
            body(self);
        }
    }

    /// Returns the coordinates of a place that are looked up.
    pub(super) fn looked_up(&self, at: &Expr) -> Vec<String> {
        let lookups = self.machine.lookups.iter().filter(|&&var| at.uses(var));
        lookups.map(|&var| self.var(var)).collect()
    }

    /// Prints `place = place + value;`, which is one step if other threads add to the place, too. `found` are the
    /// coordinates of the place that were looked up.
    pub(super) fn add_to_output(&mut self, place: &str, found: &[String], reduction: Reduction, value: &Operation) {
        // An atomic operation on a part of a word changes the elements beside it, too.
        let in_word = self
            .element
            .is_any()
            .then(|| format!("sizeof({}) < 4", self.element.text));
        let are_zero = found.iter().map(|found| format!("{found} == 0"));
        let conditions: Vec<String> = in_word.into_iter().chain(are_zero).collect();
        self.by_one(true, |printer| match printer.machine.sharing {
            Sharing::Others => printer.add_atomically(place, reduction, value),
            Sharing::Holes if !conditions.is_empty() => {
                printer.within(format!("if ({})", conditions.join(" || ")), |printer| {
                    printer.add_atomically(place, reduction, value);
                    printer.lines.turn("else");
                    printer.reduce(place, reduction, value);
                });
            }
            Sharing::Nobody | Sharing::Holes => printer.reduce(place, reduction, value),
        });
    }

    fn add_atomically(&mut self, place: &str, reduction: Reduction, value: &Operation) {
        let (element, value) = (self.element, &value.text);
        self.lines.line(if reduction == Reduction::Plus && element.is_word() {
            format!("unisparse_atomic_plus(&{place}, {value});")
        } else {
            let both = self.both(reduction);
            format!("unisparse_atomic(&{place}, ({})({value}), {both});", element.text)
        });
    }

    /// Returns a function that reduces two elements.
    pub(super) fn both(&self, reduction: Reduction) -> String {
        let kind = self.element.text;
        let [left, right] = ["left", "right"].map(Operation::atom);
        let reduced = self.element.reduced(reduction, &left, &right).text;
        format!("[]({kind} left, {kind} right) {{ return ({kind})({reduced}); }}")
    }

    /// Returns the sum of a tile at this place, which is in a register.
    pub(super) fn sum_of_tile(&self, at: &Expr) -> String {
        let tile = self.machine.tile.as_ref().expect("sums are inside a tile");
        let (row, step) = at.split(tile.width).expect("sums are numbered by rows");
        let is_step = |(var, _): &&(Var, String)| step == Expr::Var(*var);
        let number = tile.steps.iter().find(is_step).map(|(_, number)| number);
        let number = number.expect("sums are inside a loop along the tile");
        match row {
            Expr::Int(0) => format!("sums[{number}]"),
            row => format!("sums[{} * {} + {number}]", self.unsigned(&row), tile.each),
        }
    }
}
