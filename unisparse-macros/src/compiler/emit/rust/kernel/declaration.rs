//! Prints the trait and the function of a kernel.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::{Signature, extents_name, function_name, identifiers, operand_name, parameter, type_name, with_sums};
use crate::compiler::emit::rust::access::own_name;
use crate::compiler::emit::rust::format::cfgs_in;
use crate::compiler::emit::rust::print::count;
use crate::compiler::emit::rust::{HAS_DEVICE, Names};
use crate::compiler::kernel::{self, Function, Kernel, OperandKind, Warning};
use crate::compiler::syntax::kernel::KernelDecl;
use crate::compiler::transport::Runtime;

/// The user-visible items of a kernel.
pub(crate) struct Declaration<'a> {
    pub(super) declaration: &'a KernelDecl,
    pub(super) kernel: &'a Kernel,
    pub(super) documented: Documented,
    pub(super) names: Names,
    pub(super) runtime: TokenStream,
    /// The identifiers in the user's tokens inside the function.
    taken: BTreeSet<String>,
}

/// The documentation of a kernel besides its statement.
pub(crate) struct Documented {
    /// A macro call that expands to a section on the loops over one choice of formats.
    pub(crate) loops: Option<TokenStream>,
    /// Whether every declared format implements the kernel.
    pub(crate) is_stock: bool,
}

impl<'a> Declaration<'a> {
    pub(crate) fn new(
        declaration: &'a KernelDecl,
        kernel: &'a Kernel,
        documented: Documented,
        runtime: &Runtime,
    ) -> Self {
        let names = Names::new(declaration.name.span());
        let mut taken = BTreeSet::from(["T".to_owned(), "Self".to_owned(), declaration.name.to_string()]);
        identifiers(&declaration.element.to_token_stream(), &mut taken);
        for function in &kernel.functions {
            identifiers(&function.path, &mut taken);
        }
        Declaration {
            declaration,
            kernel,
            documented,
            names,
            runtime: runtime.at(names.span()),
            taken,
        }
    }

