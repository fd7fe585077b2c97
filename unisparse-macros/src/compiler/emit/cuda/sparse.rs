//! Prints kernels with a sparse output, in phases: the first counts the elements of each worker, the last writes them from
//! where the elements of the workers before it end.
//!
//! The elements of a fiber that come in any order are summed in a hash table of the worker, which a phase before these two
//! finds room for. The last phase sorts the table.

use super::super::c::{Operation, Printer};
use super::counts::Terms;
use super::device::{Device, Phase};
use super::divided::{adds_alone, has_parallel};
use super::launch::{Allocation, Work, has_lanes};
use super::launches::{self, ONCE, UNKNOWN};
use super::parts::has_tables;
use crate::compiler::loops::{Expr, Reduction, Stmt};

impl launches::Printer<'_, '_> {
    /// Prints all kernels of a sparse output.
    pub(super) fn phases(&mut self, nests: &[Vec<Stmt>]) {
        let elements = if has_tables(self.source) {
            self.phase("_rooms", nests, Phase::Rooms, None);
            self.scan("_tables", "tables");
            Some(Allocation::Tables)
        } else {
            None
        };
        self.phase("_count", nests, Phase::Count, elements);
        self.scan("_starts", "starts");
        self.phase("_fill", nests, Phase::Fill, Some(Allocation::Elements));
    }

    /// Prints a kernel in which each worker executes its part of all nests.
    fn phase(&mut self, suffix: &str, nests: &[Vec<Stmt>], phase: Phase, allocates: Option<Allocation>) {
        let lanes = nests.iter().flatten().any(has_lanes);
        let is_divided = nests.iter().flatten().any(has_parallel);
        let work = if is_divided { Work::Divided } else { Work::Whole };
        // All phases of a nest have the same positions, so their launches have equal numbers of workers.
        let counts = match nests {
            [nest] => {
                let (positions, _) = self.counts().of_nest(nest);
                (positions, Terms::Unknown)
            }
            _ => UNKNOWN,
        };
        self.kernel(suffix, (work, lanes), counts, |printer| {
            printer.machine.phase = Some(phase);
            let worker = printer.machine.names.worker.clone();
            printer.lines.line(match phase {
                Phase::Rooms | Phase::Count => "uint64_t filled = 0;".to_owned(),
                Phase::Fill => format!("uint64_t filled = starts[{worker}];"),
            });
            for nest in nests {
                let whole = (!nest.iter().any(has_parallel)).then(|| format!("if ({worker} == 0)"));
                printer.within(whole.unwrap_or_default(), |printer| {
                    printer.all_numbers(nest);
                    printer.block(nest);
                });
            }
            let counts = match phase {
                Phase::Rooms => "tables",
                Phase::Count => "starts",
                Phase::Fill => return,
            };
            printer.by_one(true, |printer| {
                printer.lines.line(format!("{counts}[{worker}] = filled;"));
            });
        });
        self.launches.last_mut().expect("a kernel").allocates = allocates;
    }

    /// Prints a kernel that replaces counts by their prefix sums.
    fn scan(&mut self, suffix: &str, counts: &str) {
        self.kernel(suffix, (Work::Block, false), ONCE, |printer| {
            printer.lines.line("__shared__ uint64_t totals[UNISPARSE_THREADS];");
            printer
                .lines
                .line(format!("unisparse_scan({counts}, worker_count, totals);"));
        });
    }
}

