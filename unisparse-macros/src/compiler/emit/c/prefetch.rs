//! Prints the prefetches of loops over entries.

use super::Printer;
use super::machine::Machine;
use super::tensors::Tensor;
use crate::compiler::loops::{Array, Entries, Expr, Prefetch, Stmt, Var};

/// Prefetch distance in entries.
const AHEAD: usize = 8;
/// Size of a cache line in bytes.
const LINE: usize = 64;

/// Collects the loops over entries of a block.
pub(super) fn entry_loops(block: &[Stmt], found: &mut Vec<Entries>) {
    for stmt in block {
        entry_loops(stmt.body(), found);
        if let Stmt::Entries(entries) = stmt {
            found.push(entries.clone());
        }
    }
}

/// Marks the levels whose number of entries the prefetches read.
pub(super) fn count_levels(block: &[Stmt], tensors: &mut [Tensor<'_>]) {
    let mut all = Vec::new();
    entry_loops(block, &mut all);
    for entries in all.iter().filter(|entries| entries.prefetch.is_some()) {
        count(entries.tensor, entries.last, tensors);
        if let Some(Prefetch::Segments(segments)) = &entries.prefetch {
            let is_of = |entries: &&Entries| segments.iter().any(|(position, _)| *position == entries.position);
            all.iter()
                .filter(is_of)
                .for_each(|entries| count(entries.tensor, entries.last, tensors));
        }
    }
}

/// Marks that the number of entries of a level is read. Tensors that share an argument have the same struct.
pub(super) fn count(tensor: usize, level: usize, tensors: &mut [Tensor<'_>]) {
    let argument = tensors[tensor].argument.clone();
    let same = tensors.iter_mut().filter(|tensor| tensor.argument == argument);
    same.for_each(|tensor| {
        tensor.counted.insert(level);
    });
}

impl<M: Machine> Printer<'_, M> {
    /// Prefetches the data that the entry `AHEAD` entries later selects, if that data does not fit in the near caches.
    pub(super) fn prefetch(&mut self, entries: &Entries) {
        let Some(what) = &entries.prefetch else { return };
        let position = self.var(entries.position);
        let tensor = &self.tensors[entries.tensor];
        let (length, ahead) = (tensor.length(entries.last), format!("{position} + {AHEAD}"));
        let far = match what {
            Prefetch::Rows { rows, .. } => self.bytes_of(rows[0].0),
            Prefetch::Segments(segments) => {
                let of = &self.entry_loops[&segments[0].0];
                let entries = self.tensors[of.tensor].length(of.last);
                format!("{entries} * sizeof({})", self.element.stored)
            }
        };
        self.within(
            format!("if ({far} > UNISPARSE_NEAR && {ahead} < {length})"),
            |printer| {
                let later = Expr::Var(entries.position).add(Expr::Int(AHEAD as i128));
                let at = |expr: &Expr| expr.replace(entries.position, &later);
                let places: Vec<Expr> = match what {
                    Prefetch::Rows { rows, .. } => rows.iter().map(|(_, first)| at(first)).collect(),
                    Prefetch::Segments(segments) => segments.iter().map(|(_, parent)| at(parent)).collect(),
                };
                for &(level, var) in &entries.coordinates {
                    if places.iter().any(|place| place.uses(var)) {
                        let read = printer.tensors[entries.tensor].indices(level, &ahead);
                        printer.declare(var, &read);
                    }
                }
                match what {
                    Prefetch::Rows { width, loops, rows } => printer.prefetch_rows(*width, loops, rows, &places),
                    Prefetch::Segments(segments) => {
                        for ((position, _), parent) in segments.iter().zip(&places) {
                            let of = printer.entry_loops[position].clone();
                            let (tensor, parent) = (&printer.tensors[of.tensor], printer.unsigned(parent));
                            let first = tensor.pointers(of.first, &parent);
                            let (index, value) = (tensor.indices(of.last, &first), tensor.value(&first));
                            printer.lines.line(format!("UNISPARSE_PREFETCH(&{index});"));
                            if of.last + 1 == tensor.format.levels.len() {
                                printer.lines.line(format!("UNISPARSE_PREFETCH(&{value});"));
                            }
                        }
                    }
                }
            },
        );
    }

    /// Prefetches the lines of rows of dense operands, for all values of the short loops around.
    fn prefetch_rows(&mut self, width: Var, loops: &[(Var, Expr)], rows: &[(Array, Expr)], places: &[Expr]) {
        for (var, count) in loops {
            let (var, count) = (self.var(*var), self.unsigned(count));
            self.lines
                .open(format!("for (size_t {var} = 0; {var} < {count}; {var}++)"));
        }
        let (width, line) = (self.var(width), self.fresh("line"));
        for ((array, _), first) in rows.iter().zip(places) {
            let (kind, first) = (self.element.stored, self.unsigned(first));
            let item = self.element(*array, &format!("{first} + {line}"));
            let head = format!("for (size_t {line} = 0; {line} < {width}; {line} += {LINE} / sizeof({kind}))");
            self.within(head, |printer| {
                printer.lines.line(format!("UNISPARSE_PREFETCH(&{item});"));
            });
        }
        for _ in loops {
            self.lines.close();
        }
    }

    /// Returns the size of a dense operand in bytes.
    fn bytes_of(&self, array: Array) -> String {
        let extents = match array {
            Array::Dense(operand) => self.extents.get(&operand).cloned().unwrap_or_default(),
            Array::Values(_) | Array::Sums => Vec::new(),
        };
        let factors = extents.iter().map(|&extent| self.var(extent));
        let factors: Vec<String> = factors.chain([format!("sizeof({})", self.element.stored)]).collect();
        factors.join(" * ")
    }
}
