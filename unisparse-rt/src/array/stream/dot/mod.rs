//! Dot products of the values of a fiber with the elements that its `idx` array selects: `usdot` of the Sparse BLAS.

mod gathered;
#[cfg(target_arch = "x86_64")]
mod x86;

use core::ops::Range;

use super::entries::{Entries, Segments};
use super::{Gather, Stream, Sum, Value};
use crate::element::{Index, Scalar, Stored};
use crate::machine::prefetch;
use gathered::range_of;

impl<A: Stream<Item: Stored>, S: Stream<Item: Index>> Entries<(A, Gather<'_, S, Value<A>>)> {
    /// Returns the sum of the products of both items at each position.
    ///
    /// The order of the sum is that of [`total`](Entries::total).
    #[inline(always)]
    pub fn dot(self) -> Sum<A> {
        #[cfg(target_arch = "x86_64")]
        if let Some(sum) = x86::dot(&self) {
            return sum;
        }
        let zero = <Sum<A> as Scalar>::ZERO;
        self.total(zero, Scalar::plus, |(value, item)| value.wide().times(item.wide()))
    }
}

impl<P: Index, A: Stream<Item: Stored>, S: Stream<Item: Index>> Segments<'_, P, (A, Gather<'_, S, Value<A>>)> {
    /// Sets the first of `sums` to the [dot products](Entries::dot) of the entries of these parents, one for each.
    ///
    /// # Panics
    /// If there is no such parent, or are fewer sums than parents.
    #[inline(always)]
    pub fn dots(self, parents: Range<usize>, sums: &mut [Sum<A>]) {
        let sums = &mut sums[..parents.len()];
        #[cfg(target_arch = "x86_64")]
        if x86::dots(&self, parents.clone(), sums) {
            return;
        }
        // The constant spares a copy of the loop where nothing is optimised.
        if prefetch::IS_USED && self.is_far() {
            self.dots_of_any::<true>(parents, sums);
        } else {
            self.dots_of_any::<false>(parents, sums);
        }
    }

    /// Does what [`dots`](Segments::dots) does, for elements of any type.
    // Never inlined: in a loop among those of a kernel, what each iteration reads is not all in registers.
    #[inline(never)]
    fn dots_of_any<const FAR: bool>(self, parents: Range<usize>, sums: &mut [Sum<A>]) {
        let gathers_far = FAR && self.gathers_far(range_of(self.starts(parents.clone())));
        for (entries, sum) in self.of_each::<FAR>(parents).zip(sums) {
            if gathers_far {
                self.prefetch_gathered(entries.rest().1);
            }
            *sum = entries.dot();
        }
    }
}

#[cfg(test)]
mod tests;
