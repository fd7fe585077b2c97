//! Prints how kernels outside of this process get the arrays of a tensor: the upload to a device, and copies for hardware.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Parts, cfgs};
use crate::compiler::emit::rust::{HAS_DEVICE, HAS_HARDWARE};
use crate::compiler::syntax::format::FormatDecl;

impl Parts<'_> {
    /// Returns the upload of the arrays of a tensor, or nothing if there is no run time for devices.
    pub(super) fn upload(&self, declaration: &FormatDecl) -> TokenStream {
        let private = &self.private;
        let whole = quote!(#private::hls::Summand::whole(self));
        let Parts { dims, levels, .. } = self;
        let visitor = quote! {
            const VISITOR: ::core::option::Option<#private::cuda::Visitor> =
                ::core::option::Option::Some(#private::cuda::Visitor::of::<Self, #dims, #levels>());
        };
        self.upload_of(
            declaration,
            &quote!(#private::cuda::Summand::whole(stream, self)),
            &whole,
            &visitor,
        )
    }

    /// Returns the upload of the parts of a partitioned tensor.
    pub(super) fn upload_of_parts(&self, declaration: &FormatDecl) -> TokenStream {
        let private = &self.private;
        let parts = quote!(#private::hls::Summand::cut(&self.parts));
        self.upload_of(
            declaration,
            &quote!(#private::cuda::Summand::cut(stream, &self.parts)),
            &parts,
            &TokenStream::new(),
        )
    }

    fn upload_of(
        &self,
        declaration: &FormatDecl,
        summand: &TokenStream,
        in_hardware: &TokenStream,
        visitor: &TokenStream,
    ) -> TokenStream {
        let Parts {
            element,
            runtime,
            name,
            declared,
            given,
            ..
        } = self;
        let (cfg, generics, this) = (
            cfgs(declaration),
            quote!(T: #element, #declared),
            quote!(#name<T, #given>),
        );
        let upload = upload(
            runtime,
            &cfg,
            &generics,
            &this,
            &quote!(::std::vec![#summand?]),
            &quote!(self.shape),
            visitor,
        );
        let summands = summands(runtime, &cfg, &generics, &this, &quote!(::std::vec![#in_hardware]));
        quote!(#upload #summands)
    }
}

/// Returns the arrays of a type for high-level synthesis, as a sum of tensors.
pub(in crate::compiler::emit::rust) fn summands(
    runtime: &TokenStream,
    cfg: &TokenStream,
    generics: &TokenStream,
    this: &TokenStream,
    summands: &TokenStream,
) -> TokenStream {
    if !HAS_HARDWARE {
        return TokenStream::new();
    }
    quote! {
        #cfg
        #[automatically_derived]
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        #[allow(clippy::all, clippy::pedantic, non_snake_case)]
        impl<#generics> #runtime::__private::hls::Summands for #this
        where
            <T as #runtime::Stored>::Value: #runtime::hls::Element,
        {
            type Element = <T as #runtime::Stored>::Value;

            fn summands(&self) -> ::std::vec::Vec<#runtime::__private::hls::Summand> {
                #summands
            }
        }
    }
}

/// Returns the upload of a type as a sum of tensors.
pub(in crate::compiler::emit::rust) fn upload(
    runtime: &TokenStream,
    cfg: &TokenStream,
    generics: &TokenStream,
    this: &TokenStream,
    summands: &TokenStream,
    shape: &TokenStream,
    visitor: &TokenStream,
) -> TokenStream {
    if !HAS_DEVICE {
        return TokenStream::new();
    }
    quote! {
        #cfg
        #[automatically_derived]
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        #[allow(clippy::all, clippy::pedantic, non_snake_case)]
        impl<#generics> #runtime::__private::cuda::Summands for #this
        where
            <T as #runtime::Stored>::Value: #runtime::cuda::Element,
        {
            type Element = <T as #runtime::Stored>::Value;
            #visitor

            fn extents(&self) -> ::std::vec::Vec<usize> {
                #shape.to_vec()
            }

            fn summands(
                &self,
                stream: &#runtime::cuda::Stream,
            ) -> ::core::result::Result<::std::vec::Vec<#runtime::__private::cuda::Summand>, #runtime::cuda::Error> {
                ::core::result::Result::Ok(#summands)
            }
        }
    }
}
