//! The sparse operand of a kernel, whatever its type was declared as: what the loops run over.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::diagnostics::Diagnostics;
use super::emit::rust::Names;
use super::emit::rust::format::part_name;
use super::emit::rust::kernel::Summand;
use super::encoding::Format;
use super::hybrid::{self, Argument, Hybrid};
use super::storage::Storage;
use super::syntax::format::FormatDecl;
use super::transport::{Declared, DeclaredKind};

/// A format, or a hybrid, which is the sum of its parts.
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) dims: usize,
    /// The const parameters of the type.
    pub(crate) parameters: Vec<String>,
    kind: Kind,
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
            DeclaredKind::Format(declaration) => super::check(&declaration, &mut ignored).map(Operand::of_format),
            DeclaredKind::Part(declaration) => super::check(&declaration, &mut ignored).map(Operand::of_part),
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

    pub(crate) fn of_format(format: Format) -> Self {
        Self::over(format, Kind::Format)
    }

    /// A part of a format that is cut apart.
    pub(crate) fn of_part(format: Format) -> Self {
        let name = part_name(&format.name);
        Operand {
            name,
            ..Self::over(format, Kind::Part)
        }
    }

    /// The parts of a format that is cut apart.
    pub(crate) fn into_part(self) -> Self {
        match self.kind {
            Kind::Format(format, _) => Operand::of_part(*format),
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

    fn over(format: Format, kind: fn(Box<Format>, Storage) -> Kind) -> Self {
        let storage = Storage::of_loops(&format);
        Operand {
            name: format.name.clone(),
            dims: format.dims.len(),
            parameters: format
                .parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect(),
            kind: kind(Box::new(format), storage),
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
    pub(crate) fn constants(&self) -> Vec<(String, String)> {
        match &self.kind {
            Kind::Hybrid(parts) => parts
                .iter()
                .flat_map(numbers)
                .map(|(name, number)| (name.to_owned(), number.to_string()))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What the loops of a kernel run over, one after another, of the tensor that is called so.
    pub(crate) fn summands(&self, tensor: &TokenStream, names: Names) -> Vec<Summand<'_>> {
        let parts = match &self.kind {
            Kind::Format(format, storage) | Kind::Part(format, storage) => {
                let part = matches!(self.kind, Kind::Part(..));
                return vec![Summand {
                    format,
                    storage,
                    is_cut: format.partition.is_some() && !part,
                    tensor: tensor.clone(),
                    constants: TokenStream::new(),
                }];
            }
            Kind::Hybrid(parts) => parts,
        };
        let summands = parts.iter().enumerate().map(|(at, part)| {
            let number = Literal::usize_unsuffixed(at);
            let constants = numbers(part).map(|(name, number)| {
                let (name, number) = (names.public(name), Literal::u32_unsuffixed(number));
                quote!(#[allow(dead_code, non_upper_case_globals)] const #name: usize = #number;)
            });
            Summand {
                format: &part.format,
                storage: &part.storage,
                is_cut: part.format.partition.is_some(),
                tensor: quote!(#tensor.parts().#number),
                constants: quote!(#(#constants)*),
            }
        });
        summands.collect()
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
