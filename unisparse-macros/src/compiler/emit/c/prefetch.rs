//! What passes over entries prefetch.

use super::Printer;
use super::tensors::Tensor;
use crate::compiler::loops::{Array, Entries, Expr, Prefetch, Stmt, Var};

/// How many entries before it is read something is prefetched.
const AHEAD: usize = 8;
/// The bytes of a line of cache.
const LINE: usize = 64;

/// Collects the passes of a block, and adds the levels whose number of entries prefetching reads to their tensors.
pub(super) fn count_levels(block: &[Stmt], passes: &mut Vec<Entries>, tensors: &mut [Tensor<'_>]) {
    for stmt in block {
        count_levels(stmt.body(), passes, tensors);
        let Stmt::Entries(entries) = stmt else { continue };
        passes.push(entries.clone());
        if entries.prefetch.is_some() {
            count(entries, tensors);
        }
        if let Some(Prefetch::Segments(segments)) = &entries.prefetch {
            let is_of = |pass: &&Entries| segments.iter().any(|(position, _)| *position == pass.position);
            passes.iter().filter(is_of).for_each(|pass| count(pass, tensors));
        }
    }
}

/// The tensors that one argument passes have one struct.
fn count(entries: &Entries, tensors: &mut [Tensor<'_>]) {
    let argument = tensors[entries.tensor].argument.clone();
    let same = tensors.iter_mut().filter(|tensor| tensor.argument == argument);
    same.for_each(|tensor| {
        tensor.counted.insert(entries.last);
    });
}

impl Printer<'_> {
    /// Prefetches what the entry that comes `AHEAD` entries later leads to, if that is in no near cache.
    pub(super) fn prefetch(&mut self, entries: &Entries) {
        let Some(what) = &entries.prefetch else { return };
        let position = self.var(entries.position);
        let tensor = &self.tensors[entries.tensor];
        let (length, ahead) = (tensor.length(entries.last), format!("{position} + {AHEAD}"));
        let far = match what {
            Prefetch::Rows { rows, .. } => self.bytes_of(rows[0].0),
            Prefetch::Segments(segments) => {
                let of = &self.passes[&segments[0].0];
                let entries = self.tensors[of.tensor].length(of.last);
                format!("{entries} * sizeof({})", self.element.text)
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
                        for ((pass, _), parent) in segments.iter().zip(&places) {
                            let of = printer.passes[pass].clone();
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

    /// The lines of rows of dense operands, for each number of the short loops around.
    fn prefetch_rows(&mut self, width: Var, loops: &[(Var, Expr)], rows: &[(Array, Expr)], places: &[Expr]) {
        for (var, count) in loops {
            let (var, count) = (self.var(*var), self.unsigned(count));
            self.lines
                .open(format!("for (size_t {var} = 0; {var} < {count}; {var}++)"));
        }
        let (width, line) = (self.var(width), self.fresh("line"));
        for ((array, _), first) in rows.iter().zip(places) {
            let (kind, first) = (self.element.text, self.unsigned(first));
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

    /// How many bytes a dense operand has.
    fn bytes_of(&self, array: Array) -> String {
        let extents = match array {
            Array::Dense(operand) => self.extents.get(&operand).cloned().unwrap_or_default(),
            Array::Values(_) | Array::Sums => Vec::new(),
        };
        let factors = extents.iter().map(|&extent| self.var(extent));
        let factors: Vec<String> = factors.chain([format!("sizeof({})", self.element.text)]).collect();
        factors.join(" * ")
    }
}
