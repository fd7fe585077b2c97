//! Prints the loops over transposed copies of dense operands as a second function, which the kernel calls where copies
//! pay.

use super::machine::Processor;
use super::prefetch::count;
use super::tensors::Tensor;
use super::{Dialect, Parameter, ParameterKind, Printer, Source};
use crate::compiler::lower::Across;
use crate::compiler::storage::Kind;

/// Returns the level whose number of entries is the number of stored elements, if there is one.
fn deepest(tensor: &Tensor<'_>) -> Option<usize> {
    let mut levels = tensor.storage.levels.iter();
    levels.rposition(|level| matches!(level.kind, Kind::Indexed { .. }))
}

/// Marks the levels whose numbers of entries determine how often the loops read dense operands.
pub(super) fn count_entries(tensors: &mut [Tensor<'_>]) {
    for at in 0..tensors.len() {
        if let Some(level) = deepest(&tensors[at]).filter(|_| !tensors[at].is_cut) {
            count(at, level, tensors);
        }
    }
}

impl<'a> Source<'a> {
    /// Returns the function over copies.
    pub(super) fn over_copies(&self) -> Option<Source<'a>> {
        let transposed = self.program.transposed.as_ref()?;
        Some(Source {
            program: transposed.program.clone(),
            operands: self.operands.clone(),
            element: self.element,
            dialect: Dialect {
                function: "static int",
                ..self.dialect
            },
            name: format!("{}_transposed", self.name),
        })
    }
}

/// A copy of an operand.
struct Copy {
    operand: String,
    name: String,
    /// The conditions under which it is made.
    conditions: Vec<String>,
    declaration: String,
}

impl Printer<'_, Processor> {
    /// Prints a call of the function over copies, and a return, under the conditions that the loops read each copied
    /// element at least once, and that there is memory for the copies.
    pub(super) fn call_over_copies(&mut self, source: &Source<'_>, function: &str, parameters: &[Parameter]) {
        let transposed = source.program.transposed.as_ref();
        let across = transposed
            .map(|transposed| transposed.copies.as_slice())
            .unwrap_or_default();
        let copies: Vec<Copy> = across.iter().map(|across| self.copy(source, *across)).collect();
        let copy_of = |operand: &String| copies.iter().find(|copy| copy.operand == *operand);
        let arguments = parameters.iter().flat_map(|Parameter { name, kind }| match kind {
            ParameterKind::Tensor { is_cut: true, .. } => vec![format!("{name}_parts"), format!("{name}_part_count")],
            _ => vec![copy_of(name).map_or(name, |copy| &copy.name).clone()],
        });
        let call = format!("{function}({})", arguments.collect::<Vec<_>>().join(", "));
        let conditions: Vec<&str> = copies
            .iter()
            .flat_map(|copy| &copy.conditions)
            .map(String::as_str)
            .collect();
        let made: Vec<String> = copies.iter().map(|copy| format!("{} != NULL", copy.name)).collect();
        let (copied, status) = (self.fresh("copied"), self.fresh("status"));
        self.lines
            .line("/* Over transposed copies, if the loops read each copied element at least once, and there is memory for them. */");
        self.within(format!("if ({})", conditions.join(" && ")), |printer| {
            let lines = &mut printer.lines;
            copies.iter().for_each(|copy| lines.line(&copy.declaration));
            lines.line(format!("const bool {copied} = {};", made.join(" && ")));
            lines.line(format!("const int {status} = {copied} ? {call} : 1;"));
            copies
                .iter()
                .for_each(|copy| lines.line(format!("free({});", copy.name)));
            lines.open(format!("if ({copied})"));
            lines.line(format!("return {status};"));
            lines.close();
        });
    }

    fn copy(&mut self, source: &Source<'_>, Across { operand, along }: Across) -> Copy {
        let (kernel, element) = (source.kernel(), source.element);
        let mut views = kernel.reads_of(operand).into_iter().map(|read| {
            let indices = kernel.reads[read].indices.iter();
            indices.map(|&index| self.var(source.program.extents[index])).collect()
        });
        let extents: Vec<String> = views.next().unwrap_or_default();
        // Several reads of an array without a shape may have different extents.
        let mut conditions = Vec::new();
        for other in views {
            let pairs = extents.iter().zip(&other).filter(|(one, other)| one != other);
            conditions.extend(pairs.map(|(one, other)| format!("{one} == {other}")));
        }
        let product = |extents: &[String]| match extents {
            [] => "1".to_owned(),
            extents => extents.join(" * "),
        };
        conditions.push(format!("{} >= {}", self.reads(source), product(&extents)));
        let operand = self.operands[operand].clone();
        let name = self.fresh(&format!("{operand}_copy"));
        let dims = [
            &extents[..along.first],
            &extents[along.first..along.end],
            &extents[along.end..],
        ];
        let declaration = format!(
            "{} *{name} = {}({operand}, {});",
            element.stored,
            element.function("transposed"),
            dims.map(product).join(", ")
        );
        Copy {
            operand,
            name,
            conditions,
            declaration,
        }
    }

    /// Returns the number of reads of strided operands, as determined by the entries of tensors that are not
    /// partitioned.
    fn reads(&self, source: &Source<'_>) -> String {
        let whole = self.tensors.iter().filter(|tensor| !tensor.is_cut);
        let entries = whole.filter_map(|tensor| Some(tensor.length(deepest(tensor)?)));
        let entries = entries.reduce(|all, entries| format!("{all} + {entries}"));
        let free = source.program.free_extents.iter().map(|&extent| self.var(extent));
        free.fold(entries.unwrap_or_else(|| "0".to_owned()), |all, extent| {
            format!("unisparse_product({all}, {extent})")
        })
    }
}
