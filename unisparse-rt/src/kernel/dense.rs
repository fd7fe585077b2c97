//! Dense operands of kernels.

use std::borrow::Cow;

/// A dense input: a slice, `Vec` or array in row-major order, or with the feature `ndarray` any array or view of that
/// crate.
///
/// A flat slice does not know its shape; from its length, a kernel infers the one extent that the sparse operands leave open
/// (`B[j, n]` with `j` rows has `len / j` columns).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dense operand of `{T}` elements",
    label = "expected a slice, a `Vec` or an array of `{T}`",
    note = "the operands of a kernel stand in the order of its statement: the output, then the inputs; all read as elements of one type"
)]
pub trait Dense<T> {
    /// Returns the extents, if the operand knows them.
    fn extents(&self) -> Option<&[usize]>;
    /// Returns the elements in row-major order, copied only if they are stored in another order.
    fn elements(&self) -> Cow<'_, [T]>
    where
        T: Clone;
    /// Returns the number of elements.
    fn len(&self) -> usize;
    /// Returns whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A dense output.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dense output of `{T}` elements",
    label = "expected a slice, a `Vec` or an array of `{T}`",
    note = "the operands of a kernel stand in the order of its statement: the output, then the inputs; all read as elements of one type"
)]
pub trait DenseMut<T>: Dense<T> {
    /// Runs `write` on the elements in row-major order.
    fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R
    where
        T: Clone;
}

macro_rules! flat {
    ($([$($generics:tt)*] $operand:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, $($generics)*> Dense<T> for $operand {
            fn extents(&self) -> Option<&[usize]> { None }
            fn elements(&self) -> Cow<'_, [T]> where T: Clone { Cow::Borrowed(&self[..]) }
            fn len(&self) -> usize { self[..].len() }
        }
        #[diagnostic::do_not_recommend]
        impl<T, $($generics)*> DenseMut<T> for $operand {
            fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R where T: Clone {
                write(&mut self[..])
            }
        }
    )*};
}

flat!([] [T], [] Vec<T>, [const L: usize] [T; L]);

#[diagnostic::do_not_recommend]
impl<T, D: Dense<T> + ?Sized> Dense<T> for &D {
    fn extents(&self) -> Option<&[usize]> {
        (**self).extents()
    }
    fn elements(&self) -> Cow<'_, [T]>
    where
        T: Clone,
    {
        (**self).elements()
    }
    fn len(&self) -> usize {
        (**self).len()
    }
}

#[cfg(feature = "ndarray")]
mod arrays {
    use super::{Cow, Dense, DenseMut};
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    impl<T, S: Data<Elem = T>, D: Dimension> Dense<T> for ArrayBase<S, D> {
        fn extents(&self) -> Option<&[usize]> {
            Some(self.shape())
        }
        fn elements(&self) -> Cow<'_, [T]>
        where
            T: Clone,
        {
            match self.as_slice() {
                Some(elements) => Cow::Borrowed(elements),
                None => Cow::Owned(self.iter().cloned().collect()),
            }
        }
        fn len(&self) -> usize {
            ArrayBase::len(self)
        }
    }

    impl<T, S: DataMut<Elem = T>, D: Dimension> DenseMut<T> for ArrayBase<S, D> {
        fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R
        where
            T: Clone,
        {
            if let Some(elements) = self.as_slice_mut() {
                return write(elements);
            }
            let mut elements: Vec<T> = self.iter().cloned().collect();
            let result = write(&mut elements);
            for (place, element) in self.iter_mut().zip(elements) {
                *place = element;
            }
            result
        }
    }
}
