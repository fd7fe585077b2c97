//! The sparse operand of a kernel, whatever its type was declared as: what the loops run over.

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

/// What the loops of an operand run over: a tensor, or one of the tensors that it is the sum of.
#[derive(Clone)]
pub(crate) struct Summand<'a> {
    /// The operand's number in the kernel.
    pub(crate) operand: usize,
    /// Which part of a hybrid it is.
    pub(crate) part: Option<usize>,
    /// The read, by number in [`Kernel::reads`], that alone uses it: each read of a partitioned tensor has its own loop
    /// over the parts.
    pub(crate) read: Option<usize>,
    pub(crate) format: &'a Format,
    pub(crate) storage: &'a Storage,
    /// Whether the tensor is partitioned: the loops go through its parts one after another.
    pub(crate) is_cut: bool,
}

enum Kind {
    Format(Box<Format>, Storage),
    /// One part of a format that is cut apart.
    Part(Box<Format>, Storage),
    Hybrid(Vec<hybrid::Part>),
}

impl Operand {
    /// `None` if the declaration has errors.
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

    /// The parts of a format that is cut apart.
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

    /// Whether it is one part of a format that is cut apart.
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
                    // By its own name: what is bound to another would not be known where closures are compiled.
                    Argument::Parameter(own) => hybrid.grouping.parameters[*own].name.clone(),
                    // Two parts may have parameters of one name, and one of them that of the hybrid's.
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

    /// Gives the parameters names that no user writes, and that no operand with another prefix has.
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

    /// The parameters of a hybrid's parts that are numbers.
    pub(crate) fn constants(&self) -> Vec<(&str, u32)> {
        match &self.kind {
            Kind::Hybrid(parts) => parts.iter().flat_map(numbers).collect(),
            _ => Vec::new(),
        }
    }

    /// The tensors that the loops of a kernel read of the operand with this number: one for each part of a hybrid, and for
    /// each read of a partitioned tensor.
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

/// The parameters of a hybrid's part that are numbers, which have names of their own.
fn numbers(part: &hybrid::Part) -> impl Iterator<Item = (&str, u32)> {
    let parameters = part.format.parameters.iter().zip(&part.arguments);
    parameters.filter_map(|(parameter, argument)| match argument {
        Argument::Number(number) => Some((parameter.name.as_str(), *number)),
        Argument::Parameter(_) => None,
    })
}
