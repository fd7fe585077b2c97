//! Dot products of the values of a fiber with the elements that its `idx` array selects: `usdot` of the Sparse BLAS.

#[cfg(target_arch = "x86_64")]
mod x86;

use core::ops::Range;

use super::entries::{Entries, Segments};
use super::{Gather, Stream, Sum, Value};
use crate::element::{Index, Scalar, Stored};

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
    /// Calls `put` with each of these parents, and the [dot product](Entries::dot) of its entries.
    ///
    /// # Panics
    /// If there is no such parent.
    #[inline(always)]
    pub fn dots(self, parents: Range<usize>, mut put: impl FnMut(usize, Sum<A>)) {
        #[cfg(target_arch = "x86_64")]
        if x86::dots(&self, parents.clone(), &mut put) {
            return;
        }
        for parent in parents {
            put(parent, self.segment(parent).dot());
        }
    }
}

#[cfg(test)]
mod tests;
