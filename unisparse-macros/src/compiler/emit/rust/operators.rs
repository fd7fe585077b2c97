//! Prints the operators `+`, `-` and `*` of a tensor, which call the run time.

use proc_macro2::TokenStream;
use quote::quote;

use super::lookup::Head;

impl Head<'_> {
    /// Returns the implementations of the operators. `is_matrix`: the tensor has the stock kernel that multiplies by a vector.
    pub(crate) fn operators(&self, runtime: &TokenStream, is_matrix: bool) -> TokenStream {
        let Head {
            attributes,
            element,
            declared,
            this,
            private,
            dims,
        } = self;
        let (factor, multiply) = if is_matrix {
            let multiply = quote!(|product, matrix, vector| #runtime::kernels::spmv(product, matrix, vector));
            (quote!(#private::MatrixFactor<#this>), quote!(, #multiply))
        } else {
            (quote!(#private::Factor<#this, #dims>), TokenStream::new())
        };
        let binary =
            |operator: TokenStream, method: TokenStream, bound: TokenStream, output: TokenStream, call: TokenStream| {
                quote! {
                    #attributes
                    #[automatically_derived]
                    impl<T: #element, __Right: #bound, #declared> ::core::ops::#operator<__Right> for &#this {
                        type Output = #output;

                        #[track_caller]
                        fn #method(self, right: __Right) -> Self::Output {
                            #private::operate(right.#call)
                        }
                    }
                }
            };
        let addend = quote!(#private::Addend<#this, #dims>);
        let subtrahend = quote!(#private::Subtrahend<#this, #dims>);
        let add = binary(quote!(Add), quote!(add), addend, quote!(#this), quote!(added_to(self)));
        let sub = binary(
            quote!(Sub),
            quote!(sub),
            subtrahend,
            quote!(#this),
            quote!(subtracted_from(self)),
        );
        let mul = binary(
            quote!(Mul),
            quote!(mul),
            factor,
            quote!(__Right::Product),
            quote!(product(self #multiply)),
        );
        quote! {
            #add
            #sub
            #mul

            #attributes
            #[automatically_derived]
            impl<T: #element + #runtime::Negate, #declared> ::core::ops::Neg for #this {
                type Output = Self;

                fn neg(self) -> Self {
                    #private::operate(#private::negated::<_, #dims>(self))
                }
            }

            #attributes
            #[automatically_derived]
            impl<T: #element + #runtime::Negate, #declared> ::core::ops::Neg for &#this {
                type Output = #this;

                fn neg(self) -> #this {
                    -::core::clone::Clone::clone(self)
                }
            }

            #attributes
            #[automatically_derived]
            impl<T: #element + #runtime::Scalar, #declared> ::core::ops::Mul<T> for #this {
                type Output = Self;

                fn mul(self, factor: T) -> Self {
                    #private::operate(#private::scaled::<_, #dims>(self, factor))
                }
            }
        }
    }
}
