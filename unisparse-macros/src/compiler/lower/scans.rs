//! Finds operands that a kernel has to search linearly, and describes the cost.

use std::collections::BTreeSet;

use super::Program;
use crate::compiler::algebra::Expression;
use crate::compiler::kernel::Kernel;
use crate::compiler::loops::{Condition, Segment, Stmt, TensorLevel, Var};
use crate::compiler::operand::Summand;
use crate::compiler::storage::Kind;

/// A loop over a whole tensor that runs for each iteration of the loops around it.
struct Scan<'a> {
    stmt: &'a Stmt,
    root: TensorLevel,
    /// The variables of the loops around the scan, then those of the scan and the statements inside it.
    outside: Vec<Var>,
    inside: Vec<Var>,
}

/// Returns the slow lookups of a program, each as a sentence that suggests a conversion.
pub(super) fn scans(program: &Program<'_>) -> Vec<String> {
    let Program {
        kernel,
        tensors: summands,
        nests,
        ..
    } = program;
    let is_root = |level: TensorLevel| summands[level.tensor].storage.levels[level.level].parent.is_none();
    let mut found = BTreeSet::new();
    for stmt in nests.iter().flat_map(|nest| &nest.body) {
        visit_scans(stmt, &[], &is_root, &mut |scan| {
            let summand = &summands[scan.root.tensor];
            if let Some(level) = scan
                .compared(scan.stmt)
                .filter(|&level| !scan.is_narrowed(summand, level))
            {
                found.insert(sentence(kernel, summand, scan.root.level, level));
            }
        });
    }
    found.into_iter().collect()
}

/// Calls `visit` on every loop over a whole tensor inside other loops.
fn visit_scans<'a>(
    stmt: &'a Stmt,
    around: &[Var],
    is_root: &dyn Fn(TensorLevel) -> bool,
    visit: &mut impl FnMut(&Scan<'a>),
) {
    let root = match stmt {
        Stmt::Range(range) => range.level.filter(|&level| is_root(level)),
        Stmt::Entries(entries) => (entries.within == Segment::All).then_some(TensorLevel {
            tensor: entries.tensor,
            level: entries.first,
        }),
        _ => None,
    };
    if let Some(root) = root.filter(|_| !around.is_empty()) {
        let inside = stmt.bound();
        visit(&Scan {
            stmt,
            root,
            outside: around.iter().copied().filter(|var| !inside.contains(var)).collect(),
            inside,
        });
    }
    let mut around = around.to_vec();
    if matches!(stmt, Stmt::Range(_) | Stmt::Entries(_) | Stmt::Merge(_)) {
        around.extend(stmt.bound());
    }
    for inner in stmt.body() {
        visit_scans(inner, &around, is_root, visit);
    }
}

impl Scan<'_> {
    /// Whether a long dense level above this one is located, so that only one fiber is scanned, as one row of an `Ell`.
    fn is_narrowed(&self, summand: &Summand<'_>, level: usize) -> bool {
        (self.root.level + 1..level).any(|above| {
            let is_long = summand.format.levels[above].interval.depends_on(&|_| true);
            let is_dense = matches!(summand.storage.levels[above].kind, Kind::Dense);
            is_long && is_dense && !self.loops_over(self.stmt, above)
        })
    }

    fn loops_over(&self, stmt: &Stmt, level: usize) -> bool {
        let here = match stmt {
            Stmt::Range(range) => range.level == Some(TensorLevel { level, ..self.root }),
            Stmt::Entries(entries) => {
                entries.tensor == self.root.tensor && (entries.first..=entries.last).contains(&level)
            }
            _ => false,
        };
        here || stmt.body().iter().any(|inner| self.loops_over(inner, level))
    }

    /// Returns the level whose coordinates are searched for or compared with values from the loops around the scan.
    fn compared(&self, stmt: &Stmt) -> Option<usize> {
        let here = match stmt {
            Stmt::Find(find) => (find.level.tensor == self.root.tensor).then_some(find.level.level),
            Stmt::If { conditions, .. } => conditions.iter().find_map(|condition| match condition {
                Condition::Zero(expr) if expr.uses_any(&self.outside) => self.read(self.stmt, &|var| expr.uses(var)),
                _ => None,
            }),
            _ => None,
        };
        here.or_else(|| stmt.body().iter().find_map(|inner| self.compared(inner)))
    }

    /// Returns the level of the tensor whose coordinate is read into a variable for which `is` holds.
    fn read(&self, stmt: &Stmt, is: &dyn Fn(Var) -> bool) -> Option<usize> {
        let here = match stmt {
            Stmt::Entries(entries) if entries.tensor == self.root.tensor => {
                let read = entries.coordinates.iter().find(|(_, var)| is(*var));
                read.map(|(level, _)| *level)
            }
            Stmt::Lookup { level, var, .. } => (level.tensor == self.root.tensor && is(*var)).then_some(level.level),
            Stmt::Range(range) => {
                let of_tensor = range.level.filter(|level| level.tensor == self.root.tensor);
                of_tensor.filter(|_| is(range.var)).map(|level| level.level)
            }
            // The name depends on coordinates of the scan; any of their levels would do, so report the root.
            Stmt::Let { var, .. } => (self.inside.contains(var) && is(*var)).then_some(self.root.level),
            _ => None,
        };
        here.or_else(|| stmt.body().iter().find_map(|inner| self.read(inner, is)))
    }
}

/// Returns the sentence for the user: the slow lookup, and the conversion to make.
fn sentence(kernel: &Kernel, summand: &Summand<'_>, root: usize, level: usize) -> String {
    let (operand, format) = (&kernel.operands[summand.operand].name, summand.format);
    let first = &format.levels[root].name;
    let reads = kernel.reads_of(summand.operand);
    let read = match (summand.read, reads.as_slice()) {
        (Some(read), _) => Some(read),
        (None, &[read]) => Some(read),
        _ => None,
    };
    let mut dims = BTreeSet::new();
    if !format.levels[level].indirect {
        mentioned(&format.levels[level].expression, &mut dims);
    }
    let known: Vec<String> = match read {
        Some(read) => {
            let index = |dim: &usize| kernel.indices[kernel.reads[read].indices[*dim]].clone();
            dims.iter().map(|dim| format!("`{}`", index(dim))).collect()
        }
        None => vec![format!("a `{}`", format.levels[level].name)],
    };
    let known = if known.is_empty() {
        "an element".to_owned()
    } else {
        known.join(" and ")
    };
    format!(
        "Slow: each look-up of {known} in `{operand}` goes through all that `{operand}` stores, because the first level of \
         `{}`, `{first}`, does not follow from {known}. Convert `{operand}` first to a format whose first level does.",
        format.name
    )
}

/// Collects the dims in an expression.
fn mentioned(expression: &Expression, dims: &mut BTreeSet<usize>) {
    match expression {
        Expression::Dim(dim) => {
            dims.insert(*dim);
        }
        Expression::Constant(_) => {}
        Expression::Sum(left, right) => {
            mentioned(left, dims);
            mentioned(right, dims);
        }
        Expression::Scaled(_, inner) | Expression::Quotient(inner, _) | Expression::Remainder(inner, _) => {
            mentioned(inner, dims);
        }
    }
}
