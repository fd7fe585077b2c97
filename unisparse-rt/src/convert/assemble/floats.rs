//! What depends on the type of the elements alone: this crate has compiled it for floats, so that it is not compiled again in
//! every crate that converts.

use core::any::{Any, TypeId};

use super::assembler::{Assembler, Start};
use super::layout::Layout;
use super::ordered::{self, Ordered};
use super::sequence::Arranged;
use super::strategy::{Choice, Way};
use super::words::ElementWords;
use crate::element::Stored;
use crate::error::Error;
use crate::source::Duplicates;

/// Brings the elements into storage order in the way that was chosen.
pub(super) fn assembler<T: Stored>(
    elements: &dyn ElementWords<T>,
    choice: Choice,
    start: Start,
) -> Result<Assembler<T>, Error> {
    if !const { <T as Stored>::IS_FLOAT } {
        Assembler::new(elements, choice, start)
    } else if let Some(elements) = elements_of::<T, f64>(elements) {
        assembler_f64(elements, choice, start).map(same)
    } else if let Some(elements) = elements_of::<T, f32>(elements) {
        assembler_f32(elements, choice, start).map(same)
    } else {
        not_a_float()
    }
}

/// Returns the elements in the order of their words, as [`ordered::order`].
pub(super) fn order<T: Stored>(
    elements: &dyn ElementWords<T>,
    layout: &Layout,
    way: Way,
    policy: Option<Duplicates>,
) -> Result<Arranged<T>, Vec<i64>> {
    if !const { <T as Stored>::IS_FLOAT } {
        ordered::order(elements, layout, way, policy)
    } else if let Some(elements) = elements_of::<T, f64>(elements) {
        order_f64(elements, layout, way, policy).map(same)
    } else if let Some(elements) = elements_of::<T, f32>(elements) {
        order_f32(elements, layout, way, policy).map(same)
    } else {
        not_a_float()
    }
}

/// Returns the values at the positions of the last level; holes are zero.
pub(super) fn values<T: Stored>(ordered: Ordered<T>) -> Result<Vec<T>, Error> {
    if !const { <T as Stored>::IS_FLOAT } {
        ordered.values()
    } else if TypeId::of::<T>() == TypeId::of::<f64>() {
        values_f64(same(ordered)).map(same)
    } else if TypeId::of::<T>() == TypeId::of::<f32>() {
        values_f32(same(ordered)).map(same)
    } else {
        not_a_float()
    }
}

macro_rules! floats {
    ($($float:ident $assembler:ident $order:ident $values:ident),*) => {$(
        fn $assembler(
            elements: &dyn ElementWords<$float>,
            choice: Choice,
            start: Start,
        ) -> Result<Assembler<$float>, Error> {
            Assembler::new(elements, choice, start)
        }

        fn $order(
            elements: &dyn ElementWords<$float>,
            layout: &Layout,
            way: Way,
            policy: Option<Duplicates>,
        ) -> Result<Arranged<$float>, Vec<i64>> {
            ordered::order(elements, layout, way, policy)
        }

        fn $values(ordered: Ordered<$float>) -> Result<Vec<$float>, Error> {
            ordered.values()
        }
    )*};
}

floats!(f64 assembler_f64 order_f64 values_f64, f32 assembler_f32 order_f32 values_f32);

/// Returns the same elements if `T` is `U`.
fn elements_of<T: 'static, U: 'static>(elements: &dyn ElementWords<T>) -> Option<&dyn ElementWords<U>> {
    // SAFETY: the types are equal, and so are those of the references.
    (TypeId::of::<T>() == TypeId::of::<U>())
        .then(|| unsafe { core::mem::transmute::<&dyn ElementWords<T>, &dyn ElementWords<U>>(elements) })
}

/// Returns the same value; `A` is `B`.
fn same<A: 'static, B: 'static>(value: A) -> B {
    let mut value = Some(value);
    let value: &mut dyn Any = &mut value;
    value
        .downcast_mut()
        .and_then(Option::take)
        .unwrap_or_else(|| not_a_float())
}

#[cold]
fn not_a_float() -> ! {
    unreachable!("`IS_FLOAT` is for `f32` and `f64`")
}
