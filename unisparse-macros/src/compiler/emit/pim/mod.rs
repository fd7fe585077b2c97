//! Prints a program over one part of a partitioned format as data: constants of a tree that the run time executes as the
//! program of one core of a device that processes in memory.

mod check;
mod elements;
mod statements;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use crate::compiler::kernel::OperandKind;
use crate::compiler::loops::{self, Expr, Var};
use crate::compiler::lower::{Copies, Program, Target};
pub(crate) use check::reason;

/// A core that runs the loops alone, in order, without caches.
pub(crate) const TARGET: Target = Target {
    levels: &[],
    is_machine: false,
    tiles: &[],
    copies: Copies::Nowhere,
    slices: false,
};

/// The element type of a program, as code.
pub(crate) struct ElementType {
    /// The path of the run time.
    pub(crate) runtime: TokenStream,
    /// The type in which elements are summed.
    pub(crate) sum: TokenStream,
    /// A closure over the extents of the indices that checks the numbers of the statement.
    pub(crate) checks: TokenStream,
    /// The type of the whole tensor.
    pub(crate) of: TokenStream,
}

/// The printer of one program.
struct Printer<'a> {
    program: &'a Program<'a>,
    /// The values of the const parameters, by name.
    constants: &'a BTreeMap<String, String>,
    elements: &'a ElementType,
    /// The path of the types that the data has.
    path: TokenStream,
    /// The numbers of the variables, in order of their first use.
    numbers: RefCell<BTreeMap<Var, usize>>,
}

/// Returns the program as a value of the run time. `constants` are the values of the const parameters, by name.
pub(crate) fn print(
    program: &Program<'_>,
    constants: &BTreeMap<String, String>,
    elements: &ElementType,
) -> TokenStream {
    let runtime = &elements.runtime;
    let printer = Printer {
        program,
        constants,
        elements,
        path: quote!(#runtime::__private::pim),
        numbers: RefCell::default(),
    };
    printer.print()
}

impl Printer<'_> {
    fn print(&self) -> TokenStream {
        let Printer {
            program,
            path,
            elements: ElementType { sum, checks, of, .. },
            ..
        } = self;
        let kernel = &program.kernel;
        let extents = program.extents.iter().map(|&extent| self.number(extent));
        let extents: Vec<TokenStream> = extents.collect();
        let indices = |indices: &[usize]| {
            let indices = indices.iter();
            quote!(&[#(#indices),*])
        };
        let operands = kernel.operands.iter().enumerate().map(|(number, operand)| {
            let name = &operand.name;
            let read = kernel.reads.iter().find(|read| read.operand == number);
            let of = match read {
                _ if number == 0 => indices(&kernel.output),
                Some(read) => indices(&read.indices),
                None => indices(&[]),
            };
            let kind = match operand.kind {
                OperandKind::Dense => quote!(Dense),
                OperandKind::Sparse => quote!(Sparse),
                OperandKind::Scalar => quote!(Scalar),
            };
            quote!(#path::Operand { name: #name, kind: #path::OperandKind::#kind, indices: #of })
        });
        let operands: Vec<TokenStream> = operands.collect();
        let levels = program.numbers.first().into_iter().flatten().enumerate();
        let levels = levels.filter_map(|(level, var)| {
            let var = self.number((*var)?);
            Some(quote!((#level, #var)))
        });
        let levels: Vec<TokenStream> = levels.collect();
        let nests = program.nests.iter().map(|nest| self.block(&nest.body));
        let nests: Vec<TokenStream> = nests.collect();
        let tuple_arrays = program
            .tensors
            .iter()
            .flat_map(|tensor| &tensor.storage.tuple_arrays)
            .map(|tuples| {
                let (levels, values) = (indices(&tuples.levels), tuples.values);
                quote!(#path::TupleArray { levels: #levels, values: #values })
            });
        let tuple_arrays: Vec<TokenStream> = tuple_arrays.collect();
        let names = &kernel.indices;
        let (text, variables) = (&kernel.text, self.numbers.borrow().len());
        let format = program.tensors.first().map_or("", |tensor| tensor.format.name.as_str());
        let reduction = loops::Reduction::from(kernel.reduction);
        let (start, reduction) = (self.start(reduction), self.reduction(reduction));
        quote! {
            const { #path::Kernel::<#of, #sum> {
                text: #text,
                format: #format,
                operands: &[#(#operands),*],
                extents: &[#(#extents),*],
                levels: &[#(#levels),*],
                tuple_arrays: &[#(#tuple_arrays),*],
                variables: #variables,
                nests: &[#(#nests),*],
                indices: &[#(#names),*],
                checks: #checks,
                reduction: #reduction,
                start: #start,
                of: ::core::marker::PhantomData,
            } }
        }
    }

    /// Returns the number of a variable.
    fn number(&self, var: Var) -> TokenStream {
        let mut numbers = self.numbers.borrow_mut();
        let next = numbers.len();
        let number = *numbers.entry(var).or_insert(next);
        quote!(#number)
    }

    fn expr(&self, expr: &Expr) -> TokenStream {
        let path = &self.path;
        let both = |a: &Expr, b: &Expr| {
            let (a, b) = (self.expr(a), self.expr(b));
            quote!(&#a, &#b)
        };
        let (kind, operands) = match expr {
            Expr::Int(value) => (quote!(Int), quote!(#value)),
            Expr::Var(var) if self.program.variables.is_parameter(*var) => {
                (quote!(Int), self.constant(self.program.variables.name(*var)))
            }
            Expr::Var(var) => (quote!(Var), self.number(*var)),
            Expr::Add(a, b) => (quote!(Add), both(a, b)),
            Expr::Sub(a, b) => (quote!(Sub), both(a, b)),
            Expr::Mul(a, b) => (quote!(Mul), both(a, b)),
            Expr::Floor(a, b) => (quote!(Floor), both(a, b)),
            Expr::Ceil(a, b) => (quote!(Ceil), both(a, b)),
        };
        quote!(#path::Expr::#kind(#operands))
    }

    /// Returns the value of a const parameter.
    fn constant(&self, name: &str) -> TokenStream {
        let value = self.constants.get(name).and_then(|value| value.parse().ok());
        value.unwrap_or_else(|| {
            let message =
                format!("the const parameter `{name}` has no value\nhelp: give all of them after the element type");
            quote!(::core::compile_error!(#message))
        })
    }

    fn exprs(&self, exprs: &[Expr]) -> TokenStream {
        let exprs = exprs.iter().map(|expr| self.expr(expr));
        quote!(&[#(#exprs),*])
    }
}
