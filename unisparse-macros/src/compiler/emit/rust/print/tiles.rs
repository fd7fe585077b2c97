//! Prints tiles: sums of neighbouring elements, held in registers.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer, identity, reduced};
use crate::compiler::loops::{Array, Expr, Through, Tiles};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn tiles(&mut self, tiles: &Tiles) -> TokenStream {
        let natural = self.variables.is_natural(tiles.var);
        let (range, whole) = (
            self.span(natural, &tiles.lows, &tiles.highs),
            self.constant_or_zero(&tiles.highs),
        );
        let (var, width, sums) = (
            self.var(tiles.var),
            self.var(tiles.width),
            self.arrays.array(Array::Sums),
        );
        let (tile, most) = (self.runtime("tiles"), self.runtime("TILE"));
        let start = identity(tiles.reduction, self.arrays.runtime());
        let body = self.block(&tiles.body);
        let (array, registers) = (self.arrays.array(tiles.array), self.local("registers"));
        let put = |at: &TokenStream, sums: &TokenStream| {
            if let Some(Through { level, first }) = &tiles.through {
                let (item, sum) = (self.cell(tiles.array, first), self.local("sum"));
                let (cell, update) = (item.name(), self.update(&item, Some(tiles.reduction), &quote!(#sum)));
                let (places, within) = (self.places(*level, tiles.array, first), self.runtime("within"));
                let places = quote!(#within(#places, 0..#width, (#at) as isize));
                return quote!(for (#cell, &#sum) in #places.zip(#sums) { #update });
            }
            if tiles.store {
                return quote!(#array[#at..][..#width].copy_from_slice(#sums););
            }
            let (item, sum) = (self.local(&format!("{array}_item")), self.local("sum"));
            let reduced = reduced(tiles.reduction, &quote!((*#item)), &quote!(#sum));
            quote!(for (#item, &#sum) in #array[#at..][..#width].iter_mut().zip(#sums) { *#item = #reduced; })
        };
        let at = self.usize(&tiles.at);
        let Some(rows) = &tiles.rows else {
            let put = put(&at, &quote!(&*#sums));
            return quote! {
                #tile::<T::Sum>(#registers, #range, #whole, 1, #[inline(always)] |#var, #width| {
                    let mut #sums = [#start; #most];
                    let #sums = &mut #sums[..#width];
                    #body
                    #put
                });
            };
        };
        let natural = self.variables.is_natural(rows.var);
        let (all_rows, most_rows) = (
            self.span(natural, &rows.lows, &rows.highs),
            self.constant_or_zero(&rows.highs),
        );
        let (row, count, step, stride) = (
            self.var(rows.var),
            self.var(rows.count),
            self.local("row_step"),
            self.usize(&rows.stride),
        );
        let put = put(
            &quote!(#at + #step * (#stride)),
            &quote!(&#sums[#step * #width..][..#width]),
        );
        quote! {
            #tile::<T::Sum>(#registers, #all_rows, #most_rows, 1, #[inline(always)] |#row, #count| {
                #tile::<T::Sum>(#registers, #range, #whole, #count, #[inline(always)] |#var, #width| {
                    let mut #sums = [#start; #most];
                    let #sums = &mut #sums[..#count * #width];
                    #body
                    for #step in 0..#count { #put }
                });
            });
        }
    }

    /// Returns the first of the bounds that is known at compile time, or zero.
    fn constant_or_zero(&self, highs: &[Expr]) -> TokenStream {
        let known = highs.iter().find(|high| high.is_constant(self.variables));
        known.map_or_else(|| quote!(0), |known| self.usize(known))
    }
}
