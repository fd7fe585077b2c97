//! Prints tiles: sums of neighbouring elements, held in registers.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Arrays, Printer, identity, reduced};
use crate::compiler::loops::{Array, Expr, Range, Through, Tiles, Var, Variables};

impl<A: Arrays> Printer<'_, A> {
    pub(super) fn tiles(&mut self, tiles: &Tiles) -> TokenStream {
        let numbers = Range {
            level: None,
            var: tiles.var,
            lows: tiles.lows.clone(),
            highs: tiles.highs.clone(),
            stride: None,
            nonempty: None,
            body: Vec::new(),
        };
        let (range, whole) = (self.bounds(&numbers), self.known_or_zero(&numbers));
        let (var, width, sums) = (
            self.var(tiles.var),
            self.var(tiles.width),
            self.arrays.array(Array::Sums),
        );
        let (tile, most) = (self.runtime("tiles"), self.runtime("TILE"));
        let start = identity(tiles.reduction, self.arrays.runtime());
        let widths = [Some(tiles.width), tiles.rows.as_ref().map(|rows| rows.count)];
        let outside = std::mem::replace(&mut self.tile, widths.into_iter().flatten().collect());
        let body = self.block(&tiles.body);
        self.tile = outside;
        let array = self.arrays.array(tiles.array);
        let put = |at: &TokenStream, sums: &TokenStream| {
            if let Some(Through { level, first }) = &tiles.through {
                let (cell, sum) = (self.local(&format!("{array}_cell")), self.local("sum"));
                let reduced = reduced(tiles.reduction, &quote!(#cell.get()), &quote!(#sum));
                let (places, within) = (self.places(*level, tiles.array, first), self.runtime("within"));
                let places = quote!(#within(#places, 0..#width, (#at) as isize));
                let set = self.set(&cell, &reduced);
                return quote!(for (#cell, &#sum) in #places.zip(#sums) { #set });
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
                #tile::<T::Sum>(#range, #whole, 1, #[inline(always)] |#var, #width| {
                    let mut #sums = [#start; #most];
                    let #sums = &mut #sums[..#width];
                    #body
                    #put
                });
            };
        };
        let numbers = Range {
            var: rows.var,
            lows: rows.lows.clone(),
            highs: rows.highs.clone(),
            ..numbers
        };
        let (all_rows, most_rows) = (self.bounds(&numbers), self.known_or_zero(&numbers));
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
            #tile::<T::Sum>(#all_rows, #most_rows, 1, #[inline(always)] |#row, #count| {
                #tile::<T::Sum>(#range, #whole, #count, #[inline(always)] |#var, #width| {
                    let mut #sums = [#start; #most];
                    let #sums = &mut #sums[..#count * #width];
                    #body
                    for #step in 0..#count { #put }
                });
            });
        }
    }

    /// Returns the most frequent number of iterations of a range, or zero if that is unknown.
    fn known_or_zero(&self, range: &Range) -> TokenStream {
        known_count(range, &[], self.variables).map_or_else(|| quote!(0), |whole| self.usize(&whole))
    }
}

/// Returns the most frequent number of iterations of a range, if it is known at compile time: the width of the tile
/// around it, or an expression of numbers and const parameters.
pub(super) fn known_count(range: &Range, tile: &[Var], variables: &Variables) -> Option<Expr> {
    let is_known = |high: &&Expr| match high {
        Expr::Var(var) if tile.contains(var) => true,
        high => high.is_constant(variables),
    };
    range.highs.iter().find(is_known).cloned()
}
