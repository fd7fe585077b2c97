//! The sparse operands of a kernel, as the tensors over which its loops run.

pub(crate) mod hybrid;

use hybrid::{Argument, Hybrid};

use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::encoding::{Format, part_name};
use crate::compiler::kernel::Kernel;
use crate::compiler::storage::{self, Storage, Stored};
use crate::compiler::syntax::format::FormatDecl;
use crate::compiler::transport::{Declared, DeclaredKind};

/// A format, or a hybrid, which is the sum of its parts.
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) dims: usize,
    /// The const parameters of the type.
    pub(crate) parameters: Vec<String>,
    kind: Kind,
}

/// A tensor over which the loops of an operand run. A hybrid operand is the sum of several.
#[derive(Clone)]
pub(crate) struct Summand<'a> {
    /// The number of the operand in the kernel.
    pub(crate) operand: usize,
    /// The number of the hybrid's part, if the operand is a hybrid.
    pub(crate) part: Option<usize>,
    /// The only read that uses the tensor, by its number in [`Kernel::reads`]. Each read of a partitioned tensor has
    /// its own loop over the parts.
    pub(crate) read: Option<usize>,
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    /// Whether the tensor is partitioned, so that the loops run over its parts.
    pub(crate) is_cut: bool,
}

enum Kind {
    Format(Box<Format>, Storage),
    /// One part of a partitioned format.
    Part(Box<Format>, Storage),
    Hybrid(Vec<hybrid::Part>),
}

impl Operand {
    /// Creates an operand; `None` if the declaration has errors.
    pub(crate) fn new(declared: DeclaredKind) -> Option<Self> {
        let mut ignored = Diagnostics::default();
        match declared {
            DeclaredKind::Format(declaration) => storage::check(&declaration, &mut ignored).map(Operand::of_format),
            DeclaredKind::Part(declaration) => storage::check(&declaration, &mut ignored)
                .map(Operand::of_format)
                .map(Operand::into_part),
            DeclaredKind::Hybrid(declaration, payloads) => {
                let part = |payload| match syn::parse2::<Declared>(payload).ok()?.kind {
                    DeclaredKind::Format(part) => Some(part),
                    DeclaredKind::Part(_) | DeclaredKind::Hybrid(..) | DeclaredKind::Kernel { .. } => None,
                };
                let parts: Vec<FormatDecl> = payloads.into_iter().map(part).collect::<Option<_>>()?;
                hybrid::check(&declaration, &parts, &mut ignored).map(Operand::of_hybrid)
            }
            DeclaredKind::Kernel { .. } => None,
        }
    }

    pub(crate) fn of_format(stored: Stored) -> Self {
        let (format, storage) = stored.into_loops();
        Operand {
            name: format.name.clone(),
            dims: format.dims.len(),
            parameters: format
                .parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect(),
            kind: Kind::Format(Box::new(format), storage),
        }
    }

    /// Turns a partitioned format into the format of its parts.
    pub(crate) fn into_part(self) -> Self {
        match self.kind {
            Kind::Format(format, storage) => Operand {
                name: part_name(&self.name),
                kind: Kind::Part(format, storage),
                ..self
            },
            _ => self,
        }
    }

    /// Whether the operand is a partitioned format, whose tensors have parts.
    pub(crate) fn is_partitioned(&self) -> bool {
        matches!(&self.kind, Kind::Format(format, _) if format.partition.is_some())
    }

    /// Whether the operand is one part of a partitioned format.
    pub(crate) fn is_part(&self) -> bool {
        matches!(self.kind, Kind::Part(..))
    }

    /// Whether some positions of its values can be holes.
    pub(crate) fn holes(&self) -> bool {
        match &self.kind {
            Kind::Format(_, storage) | Kind::Part(_, storage) => storage.holes,
            Kind::Hybrid(parts) => parts.iter().any(|part| part.storage.holes),
        }
    }

    pub(crate) fn of_hybrid(hybrid: Hybrid) -> Self {
        let mut parts = hybrid.parts;
        for (at, part) in parts.iter_mut().enumerate() {
            for (parameter, argument) in part.format.parameters.iter_mut().zip(&part.arguments) {
                parameter.name = match argument {
                    // The parameter keeps its own name, because a constant bound to it would be unknown where closures
                    // are compiled.
                    Argument::Parameter(own) => hybrid.grouping.parameters[*own].name.clone(),
                    // Two parts may have parameters with the same name, which the hybrid may have too.
                    Argument::Number(_) => format!("__part{at}_{}", parameter.name),
                };
            }
        }
        Operand {
            name: hybrid.name,
            dims: hybrid.grouping.dims.len(),
            parameters: hybrid
                .grouping
                .parameters
                .into_iter()
                .map(|parameter| parameter.name)
                .collect(),
            kind: Kind::Hybrid(parts),
        }
    }

    /// Renames the parameters to names that users do not write, and that operands with other prefixes do not have.
    pub(crate) fn hide_parameters(&mut self, prefix: &str) {
        let hidden = |name: &str| format!("__{prefix}{name}");
        for parameter in &mut self.parameters {
            *parameter = hidden(parameter);
        }
        let formats: Vec<&mut Format> = match &mut self.kind {
            Kind::Format(format, _) | Kind::Part(format, _) => vec![format],
            Kind::Hybrid(parts) => parts.iter_mut().map(|part| &mut part.format).collect(),
        };
        for parameter in formats.into_iter().flat_map(|format| &mut format.parameters) {
            parameter.name = hidden(&parameter.name);
        }
    }

    /// Returns the parameters of a hybrid's parts that are numbers.
    pub(crate) fn constants(&self) -> Vec<(&str, u32)> {
        match &self.kind {
            Kind::Hybrid(parts) => parts.iter().flat_map(numbers).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the tensors that the loops of a kernel read of operand `number`: one per part of a hybrid, and one per
    /// read of a partitioned tensor.
    pub(crate) fn summands<'a>(&'a self, kernel: &Kernel, number: usize) -> Vec<Summand<'a>> {
        let reads = kernel.reads_of(number);
        let summands = |part, format: &'a Format, storage: &'a Storage, is_cut: bool| {
            let reads = match reads.as_slice() {
                several @ [_, _, ..] if is_cut => several.iter().copied().map(Some).collect(),
                _ => vec![None],
            };
            reads.into_iter().map(move |read| Summand {
                operand: number,
                part,
                read,
                format,
                storage,
                is_cut,
            })
        };
        let of_part = |(at, part): (usize, &'a hybrid::Part)| {
            let is_cut = part.format.partition.is_some();
            summands(Some(at), &part.format, &part.storage, is_cut)
        };
        match &self.kind {
            Kind::Format(format, storage) => summands(None, format, storage, format.partition.is_some()).collect(),
            Kind::Part(format, storage) => summands(None, format, storage, false).collect(),
            Kind::Hybrid(parts) => parts.iter().enumerate().flat_map(of_part).collect(),
        }
    }
}

/// Returns the parameters of a hybrid's part that are numbers, with their names.
fn numbers(part: &hybrid::Part) -> impl Iterator<Item = (&str, u32)> {
    let parameters = part.format.parameters.iter().zip(&part.arguments);
    parameters.filter_map(|(parameter, argument)| match argument {
        Argument::Number(number) => Some((parameter.name.as_str(), *number)),
        Argument::Parameter(_) => None,
    })
}