impl Printer<'_, Device> {
    /// Appends an element, by its coordinates in the order of the loops, or of the dims.
    pub(super) fn append_element(&mut self, coordinate: &[Expr], in_order: bool, value: &str) {
        if self.machine.phase == Some(Phase::Fill) {
            let coordinate: Vec<String> = coordinate.iter().map(|at| self.unsigned(at)).collect();
            let coordinate = if in_order { self.by_dim(&coordinate) } else { coordinate };
            self.by_one(true, |printer| printer.write("filled", &coordinate, value));
        }
        self.lines.line("filled++;");
    }

    /// Prints the assignments to one element of the output.
    fn write(&mut self, at: &str, coordinate: &[String], value: &str) {
        let output = self.operands[0].clone();
        for (array, coordinate) in self.machine.arrays.clone().iter().zip(coordinate) {
            self.lines.line(format!("{output}.{array}[{at}] = {coordinate};"));
        }
        self.lines.line(format!("{output}.values[{at}] = {value};"));
    }

    /// Prints an addition to an element of the current fiber.
    pub(super) fn add_to_fiber(&mut self, at: &Expr, reduction: Reduction, value: &Operation) {
        let (key, kind, value) = (self.unsigned(at), self.element.text, &value.text);
        let line = match self.machine.phase {
            Some(Phase::Fill) => {
                let both = self.both(reduction);
                format!(
                    "inserted += unisparse_insert(own_keys, own_sums, table_mask, {key}, ({kind})({value}), {both});"
                )
            }
            Some(Phase::Count) => format!("inserted += unisparse_insert_key(own_keys, table_mask, {key}).is_new;"),
            Some(Phase::Rooms) => return self.lines.line("terms++;"),
            None => unreachable!("only a sparse output has fibers"),
        };
        self.by_one(true, |printer| printer.lines.line(line));
    }

    /// Prints the sums of a fiber.
    pub(super) fn fiber(&mut self, outer: &[Expr], extents: &[Expr], body: &[Stmt]) {
        let phase = self.machine.phase;
        self.machine.adds_alone = body.iter().any(adds_alone);
        self.within("", |printer| {
            printer.lines.line("uint64_t terms = 0;");
            printer.machine.phase = Some(Phase::Rooms);
            printer.within("", |printer| printer.block(body));
            printer.machine.phase = phase;
            printer.limit_terms(extents);
            if phase == Some(Phase::Rooms) {
                printer
                    .lines
                    .line("filled = unisparse_room(terms) > filled ? unisparse_room(terms) : filled;");
            } else {
                printer.table(outer, extents, body);
            }
        });
    }

    /// Limits `terms`, for which there is room, to the number of places in the fiber.
    fn limit_terms(&mut self, extents: &[Expr]) {
        let extents: Vec<String> = extents.iter().map(|extent| self.operand(extent, true)).collect();
        let places = match extents.is_empty() {
            true => "1".to_owned(),
            false => format!("(uint64_t){}", extents.join(" * ")),
        };
        let places = self.bind("uint64_t", "places", &places);
        self.lines.line(format!("terms = terms < {places} ? terms : {places};"));
    }

    /// Prints the insertion of a fiber's elements into the table, and their move to the output.
    fn table(&mut self, outer: &[Expr], extents: &[Expr], body: &[Stmt]) {
        let fills = self.machine.phase == Some(Phase::Fill);
        let (lanes, lane, worker) = (
            self.machine.names.lanes.clone(),
            self.machine.names.lane.clone(),
            self.machine.names.worker.clone(),
        );
        let (kind, at, key) = (self.element.text, self.fresh("at"), self.fresh("key"));
        self.lines
            .line("const size_t table_mask = (size_t)(unisparse_room(terms) - 1);");
        self.lines
            .line(format!("size_t *const own_keys = table_keys + tables[{worker}];"));
        if fills {
            self.lines
                .line(format!("{kind} *const own_sums = table_sums + tables[{worker}];"));
        }
        self.lines
            .line(format!("unisparse_clear<{lanes}>(own_keys, table_mask);"));
        self.lines.line("size_t inserted = 0;");
        self.block(body);
        self.lines.line(format!(
            "inserted = unisparse_reduced<{lanes}>(inserted, [](size_t left, size_t right) {{ return left + right; }});"
        ));
        self.wait();
        if fills {
            self.lines
                .line(format!("unisparse_sort<{lanes}>(own_keys, own_sums, table_mask);"));
            let head = format!("for (size_t {at} = {lane}; {at} < inserted; {at} += {lanes})");
            self.within(head, |printer| {
                printer.lines.line(format!("const size_t {key} = own_keys[{at}];"));
                let mut coordinate: Vec<String> = outer.iter().map(|at| printer.unsigned(at)).collect();
                coordinate.extend(printer.digits(&key, extents));
                let coordinate = printer.by_dim(&coordinate);
                printer.write(&format!("filled + {at}"), &coordinate, &format!("own_sums[{at}]"));
            });
            self.wait();
        }
        self.lines.line("filled += inserted;");
    }
}
