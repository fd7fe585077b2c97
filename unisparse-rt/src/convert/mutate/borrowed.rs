//! The arrays of a compressed matrix as slices, for other libraries.

use std::borrow::Cow;

use super::same_map;
use crate::array::{Indices, Pointers};
use crate::element::Index;
use crate::format::Order;
use crate::source::Source;
use crate::source::lend::Arrays;

/// The `ptr` array, the `idx` array and the values of a compressed matrix.
type Slices<'a, I, T> = (&'a [I], &'a [I], &'a [T]);

/// Returns the `ptr` and `idx` arrays of the last level of a matrix, and its values, if it is stored exactly as `F` stores
/// matrices, with integers of this type.
pub fn compressed<'a, S, F, I>(matrix: &'a S) -> Option<Slices<'a, I, S::Scalar>>
where
    S: Source<2>,
    F: Source<2>,
    I: Index,
{
    let (Order::By(from), Order::By(to)) = (S::ORDER, F::ORDER) else {
        return None;
    };
    if !same_map(from, to, false) || matrix.kinds() != F::KINDS {
        return None;
    }
    let mut arrays = Arrays::new(F::KINDS.len());
    matrix.lend(&mut arrays);
    let level = arrays.levels.pop()?;
    let ptr = level.ptr?.borrowed()?.downcast_ref::<Pointers<I>>()?;
    let idx = level.idx?.borrowed()?.downcast_ref::<Indices<I>>()?;
    match arrays.values {
        Cow::Borrowed(values) => Some((ptr, idx, values)),
        Cow::Owned(_) => None,
    }
}
