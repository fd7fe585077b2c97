//! Dense operands of kernels, and the extents of their indices.

use std::borrow::Cow;

use crate::{Error, ErrorKind};

/// A dense operand that is read: a slice, `Vec` or array in row-major order, or with the feature
/// `ndarray` any array or view of that crate.
///
/// A flat slice does not know its shape; a kernel infers the one extent the sparse operand leaves open
/// from the length (`B[j, n]` with `j` rows has `len / j` columns).
pub trait Dense<T> {
    /// The extents, if the operand knows them.
    fn extents(&self) -> Option<&[usize]>;
    /// The elements in row-major order; copied only if they are not stored so.
    fn elements(&self) -> Cow<'_, [T]>
    where
        T: Clone;
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A dense operand that is written.
pub trait DenseMut<T>: Dense<T> {
    /// Runs `write` on the elements in row-major order.
    fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R
    where
        T: Clone;
}

macro_rules! flat {
    ($([$($generics:tt)*] $operand:ty),*) => {$(
        impl<T, $($generics)*> Dense<T> for $operand {
            fn extents(&self) -> Option<&[usize]> { None }
            fn elements(&self) -> Cow<'_, [T]> where T: Clone { Cow::Borrowed(&self[..]) }
            fn len(&self) -> usize { self[..].len() }
        }
        impl<T, $($generics)*> DenseMut<T> for $operand {
            fn write<R>(&mut self, write: impl FnOnce(&mut [T]) -> R) -> R where T: Clone {
                write(&mut self[..])
            }
        }
    )*};
}

flat!([] [T], [] Vec<T>, [const L: usize] [T; L]);

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

/// What a kernel knows of a dense operand before it runs.
pub struct Operand<'a> {
    /// Its name in the kernel's statement.
    pub name: &'static str,
    /// Which of the kernel's indices each of its dimensions is.
    pub indices: &'a [usize],
    /// Its extents, if it knows them.
    pub extents: Option<&'a [usize]>,
    /// How many elements it has.
    pub len: usize,
}

/// The extent of each index of a kernel, from the sparse operand's shape (`known`) and the dense operands.
///
/// # Errors
/// `Shape`, naming the operand, if one does not fit or leaves an extent open.
pub fn extents<const K: usize>(
    names: [&'static str; K],
    mut known: [Option<usize>; K],
    operands: &[Operand<'_>],
) -> Result<[usize; K], Error> {
    for operand in operands {
        let Some(extents) = operand.extents else { continue };
        if extents.len() != operand.indices.len() {
            let found = format!("{} dimensions", extents.len());
            return Err(shape_error(operand, found, format!("{}", operand.indices.len())));
        }
        for (&index, &extent) in operand.indices.iter().zip(extents) {
            match known[index] {
                None => known[index] = Some(extent),
                Some(known) if known == extent => {}
                Some(known) => {
                    let found = format!("extent {extent} of index `{}`", names[index]);
                    return Err(shape_error(operand, found, format!("{known}")));
                }
            }
        }
    }
    // A flat operand gives the one extent it leaves open; that may settle another's.
    loop {
        let before = known;
        for operand in operands {
            let mut open = operand.indices.iter().copied().filter(|&index| known[index].is_none());
            let (Some(index), None) = (open.next(), open.next()) else {
                continue;
            };
            let settled = operand.indices.iter().filter_map(|&index| known[index]);
            match settled.into_iter().try_fold(1, usize::checked_mul) {
                Some(0) if operand.len == 0 => {
                    // Any extent would do: what another operand says goes first.
                    let elsewhere = |other: &Operand<'_>| other.len > 0 && other.indices.contains(&index);
                    if !operands.iter().any(elsewhere) {
                        known[index] = Some(0);
                    }
                }
                Some(product) if product > 0 && operand.len % product == 0 => {
                    known[index] = Some(operand.len / product);
                }
                _ => {}
            }
        }
        if known == before {
            break;
        }
    }
    for operand in operands {
        let extent = |&index: &usize| known[index];
        let product = operand
            .indices
            .iter()
            .map(extent)
            .try_fold(1usize, |product, extent| product.checked_mul(extent?));
        if product != Some(operand.len) {
            return Err(misfit(&names, &known, operand));
        }
    }
    let mut all = [0; K];
    for (index, extent) in known.into_iter().enumerate() {
        all[index] = extent.ok_or_else(|| {
            let subject = format!("index `{}`", names[index]);
            Error::new(ErrorKind::Shape, subject, None, "no extent", "an operand that knows it")
        })?;
    }
    Ok(all)
}

#[cold]
fn shape_error(operand: &Operand<'_>, found: String, expected: String) -> Error {
    Error::new(
        ErrorKind::Shape,
        format!("operand `{}`", operand.name),
        None,
        found,
        expected,
    )
}

/// A flat operand whose length is not the product of its extents.
#[cold]
fn misfit(names: &[&'static str], known: &[Option<usize>], operand: &Operand<'_>) -> Error {
    let extent = |&index: &usize| match known[index] {
        Some(extent) => format!("{} = {extent}", names[index]),
        None => format!("{} of unknown extent", names[index]),
    };
    let expected: Vec<String> = operand.indices.iter().map(extent).collect();
    shape_error(
        operand,
        format!("{} elements", operand.len),
        format!("as many as [{}] has", expected.join(", ")),
    )
}