    pub(crate) fn print(&self) -> TokenStream {
        let (of_trait, of_function, on_device) = (self.of_trait(), self.function(), self.device_function());
        let in_hardware = self.hardware_function();
        quote!(#of_trait #of_function #on_device #in_hardware)
    }

    /// Whether the kernel is for devices, too.
    pub(super) fn has_device(&self) -> bool {
        HAS_DEVICE && self.declaration.on_device
    }

    /// Returns the type parameter of a sparse operand.
    pub(super) fn type_of(&self, number: usize) -> Ident {
        type_name(self.kernel, number, &self.taken, self.names)
    }

    pub(super) fn parameter_of(&self, number: usize) -> Ident {
        parameter(&self.kernel.operands[number], self.names)
    }

    /// Returns a name for a local variable that no operand has.
    pub(super) fn own(&self, name: &str) -> Ident {
        let operands = self.kernel.operands.iter().map(|operand| operand_name(&operand.name));
        let operands: Vec<String> = operands.collect();
        own_name(self.names, name, || operands.iter().map(String::as_str))
    }

    pub(super) fn dims(&self, number: usize) -> proc_macro2::Literal {
        count(self.kernel.operands[number].rank)
    }

    /// Returns the type of values in the kernel: the one as which elements of the implementor are read.
    pub(super) fn element_of(&self, of: &impl ToTokens) -> TokenStream {
        let (runtime, dims) = (&self.runtime, self.dims(self.kernel.implementor()));
        quote!(#runtime::ValueOf<#of, #dims>)
    }

    fn of_trait(&self) -> TokenStream {
        let Declaration {
            declaration,
            kernel,
            runtime,
            ..
        } = self;
        let (name, visibility, cfg) = (
            &declaration.name,
            &declaration.visibility,
            cfgs_in(&declaration.attributes),
        );
        let (text, implementor, device) = (&kernel.text, kernel.implementor(), self.device_constant());
        let hardware = self.hardware_constant();
        let dims = self.dims(implementor);
        let others = kernel.others().map(|number| self.type_of(number));
        let run = Signature {
            kernel,
            names: self.names,
            runtime,
            element: self.element_of(&quote!(Self)),
            sparse: &|number| self.type_of(number).into_token_stream(),
        };
        let run = run.print();
        let docs = if kernel.others().next().is_none() {
            format!(
                "The formats that have the kernel [`{name}`](fn@{name}): `{text}`.\n\nIn generic code, the bound is `A: {name}<Scalar = f64>`."
            )
        } else {
            let others: Vec<String> = kernel.others().map(|number| self.type_of(number).to_string()).collect();
            format!(
                "The formats that have the kernel [`{name}`](fn@{name}): `{text}`.\n\nIn generic code, the bound is `A: {name}<{}, Scalar = f64>`.",
                others.join(", ")
            )
        };
        let others_text: Vec<String> = kernel
            .others()
            .map(|number| format!("{{{}}}", self.type_of(number)))
            .collect();
        let missing = match others_text.as_slice() {
            [] => format!("the kernel `{name}` is not declared for `{{Self}}`"),
            others => format!(
                "the kernel `{name}` is not declared for `{{Self}}` with `{}`",
                others.join("`, `")
            ),
        };
        let missing_note = format!(
            "the operand has {} dims; list its format in the kernel's `where` clause, or write `sparse_kernel! {{{{ impl {name} for .. }}}}`, or bound a type parameter by `{name}`",
            kernel.operands[implementor].rank,
        );
        let order = format!(
            "`{name}` is called as `{}`, with elements that read as one type",
            self.called()
        );
        let others_list: Vec<Ident> = others.collect();
        let untyped = (!others_list.is_empty()).then(|| {
            let text = "if a type above is `!` or `_`, write the type of the result: `let c: Csr<f64> = ..`; a result holds scalars: write `Csr<u64>`, not `Csr<Pattern<u64>>`";
            quote!(, note = #text)
        });
        let parameters = (!others_list.is_empty()).then(|| quote!(<#(#others_list),*>));
        quote! {
            #cfg
            #[doc = #docs]
            #[allow(non_camel_case_types)]
            #[diagnostic::on_unimplemented(
                message = #missing,
                label = "expected a format of this kernel",
                note = #missing_note,
                note = #order
                #untyped
            )]
            #visibility trait #name #parameters: #runtime::Source<#dims> {
                /// The lookups that scan a whole operand in these formats: a sentence for each, which says what to convert.
                /// Empty if there are none.
                const SCANS: &'static [&'static str] = &[];

                #device
                #hardware

                #[doc(hidden)]
                #[allow(clippy::too_many_arguments)]
                #run;
            }
        }
    }

    fn function(&self) -> TokenStream {
        let Declaration {
            declaration,
            kernel,
            names,
            runtime,
            ..
        } = self;
        let (name, visibility, attributes) = (&declaration.name, &declaration.visibility, &declaration.attributes);
        let implementor = kernel.implementor();
        let implementor_type = self.type_of(implementor);
        let element = match &declaration.element {
            Some(element) => element.ident.to_token_stream(),
            None => self.element_of(&implementor_type),
        };

        let (mut parameters, mut types, mut wheres) = (Vec::new(), Vec::new(), Vec::new());
        for (number, operand) in kernel.operands.iter().enumerate() {
            let parameter = parameter(operand, *names);
            match operand.kind {
                OperandKind::Dense if number == 0 => {
                    parameters
                        .push(quote!(#parameter: &mut (impl #runtime::DenseMut<#element> + ?::core::marker::Sized)));
                }
                OperandKind::Dense if operand.is_mask => {
                    let of = self.type_of(number);
                    types.push(of.clone());
                    wheres.push(quote!(#of: #runtime::Scalar));
                    parameters.push(quote!(#parameter: &(impl #runtime::Dense<#of> + ?::core::marker::Sized)));
                }
                OperandKind::Dense => {
                    parameters.push(quote!(#parameter: &(impl #runtime::Dense<#element> + ?::core::marker::Sized)));
                }
                OperandKind::Scalar if number == 0 => {}
                OperandKind::Scalar => parameters.push(quote!(#parameter: #element)),
                OperandKind::Sparse => {
                    let of = self.type_of(number);
                    if number > 0 {
                        parameters.push(quote!(#parameter: &#of));
                    }
                    if number > 0 && number != implementor {
                        let dims = self.dims(number);
                        let same = (!operand.is_mask).then(|| quote!(, Scalar: #runtime::Stored<Value = #element>));
                        wheres.push(quote!(#of: #runtime::Source<#dims #same>));
                    }
                    types.push(of);
                }
            }
        }
        let others: Vec<Ident> = kernel.others().map(|number| self.type_of(number)).collect();
        let arguments = (!others.is_empty()).then(|| quote!(<#(#others),*>));
        let user_element = declaration.element.as_ref();
        if let Some(user_element) = user_element {
            let (ident, dims) = (&user_element.ident, self.dims(implementor));
            wheres.push(quote!(#ident: #runtime::Scalar));
            wheres.push(quote!(#implementor_type: #runtime::Source<#dims, Scalar: #runtime::Stored<Value = #ident>>));
        }
        let result = match kernel.output_kind() {
            OperandKind::Dense => quote!(()),
            OperandKind::Scalar => element.clone(),
            OperandKind::Sparse => self.type_of(0).into_token_stream(),
        };
        let (docs, errors) = (self.docs(), self.errors());
        // Only the documentation expands to this text, so that builds do not compute it.
        let loops = self.documented.loops.as_ref();
        let loops = loops.map(|loops| quote!(#[cfg_attr(doc, doc = #loops)]));
        let (warnings, (checks, closures)) = (self.warnings(), self.functions(&element));
        let (extents, bind_extents) = self.extents(&element);
        let run = self.call(&element, &extents, &closures);
        quote! {
            #(#attributes)*
            #[doc = #docs]
            #loops
            #[doc = #errors]
            // A public kernel may list a private format, whose name is then no link.
            #[allow(clippy::all, clippy::pedantic, rustdoc::private_intra_doc_links)]
            #visibility fn #name<#(#types,)* #user_element>(
                #(#parameters),*
            ) -> ::core::result::Result<#result, #runtime::Error>
            where #implementor_type: #name #arguments, #(#wheres),*
            {
                #warnings
                #checks
                #bind_extents
                #run
            }
        }
    }

    /// Returns a use of a deprecated constant for each warning, which makes the compiler warn. The attributes of the
    /// kernel can allow it.
    fn warnings(&self) -> TokenStream {
        let warnings = kernel::warnings(self.declaration).into_iter();
        let warnings = warnings.map(|Warning { part, name, note }| {
            let span = part
                .clone()
                .into_iter()
                .next()
                .map_or_else(Span::call_site, |first| first.span());
            let warning = Ident::new(name, span);
            quote! {
                const _: () = {
                    #[deprecated(note = #note)]
                    #[allow(non_upper_case_globals)]
                    const #warning: () = ();
                    #warning
                };
            }
        });
        warnings.collect()
    }

    /// Returns an example of a call, such as `spmv(&mut y, &a, &x)`.
    pub(super) fn called(&self) -> String {
        let arguments = self.kernel.operands.iter().enumerate().filter_map(|(number, operand)| {
            let name = self.parameter_of(number);
            match operand.kind {
                OperandKind::Dense if number == 0 => Some(format!("&mut {name}")),
                OperandKind::Scalar | OperandKind::Sparse if number == 0 => None,
                OperandKind::Scalar => Some(name.to_string()),
                OperandKind::Dense | OperandKind::Sparse => Some(format!("&{name}")),
            }
        });
        let arguments: Vec<String> = arguments.collect();
        format!("{}({})", self.declaration.name, arguments.join(", "))
    }

    /// Returns code that computes the extents of all indices.
    pub(super) fn extents(&self, element: &TokenStream) -> (Ident, TokenStream) {
        let runtime = &self.runtime;
        self.extents_by(
            |name| quote!(&#runtime::Source::shape(#name)),
            |name, number| {
                let of = match self.kernel.operands[number].is_mask {
                    true => self.type_of(number).into_token_stream(),
                    false => element.clone(),
                };
                quote!(#runtime::Dense::<#of>::extents(#name), #runtime::Dense::<#of>::len(#name))
            },
        )
    }

    /// Returns code that computes the extents of all indices. `sparse` prints the shape of an operand with this name,
    /// `dense` the extents and the length of that with this name and number. Sparse operands come first, because they have known shapes.
    pub(super) fn extents_by(
        &self,
        sparse: impl Fn(&Ident) -> TokenStream,
        dense: impl Fn(&Ident, usize) -> TokenStream,
    ) -> (Ident, TokenStream) {
        let Declaration {
            kernel, names, runtime, ..
        } = self;
        let (extents, private) = (extents_name(kernel, *names), quote!(#runtime::__private));
        let output = std::iter::once((0, &kernel.output)).filter(|_| kernel.output_kind() == OperandKind::Dense);
        let reads = kernel.reads.iter().map(|read| (read.operand, &read.indices));
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for (number, indices) in output.chain(reads) {
            let operand = &kernel.operands[number];
            let (text, name) = (&operand.name, parameter(operand, *names));
            let indices = indices.iter().map(|&index| count(index));
            if operand.kind == OperandKind::Sparse {
                let shape = sparse(&name);
                first.push(quote!(#private::Operand::sparse(#text, &[#(#indices),*], #shape)));
            } else {
                let extents = dense(&name, number);
                then.push(quote!(#private::Operand::dense(#text, &[#(#indices),*], #extents)));
            }
        }
        let index_names = &kernel.indices;
        let found = quote!(#private::extents([#(#index_names),*], &[#(#first,)* #(#then),*]));
        let found = self.in_kernel(&found);
        (extents.clone(), quote!(let #extents = #found?;))
    }

    /// Returns the call of the implementation, on the elements of the dense operands.
    fn call(&self, element: &TokenStream, extents: &Ident, closures: &[TokenStream]) -> TokenStream {
        let Declaration { kernel, runtime, .. } = self;
        let implementor = kernel.implementor();
        let passed = kernel
            .operands
            .iter()
            .enumerate()
            .skip(1)
            .filter_map(|(number, operand)| {
                let parameter = self.parameter_of(number);
                match operand.kind {
                    OperandKind::Sparse => (number != implementor).then(|| quote!(#parameter)),
                    OperandKind::Scalar => Some(quote!(#parameter)),
                    OperandKind::Dense if operand.is_mask => {
                        let of = self.type_of(number);
                        Some(quote!(&#runtime::Dense::<#of>::elements(#parameter)[..]))
                    }
                    OperandKind::Dense => Some(quote!(&#runtime::Dense::<#element>::elements(#parameter)[..])),
                }
            });
        let (name, tensor) = (&self.declaration.name, self.parameter_of(implementor));
        let passed: Vec<TokenStream> = passed.collect();
        let run = |output: Option<&Ident>| {
            let output = output.map(|output| quote!(#output,));
            quote!(#name::__run(#tensor, #output #(#passed,)* #extents, #(#closures),*))
        };
        let run = if kernel.output_kind() == OperandKind::Dense {
            let output = self.parameter_of(0);
            let run = with_sums(&output, &run(Some(&output)), runtime);
            quote!(#runtime::DenseMut::<#element>::write(#output, |#output| #run))
        } else {
            run(None)
        };
        self.in_kernel(&run)
    }

    /// Returns a result whose error names the kernel.
    pub(super) fn in_kernel(&self, result: &TokenStream) -> TokenStream {
        let (runtime, name) = (&self.runtime, self.declaration.name.unraw().to_string());
        quote!(#runtime::__private::in_kernel(#name, #result))
    }

    /// Returns checks that the functions have the element type, and closures that call the functions.
    fn functions(&self, element: &TokenStream) -> (TokenStream, Vec<TokenStream>) {
        let (mut checks, mut closures) = (TokenStream::new(), Vec::new());
        for (number, function) in self.kernel.functions.iter().enumerate() {
            let path = &function.path;
            let values: Vec<Ident> = (0..function.arity).map(|at| self.own(&format!("value{at}"))).collect();
            if self.declaration.element.is_some() {
                let call = quote!(#path(#(#values),*));
                closures.push(quote!(&|#(#values: #element),*| -> #element { #call }));
                continue;
            }
            let private = {
                let runtime = &self.runtime;
                quote!(#runtime::__private)
            };
            checks.extend(self.check_function(number, function, element));
            let call = quote!(#path(#(#private::cast(#values)),*));
            closures.push(quote!(&|#(#values: #element),*| -> #element { #private::cast(#call) }));
        }
        (checks, closures)
    }

    /// Returns a check of a non-generic function. Inference finds its types, which are compared with the element type
    /// at run time.
    fn check_function(&self, number: usize, function: &Function, element: &TokenStream) -> TokenStream {
        let (names, runtime, path) = (self.names, &self.runtime, &function.path);
        let check = function_name(number, names);
        let text = function.name();
        let taken: Vec<Ident> = (0..function.arity)
            .map(|at| names.local(&format!("Taken{at}")))
            .collect();
        let holes = taken.iter().map(|_| quote!(_));
        // The call is the same as the other one, so that a mistake in its name or arguments is reported once.
        let values: Vec<Ident> = (0..function.arity).map(|at| self.own(&format!("value{at}"))).collect();
        let call = quote!(#path(#(#values),*));
        let checked = self.in_kernel(&quote!(#check::<#element, #(#holes,)* _>(&|#(#values),*| #call)));
        let statically = quote!('static);
        quote! {
            fn #check<Element: #statically, #(#taken: #statically,)* Given: #statically>(
                _: &impl ::core::ops::Fn(#(#taken),*) -> Given,
            ) -> ::core::result::Result<(), #runtime::Error> {
                #(#runtime::__private::same::<Element, #taken>(#text)?;)*
                #runtime::__private::same::<Element, Given>(#text)
            }
            #checked?;
        }
    }
}
